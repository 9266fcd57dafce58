# bash completion for fcsim; printed by "fcsim help bash".

_fcsim_profiles() {
  fcsim run -k help 2>/dev/null | cut -d" " -f1
}

_fcsim_words() {
  COMPREPLY+=($(compgen -W "$1" -- "$current"))
}

_fcsim_files() {
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen -f -- "$current")
}

_fcsim() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _fcsim_words "--help --version run explain evaluate report exposure fit validate compare sweep tune batch merge workload geometry record convert help"
    return
  fi
  case "${COMP_WORDS[1]}" in
    run)
      case "$previous" in
        -f | --format) _fcsim_words "text markdown json csv kernel"; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -f --format -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    explain)
      case "$previous" in
        -f | --format) _fcsim_words "text markdown json csv perfetto"; return ;;
        --limit) :; return ;;
        --cause) _fcsim_words "fast_commit_off first_commit area_full log_failed ineligible snapshot_refused directory_fsync timer expired sync synchronous_handle transaction_full log_space no_space administration"; return ;;
        --file) :; return ;;
        --pid) :; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -f --format --fast --limit --cause --file --pid -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    evaluate)
      case "$previous" in
        --against) :; return ;;
        --traces) :; return ;;
        -f | --format) _fcsim_words "text markdown json"; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help --against --traces --no-promises -f --format -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      :
      _fcsim_files
      ;;
    report)
      case "$previous" in
        -o | --output) _fcsim_files; return ;;
        -a) _fcsim_files; return ;;
        -b) _fcsim_files; return ;;
        --set-a) :; return ;;
        --set-b) :; return ;;
        -p | --parameter) :; return ;;
        -f | --format) _fcsim_words "html text markdown"; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -o --output -a -b --set-a --set-b -p --parameter --no-exposure -f --format -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    exposure)
      case "$previous" in
        -f | --format) _fcsim_words "text survivors"; return ;;
        --at) :; return ;;
        --at-file) :; return ;;
        --kept) _fcsim_words "flushed completed"; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -f --format --at --at-file --kept -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    fit)
      case "$previous" in
        -f | --format) _fcsim_words "text markdown json toml"; return ;;
        -o | --output) _fcsim_files; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -f --format -o --output -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    validate)
      case "$previous" in
        -f | --format) _fcsim_words "text markdown csv json"; return ;;
        --truth) :; return ;;
        --truth-device) :; return ;;
        --keep) _fcsim_files; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -f --format --blocks --first-difference --truth --truth-device --live --keep --force -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    compare)
      case "$previous" in
        -a) _fcsim_files; return ;;
        -b) _fcsim_files; return ;;
        --set-a) :; return ;;
        --set-b) :; return ;;
        --changes) :; return ;;
        -f | --format) _fcsim_words "text markdown json"; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -a -b --set-a --set-b --changes -f --format -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    sweep)
      case "$previous" in
        -p | --parameter) :; return ;;
        -f | --format) _fcsim_words "text markdown csv json"; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -p --parameter -f --format -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    tune)
      case "$previous" in
        -f | --format) _fcsim_words "text markdown json"; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -f --format -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    batch)
      case "$previous" in
        -p | --parameter) :; return ;;
        -o | --output) _fcsim_files; return ;;
        --shard) :; return ;;
        --export) _fcsim_words "csv jsonl"; return ;;
        -f | --format) _fcsim_words "text markdown csv json"; return ;;
        --counter) :; return ;;
        --by) :; return ;;
        --baseline) :; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -p --parameter -o --output --shard --export --summary -f --format --counter --by --baseline -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    merge)
      case "$previous" in
        -o | --output) _fcsim_files; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -o --output -q --quiet"
        return
      fi
      _fcsim_files
      ;;
    workload)
      case "$previous" in
        --fsyncs) :; return ;;
        --writes) :; return ;;
        --span) :; return ;;
        --write-size) :; return ;;
        --files) :; return ;;
        --rounds) :; return ;;
        --processes) :; return ;;
        --seed) :; return ;;
        --fsync-time) :; return ;;
        --size) :; return ;;
        -o | --output) _fcsim_files; return ;;
        -f | --format) _fcsim_words "bundle strace"; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        --fast-commit-kib) :; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help --fsyncs --writes --span --write-size --files --rounds --processes --cold --no-cold --sync-directory --no-sync-directory --fdatasync --no-fdatasync --seed --fsync-time --size -o --output -f --format -k --kernel --fast-commit-kib --plain --force"
        return
      fi
      _fcsim_words "append-fsync files-per-round sparse-random overwrite-random create-rename mixed help"
      ;;
    geometry)
      case "$previous" in
        -f | --format) _fcsim_words "text toml json"; return ;;
        -c | --config) _fcsim_files; return ;;
        --set) :; return ;;
        -k | --kernel) _fcsim_words "$(_fcsim_profiles)"; _fcsim_files; return ;;
        -j | --threads) :; return ;;
        --mount-point) :; return ;;
        --fd) :; return ;;
        --timing) _fcsim_words "recorded closed"; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -f --format --log --whole-log -c --config --set -k --kernel -j --threads -q --quiet --no-color --mount-point --fd --unknown-are-files --timing --strict"
        return
      fi
      _fcsim_files
      ;;
    record)
      case "$previous" in
        -o | --output) _fcsim_files; return ;;
        -p | --pid) :; return ;;
        --for) :; return ;;
        --with) _fcsim_words "strace tracepoints"; return ;;
        --ring) :; return ;;
        --mount-point) :; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -o --output -p --pid --whole-file-system --for --with --ring --mount-point --no-compress --no-manifest --keep-data --force -q --quiet"
        return
      fi
      _fcsim_files
      ;;
    convert)
      case "$previous" in
        -o | --output) _fcsim_files; return ;;
        --to) _fcsim_words "binary strace"; return ;;
        --zstd) :; return ;;
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help -o --output --to --zstd --strict --force -q --quiet"
        return
      fi
      _fcsim_files
      ;;
    help)
      case "$previous" in
      esac
      if [[ "$current" == -* ]]; then
        _fcsim_words "-h --help"
        return
      fi
      _fcsim_words "run explain evaluate report exposure fit validate compare sweep tune batch merge workload geometry record convert help configuration"
      ;;
  esac
}

complete -F _fcsim fcsim

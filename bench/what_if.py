#!/usr/bin/env python3
"""Other settings predicted from one recording, against what the kernel counts under them.

    bench/what_if.py FCSIM [PROGRAM...]

Records each program with `fcsim record` on fresh loop file systems, once as it is and once under each
other setting, and prints a Markdown table. Needs root, loop devices, strace and the programs.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

INSERT = "insert into t values($i,randomblob(%d));"
PROGRAMS = {  # name: (what is there before, what is recorded)
    "sqlite": ("true", 'for i in $(seq 60); do echo "create table if not exists t(a,b); '
               + INSERT % 300 + '"; done | sqlite3 d.db'),
    "sqlitewal": ('echo "pragma journal_mode=wal; create table t(a,b);" | sqlite3 d.db',
                  '(echo "pragma synchronous=full;"; for i in $(seq 80); do echo "'
                  + INSERT % 900 + '"; done) | sqlite3 d.db'),
    "git": ("git init -q r", 'cd r; g="git -c core.fsync=all -c user.email=a@b -c user.name=x"; '
            "for i in 1 2 3 4 5 6; do echo $i > f$i; $g add f$i; $g commit -q -m m$i; done"),
    "fio": ("true", "fio --name=a --rw=write --bs=4k --size=1m --fsync=1 --output=/dev/null"),
    "dd": ("true", "for i in $(seq 40); do dd if=/dev/zero of=f$i bs=8k count=1 conv=fsync; done"),
    "replace": ("true", "for i in $(seq 40); do echo $i > new; sync new; mv new cur; sync .; done"),
    "maildir": ("mkdir tmp new", "for i in $(seq 40); do echo $i > tmp/$i; sync tmp/$i; ln tmp/$i new/$i; "
                "rm tmp/$i; done; sync new"),
    "rsync": ("mkdir src; for i in $(seq 60); do echo $i > src/f$i; done",
              "rsync -a --fsync src/ dst/"),
    "tar": ("mkdir src; for i in $(seq 80); do echo $i > src/f$i; done",
            "tar cf a.tar src; sync a.tar; mkdir out; tar xf a.tar -C out; sync out/src/f1"),
    "lmdb": ("true", 'mkdir e; for i in $(seq 30); do printf "VERSION=3\\nformat=print\\ntype=btree\\n'
             'HEADER=END\\n k%d\\n v%d\\nDATA=END\\n" $i $i | mdb_load e; done'),
}
SETTINGS = [  # of fcsim, of mke2fs, of mount
    ("filesystem.fast_commit_kib=256", ["-O", "fast_commit", "-J", "fast_commit_size=256"], "commit=5"),
    ("filesystem.fast_commit=false", ["-O", "^fast_commit"], "commit=5"),
    ("mount.commit_interval_s=1", ["-O", "fast_commit"], "commit=1"),
    ("mount.delalloc=false", ["-O", "fast_commit"], "commit=5,nodelalloc"),
]
COUNTERS = ["commits", "ineligible", "numblks", "transactions"]


def record(fcsim, folder, name, mke2fs, options, before, command):
    """A bundle of the command on a file system of its own."""
    image, point, bundle = (os.path.join(folder, x) for x in (name + ".img", "mount", name))
    os.makedirs(point, exist_ok=True)
    with open(image, "wb") as file:
        file.truncate(1 << 30)
    subprocess.run(["mkfs.ext4", "-q", "-F", *mke2fs, image], check=True)
    subprocess.run(["mount", "-o", "loop," + options, image, point], check=True)
    try:
        subprocess.run(["sh", "-c", before], cwd=point, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["sync"], check=True)
        subprocess.run([fcsim, "record", "-q", "-o", bundle, "--", "sh", "-c", command], cwd=point,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    finally:
        subprocess.run(["umount", point], check=True)
        os.remove(image)
    return bundle


def counted(bundle):
    text = open(os.path.join(bundle, "truth.toml")).read()
    return [int(re.search(rf"^{name} = (\d+)", text, re.M)[1]) for name in COUNTERS]


def predicted(fcsim, bundle, setting):
    arguments = [fcsim, "run", bundle, "-f", "json", "--timing", "closed", "--set", setting]
    answer = json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)
    return [answer["fc_info"][name] for name in COUNTERS[:3]] + [answer["jbd2"]["transactions"]]


def cell(counters):
    return " / ".join(str(count) for count in counters)


def main():
    fcsim = os.path.abspath(sys.argv[1])
    print("| program | setting | recorded without it | predicted with it | counted with it |")
    print("|---|---|--:|--:|--:|")
    for program in sys.argv[2:] or PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            before, command = PROGRAMS[program]
            base = record(fcsim, folder, "base", SETTINGS[2][1], "commit=5", before, command)
            for number, (setting, mke2fs, options) in enumerate(SETTINGS):
                other = record(fcsim, folder, f"other{number}", mke2fs, options, before, command)
                print(f"| {program} | `{setting}` | {cell(counted(base))} | "
                      f"{cell(predicted(fcsim, base, setting))} | {cell(counted(other))} |", flush=True)


main()

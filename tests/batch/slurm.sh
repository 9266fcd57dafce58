#!/usr/bin/env bash
# fcsim batch --slurm on a Slurm of this script's own: munged, slurmctld and slurmd on loopback.
#
#     slurm.sh FCSIM BUNDLES FOLDER
#
# An array of 4 tasks is submitted, one of them is killed on the way and requeued; the export of what
# is merged must be that of one run. Ends what it started. Needs root. Status 77: something is missing.
set -euo pipefail

fcsim=$1
bundles=$2
folder=$3

PATH=$PATH:/usr/sbin:/sbin
for program in munged mungekey slurmctld slurmd sbatch scontrol squeue; do
  command -v "$program" >/dev/null || { echo "there is no $program"; exit 77; }
done
((EUID == 0)) || { echo "not root"; exit 77; }

port=$((20000 + $$ % 20000))
mkdir -p "$folder"/{state,spool,munge}
cd "$folder"
chmod 755 munge
host=$(hostname -s)
started=()
finish() {
  for pid in ${started[@]+"${started[@]}"}; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
}
trap finish EXIT

chmod 700 munge
mungekey --create --keyfile "$folder/munge/key"
munged --foreground --force --key-file "$folder/munge/key" --socket "$folder/munge/socket" \
  --pid-file "$folder/munge/pid" --seed-file "$folder/munge/seed" --log-file "$folder/munge/log" \
  >munged.out 2>&1 &
started+=($!)

cat >slurm.conf <<CONF
ClusterName=fcsim
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=2
MpiDefault=none
JobRequeue=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=NO
CONF
export SLURM_CONF=$folder/slurm.conf

# Waits for a command to be true, up to a number of seconds.
wait_for() {
  local seconds=$1
  shift
  for ((i = 0; i < seconds * 5; ++i)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.2
  done
  echo "waited $seconds s for: $*" >&2
  tail -n 20 ./*.log munged.out >&2 || true
  return 1
}
wait_for 60 test -S munge/socket
slurmctld -D >slurmctld.out 2>&1 &
started+=($!)
slurmd -D -N "$host" >slurmd.out 2>&1 &
started+=($!)
idle() { [[ "$(sinfo -h -o %T)" == idle ]]; }
wait_for 120 idle

grid=(-p 'filesystem.fast_commit_kib=64,512' -p 'mount.commit_interval_s=1,5,30')
"$fcsim" batch -q "$bundles" "${grid[@]}" -o whole.db

jobs=$("$fcsim" batch "$bundles" "${grid[@]}" -o all.db --slurm 4 --submit)
echo "$jobs"
array=$(sed -n 's/^array job \([0-9]*\),.*/\1/p' <<<"$jobs")
merge=$(sed -n 's/.*merge job \([0-9]*\)$/\1/p' <<<"$jobs")
[[ -n "$array" && -n "$merge" ]]

# The first task is killed while it runs, and does its share again. Where it was too quick to be
# caught, it is requeued after its end and finds all its rows.
running() { [[ "$(squeue -h -j "${array}_1" -o %T 2>/dev/null)" == RUNNING ]]; }
wait_for 60 running || true
scontrol requeue "${array}_1"
echo "task 1 was requeued"

over() { [[ -z "$(squeue -h -j "$array,$merge" 2>/dev/null)" ]]; }
wait_for 600 over
"$fcsim" batch --status all.db
test -s all.db || { cat all.db.tasks/*.log >&2; exit 1; }
"$fcsim" batch --export csv whole.db >whole.csv
"$fcsim" batch --export csv all.db >all.csv
cmp whole.csv all.csv
echo "the same $(wc -l <whole.csv) lines"

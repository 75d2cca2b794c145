#!/usr/bin/env bash
# Starts a Slurm cluster on loopback for tests and trials, and prints its SLURM_CONF to export: munged, slurmctld and NODES slurmd with CPUS cores each, without
# systemd, cgroups and a database. Runs as root or as an ordinary user, who also runs the jobs. Needs the Debian packages munge, slurmctld, slurmd, slurm-client.
# Its files are in DIR: slurm.conf, key and socket of munge, pid files, logs. Stop it by slurm_down.sh DIR; `slurm_down.sh DIR NODE` stops one node only.
# A lost node is noticed after 5 s, and its jobs start anew 10 s later; usual clusters take minutes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
usage 1 "DIR [NODES=4] [CPUS=1]" "$@"
folder=$(absolute "$1") nodes=${2:-4} cpus=${3:-1}
# In /usr/sbin, which users may lack.
PATH=$PATH:/usr/sbin:/sbin
for name in munged slurmctld slurmd sinfo; do
    command -v "$name" >/dev/null || fail "$name not found: install munge, slurmctld, slurmd and slurm-client"
done
[ ! -e "$folder/slurm.conf" ] || fail "$folder: has a cluster already"
mkdir -p "$folder"/{munge,state,spool,log,pids}
# munged refuses a key or a socket that others could replace.
chmod 755 "$folder" && chmod 711 "$folder/munge"
host=$(hostname -s) user=$(id -un)

# is_free PORT: whether nothing listens on a port.
is_free() {
    ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# free_ports COUNT: prints the first of consecutive free ports, below those that systems give to clients.
free_ports() {
    local first port
    for _ in $(seq 50); do
        first=$((10000 + RANDOM % 20000))
        for port in $(seq "$first" $((first + $1 - 1))); do
            is_free "$port" || continue 2
        done
        echo "$first"
        return
    done
    fail "no free ports found"
}

# await WHAT COMMAND…: waits up to 30 seconds until a command succeeds.
await() {
    local what=$1
    shift
    for _ in $(seq 150); do
        ! "$@" || return 0
        sleep 0.2
    done
    tail -n 5 "$folder"/log/*.log >&2 || true
    fail "waited for $what in vain; logs: $folder/log"
}

nodes_are_idle() {
    [ "$(sinfo --noheader --Node --states idle --format %N 2>/dev/null | sort -u | wc -l)" = "$nodes" ]
}

port=$(free_ports $((nodes + 1)))
memory=$(awk '$1 == "MemTotal:" { print int($2 / 1024) }' /proc/meminfo)
cat >"$folder/slurm.conf" <<CONF
ClusterName=nearsig
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
# A job that is requeued waits until the credential of its first start has expired: 120 s by default.
AuthInfo=socket=$folder/munge/socket,cred_expire=10
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/pids/slurmctld
SlurmdPidFile=$folder/pids/slurmd-%n
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
# Processes of a job are known by their group: cgroups belong to systemd.
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
# Nodes have the cores and the memory stated here, whatever the machine has.
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=100000,batch_sched_delay=0,bf_interval=1
ReturnToService=2
SlurmdTimeout=5
MessageTimeout=5
TCPTimeout=1
KillWait=2
NodeName=DEFAULT CPUs=$cpus RealMemory=$memory State=UNKNOWN
$(for node in $(seq "$nodes"); do echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + node))"; done)
PartitionName=main Nodes=n[1-$nodes] Default=YES MaxTime=INFINITE State=UP
CONF
# A cluster that cannot be completed does not stay.
trap '[ $? = 0 ] || "$root/scripts/dev/slurm_down.sh" "$folder" >&2 || true' EXIT
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
munged --force --key-file "$folder/munge/key" --socket "$folder/munge/socket" --pid-file "$folder/pids/munged" \
    --log-file "$folder/log/munged.log" --seed-file "$folder/munge/seed" 2>"$folder/log/munged.start"
export SLURM_CONF=$folder/slurm.conf
slurmctld -f "$SLURM_CONF"
for node in $(seq "$nodes"); do
    mkdir -p "$folder/spool/n$node"
    slurmd -f "$SLURM_CONF" -N "n$node"
done
await "idle nodes" nodes_are_idle
echo "export SLURM_CONF=$(printf '%q' "$SLURM_CONF")"

# The Python environment that reports and benchmarks share; sourced after common.sh, not run.
# Lies in $NEARSIG_VENV, by default in venv of the working data.
# shellcheck shell=bash

venv=$(absolute "${NEARSIG_VENV:-$exp/venv}")
python=$venv/bin/python

# need_python FILE: creates the environment and installs the packages of a requirements file that it lacks.
# Afterwards `"$python" -m report` and `-m bench.NAME` find the packages in scripts/.
need_python() {
    [ -x "$python" ] || python3 -m venv "$venv"
    if ! "$python" - "$1" <<'PYTHON'
import importlib.metadata, re, sys

wanted = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", open(sys.argv[1]).read(), re.MULTILINE)
try:
    sys.exit(any(importlib.metadata.version(name) != version for name, version in wanted))
except importlib.metadata.PackageNotFoundError:
    sys.exit(1)
PYTHON
    then
        echo "$(basename "$0"): installing the packages of ${1#"$root/"} into $venv" >&2
        "$python" -m pip install --quiet --requirement "$1"
    fi
    export PYTHONPATH=$root/scripts PYTHONDONTWRITEBYTECODE=1
}

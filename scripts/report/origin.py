"""Origin of numbers: machine, commit, version. Reports and benchmarks share it."""

import os
import pathlib
import platform
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNKNOWN = "unknown"
# A change below these paths may change results.
SOURCES = ("src", "benches", "exp", "scripts", "Cargo.toml", "Cargo.lock")


def output_of(*command):
    """Returns the standard output of a command run in the project; empty if it fails."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    except OSError:
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def commit(length=40, paths=SOURCES):
    """Returns the current commit and whether files below `paths` differ from it: (hash, is_changed)."""
    found = output_of("git", "rev-parse", f"--short={length}", "HEAD") or UNKNOWN
    return found, bool(output_of("git", "status", "--porcelain", "--untracked-files=no", "--", *paths))


def first_value(path, key):
    """Returns the value of the first `key : value` line of a system file; None if there is none."""
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except OSError:
        return None
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), None)


def processor():
    """Returns the model name of the processor."""
    return first_value("/proc/cpuinfo", "model name") or platform.processor() or UNKNOWN


def memory_bytes():
    """Returns the size of the memory; None where the system does not tell."""
    kilobytes = first_value("/proc/meminfo", "MemTotal")
    return int(kilobytes.split()[0]) * 1024 if kilobytes else None


def machine():
    """Describes the machine in one line: processor, cores, memory, system."""
    size = memory_bytes()
    memory = f", {size / 1e9:.0f} GB of memory" if size else ""
    return f"{processor()}, {os.cpu_count()} cores{memory}, {platform.system().lower()} {platform.machine()}"


def version():
    """Returns the version of the crate."""
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["version"]

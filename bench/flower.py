"""Flower from PyPI: its servers on loopback, and rounds in which every node sends a message back."""

import os
import pathlib
import shutil
import subprocess
import time
import venv

from parties import free_ports

HERE = pathlib.Path(__file__).resolve().parent
PEERS = HERE / ".peers"
PROJECT = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "echo"
version = "1.0.0"
dependencies = []
[tool.flwr.app]
publisher = "bench"
[tool.flwr.app.components]
serverapp = "flower_echo:server"
clientapp = "flower_echo:client"
[tool.flwr.app.config]
nodes = {nodes}
bytes = {size}
rounds = {rounds}
told = "{told}"
"""
LONGEST = 600


def install():
    """The version of Flower, or why there is none."""
    python = PEERS / "bin" / "python"
    if not python.exists():
        venv.create(PEERS, with_pip=True)
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "install", "--quiet", "flwr"], capture_output=True, text=True)
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    listed = subprocess.run([*pip, "show", "flwr"], capture_output=True, text=True, check=True).stdout
    return next(line.split()[1] for line in listed.splitlines() if line.startswith("Version")), None


def rounds(folder, nodes, size, count):
    """Seconds of each round; servers and nodes run with their defaults, without TLS."""
    folder = pathlib.Path(folder)
    app, told, home = folder / "echo", folder / "told", folder / "home"
    app.mkdir(parents=True)
    home.mkdir()
    shutil.copy(HERE / "flower_echo.py", app)
    (app / "pyproject.toml").write_text(PROJECT.format(nodes=nodes, size=size, rounds=count, told=told))
    hub, *ports = free_ports(1 + nodes)
    (home / "config.toml").write_text(f'[superlink]\ndefault = "bench"\n[superlink.bench]\n'
                                      f'address = "127.0.0.1:{hub}"\ninsecure = true\n')
    outside = {**os.environ, "FLWR_HOME": str(home), "FLWR_TELEMETRY_ENABLED": "0",
               "PATH": f"{PEERS / 'bin'}:{os.environ['PATH']}"}
    processes = []

    def start(name, *arguments):
        log = open(folder / f"{name}.log", "w")
        processes.append(subprocess.Popen([PEERS / "bin" / arguments[0], *arguments[1:]], stdout=log,
                                          stderr=log, env=outside, cwd=folder))

    try:
        start("link", "flower-superlink", "--insecure", "--disable-runtime-dependency-installation",
              "--port", str(hub))
        time.sleep(5)
        for node, port in enumerate(ports):
            start(f"node{node}", "flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{hub}",
                  "--port", str(port))
        start("run", "flwr", "run", str(app), "bench")
        return wait_for(told, count, folder)
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()


def wait_for(told, count, folder):
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        lines = told.read_text().splitlines() if told.exists() else []
        if len(lines) == count:
            return [(int(replies), float(seconds)) for replies, seconds in map(str.split, lines)]
        time.sleep(0.2)
    logs = "".join(f"{log.name}: {log.read_text()[-500:]}\n" for log in sorted(folder.glob("*.log")))
    raise TimeoutError(f"Flower did not end within {LONGEST} s\n{logs}")

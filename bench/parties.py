"""Federations of `bench/federation`: their files, and their parties as processes of the program."""

import pathlib
import re
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
EEG = ROOT.parent / "shared" / "data" / "eeg-eye-state"
COLUMNS, CLASSES = 14, ["0", "1"]


class Stream:
    """EEG in the order of the study, so many times one after the other."""

    def __init__(self, data=EEG):
        rows = (data / "eeg-eye-state.csv").read_text().splitlines()[1:]
        order = (data / "shuffle-order.txt").read_text().split()
        self.rows = [rows[int(row)].split(",") for row in order]
        columns = list(zip(*self.rows))[:COLUMNS]
        self.ranges = [(min(map(float, column)), max(map(float, column))) for column in columns]

    def __len__(self):
        return len(self.rows)

    def write(self, path, head, columns, times):
        """Keys and some columns of all records; keys begin anew with each turn."""
        lines = (",".join([f"r{at}", *(row[column] for column in columns)]) for at, row in enumerate(self.rows))
        turn = "\n".join(lines) + "\n"
        with open(path, "w") as file:
            file.write(",".join(["key", *head]) + "\n")
            for _ in range(times):
                file.write(turn)


class Federation:
    """Policies, keys and rows of all parties in a folder."""

    def __init__(self, program, folder, stream, sites, times, terms, host=False):
        self.program, self.folder = program, pathlib.Path(folder)
        self.sites, self.host = [f"s{site:03}" for site in range(sites)], host
        self.records = times * len(stream)
        self.terms, self.ports = terms, free_ports(3)
        self.folder.mkdir()
        # Sites that there are more of than columns hold the same ones under other names.
        count = max(sites, COLUMNS)
        held = {site: [] for site in self.sites}
        for column in range(count):
            held[self.sites[column % sites]].append(column)
        for site, columns in held.items():
            names = [f"c{column:03}" for column in columns]
            stream.write(self.folder / f"{site}.csv", names, [column % COLUMNS for column in columns], times)
            ranges = [stream.ranges[column % COLUMNS] for column in columns]
            read = [f'{name} = {{ role = "quasi", type = "number", range = [{low}, {high}] }}'
                    for name, (low, high) in zip(names, ranges)]
            self.policy(site, "site", source=f"{site}.csv", columns=read)
        stream.write(self.folder / "desk.csv", ["eyes"], [COLUMNS], times)
        self.policy("desk", "labels", source="desk.csv", columns=['eyes = { role = "class" }'],
                    listen=self.ports[1])
        self.policy("hub", "aggregator", listen=self.ports[0])
        self.policy("viewer", "consumer", sink="answers.csv")
        if host:
            self.policy("node", "trouble", listen=self.ports[2])
        self.run("federation", "keys", self.folder / "hub.toml", "--output", self.folder / "keys")

    def policy(self, party, role, source=None, columns=(), listen=None, sink=None):
        parties = {"hub": "aggregator", "desk": "labels", "viewer": "consumer"}
        parties |= {site: "site" for site in self.sites} | ({"node": "trouble"} if self.host else {})
        listed = ", ".join(f'{name} = "{word}"' for name, word in parties.items())
        lines = ["version = 1"]
        if source:
            lines += ["[source]", f'path = "{source}"', "[columns]", 'key = { role = "key" }', *columns]
        if sink:
            lines += ["[sink]", f'path = "{sink}"']
        lines += ["[federation]", 'name = "bench"', f'role = "{role}"', f'id = "{party}"',
                  f'aggregator = "127.0.0.1:{self.ports[0]}"', f'labels = "127.0.0.1:{self.ports[1]}"',
                  f'identity = {{ certificate = "file:keys/{party}.pem", key = "file:keys/{party}.key", '
                  'authority = "file:keys/ca.pem" }',
                  f"parties = {{ {listed} }}", 'pins = "keys/pins.toml"', f"classes = {CLASSES}".replace("'", '"')]
        if self.host:
            lines += [f'hosts = {{ node = "127.0.0.1:{self.ports[2]}" }}']
        if listen:
            lines += [f'listen = "127.0.0.1:{listen}"']
        (self.folder / f"{party}.toml").write_text("\n".join([*lines, *self.terms]) + "\n")

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{arguments[0]} {arguments[1]}: {done.stderr}")
        return done.stdout

    def policies(self):
        return sorted(self.folder.glob("*.toml"))

    def simulate(self):
        """Seconds of all parties in one process and thread, and its CPU seconds."""
        return timed([self.program, "federation", "simulate", "--force", "--write", *self.policies()], self.folder)

    def links(self, dialled=None):
        """All parties as processes that are linked over mutual TLS, to the last end."""
        for old in self.folder.glob("*journal*"):
            subprocess.run(["rm", "-r", old], check=True)
        roles = {policy.stem: "aggregate" if policy.stem == "hub" else "site" for policy in self.policies()}
        begin = time.monotonic()
        parties = {}
        for party, command in roles.items():
            arguments = [self.program, command, self.folder / f"{party}.toml"]
            arguments += ["--force"] if party == "viewer" else []
            log = open(self.folder / f"{party}.log", "w")
            parties[party] = subprocess.Popen(arguments, stdout=log, stderr=log)
        watch = Watch(parties)
        for party, process in parties.items():
            if process.wait():
                for other in parties.values():
                    other.kill()
                raise SystemExit(f"{party}: " + (self.folder / f"{party}.log").read_text())
        return time.monotonic() - begin, watch.end()


class Watch:
    """Peak memory and CPU seconds of processes, looked at ten times a second."""

    def __init__(self, processes):
        self.processes, self.peaks, self.cpu, self.over = processes, {}, {}, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.over.wait(0.1):
            for name, process in self.processes.items():
                proc = pathlib.Path("/proc") / str(process.pid)
                try:
                    peak = re.search(r"VmHWM:\s*(\d+) kB", (proc / "status").read_text())
                    ticks = (proc / "stat").read_text().rsplit(") ", 1)[1].split()[11:13]
                except OSError:
                    continue
                if peak:
                    self.peaks[name] = int(peak[1]) / 1024
                self.cpu[name] = sum(map(int, ticks)) / 100

    def end(self):
        self.over.set()
        self.thread.join()
        return self


def timed(command, folder):
    begin = time.monotonic()
    with open(folder / "simulate.log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        watch = Watch({"all": process})
        failed = process.wait()
    seconds = time.monotonic() - begin
    if failed:
        raise SystemExit("simulate: " + (folder / "simulate.log").read_text())
    return seconds, watch.end()


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports

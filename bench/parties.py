"""Federations of `bench/federation`: their files, and their parties as processes of the program."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, CLASSES = 14, '["0", "1"]'


class Stream:
    """EEG in the order of the study, any number of times one after the other."""

    def __init__(self, data):
        rows = (data / "eeg-eye-state" / "eeg-eye-state.csv").read_text().splitlines()[1:]
        order = (data / "eeg-eye-state" / "shuffle-order.txt").read_text().split()
        self.rows = [rows[int(row)].split(",") for row in order]
        columns = list(zip(*self.rows))[:COLUMNS]
        self.ranges = [(min(map(float, column)), max(map(float, column))) for column in columns]

    def lines(self, columns):
        """Key and some columns of each record."""
        return [",".join([f"r{at}", *(row[column] for column in columns)]) + "\n" for at, row in enumerate(self.rows)]


class Federation:
    """Policies, keys and rows of all parties in a folder. Rows come from files, or are piped in."""

    def __init__(self, program, folder, stream, sites, terms, times=1, columns=COLUMNS, hosts=0, is_piped=False, dialled=None):
        self.program, self.folder, self.is_piped = program, pathlib.Path(folder), is_piped
        self.folder.mkdir()
        self.sites, self.hosts = [f"s{site:03}" for site in range(sites)], [f"h{host}" for host in range(hosts)]
        self.roles = {"hub": "aggregator", "desk": "labels", "viewer": "consumer"}
        self.roles |= dict.fromkeys(self.sites, "site") | dict.fromkeys(self.hosts, "trouble")
        self.records = times * len(stream.rows)
        self.terms, self.ports = terms, dict(zip(["hub", "desk", *self.hosts], free_ports(2 + hosts)))
        self.dialled = dialled(self.ports["hub"]) if dialled else self.ports["hub"]
        self.lines = {}
        # Where there are more sites than columns, several hold the same one.
        held = {site: [] for site in self.sites}
        for at in range(max(sites, columns)):
            held[self.sites[at % sites]].append(at % COLUMNS)
        for site, columns in held.items():
            read = [f'c{at} = {{ role = "quasi", type = "number", range = {list(stream.ranges[column])} }}'
                    for at, column in enumerate(columns)]
            self.source(site, [f"c{at}" for at in range(len(columns))], stream.lines(columns), times, read)
        self.source("desk", ["eyes"], stream.lines([COLUMNS]), times, ['eyes = { role = "class" }'])
        for party in self.roles.keys() - self.lines.keys():
            self.policy(party, ['[sink]', 'path = "-"' if is_piped else 'path = "answers.csv"'] if party == "viewer" else [])
        self.run("federation", "keys", self.folder / "hub.toml", "--output", self.folder / "keys")

    def source(self, party, names, lines, times, read):
        self.lines[party] = [",".join(["key", *names]) + "\n", *lines] if self.is_piped else []
        if not self.is_piped:
            with open(self.folder / f"{party}.csv", "w") as file:
                file.write(",".join(["key", *names]) + "\n")
                for _ in range(times):
                    file.write("".join(lines))
        path = 'path = "-"\nformat = "csv"' if self.is_piped else f'path = "{party}.csv"'
        self.policy(party, ["[source]", path, "[columns]", 'key = { role = "key" }', *read])

    def policy(self, party, head):
        listed = ", ".join(f'{name} = "{role}"' for name, role in self.roles.items())
        hub = self.dialled if self.roles[party] == "site" else self.ports["hub"]
        lines = ["version = 1", *head, "[federation]", 'name = "bench"', f'role = "{self.roles[party]}"', f'id = "{party}"',
                 f'aggregator = "127.0.0.1:{hub}"', f'labels = "127.0.0.1:{self.ports["desk"]}"',
                 f'identity = {{ certificate = "file:keys/{party}.pem", key = "file:keys/{party}.key", '
                 'authority = "file:keys/ca.pem" }',
                 f"parties = {{ {listed} }}", 'pins = "keys/pins.toml"', f"classes = {CLASSES}", 'answer = { rule = "vote" }']
        if self.hosts:
            places = ", ".join(f'{host} = "127.0.0.1:{self.ports[host]}"' for host in self.hosts)
            lines += [f"hosts = {{ {places} }}"]
        if party in self.ports:
            lines += [f'listen = "127.0.0.1:{self.ports[party]}"']
        (self.folder / f"{party}.toml").write_text("\n".join([*lines, *self.terms]) + "\n")

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{arguments[0]} {arguments[1]}: {done.stderr}")

    def answers(self):
        return (self.folder / "answers.csv").read_bytes()

    def simulate(self):
        """All parties in one process and thread."""
        command = [self.program, "federation", "simulate", "--force", "--write", self.folder]
        return Run(self.folder, {"all": command}, more={"RAYON_NUM_THREADS": "1"}).end()

    def start(self):
        """All parties as processes that are linked over mutual TLS, from the beginning of a run."""
        for old in self.folder.glob("*.state"):
            shutil.rmtree(old)
        (self.folder / "answers.csv").unlink(missing_ok=True)
        command = lambda party: "aggregate" if party == "hub" else "site"
        return Run(self.folder, {party: [self.program, command(party), self.folder / f"{party}.toml"] for party in self.roles},
                   {*self.lines} if self.is_piped else (), "viewer" if self.is_piped else None)


class Run:
    """Processes, their time, CPU seconds and memory in MB, which is looked at four times a second."""

    def __init__(self, folder, commands, fed=(), read=None, more={}):
        self.folder, self.peaks, self.private, self.cpu = folder, {}, {}, {}
        self.begin, self.over = time.monotonic(), threading.Event()
        self.processes = {}
        for name, command in commands.items():
            log = open(folder / f"{name}.log", "w")
            self.processes[name] = subprocess.Popen(
                command, stdin=subprocess.PIPE if name in fed else subprocess.DEVNULL,
                stdout=subprocess.PIPE if name == read else log, stderr=log, env={**os.environ, **more})
        self.watch = threading.Thread(target=self.look)
        self.watch.start()

    def look(self):
        while not self.over.wait(0.25):
            for name, process in self.processes.items():
                try:
                    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                except OSError:
                    continue
                read = {key: int(kilobytes) * 1024 / 1e6 for key, kilobytes in re.findall(r"(\w+):\s*(\d+) kB", status)}
                if "VmHWM" in read:
                    self.peaks[name] = read["VmHWM"]
                    self.private[name] = max(self.private.get(name, 0), read["RssAnon"])

    def end(self):
        """Waits for all of them; one that fails ends the others."""
        numbers = {process.pid: name for name, process in self.processes.items()}
        while numbers:
            number, status, used = os.wait3(0)
            name = numbers.pop(number, None)
            if name is None:
                continue
            self.processes[name].returncode = os.waitstatus_to_exitcode(status)
            self.cpu[name] = used.ru_utime + used.ru_stime
            if status:
                [self.processes[other].kill() for other in numbers.values()]
                self.over.set()
                raise SystemExit(f"{name}: " + (self.folder / f"{name}.log").read_text())
        self.seconds = time.monotonic() - self.begin
        self.over.set()
        self.watch.join()
        return self

    def cpu_of(self, names):
        return sum(self.cpu[name] for name in names)


class Forwarder:
    """Stands between sites and the aggregator and counts the bytes of their TCP streams."""

    def __init__(self, to):
        self.to, self.carried = to, {"up": [], "down": []}
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            site, _ = self.listener.accept()
            try:
                hub = socket.create_connection(("127.0.0.1", self.to))
            except ConnectionRefusedError:
                site.close()
                continue
            for source, sink, way in [(site, hub, "up"), (hub, site, "down")]:
                sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.carry, args=(source, sink, way), daemon=True).start()

    def carry(self, source, sink, way):
        try:
            while data := source.recv(1 << 16):
                self.carried[way].append(len(data))
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports

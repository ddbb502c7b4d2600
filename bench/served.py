"""A server of `bench/server` and `bench/server-fuzz`: its process, and people who use it as pages do."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSWORD = "correct horse battery staple"
API = "/api/v1"


def build():
    """The program, as a release builds it."""
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "moretta-cli"], cwd=ROOT, check=True)
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "moretta"


class Served:
    """A server on a free port of this machine, with its data in a folder."""

    def __init__(self, program, folder, limits):
        self.program, self.folder = program, pathlib.Path(folder)
        settings = ['data = "data"', 'keys = "keys"', 'listen = "127.0.0.1:0"', "[limits]"]
        settings += [f"{name} = {json.dumps(value)}" for name, value in limits.items()]
        (self.folder / "server.toml").write_text("\n".join(settings) + "\n")

    def start(self):
        """Begins; gives the seconds until it answers."""
        self.log = open(self.folder / "server.log", "a")
        begin = time.monotonic()
        self.process = subprocess.Popen([self.program, "serve", "--config", self.folder / "server.toml"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        printed = ""
        while "head of the log" not in printed:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the server ended: " + (self.folder / "server.log").read_text())
            printed += line
        self.port = int(re.search(r"answers at http://127\.0\.0\.1:(\d+)", printed)[1])
        self.links = re.findall(r"#setup=(\w+)", printed)
        Person(self).get("/health")
        return time.monotonic() - begin

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()
        self.log.close()

    def megabytes(self):
        """Resident memory of the server alone, without its workers."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s*(\d+)", status)[1]) * 1024 / 1e6


class Refused(Exception):
    """An answer that was not expected."""


class Person:
    """A browser with its cookies, on one connection."""

    def __init__(self, served, name=None):
        self.served, self.name, self.cookies, self.token, self.secret = served, name, {}, "", None
        self.connection = None

    def headers(self):
        """What a page sends with each request."""
        headers = {"host": f"127.0.0.1:{self.served.port}", "sec-fetch-site": "same-origin", "x-moretta-token": self.token}
        if self.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return headers

    def ask(self, method, path, body=None, headers={}):
        """Status, headers and bytes of an answer."""
        for _ in range(2):
            if not self.connection:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=600)
            try:
                self.connection.request(method, API + path, body, {**self.headers(), **headers})
                answer = self.connection.getresponse()
                read = answer.read()
                break
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server has ended a connection that was quiet.
                self.close()
        else:
            raise Refused(f"{method} {path}: the server ends the connection")
        for cookie in answer.headers.get_all("set-cookie") or []:
            name, value = cookie.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return answer.status, answer.headers, read

    def send(self, method, path, body=None, headers={}):
        """What is answered, as JSON; anything but success is raised."""
        if body is not None and not isinstance(body, bytes):
            body, headers = json.dumps(body).encode(), {"content-type": "application/json", **headers}
        status, _, read = self.ask(method, path, body, headers)
        if status >= 300:
            raise Refused(f"{method} {path}: {status} {read.decode(errors='replace')}")
        answer = json.loads(read) if read else None
        for told in [answer, answer.get("session")] if isinstance(answer, dict) else []:
            if isinstance(told, dict) and "token" in told and "locks_at" in told:
                self.token = told["token"]
        return answer

    def get(self, path):
        return self.send("GET", path)

    def post(self, path, body=None, headers={}):
        return self.send("POST", path, body, headers)

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def set_up_factor(self):
        prepared = self.post("/me/factor", {"password": PASSWORD})
        self.secret = base64.b32decode(prepared["secret"].replace(" ", "") + "=" * (-len(prepared["secret"].replace(" ", "")) % 8))
        self.send("PUT", "/me/factor", {"code": self.code()})
        return self

    def code(self):
        digest = hmac.new(self.secret, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
        at = digest[-1] & 15
        return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


class People:
    """Two administrators by the printed links, and who they invite into a project."""

    def __init__(self, served):
        self.served = served
        self.admins = [self.administrator(link, f"admin {number}") for number, link in enumerate(served.links)]
        self.project = self.admins[0].post("/projects", {"name": "ward 7"})["id"]

    def administrator(self, link, name):
        person = Person(self.served, name)
        person.post("/setup", {"link": link, "name": name, "password": PASSWORD})
        return person.set_up_factor()

    def invite(self, name, role=None, level=None):
        """Somebody who is signed in, and a member in this role."""
        made = self.admins[0].post("/users", {"name": name})
        person = Person(self.served, name)
        person.user = made["user"]
        person.post("/links/use", {"link": made["link"], "password": PASSWORD})
        if role in ("officer", "steward", "auditor") or level == 1:
            person.set_up_factor()
        if role:
            ends = int(1000 * time.time()) + 30 * 86_400_000 if level == 1 else None
            asked = self.admins[0].post(f"/projects/{self.project}/members",
                                        {"user": person.user, "role": role, "level": level, "ends_at": ends, "reason": "measures"})
            if asked["state"] == "waiting":
                self.admins[1].post(f"/projects/{self.project}/wishes/{asked['wish']}/decision", {"grant": True})
        return person

    def path(self, rest):
        return f"/projects/{self.project}{rest}"

    def upload(self, steward, file, name):
        """A version of a new data set; the seconds of its parts, and of the end."""
        size = file.stat().st_size
        upload = steward.post(self.path("/uploads"), {"name": file.name, "bytes": size})["id"]
        seconds, sent = 0, 0
        with open(file, "rb") as bytes_of:
            while part := bytes_of.read(8 << 20):
                begin = time.monotonic()
                steward.send("PATCH", self.path(f"/uploads/{upload}?offset={sent}"), part, {"content-type": "application/octet-stream"})
                seconds += time.monotonic() - begin
                sent += len(part)
        begin = time.monotonic()
        version = steward.post(self.path(f"/uploads/{upload}/finish"), {"into": {"new": {"name": name, "identifiers": []}}})
        return version, seconds, time.monotonic() - begin

    def policy(self, steward, name, text):
        """The version of a new policy."""
        return steward.post(self.path("/policies"), {"name": name, "content": text})

    def quiet(self, person):
        """Waits until nothing runs."""
        while any(job["state"] in ("waiting", "running") for job in person.get(self.path("/jobs"))["items"]):
            time.sleep(0.05)

    def ended(self, person, job):
        """A job when it has ended."""
        while (found := person.get(self.path(f"/jobs/{job}")))["state"] in ("waiting", "running"):
            time.sleep(0.01)
        if found["state"] != "done":
            raise Refused(f"a job ended as {found['state']}: {found['problem']}")
        return found

    def released(self, steward, officer, policy, data):
        """A release of level 2 that was made, approved and published, and its job."""
        asked = steward.post(self.path("/requests"), {"name": "May", "purpose": "measures", "policy": policy, "data": data,
                                                      "levels": [2], "ends_at": None})
        job = self.ended(steward, asked["job"])
        manifest = officer.get(self.path(f"/requests/{asked['id']}"))["manifest"]
        officer.post(self.path(f"/requests/{asked['id']}/approval"), {"manifest": manifest})
        return asked["id"], job

    def stream(self, steward, officer, policy, name):
        """An approved stream, and a token for its events."""
        stream = steward.post(self.path("/streams"), {"name": name, "policy_version": policy, "level": 2})
        path = self.path(f"/streams/{stream['id']}")
        officer.post(path + "/decision", {"approve": True, "reason": "measures"}, {"if-match": str(stream["version"])})
        ends = int(1000 * time.time()) + 86_400_000
        return path, steward.post(path + "/tokens", {"name": "sender", "ends_at": ends})["token"]

//! Who asks a server over its socket, as a page in a browser does.

use moretta_server::account::totp;
use moretta_server::clock::Clock;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A password that nobody guesses.
const PASSWORD: &str = "correct horse battery staple";

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, Vec<String>>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// What it says, when its status is this one.
    pub(crate) fn expect(&self, status: u16) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{text}");
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// Fails unless it is this problem.
    pub(crate) fn refused(&self, status: u16, code: &str) {
        let problem = self.expect(status);
        assert_eq!(problem["code"], code, "{problem}");
    }
}

/// A browser with a session of its own.
#[derive(Debug, Default)]
pub(crate) struct Browser(Mutex<Known>);

/// What a browser knows.
#[derive(Clone, Debug, Default)]
struct Known {
    address: String,
    session: String,
    token: String,
    /// Every byte that it was answered.
    heard: Vec<u8>,
}

impl Browser {
    pub(crate) fn new(address: &str) -> Self {
        let browser = Browser::default();
        browser.go_to(address);
        browser
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server answers elsewhere now.
    pub(crate) fn go_to(&self, address: &str) {
        address.clone_into(&mut self.known().address);
    }

    pub(crate) fn heard(&self) -> Vec<u8> {
        self.known().heard.clone()
    }

    /// Uses the link of an invitation, or of a first administrator with a name, and sets a second
    /// factor up.
    pub(crate) fn begin(&self, link: &str, name: Option<&str>) {
        let mut body = json!({ "link": link, "password": PASSWORD });
        match name {
            Some(name) => {
                body["name"] = name.into();
                self.post("/setup", &body).expect(201);
            }
            None => {
                self.post("/links/use", &body).expect(201);
            }
        }
        let begun = self.post("/me/factor", &json!({ "password": PASSWORD }));
        let secret = begun.expect(201)["secret"].as_str().map(totp::unbase32);
        let secret = secret.flatten().expect("a secret");
        let code = totp::code(&secret, totp::step(Clock::default().now()));
        let body = json!({ "code": code }).to_string();
        self.send("PUT", "/me/factor", &[], body.as_bytes())
            .expect(200);
    }

    pub(crate) fn see(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[], body.to_string().as_bytes())
    }

    /// Listens to what has happened so far and happens now, for some seconds; gives what it heard.
    pub(crate) fn listen(&self) -> Vec<u8> {
        let known = self.known().clone();
        let head = format!(
            "GET /api/v1/events HTTP/1.1\r\nhost: {}\r\ncookie: __Host-moretta={}\r\n\
             sec-fetch-site: same-origin\r\nlast-event-id: 0\r\n\r\n",
            known.address, known.session
        );
        let mut stream = TcpStream::connect(&known.address).expect("it listens");
        let patience = Duration::from_secs(3);
        stream.set_read_timeout(Some(patience)).expect("a socket");
        stream.write_all(head.as_bytes()).expect("sent");
        let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
        let begun = Instant::now();
        while begun.elapsed() < patience
            && let Ok(read @ 1..) = stream.read(&mut piece)
        {
            bytes.extend_from_slice(&piece[..read]);
        }
        self.known().heard.extend_from_slice(&bytes);
        bytes
    }

    /// Sends; headers of its own come after the usual ones and replace those of the same name.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let answer = self.try_send(method, path, headers, body);
        answer.expect("an answer")
    }

    /// The same to a server that may end meanwhile: none where there is no whole answer. Who is told
    /// to come later does.
    pub(crate) fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Option<Answer> {
        let (address, session, token) = {
            let known = self.known();
            let (session, token) = (known.session.clone(), known.token.clone());
            (known.address.clone(), session, token)
        };
        let mut all = BTreeMap::from([
            ("host", address.clone()),
            ("connection", "close".to_owned()),
            ("sec-fetch-site", "same-origin".to_owned()),
            ("content-type", "application/json".to_owned()),
            ("content-length", body.len().to_string()),
        ]);
        if !session.is_empty() {
            all.insert("cookie", format!("__Host-moretta={session}"));
            all.insert("x-moretta-token", token);
        }
        for (name, value) in headers {
            all.insert(name, (*value).to_owned());
        }
        let mut head = format!("{method} /api/v1{path} HTTP/1.1\r\n");
        for (name, value) in &all {
            head += &format!("{name}: {value}\r\n");
        }
        let request = [head.as_bytes(), b"\r\n", body].concat();
        loop {
            let answer = exchange(&address, &request)?;
            self.keep(&answer);
            if answer.status != 429 {
                return Some(answer);
            }
            sleep(Duration::from_millis(100));
        }
    }

    fn keep(&self, answer: &Answer) {
        let mut known = self.known();
        let headers = format!("{:?}", answer.headers);
        known.heard.extend_from_slice(headers.as_bytes());
        known.heard.extend_from_slice(&answer.body);
        for cookie in answer.headers.get("set-cookie").into_iter().flatten() {
            if let Some(value) = cookie.strip_prefix("__Host-moretta=") {
                let value = value.split(';').next().unwrap_or_default();
                value.clone_into(&mut known.session);
            }
        }
        let json: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        for told in [&json, &json["session"]] {
            if let (Some(token), true) = (told["token"].as_str(), told["locks_at"].is_i64()) {
                token.clone_into(&mut known.token);
            }
        }
    }
}

fn exchange(address: &str, request: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(request).ok()?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).ok()?;
    let end = reply.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = String::from_utf8(reply[..end].to_vec()).expect("a head");
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let status = status.and_then(|status| status.parse().ok());
    let mut headers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        let (name, value) = line.split_once(": ").expect("a header");
        let values = headers.entry(name.to_lowercase()).or_default();
        values.push(value.to_owned());
    }
    let body = &reply[end + 4..];
    let length = headers.get("content-length").and_then(|all| all.first());
    let body = match headers.contains_key("transfer-encoding") {
        true => unchunked(body)?,
        false => body.to_vec(),
    };
    let whole = length.is_none_or(|length| *length == body.len().to_string());
    whole.then(|| Answer {
        status: status.expect("a status"),
        headers,
        body,
    })
}

/// A body that came in pieces; it ends with an empty one.
fn unchunked(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|two| two == b"\r\n")?;
        let length = std::str::from_utf8(&bytes[..end]).expect("a length");
        let length = usize::from_str_radix(length, 16).expect("a length");
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(bytes.get(end + 2..end + 2 + length)?);
        bytes = bytes.get(end + 2 + length + 2..)?;
    }
}

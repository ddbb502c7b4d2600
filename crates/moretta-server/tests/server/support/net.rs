//! A server with its network, and what is sent to it byte by byte.

use super::Server;
use moretta_server::http::{Listening, Log, serve};
use moretta_server::start::Stopper;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// A server that listens until this is dropped.
pub struct Net {
    pub address: SocketAddr,
    pub stopper: Stopper,
    pub told: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens at a free port of this machine.
    pub fn listen(&self) -> Net {
        self.listen_with(None)
    }

    /// The same with TLS.
    pub fn listen_with(&self, tls: Option<Arc<rustls::ServerConfig>>) -> Net {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("threads");
        let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let listening = runtime.block_on(Listening::new(any, tls)).expect("a port");
        let port = listening.address().expect("an address").port();
        let (stopper, told) = (Stopper::new(), Arc::new(Mutex::new(Vec::new())));
        let lines = Arc::clone(&told);
        let log: Log = Arc::new(move |line: &str| {
            lines.lock().expect("no panic").push(line.to_owned());
        });
        let (app, stop) = (Arc::clone(&self.app), stopper.subscribe());
        let thread = std::thread::spawn(move || runtime.block_on(serve(app, listening, log, stop)));
        Net {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            stopper,
            told,
            thread: Some(thread),
        }
    }
}

impl Net {
    /// A connection.
    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).expect("the server listens")
    }

    /// A connection from another address of this machine.
    pub fn connect_from(&self, from: Ipv4Addr) -> TcpStream {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a thread");
        let stream = runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
            socket
                .bind(SocketAddr::from((IpAddr::V4(from), 0)))
                .expect("an address of this machine");
            socket
                .connect(self.address)
                .await
                .expect("the server listens")
        });
        let stream = stream.into_std().expect("a socket");
        stream.set_nonblocking(false).expect("a socket");
        stream
    }

    /// Sends bytes and reads until the server closes.
    pub fn send(&self, bytes: &[u8]) -> Reply {
        exchange(self.connect(), bytes)
    }

    /// `GET` with these lines besides.
    pub fn get(&self, path: &str, lines: &str) -> Reply {
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{lines}\r\n");
        self.send(head.as_bytes())
    }

    /// Ends the server and waits until it has.
    pub fn end(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

impl Drop for Net {
    fn drop(&mut self) {
        self.end();
    }
}

/// What the server has sent until it closed.
#[derive(Debug)]
pub struct Reply {
    /// 0 when it has sent nothing.
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// Reads the one response of a connection.
    pub fn read(mut from: impl Read) -> Self {
        let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
        // A connection that is reset has given what came before; events have no end.
        while let Ok(1..) = from
            .read(&mut piece)
            .inspect(|n| bytes.extend(&piece[..*n]))
        {
            let is_live = |line: &[u8]| line.ends_with(b"text/event-stream\r");
            if bytes.split(|byte| *byte == b'\n').any(is_live) {
                break;
            }
        }
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let Some(end) = end else {
            assert!(bytes.is_empty(), "{:?}", String::from_utf8_lossy(&bytes));
            return Reply {
                status: 0,
                headers: Vec::new(),
                body: Vec::new(),
            };
        };
        let head = String::from_utf8(bytes[..end].to_vec()).expect("text");
        let mut lines = head.split("\r\n");
        let status = lines.next().expect("a line").split(' ').nth(1);
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").expect("a header");
            (name.to_ascii_lowercase(), value.to_owned())
        });
        Reply {
            status: status.and_then(|s| s.parse().ok()).expect("a status"),
            headers: headers.collect(),
            body: bytes[end + 4..].to_vec(),
        }
    }

    /// All values of a header.
    pub fn header(&self, name: &str) -> Vec<&str> {
        let of_name = self.headers.iter().filter(|(header, _)| header == name);
        of_name.map(|(_, value)| value.as_str()).collect()
    }

    /// The code of a problem.
    pub fn code(&self) -> String {
        let problem: serde_json::Value = serde_json::from_slice(&self.body).unwrap_or_default();
        problem["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Sends bytes on a connection and reads until it is closed.
pub fn exchange(mut stream: TcpStream, bytes: &[u8]) -> Reply {
    // A server that refuses early does not read all of it.
    let _ = stream.write_all(bytes);
    Reply::read(stream)
}

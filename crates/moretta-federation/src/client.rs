//! The side that dials: makes the link, and makes it again whenever it ends.
//!
//! Pauses between attempts double up to a limit and have a random part, so that sites which lost their
//! listener together do not come back together. A lasting refusal that the listener itself tells ends
//! the driver with its reason. So does any other lasting problem before the first link; later it is
//! taken for a passing one, since somebody who gets in the way for a moment must not stop a site for
//! good.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, TE};
use http::{HeaderValue, Method, Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::pki_types::ServerName;
use tokio::io::AsyncBufRead;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::Status;
use tonic::body::Body;
use tonic::codec::{EncodeBody, Streaming};

use crate::codec::{Frames, PATH, WINDOW};
use crate::limits::Limits;
use crate::link::{self, Arrival, Context, End};
use crate::outlet::{self, Outgoing};
use crate::party::PartyId;
use crate::problem::Problem;
use crate::refusal::Refusal;
use crate::tls::{HTTP2, LISTENER};

/// A listener that is dialled.
pub(crate) struct Dialled {
    pub(crate) context: Arc<Context>,
    pub(crate) connector: TlsConnector,
    pub(crate) address: String,
    pub(crate) peer: PartyId,
}

impl Dialled {
    /// Who is dialled, and where.
    fn place(&self) -> String {
        match self.context.roster.member(self.peer) {
            Some(member) => format!("{} at {}", member.id, self.address),
            None => self.address.clone(),
        }
    }

    /// Keeps the link until no new ones are wanted. `alive` is held meanwhile.
    pub(crate) async fn keep(self, alive: mpsc::Sender<Infallible>) {
        let limits = self.context.limits;
        let (mut attempt, mut was_linked) = (0, false);
        loop {
            let until = Instant::now() + limits.handshake;
            let connecting = timeout_at(until, self.connect());
            let Some(connected) = self.context.unless_stopped(connecting).await else {
                break;
            };
            let problem = match connected {
                Err(_) => Some(Problem::TooLate),
                Ok(Err(problem)) => Some(problem),
                Ok(Ok(connection)) => {
                    (attempt, was_linked) = (0, true);
                    self.run(connection).await
                }
            };
            if let Some(problem) = problem
                && !problem.may_pass()
                && (problem.is_certain() || !was_linked)
            {
                let error = problem.error(&self.place());
                self.context.announce(Arrival::Failed(error));
                break;
            }
            let pause = tokio::time::sleep(limits.pause(attempt, share()));
            if self.context.unless_stopped(pause).await.is_none() {
                break;
            }
            attempt += 1;
        }
        drop(alive);
    }

    /// A connection whose listener has admitted us, and is who it should be.
    async fn connect(&self) -> Result<Connection, Problem> {
        let tls = self.secure().await?;
        let (mut requests, connection) = converse(tls, &self.context.limits).await?;
        let (outlet, outgoing) = outlet::pair(&self.context, connection.0.abort_handle());
        let response = requests.send_request(request(outgoing)).await;
        let response = response.map_err(|error| Problem::of_http(&error))?;
        let incoming = admitted(response, self.context.limits.frame_bytes)?;
        Ok(Connection {
            outlet,
            incoming,
            connection,
            _requests: requests,
        })
    }

    /// Connects, and goes on until the listener has seen our certificate and we have seen its.
    async fn secure(&self) -> Result<TlsStream<TcpStream>, Problem> {
        let name = ServerName::try_from(LISTENER).map_err(|_| Problem::Listener("no name"))?;
        let connected = TcpStream::connect(&self.address).await;
        let tcp = connected.map_err(|error| Problem::of(&error))?;
        let _ = tcp.set_nodelay(true);
        let tls = self.connector.connect(name, tcp).await;
        let mut tls = tls.map_err(|error| Problem::of(&error))?;
        self.check(&tls)?;
        // In TLS 1.3 we are through before the listener has looked at our certificate. It speaks
        // first in HTTP/2, so its first bytes, or its alert, tell what it thinks of it.
        let first = poll_fn(|polling| {
            let first = Pin::new(&mut tls).poll_fill_buf(polling);
            first.map(|bytes| bytes.map(<[u8]>::is_empty))
        });
        match first.await {
            Ok(false) => Ok(tls),
            Ok(true) => Err(Problem::Unreachable(std::io::ErrorKind::UnexpectedEof)),
            Err(error) => Err(Problem::of(&error)),
        }
    }

    fn check(&self, tls: &TlsStream<TcpStream>) -> Result<(), Problem> {
        let (_, connection) = tls.get_ref();
        let certificate = connection.peer_certificates().and_then(<[_]>::first);
        let admitted = certificate
            .ok_or(Refusal::Unnamed)
            .and_then(|certificate| self.context.roster.admit(certificate))
            .and_then(|member| match member.number == self.peer {
                true if connection.alpn_protocol() == Some(HTTP2) => Ok(()),
                true => Err(Refusal::OtherVersion),
                false => Err(Refusal::OtherParty),
            });
        admitted.map_err(|refusal| {
            self.context.refusals.count(refusal);
            Problem::Refused(refusal)
        })
    }

    /// Runs the link until it ends; why, if the listener said so.
    async fn run(&self, connection: Connection) -> Option<Problem> {
        let Connection {
            outlet,
            mut incoming,
            mut connection,
            _requests,
        } = connection;
        let end = link::run(&self.context, self.peer, outlet, &mut incoming).await;
        drop(_requests);
        if end == End::Closed {
            // What we have queued is still sent, where the listener reads it.
            let _ = timeout(self.context.limits.handshake, &mut connection.0).await;
        }
        match end {
            End::RefusedBy(refusal) => Some(Problem::Told(refusal)),
            End::Closed | End::Broken | End::Refused => None,
        }
    }
}

struct Connection {
    outlet: outlet::Outlet,
    incoming: Streaming<Bytes>,
    connection: Aborted,
    _requests: SendRequest<Body>,
}

/// A task that ends when this is dropped.
pub(crate) struct Aborted(JoinHandle<()>);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// HTTP/2 on a connection, of which the listener has already spoken.
pub(crate) async fn converse(
    tls: TlsStream<TcpStream>,
    limits: &Limits,
) -> Result<(SendRequest<Body>, Aborted), Problem> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_send_buf_size(WINDOW as usize)
        .max_header_list_size(16 << 10)
        .keep_alive_while_idle(true)
        .keep_alive_interval(limits.keepalive)
        .keep_alive_timeout(limits.dead.saturating_sub(limits.keepalive));
    let made = builder.handshake(TokioIo::new(tls)).await;
    let (requests, connection) = made.map_err(|error| Problem::of_http(&error))?;
    let running = tokio::spawn(async move {
        // How it ends is seen by the link.
        let _ = connection.await;
    });
    Ok((requests, Aborted(running)))
}

pub(crate) fn request(outgoing: Outgoing) -> Request<Body> {
    let mut request = Request::new(Body::new(EncodeBody::new_client(
        Frames, outgoing, None, None,
    )));
    *request.method_mut() = Method::POST;
    let uri = format!("https://{LISTENER}{PATH}");
    *request.uri_mut() = uri.parse().expect("a name and a path make a URI");
    let headers = request.headers_mut();
    headers.insert(TE, HeaderValue::from_static("trailers"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    request
}

fn admitted(response: Response<Incoming>, bytes: usize) -> Result<Streaming<Bytes>, Problem> {
    let told = Status::from_header_map(response.headers());
    if let Some(refusal) = told.as_ref().and_then(Refusal::told) {
        return Err(Problem::Told(refusal));
    }
    if !response.status().is_success() || told.is_some() {
        return Err(Problem::Refused(Refusal::OtherVersion));
    }
    let status = response.status();
    let body = response.into_body();
    Ok(Streaming::new_response(
        Frames,
        body,
        status,
        None,
        Some(bytes),
    ))
}

/// A random part of a pause.
fn share() -> u8 {
    let mut share = [0];
    // Without random bytes all pauses are short, which is no harm to the link.
    let _ = getrandom::fill(&mut share);
    share[0]
}

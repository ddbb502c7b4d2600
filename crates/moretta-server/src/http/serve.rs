//! The asynchronous part: connections, limits of what comes, and responses as they leave.

use super::answer::{Download, Given, Live, Ready};
use super::guard::{SECURITY_HEADERS, check_body, peer_of};
use super::head::{Head, Request};
use super::web;
use crate::app::{App, too_long};
use crate::problem::{Problem, Result};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::channel::Channel;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio_rustls::TlsAcceptor;

type Body = BoxBody<Bytes, Infallible>;

/// Where a server tells the person who runs it what they should know, a line at a time.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// How often it is asked whether a caller may still have what they are given.
const STILL: Duration = Duration::from_secs(2);
/// How often events are looked for where this process knows of none.
const LOOK: Duration = Duration::from_secs(1);
/// How long events wait for others that are told with them.
const TOGETHER: Duration = Duration::from_millis(50);
/// Headers of a request, in bytes.
const HEADERS: usize = 32 << 10;
/// Requests that are answered at the same time, and looks for events; others wait for their turn.
/// Each keeps a thread, which keeps some memory. So many passwords may wait at the gate that half of
/// these are left for everybody else.
const ANSWERS: usize = 128;
/// Downloads at the same time: each keeps a thread while its reader reads.
const DOWNLOADS: usize = 384;
/// Pages that are told events at the same time: each looks once a second.
const PAGES: usize = 2048;
/// How long responses may still take when the server is told to end.
const ENDING: Duration = Duration::from_secs(10);

/// A server that listens.
pub struct Listening {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
}

impl Listening {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn new(
        address: SocketAddr,
        tls: Option<Arc<rustls::ServerConfig>>,
    ) -> std::io::Result<Self> {
        Ok(Listening {
            listener: TcpListener::bind(address).await?,
            tls: tls.map(TlsAcceptor::from),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// How many connections each address has.
struct Open {
    of: Mutex<HashMap<IpAddr, usize>>,
    most: usize,
}

impl Open {
    fn enter(self: &Arc<Self>, peer: IpAddr) -> Option<Entered> {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        let open = of.entry(peer).or_insert(0);
        if *open >= self.most {
            return None;
        }
        *open += 1;
        Some(Entered(Arc::clone(self), peer))
    }
}

struct Entered(Arc<Open>, IpAddr);

impl Drop for Entered {
    fn drop(&mut self) {
        let mut of = self.0.of.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = of.get_mut(&self.1) {
            *open -= 1;
            if *open == 0 {
                of.remove(&self.1);
            }
        }
    }
}

/// What all connections share.
#[derive(Clone)]
struct Serving {
    app: Arc<App>,
    log: Log,
    stop: watch::Receiver<bool>,
    answers: Arc<Semaphore>,
    downloads: Arc<Semaphore>,
    pages: Arc<Semaphore>,
    /// For a handshake and for the head of a request.
    head_time: Duration,
    /// For the body of a request in all, and for a piece of a response.
    body_time: Duration,
}

/// Answers until `stop` says so; responses that are on their way are ended first.
pub async fn serve(app: Arc<App>, listening: Listening, log: Log, mut stop: watch::Receiver<bool>) {
    let open = Arc::new(Open {
        of: Mutex::default(),
        most: app.settings.limits.connections,
    });
    let serving = Serving {
        app: Arc::clone(&app),
        log,
        stop: stop.clone(),
        answers: Arc::new(Semaphore::new(ANSWERS)),
        downloads: Arc::new(Semaphore::new(DOWNLOADS)),
        pages: Arc::new(Semaphore::new(PAGES)),
        head_time: Duration::from_secs(app.settings.limits.head_seconds),
        body_time: Duration::from_secs(app.settings.limits.body_seconds),
    };
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listening.listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        while connections.try_join_next().is_some() {}
        let Ok((stream, peer)) = accepted else {
            // Too many files are open; those that are may close.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let peer = peer.ip();
        let is_proxy = app.settings.behind_proxy == Some(peer);
        if app.settings.behind_proxy.is_some() && listening.tls.is_none() && !is_proxy {
            // What does not come by way of the proxy would be plain HTTP.
            continue;
        }
        let entered = match is_proxy {
            true => None,
            false => match open.enter(peer) {
                Some(entered) => Some(entered),
                None => continue,
            },
        };
        let _ = stream.set_nodelay(true);
        let (serving, tls) = (serving.clone(), listening.tls.clone());
        connections.spawn(async move {
            let _entered = entered;
            match tls {
                None => talk(serving, stream, peer).await,
                Some(tls) => {
                    let shaken = tokio::time::timeout(serving.head_time, tls.accept(stream));
                    let shaken = shaken.await;
                    if let Ok(Ok(stream)) = shaken {
                        talk(serving, stream, peer).await;
                    }
                }
            }
        });
    }
    // Nobody new is let in while those who are there are served.
    drop(listening);
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(ENDING, ended).await;
    connections.shutdown().await;
}

async fn told(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn talk(
    serving: Serving,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: IpAddr,
) {
    let (mut stop, head_time) = (serving.stop.clone(), serving.head_time);
    let service = service_fn(move |request| {
        let serving = serving.clone();
        async move { Ok::<_, Infallible>(respond(serving, request, peer).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_buf_size(HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let stopped = tokio::select! {
        _ = connection.as_mut() => false,
        () = told(&mut stop) => true,
    };
    if stopped {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

async fn respond(
    serving: Serving,
    request: http::Request<Incoming>,
    peer: IpAddr,
) -> Response<Body> {
    let app = &serving.app;
    let (parts, body) = request.into_parts();
    let uri = &parts.uri;
    let host = host_of(uri, &parts.headers);
    let path = uri.path().strip_prefix("/api/v1").unwrap_or_default();
    let mut head = Head::new(
        parts.method,
        path,
        uri.query().unwrap_or_default(),
        parts.headers,
        peer,
    );
    head.peer = peer_of(&head, peer, app.settings.behind_proxy);
    let id = head.request.to_string();
    let given = match web::is_interface(uri.path()) {
        true => begin(&serving, head, host, body).await,
        false => page(app, &head, uri.path(), host.as_deref()),
    };
    match given.and_then(|given| respond_with(given, &serving)) {
        Ok(response) => response,
        Err(problem) => {
            if problem.status >= 500 {
                let Problem {
                    status, code, what, ..
                } = &problem;
                (serving.log)(&format!("request {id}: {status} {code}: {what}"));
            }
            refuse(&problem, &id)
        }
    }
}

/// The one name that a request is for; none when it names several.
fn host_of(uri: &http::Uri, headers: &http::HeaderMap) -> Option<String> {
    let mut named = headers.get_all(http::header::HOST).iter();
    let first = named.next().and_then(|host| host.to_str().ok());
    match (uri.authority(), first, named.next()) {
        (_, _, Some(_)) => None,
        (Some(authority), Some(host), None) if authority.as_str() != host => None,
        (Some(authority), _, None) => Some(authority.to_string()),
        (None, host, None) => host.map(str::to_owned),
    }
}

/// A file of the web app; whatever body was sent with the request is not read.
fn page(app: &App, head: &Head, path: &str, host: Option<&str>) -> Result<Given> {
    app.check_host(host)?;
    web::find(&head.method, path, &head.headers).map(Given::Ready)
}

/// Reads the body and lets a thread that may wait answer.
async fn begin(
    serving: &Serving,
    mut head: Head,
    host: Option<String>,
    body: Incoming,
) -> Result<Given> {
    let Serving { app, body_time, .. } = serving;
    let limit = app.look(&mut head, host.as_deref())?;
    let collected = tokio::time::timeout(*body_time, Limited::new(body, limit).collect()).await;
    let body = match collected {
        Ok(Ok(body)) => body.to_bytes().to_vec(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(too_long(limit)),
        Ok(Err(_)) => return Err(Problem::unusable("the body has not come whole")),
        Err(_) => return Err(Problem::new(408, "slow", "the body has not come in time")),
    };
    let place = turn(&serving.answers).await?;
    let app = Arc::clone(app);
    let (give, given) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let _place = place;
        // Who has hung up has done it nevertheless.
        let _ = give.send(answer(&app, Request { head, body }));
        app.note_seen();
    });
    given
        .await
        .unwrap_or_else(|_| Err(Problem::bug("a handler ended without an answer")))
}

fn answer(app: &App, request: Request) -> Result<Given> {
    let mut looked = request.head.clone();
    check_body(app.router().find(&mut looked)?, &request)?;
    app.respond(request)
}

/// Waits for a place among those that are answered.
async fn turn(answers: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit> {
    let place = Arc::clone(answers).acquire_owned().await;
    place.map_err(|_| Problem::bug("nobody is answered any more"))
}

fn respond_with(given: Given, serving: &Serving) -> Result<Response<Body>> {
    let place_in = |places: &Arc<Semaphore>| {
        let place = Arc::clone(places).try_acquire_owned();
        place.map_err(|_| {
            Problem::new(503, "busy", "too many downloads and pages are open").after(5)
        })
    };
    match given {
        Given::Ready(ready) => Ok(ready_response(ready)),
        Given::Download(download) => Ok(download_response(
            download,
            serving.body_time,
            place_in(&serving.downloads)?,
        )),
        Given::Live(live) => Ok(live_response(live, serving, place_in(&serving.pages)?)),
    }
}

fn ready_response(ready: Ready) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(ready.body)).boxed());
    *response.status_mut() =
        StatusCode::from_u16(ready.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    with_headers(response, ready.headers)
}

/// The response of a request that was refused.
fn refuse(problem: &Problem, request: &str) -> Response<Body> {
    let mut headers = vec![("content-type", "application/problem+json".to_owned())];
    headers.extend(
        problem
            .retry_after
            .map(|after| ("retry-after", after.to_string())),
    );
    ready_response(Ready {
        status: problem.status,
        headers,
        body: problem.body(request),
    })
}

fn download_response(
    download: Download,
    body_time: Duration,
    place: OwnedSemaphorePermit,
) -> Response<Body> {
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(4);
    let mut headers = vec![
        ("content-type", download.media_type.to_owned()),
        ("content-length", download.length.to_string()),
        (
            "content-disposition",
            format!("attachment; filename=\"{}\"", download.name),
        ),
    ];
    headers.extend(download.headers);
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || {
        let _place = place;
        let mut asked = Instant::now();
        for chunk in download.chunks {
            if asked.elapsed() >= STILL {
                asked = Instant::now();
                if !(download.still)() {
                    break;
                }
            }
            // A response that ends before its length is seen to be broken.
            let Ok(chunk) = chunk else { break };
            let sent = runtime.block_on(async {
                tokio::time::timeout(body_time, sender.send_data(Bytes::from(chunk))).await
            });
            if !matches!(sent, Ok(Ok(()))) {
                break;
            }
        }
    });
    with_headers(Response::new(body.boxed()), headers)
}

fn live_response(mut live: Live, serving: &Serving, place: OwnedSemaphorePermit) -> Response<Body> {
    let (app, body_time) = (Arc::clone(&serving.app), serving.body_time);
    let (mut stop, answers) = (serving.stop.clone(), Arc::clone(&serving.answers));
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(4);
    tokio::spawn(async move {
        let _place = place;
        loop {
            let app = Arc::clone(&app);
            let Ok(turn) = turn(&answers).await else {
                break;
            };
            // A thread that may wait is taken for each look only, not for each connection.
            let looked = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                let events = (live.next)(&app);
                (live, events)
            });
            let Ok((back, Some(events))) = looked.await else {
                break;
            };
            live = back;
            if !events.is_empty() {
                let sent = sender.send_data(Bytes::from(events));
                if !matches!(tokio::time::timeout(body_time, sent).await, Ok(Ok(()))) {
                    break;
                }
            }
            tokio::select! {
                _ = live.news.changed() => tokio::time::sleep(TOGETHER).await,
                () = tokio::time::sleep(LOOK) => {}
                () = told(&mut stop) => break,
            }
        }
    });
    let headers = vec![("content-type", "text/event-stream".to_owned())];
    with_headers(Response::new(body.boxed()), headers)
}

fn with_headers(
    mut response: Response<Body>,
    headers: Vec<(&'static str, String)>,
) -> Response<Body> {
    let map = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        map.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    for (name, value) in headers {
        let name = HeaderName::from_static(name);
        let Ok(value) = HeaderValue::from_str(&value) else {
            continue;
        };
        match name == http::header::SET_COOKIE {
            true => map.append(name, value),
            false => map.insert(name, value).is_some(),
        };
    }
    response
}

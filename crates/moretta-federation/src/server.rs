//! The side that listens: connections to admitted links, one each.
//!
//! A connection has the time of a handshake to get through TLS and open its link. One that TLS let
//! through but the roster does not is told why, and only that. A party that links again replaces its
//! old link, which may be a connection that died without a word.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http2::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tonic::body::Body;
use tonic::codec::Streaming;
use tonic::server::{Grpc, StreamingService};
use tonic::{Status, codec::Codec};

use crate::codec::{Frames, PATH, WINDOW};
use crate::handshakes::{Handshake, Handshakes};
use crate::link::{self, Context};
use crate::outlet::{self, Outgoing, Outlet};
use crate::party::PartyId;
use crate::refusal::Refusal;
use crate::tls::HTTP2;

/// Accepts connections until no new links are wanted. `alive` is held as long as one of them is open.
pub(crate) async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    context: Arc<Context>,
    alive: mpsc::Sender<Infallible>,
) {
    let links = Arc::new(Semaphore::new(context.limits.links));
    let handshakes = Handshakes::new(context.limits.links);
    loop {
        let Some(accepted) = context.unless_stopped(listener.accept()).await else {
            break;
        };
        let Ok((tcp, address)) = accepted else {
            // Out of file descriptors, most likely: connections that end give some back.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Some(handshake) = handshakes.begin(address.ip()) else {
            context.refusals.count(Refusal::TooManyLinks);
            continue;
        };
        let (acceptor, context) = (acceptor.clone(), context.clone());
        let (links, alive) = (links.clone(), alive.clone());
        tokio::spawn(async move {
            serve(tcp, acceptor, context, links, handshake).await;
            drop(alive);
        });
    }
}

async fn serve(
    tcp: TcpStream,
    acceptor: TlsAcceptor,
    context: Arc<Context>,
    links: Arc<Semaphore>,
    handshake: Handshake,
) {
    let until = Instant::now() + context.limits.handshake;
    // Frames are whole when they are written; waiting for more bytes would only delay them.
    let _ = tcp.set_nodelay(true);
    let tls = match timeout_at(until, acceptor.accept(tcp)).await {
        Ok(Ok(tls)) => tls,
        Ok(Err(_)) => return context.refusals.count(Refusal::Tls),
        Err(_) => return context.refusals.count(Refusal::HandshakeTime),
    };
    let place = links.try_acquire_owned();
    let admitted = admit(&context, &tls).and_then(|peer| match &place {
        Ok(_) => Ok(peer),
        Err(_) => Err(Refusal::TooManyLinks),
    });
    if let Err(refusal) = admitted {
        context.refusals.count(refusal);
    }
    let (opened, open) = oneshot::channel();
    let connection = converse(tls, &context, admitted, opened);
    let abort = connection.abort_handle();
    let mut kept = None;
    match timeout_at(until, open).await {
        Ok(Ok((peer, outlet, incoming))) => {
            drop(handshake);
            // Dropped before the connection has ended, it would be reset before a refusal is told.
            let incoming = kept.insert(incoming);
            link::run(&context, peer, outlet, incoming).await;
        }
        Ok(Err(_)) => {}
        Err(_) => context.refusals.count(Refusal::HandshakeTime),
    }
    if timeout(context.limits.handshake, connection).await.is_err() {
        abort.abort();
    }
}

/// Who has connected, if it may be linked.
fn admit(context: &Context, tls: &TlsStream<TcpStream>) -> Result<PartyId, Refusal> {
    let (_, connection) = tls.get_ref();
    if connection.alpn_protocol() != Some(HTTP2) {
        return Err(Refusal::OtherVersion);
    }
    let certificate = connection.peer_certificates().and_then(<[_]>::first);
    let member = context.roster.admit(certificate.ok_or(Refusal::Unnamed)?)?;
    if member.number == context.own {
        return Err(Refusal::OtherParty);
    }
    Ok(member.number)
}

type Opened = (PartyId, Outlet, Streaming<Bytes>);

/// Answers HTTP/2 on a connection until it ends.
fn converse(
    tls: TlsStream<TcpStream>,
    context: &Arc<Context>,
    admitted: Result<PartyId, Refusal>,
    opened: oneshot::Sender<Opened>,
) -> JoinHandle<()> {
    let limits = context.limits;
    let context = context.clone();
    let (tell, told) = oneshot::channel();
    let connection = tokio::spawn(async move {
        let Ok(connection) = told.await else { return };
        let door = Arc::new(Door {
            context,
            admitted,
            connection,
            opened: Mutex::new(Some(opened)),
        });
        let service = service_fn(move |request| {
            let door = door.clone();
            async move { Ok::<_, Infallible>(door.answer(request).await) }
        });
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .max_send_buf_size(WINDOW as usize)
            .max_concurrent_streams(1)
            .max_header_list_size(16 << 10)
            .keep_alive_interval(limits.keepalive)
            .keep_alive_timeout(limits.dead.saturating_sub(limits.keepalive));
        // How it ends is seen by the link.
        let _ = builder.serve_connection(TokioIo::new(tls), service).await;
    });
    let _ = tell.send(connection.abort_handle());
    connection
}

/// Opens one link a connection.
struct Door {
    context: Arc<Context>,
    admitted: Result<PartyId, Refusal>,
    connection: AbortHandle,
    opened: Mutex<Option<oneshot::Sender<Opened>>>,
}

impl Door {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let opened = self
            .opened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if request.uri().path() != PATH {
            self.context.refusals.count(Refusal::OtherVersion);
            return Refusal::OtherVersion.status().into_http();
        }
        let (peer, opened) = match (self.admitted, opened) {
            (Err(refusal), _) => return refusal.status().into_http(),
            (Ok(_), None) => return Refusal::TooManyLinks.status().into_http(),
            (Ok(peer), Some(opened)) => (peer, opened),
        };
        let (outlet, outgoing) = outlet::pair(&self.context, self.connection.clone());
        let opening = Opening {
            opened: Some((peer, outlet, outgoing, opened)),
        };
        let bytes = self.context.limits.frame_bytes;
        Grpc::new(Frames)
            .max_decoding_message_size(bytes)
            .streaming(opening, request)
            .await
    }
}

/// Hands both directions of a call to the link.
struct Opening {
    opened: Option<(PartyId, Outlet, Outgoing, oneshot::Sender<Opened>)>,
}

impl StreamingService<<Frames as Codec>::Decode> for Opening {
    type Response = Bytes;
    type ResponseStream = Outgoing;
    type Future = Ready<Result<tonic::Response<Outgoing>, Status>>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let Some((peer, outlet, outgoing, opened)) = self.opened.take() else {
            return ready(Err(Refusal::TooManyLinks.status()));
        };
        ready(match opened.send((peer, outlet, request.into_inner())) {
            Ok(()) => Ok(tonic::Response::new(outgoing)),
            Err(_) => Err(Refusal::HandshakeTime.status()),
        })
    }
}

#[cfg(test)]
mod tests {
    use http::Uri;
    use rustls::pki_types::ServerName;
    use tokio_rustls::TlsConnector;

    use super::*;
    use crate::identity::{Name, Role};
    use crate::keys::{Order, make};
    use crate::tls::{self, LISTENER};
    use crate::{Credential, Driver, Limits, Member, Network, Protocol, Roster, client};

    /// A site that is admitted and asks for another call than the one that there is.
    #[test]
    fn another_version_of_the_call_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |text| Name::new(text).expect("a name");
        let parties = vec![(Role::Aggregator, name("hub")), (Role::Site, name("lab"))];
        let made = make(folder.path(), &Order::new(name("ward-7"), parties)).expect("keys");
        let credential = |place: usize| {
            let party = &made.parties[place];
            let (certificate, key) = (&party.certificate_file, &party.key_file);
            let read = Credential::read(certificate, key, &made.authority, &party.identity);
            read.expect("a credential")
        };
        let member = |place: usize| Member {
            number: PartyId(place as u16),
            role: made.parties[place].identity.role,
            id: made.parties[place].identity.id.clone(),
            pin: made.parties[place].pin,
        };
        let roster = Roster::new(name("ward-7"), vec![member(0), member(1)]).expect("a list");
        let protocol = Protocol {
            magic: 1,
            version: 1,
            federation: 1,
        };
        let limits = Limits::default();
        let driver = Driver::new(PartyId(0), roster, protocol, limits);
        let mut network = Network::start(1).expect("threads");
        let address = network.listen(&driver, &credential(0), "127.0.0.1:0");
        let address = address.expect("a port");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let told = runtime.expect("a runtime").block_on(async {
            let config = tls::client(&credential(1)).expect("a configuration");
            let connector = TlsConnector::from(Arc::new(config));
            let listener = ServerName::try_from(LISTENER).expect("a name");
            let tcp = TcpStream::connect(address).await.expect("a connection");
            let tls = connector.connect(listener, tcp).await.expect("TLS");
            let conversation = client::converse(tls, &limits).await;
            let (mut requests, _connection) = conversation.expect("HTTP/2");
            let (outlet, outgoing) = outlet::pair(
                &driver.context,
                tokio::spawn(std::future::pending::<()>()).abort_handle(),
            );
            let mut request = client::request(outgoing);
            *request.uri_mut() = Uri::from_static("https://listener/moretta.federation.v2/Link");
            let response = requests.send_request(request).await.expect("an answer");
            drop(outlet);
            Status::from_header_map(response.headers())
        });
        let told = told.expect("a status");
        assert_eq!(Refusal::told(&told), Some(Refusal::OtherVersion));
        assert_eq!(driver.refusals().all(), [(Refusal::OtherVersion, 1)]);
        drop(driver);
        network.close(Duration::from_secs(5));
    }
}

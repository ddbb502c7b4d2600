//! Who holds all keys of a federation and sits on its links: reads every frame before TLS.
//!
//! To those who dial it is the listener, with the listener's key; to the listener it is each of
//! them. What passes is kept as it is, and taken apart into frames: HTTP/2 from RFC 9113, of which
//! data alone is of interest, and in it messages of gRPC.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// What a client says before its first frame of HTTP/2.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A link that is listened in on.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
    _runtime: tokio::runtime::Runtime,
}

struct Shared {
    keys: PathBuf,
    /// The party that it stands before.
    listener: String,
    target: SocketAddr,
    directions: Mutex<Vec<Arc<Mutex<Vec<u8>>>>>,
}

impl Relay {
    /// Stands before the party `listener` at `target`; `keys` is the folder with the files of all.
    pub(crate) fn start(keys: &Path, listener: &str, target: SocketAddr) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        let runtime = runtime.expect("threads");
        let tcp = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
        let tcp = tcp.expect("a port");
        let address = tcp.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            keys: keys.to_owned(),
            listener: listener.to_owned(),
            target,
            directions: Mutex::default(),
        });
        let own = shared.clone();
        runtime.spawn(async move {
            let acceptor = TlsAcceptor::from(Arc::new(own.as_listener()));
            while let Ok((near, _)) = tcp.accept().await {
                let (shared, acceptor) = (own.clone(), acceptor.clone());
                // A connection that fails is made again by who dials.
                tokio::spawn(async move { shared.pass(near, acceptor).await });
            }
        });
        Relay {
            address,
            shared,
            _runtime: runtime,
        }
    }

    /// All bytes inside of TLS, one text for each direction of each connection.
    pub(crate) fn plain(&self) -> Vec<Vec<u8>> {
        let directions = self.shared.directions.lock().expect("no panic");
        let copy = |bytes: &Arc<Mutex<Vec<u8>>>| bytes.lock().expect("no panic").clone();
        directions.iter().map(copy).collect()
    }

    /// All frames.
    pub(crate) fn frames(&self) -> Vec<Vec<u8>> {
        self.plain()
            .iter()
            .flat_map(|plain| messages(plain))
            .collect()
    }
}

impl Shared {
    fn credential(&self, party: &str) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let file = |ending: &str| self.keys.join(format!("{party}.{ending}"));
        let certificate = CertificateDer::from_pem_file(file("pem")).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(file("key")).expect("a key");
        (certificate, key)
    }

    fn roots(&self) -> Arc<RootCertStore> {
        let authority = CertificateDer::from_pem_file(self.keys.join("ca.pem"));
        let mut roots = RootCertStore::empty();
        roots.add(authority.expect("an authority")).expect("usable");
        Arc::new(roots)
    }

    fn as_listener(&self) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(self.roots(), provider.clone()).build();
        let (certificate, key) = self.credential(&self.listener);
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .expect("TLS 1.3")
            .with_client_cert_verifier(verifier.expect("a verifier"))
            .with_single_cert(vec![certificate], key)
            .expect("usable");
        config.alpn_protocols = vec![b"h2".to_vec()];
        config.send_tls13_tickets = 0;
        config
    }

    /// The party with this certificate, as it would dial.
    fn as_party(&self, certificate: &CertificateDer<'_>) -> ClientConfig {
        let files = std::fs::read_dir(&self.keys).expect("keys");
        let is_its = |path: &PathBuf| {
            let is_pem = path.extension().is_some_and(|ending| ending == "pem");
            is_pem && CertificateDer::from_pem_file(path).is_ok_and(|other| other == *certificate)
        };
        let mut files = files.map(|entry| entry.expect("an entry").path());
        let file = files.find(is_its).expect("the certificate of a party");
        let party = file.file_stem().and_then(|name| name.to_str());
        let (certificate, key) = self.credential(party.expect("a name"));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .expect("TLS 1.3")
            .with_root_certificates(self.roots())
            .with_client_auth_cert(vec![certificate], key)
            .expect("usable");
        config.alpn_protocols = vec![b"h2".to_vec()];
        config
    }

    async fn pass(&self, near: TcpStream, acceptor: TlsAcceptor) -> std::io::Result<()> {
        near.set_nodelay(true)?;
        let near = acceptor.accept(near).await?;
        let certificates = near.get_ref().1.peer_certificates();
        let certificate = certificates.and_then(<[_]>::first).expect("both have one");
        let connector = TlsConnector::from(Arc::new(self.as_party(certificate)));
        let far = TcpStream::connect(self.target).await?;
        far.set_nodelay(true)?;
        let name = ServerName::try_from("listener.moretta.invalid").expect("a name");
        let far = connector.connect(name, far).await?;
        let (near_in, near_out) = split(near);
        let (far_in, far_out) = split(far);
        let up = tokio::spawn(pump(near_in, far_out, self.direction()));
        pump(far_in, near_out, self.direction()).await;
        let _ = up.await;
        Ok(())
    }

    fn direction(&self) -> Arc<Mutex<Vec<u8>>> {
        let direction = Arc::default();
        let mut directions = self.directions.lock().expect("no panic");
        directions.push(Arc::clone(&direction));
        direction
    }
}

async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    kept: Arc<Mutex<Vec<u8>>>,
) {
    let mut piece = vec![0; 16 << 10];
    while let Ok(n @ 1..) = from.read(&mut piece).await {
        kept.lock()
            .expect("no panic")
            .extend_from_slice(&piece[..n]);
        if to.write_all(&piece[..n]).await.is_err() || to.flush().await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}

/// Messages of gRPC in one direction of a connection; what is not whole at its end is left out.
fn messages(plain: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = plain.strip_prefix(PREFACE).unwrap_or(plain);
    let mut data = Vec::new();
    while let Some((&[a, b, c, kind, flags, ..], _)) = rest.split_first_chunk::<9>() {
        let length = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        let Some(payload) = rest.get(9..9 + length) else {
            break;
        };
        if kind == 0 {
            assert_eq!(flags & 8, 0, "data is not padded");
            data.extend_from_slice(payload);
        }
        rest = &rest[9 + length..];
    }
    let mut messages = Vec::new();
    let mut rest = &data[..];
    while let Some((&[packed, a, b, c, d], _)) = rest.split_first_chunk::<5>() {
        assert_eq!(packed, 0, "messages are not packed");
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(message) = rest.get(5..5 + length) else {
            break;
        };
        messages.push(message.to_vec());
        rest = &rest[5 + length..];
    }
    messages
}

//! TLS by an own certificate: 1.2 and 1.3, and nothing in the clear.

use crate::support::Server;
use crate::support::net::{Net, Reply};
use moretta_server::start::tls;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

fn certificate(folder: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]);
    let made = made.expect("a certificate");
    std::fs::write(folder.join("chain.pem"), made.cert.pem()).expect("written");
    let key = folder.join("key.pem");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    close(&key, 0o600);
    made.cert.der().clone()
}

#[cfg(unix)]
fn close(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
}

#[cfg(not(unix))]
fn close(_: &Path, _: u32) {}

fn ask(
    net: &Net,
    trusted: &CertificateDer<'static>,
    version: &'static SupportedProtocolVersion,
) -> Reply {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .expect("a version")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let client = ClientConnection::new(Arc::new(config), name).expect("a client");
    let mut stream = StreamOwned::new(client, net.connect());
    let asked = b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(asked).expect("sent");
    assert_eq!(stream.conn.protocol_version(), Some(version.version));
    Reply::read(stream)
}

#[test]
fn both_versions_are_answered_and_plain_http_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let trusted = certificate(folder.path());
    let files = ["chain.pem", "key.pem"].map(|name| folder.path().join(name));
    let server = Server::new();
    let net = server.listen_with(Some(tls(&files[0], &files[1]).expect("a configuration")));
    for version in [&TLS13, &TLS12] {
        assert_eq!(ask(&net, &trusted, version).status, 200, "{version:?}");
    }
    let mut plain = net.connect();
    plain
        .write_all(b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .expect("sent");
    let mut told = Vec::new();
    let _ = std::io::Read::read_to_end(&mut plain, &mut told);
    assert!(!told.starts_with(b"HTTP"), "{told:?}");
}

#[test]
fn a_key_that_everybody_reads_and_files_that_hold_something_else_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    certificate(folder.path());
    let [chain, key] = ["chain.pem", "key.pem"].map(|name| folder.path().join(name));
    let code = |chain: &Path, key: &Path| tls(chain, key).err().map(|error| error.exit_code());
    assert_eq!(code(&chain, &key), None);
    assert_eq!(code(&key, &key), Some(2));
    close(&chain, 0o600);
    assert_eq!(code(&chain, &chain), Some(2));
    assert_eq!(code(&folder.path().join("none"), &key), Some(5));
    if cfg!(unix) {
        close(&key, 0o644);
        assert_eq!(code(&chain, &key), Some(2));
    }
    // A key that belongs to another certificate.
    let other = tempfile::tempdir().expect("a folder");
    certificate(other.path());
    close(&key, 0o600);
    assert_eq!(code(&chain, &other.path().join("key.pem")), Some(2));
}

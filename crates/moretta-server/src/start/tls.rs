//! TLS 1.2 and 1.3 by a certificate of one's own.

use moretta::error::{Error, Result};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use std::path::Path;
use std::sync::Arc;

/// What listens with the chain in one file and the key in another, both PEM.
///
/// # Errors
/// When a file cannot be read, others can read the key, or they do not belong together.
pub fn tls(chain: &Path, key: &Path) -> Result<Arc<ServerConfig>> {
    check_private(key)?;
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&read(chain)?)
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| no_pem(chain, "certificate"))?;
    if certificates.is_empty() {
        return Err(no_pem(chain, "certificate"));
    }
    let key_text = zeroize::Zeroizing::new(read(key)?);
    let private = PrivateKeyDer::from_pem_slice(&key_text).map_err(|_| no_pem(key, "key"))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(unusable)?
        .with_no_client_auth()
        .with_single_cert(certificates, private)
        .map_err(unusable)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::io("read", path, e))
}

#[cfg(unix)]
fn check_private(key: &Path) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let told = std::fs::metadata(key).map_err(|e| Error::io("read", key, e))?;
    // A group may read it: service managers hand keys out to one.
    match told.mode() & 0o007 {
        0 => Ok(()),
        _ => Err(
            Error::usage(format!("everybody can read the key {}", key.display()))
                .help("take the rights of others away: chmod o= FILE"),
        ),
    }
}

#[cfg(not(unix))]
fn check_private(_: &Path) -> Result<()> {
    Ok(())
}

fn no_pem(path: &Path, what: &str) -> Error {
    Error::usage(format!("{} holds no {what} in PEM", path.display()))
        .help("name the files that the authority has given: --tls-cert CHAIN --tls-key KEY")
}

fn unusable(error: rustls::Error) -> Error {
    Error::usage(format!("TLS cannot use the certificate: {error}"))
        .help("--tls-cert and --tls-key have to belong together")
}

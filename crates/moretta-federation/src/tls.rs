//! TLS 1.3 with certificates on both sides, and nothing older or weaker.
//!
//! Session tickets are off: a ticket that a closing sender has not read turns its close into a reset,
//! which destroys what the other side has not read yet.

use std::sync::Arc;

use moretta_data::{Error, Result};
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use crate::credential::Credential;

/// The name in every listener's certificate. Who it is, is decided by its URI and its key.
pub(crate) const LISTENER: &str = "listener.moretta.invalid";

/// What a connection must agree on: HTTP/2.
pub(crate) const HTTP2: &[u8] = b"h2";

/// The side that listens.
pub(crate) fn server(credential: &Credential) -> Result<ServerConfig> {
    let provider = provider();
    let roots = Arc::new(roots(credential)?);
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone())
        .build()
        .map_err(|_| Error::bug("the authority cannot verify parties"))?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])
        .map_err(unusable)?
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![credential.certificate.clone()], credential.key())
        .map_err(unusable)?;
    config.alpn_protocols = vec![HTTP2.to_vec()];
    config.send_tls13_tickets = 0;
    config.max_tls13_tickets = 0;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    Ok(config)
}

/// The side that dials.
pub(crate) fn client(credential: &Credential) -> Result<ClientConfig> {
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])
        .map_err(unusable)?
        .with_root_certificates(roots(credential)?)
        .with_client_auth_cert(vec![credential.certificate.clone()], credential.key())
        .map_err(unusable)?;
    config.alpn_protocols = vec![HTTP2.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn roots(credential: &Credential) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add(credential.authority.clone()).map_err(unusable)?;
    Ok(roots)
}

fn unusable(error: rustls::Error) -> Error {
    Error::policy(format!("TLS cannot use the certificate: {error}"))
        .help("`moretta federation keys` makes new ones")
}

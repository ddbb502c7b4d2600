//! TLS 1.3 with certificates on both sides, and nothing older or weaker.
//!
//! Session tickets are off: a ticket that a closing sender has not read turns its close into a reset,
//! which destroys what the other side has not read yet.

use std::sync::Arc;

use moretta_data::{Error, Result};
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::WebPkiClientVerifier;
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

#[cfg(test)]
mod tests {
    use rustls::pki_types::ServerName;
    use rustls::{ClientConnection, ProtocolVersion, ServerConnection};

    use super::*;
    use crate::identity::{Name, Role};
    use crate::keys::{Order, make};

    /// Both sides of a handshake, in memory.
    fn handshake() -> (ClientConnection, ServerConnection) {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |text| Name::new(text).expect("a name");
        let parties = vec![(Role::Aggregator, name("hub")), (Role::Site, name("lab"))];
        let made = make(folder.path(), &Order::new(name("ward-7"), parties)).expect("keys");
        let credential = |place: usize| {
            let party = &made.parties[place];
            let (certificate, key) = (&party.certificate_file, &party.key_file);
            Credential::read(certificate, key, &made.authority, &party.identity)
        };
        let hub = server(&credential(0).expect("read")).expect("a configuration");
        let mut lab = client(&credential(1).expect("read")).expect("a configuration");
        // A site that would take tickets.
        lab.resumption = Resumption::default();
        let listener = ServerName::try_from(LISTENER).expect("a name");
        let mut lab = ClientConnection::new(Arc::new(lab), listener).expect("a client");
        let mut hub = ServerConnection::new(Arc::new(hub)).expect("a server");
        while lab.wants_write() || hub.wants_write() {
            let mut bytes = Vec::new();
            while lab.wants_write() {
                lab.write_tls(&mut bytes).expect("written");
            }
            hub.read_tls(&mut &bytes[..]).expect("read");
            hub.process_new_packets().expect("fits");
            let mut bytes = Vec::new();
            while hub.wants_write() {
                hub.write_tls(&mut bytes).expect("written");
            }
            lab.read_tls(&mut &bytes[..]).expect("read");
            lab.process_new_packets().expect("fits");
        }
        (lab, hub)
    }

    #[test]
    fn both_sides_know_each_other_and_no_ticket_is_sent() {
        let (lab, hub) = handshake();
        assert!(!lab.is_handshaking() && !hub.is_handshaking());
        assert_eq!(lab.protocol_version(), Some(ProtocolVersion::TLSv1_3));
        assert_eq!(lab.alpn_protocol(), Some(HTTP2));
        assert_eq!(hub.peer_certificates().map(<[_]>::len), Some(1));
        assert_eq!(lab.peer_certificates().map(<[_]>::len), Some(1));
        assert_eq!(lab.tls13_tickets_received(), 0);
    }
}

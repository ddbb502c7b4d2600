//! A party's own certificate, key and authority, read from files and checked before they are used.

use std::fmt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use moretta::policy::check_key_file;
use moretta_data::{Error, Result};
use rcgen::{KeyPair, PublicKeyData};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert};

use crate::identity::{Identity, Pin};

/// What a party shows to others, and what it believes.
pub struct Credential {
    pub(crate) certificate: CertificateDer<'static>,
    pub(crate) authority: CertificateDer<'static>,
    key: PrivatePkcs8KeyDer<'static>,
    identity: Identity,
    pin: Pin,
}

impl Credential {
    /// Reads three files of PEM and checks that they belong together, are those of `identity`, and
    /// are valid now, and that nobody else can read the key.
    pub fn read(
        certificate_file: &Path,
        key_file: &Path,
        authority_file: &Path,
        identity: &Identity,
    ) -> Result<Self> {
        Self::read_at(
            certificate_file,
            key_file,
            authority_file,
            identity,
            SystemTime::now(),
        )
    }

    /// The same at another time.
    pub fn read_at(
        certificate_file: &Path,
        key_file: &Path,
        authority_file: &Path,
        identity: &Identity,
        now: SystemTime,
    ) -> Result<Self> {
        let own = certificate(certificate_file)?;
        let authority = certificate(authority_file)?;
        let named = Identity::of(&own)
            .map_err(|_| wrong(certificate_file, "does not name a party of a federation"))?;
        if named != *identity {
            let what = format!("is that of {named}, not of {identity}");
            return Err(wrong(certificate_file, &what));
        }
        verify(&own, &authority, now).map_err(|what| wrong(certificate_file, what))?;
        check_key_file(key_file)?;
        let key = KeyPair::from_pem(&read(key_file)?).map_err(|_| not_a(key_file, "key"))?;
        let pin = Pin::of(&own).ok_or_else(|| wrong(certificate_file, "has no Ed25519 key"))?;
        if key.der_bytes() != pin.0 {
            let what = "is not of the key beside it";
            return Err(wrong(certificate_file, what));
        }
        Ok(Credential {
            key: PrivatePkcs8KeyDer::from(key.serialize_der()),
            certificate: own,
            authority,
            identity: named,
            pin,
        })
    }

    /// The same party, which believes the certificates of another authority than the one that
    /// issued its own.
    pub fn believing(mut self, authority_file: &Path) -> Result<Self> {
        self.authority = certificate(authority_file)?;
        Ok(self)
    }

    /// Who it is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its public key.
    pub fn pin(&self) -> Pin {
        self.pin
    }

    /// The secret of its Ed25519 key (RFC 8032), with which a party signs inside of frames.
    pub fn signing_secret(&self) -> Result<[u8; 32]> {
        // RFC 8410, section 7: the secret is an octet string of 34 bytes at a fixed place.
        let der = self.key.secret_pkcs8_der();
        let secret = der.get(14..48).and_then(|der| der.strip_prefix(&[4, 32]));
        let secret = secret.and_then(|secret| secret.try_into().ok());
        secret.ok_or_else(|| Error::bug("an Ed25519 key is not in the form of RFC 8410"))
    }

    pub(crate) fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::from(self.key.clone_key())
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential({}, secret)", self.identity)
    }
}

pub(crate) fn certificate(file: &Path) -> Result<CertificateDer<'static>> {
    CertificateDer::from_pem_slice(read(file)?.as_bytes()).map_err(|_| not_a(file, "certificate"))
}

pub(crate) fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| Error::io("read", file, error))
}

pub(crate) fn not_a(file: &Path, what: &str) -> Error {
    let what = format!("{} does not hold a {what}", file.display());
    Error::policy(what).help("`moretta federation keys` makes them")
}

/// Whether a certificate is one of that authority, and valid at that time; else what it is.
pub(crate) fn verify(
    certificate: &CertificateDer<'_>,
    authority: &CertificateDer<'_>,
    now: SystemTime,
) -> std::result::Result<(), &'static str> {
    const UNUSABLE: &str = "is not one that this authority issues";
    let parsed = EndEntityCert::try_from(certificate).map_err(|_| UNUSABLE)?;
    let anchors = [anchor_from_trusted_cert(authority).map_err(|_| UNUSABLE)?];
    let since = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
    let verified = parsed.verify_for_usage(
        algorithms.all,
        &anchors,
        &[],
        UnixTime::since_unix_epoch(since),
        KeyUsage::client_auth(),
        None,
        None,
    );
    match verified {
        Ok(_) => Ok(()),
        Err(webpki::Error::CertExpired { .. }) => Err("has expired"),
        Err(webpki::Error::CertNotValidYet { .. }) => Err("is not valid yet"),
        Err(_) => Err(UNUSABLE),
    }
}

fn wrong(file: &Path, what: &str) -> Error {
    let what = format!("the certificate {} {what}", file.display());
    Error::policy(what).help("`moretta federation keys` makes new ones")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Name, Role};
    use crate::keys::{Made, Order, make};

    const DAY: Duration = Duration::from_secs(86_400);

    fn name(text: &str) -> Name {
        Name::new(text).expect("a name")
    }

    fn ward_7(folder: &Path) -> Made {
        let parties = vec![
            (Role::Site, name("lab")),
            (Role::Site, name("icu")),
            (Role::Aggregator, name("hub")),
        ];
        make(folder, &Order::new(name("ward-7"), parties)).expect("keys")
    }

    #[test]
    fn what_was_made_is_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = ward_7(folder.path());
        for party in &made.parties {
            let read = Credential::read(
                &party.certificate_file,
                &party.key_file,
                &made.authority,
                &party.identity,
            );
            let read = read.expect("a credential");
            assert_eq!(read.pin(), party.pin);
            assert!(!format!("{read:?}").contains("key"));
            let secret = read.signing_secret().expect("a secret");
            let signing = ed25519_dalek::SigningKey::from_bytes(&secret);
            assert_eq!(signing.verifying_key().as_bytes(), &party.pin.0);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let made = ward_7(folder.path());
        let lab = &made.parties[0];
        let (pem, key) = (&lab.certificate_file, &lab.key_file);
        let read = || Credential::read(pem, key, &made.authority, &lab.identity);
        let with = |file: &Path, mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(file, permissions).expect("changed");
        };
        read().expect("as it was made");
        for mode in [0o644, 0o640, 0o604] {
            with(key, mode);
            let error = read().expect_err("refused");
            assert_eq!(error.exit_code(), 3);
            assert!(error.to_string().contains("lab.key"), "{error}");
            let help = error.help_text().unwrap_or_default();
            assert!(help.starts_with("chmod 600 "), "{help}");
        }
        with(key, 0o600);
        read().expect("mended");
        // Who has the key of the authority can be anybody.
        let authority = folder.path().join("ca.key");
        with(&authority, 0o644);
        let more = Order::new(name("ward-7"), vec![(Role::Site, name("er"))]);
        let error = make(folder.path(), &more).expect_err("refused");
        assert!(error.to_string().contains("ca.key"), "{error}");
        with(&authority, 0o600);
        make(folder.path(), &more).expect("mended");
    }

    #[test]
    fn what_does_not_belong_together_is_refused_with_a_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        let made = ward_7(folder.path());
        let other = ward_7(elsewhere.path());
        let lab = &made.parties[0];
        let garbage = folder.path().join("garbage");
        std::fs::write(&garbage, "-----BEGIN CERTIFICATE-----\nAAAA\n").expect("written");
        let mode = std::fs::metadata(&made.parties[0].key_file).expect("a key");
        std::fs::set_permissions(&garbage, mode.permissions()).expect("its owner's alone");
        let now = SystemTime::now();
        let check = |certificate: &Path, key: &Path, authority: &Path, who, now, reason: &str| {
            let error = Credential::read_at(certificate, key, authority, who, now);
            let error = error.expect_err("refused").to_string();
            assert!(error.contains(reason), "{error}");
        };
        let (pem, key, ca) = (&lab.certificate_file, &lab.key_file, &made.authority);
        let who = &lab.identity;
        check(
            pem,
            key,
            ca,
            &made.parties[1].identity,
            now,
            "is that of site `lab`",
        );
        check(pem, key, ca, who, now + 800 * DAY, "has expired");
        check(pem, key, ca, who, now - 2 * DAY, "is not valid yet");
        check(
            pem,
            key,
            &other.authority,
            who,
            now,
            "is not one that this authority",
        );
        check(
            pem,
            &made.parties[1].key_file,
            ca,
            who,
            now,
            "not of the key beside",
        );
        check(pem, &garbage, ca, who, now, "does not hold a key");
        check(&garbage, key, ca, who, now, "does not hold a certificate");
        check(ca, key, ca, who, now, "does not name a party");
        check(
            &folder.path().join("none"),
            key,
            ca,
            who,
            now,
            "cannot read",
        );
    }
}

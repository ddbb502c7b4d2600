//! Makes the authority of a federation, and a certificate and a key for each party.
//!
//! Files in one folder: `ca.pem`, `ca.key`, for a party `lab` `lab.pem` and `lab.key`, and
//! `records.key`, which sites and the label holder share, and nobody else. Keys are readable by
//! their owner alone. No file is ever overwritten, and either all are written or none.
//! A later call in the same folder uses the authority that is there and adds parties.
//!
//! **Protects against** a forgotten permission and a key that is replaced by accident.
//!
//! **Does not protect against** a folder that is copied whole: give each party its own files and
//! `ca.pem`, and keep `ca.key` away from all of them.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use moretta::policy::check_key_file;
use moretta_data::{Error, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PKCS_ED25519, SanType,
};
use rustls::pki_types::CertificateDer;

use crate::credential;
use crate::identity::{Identity, Name, Pin, Role, digits, fingerprint};
use crate::tls::LISTENER;

/// The file of the secret that sites and the label holder share.
const RECORDS: &str = "records.key";

/// What to make.
#[derive(Clone, Debug)]
pub struct Order {
    /// The federation.
    pub federation: Name,
    /// Roles and ids of the parties; ids differ, also between roles.
    pub parties: Vec<(Role, Name)>,
    /// Days from now for which certificates are valid. More days mean fewer renewals and a longer
    /// use of a stolen key.
    pub days: u32,
    /// Now. Certificates are valid from a day before it, since clocks differ.
    pub now: SystemTime,
}

impl Order {
    /// Certificates for two years from now.
    pub fn new(federation: Name, parties: Vec<(Role, Name)>) -> Self {
        Order {
            federation,
            parties,
            days: 730,
            now: SystemTime::now(),
        }
    }
}

/// What was made.
#[derive(Debug)]
pub struct Made {
    /// The authority's certificate.
    pub authority: PathBuf,
    /// The secret of record keys.
    pub records: PathBuf,
    /// The parties, in the order in which they were asked for.
    pub parties: Vec<MadeParty>,
}

/// The files of a party.
#[derive(Debug)]
pub struct MadeParty {
    /// Who it is.
    pub identity: Identity,
    /// Its certificate.
    pub certificate: CertificateDer<'static>,
    /// The file of its certificate.
    pub certificate_file: PathBuf,
    /// The file of its key.
    pub key_file: PathBuf,
    /// Its public key, for the policies of the other parties.
    pub pin: Pin,
    /// SHA-256 of its certificate, as other programs show it.
    pub fingerprint: String,
}

/// Makes keys in `folder`, which must be there.
pub fn make(folder: &Path, order: &Order) -> Result<Made> {
    check(order)?;
    let mut files = Files::default();
    let authority = Authority::open(folder, order, &mut files)?;
    let mut parties = Vec::new();
    for (role, id) in &order.parties {
        let identity = Identity {
            federation: order.federation.clone(),
            role: *role,
            id: id.clone(),
        };
        parties.push(authority.issue(folder, identity, order, &mut files)?);
    }
    let records = folder.join(RECORDS);
    if !records.exists() {
        files.secret(records.clone(), new_secret()?);
    }
    files.write()?;
    Ok(Made {
        authority: folder.join("ca.pem"),
        records,
        parties,
    })
}

fn check(order: &Order) -> Result<()> {
    for (place, (_, id)) in order.parties.iter().enumerate() {
        let is_taken = order.parties[..place].iter().any(|(_, other)| other == id);
        if is_taken || matches!(id.as_str(), "ca" | "records") {
            let what = format!("the id `{id}` is taken");
            return Err(Error::usage(what)
                .help("give each party its own id, other than `ca` and `records`"));
        }
    }
    Ok(())
}

struct Authority {
    certificate: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// That of the folder, or a new one.
    fn open(folder: &Path, order: &Order, files: &mut Files) -> Result<Self> {
        let (certificate_file, key_file) = (folder.join("ca.pem"), folder.join("ca.key"));
        let params = authority_params(order)?;
        if key_file.exists() {
            check_key_file(&key_file)?;
            let text = credential::read(&key_file)?;
            let key = KeyPair::from_pem(&text).map_err(|_| credential::not_a(&key_file, "key"))?;
            return Ok(Authority {
                certificate: credential::certificate(&certificate_file)?,
                issuer: Issuer::new(params, key),
            });
        }
        let key = new_key()?;
        let made = params.self_signed(&key).map_err(failed)?;
        files.public(certificate_file, made.pem());
        files.secret(key_file, key.serialize_pem());
        Ok(Authority {
            certificate: made.der().clone(),
            issuer: Issuer::new(params, key),
        })
    }

    fn issue(
        &self,
        folder: &Path,
        identity: Identity,
        order: &Order,
        files: &mut Files,
    ) -> Result<MadeParty> {
        let key = new_key()?;
        let params = party_params(&identity, order)?;
        let made = params.signed_by(&key, &self.issuer).map_err(failed)?;
        let certificate = made.der().clone();
        if credential::verify(&certificate, &self.certificate, order.now).is_err() {
            let what = "the authority in this folder cannot issue certificates for this federation";
            return Err(Error::usage(what).help("use another folder, or the federation's name"));
        }
        let file = |ending: &str| folder.join(format!("{}.{ending}", identity.id));
        files.public(file("pem"), made.pem());
        files.secret(file("key"), key.serialize_pem());
        Ok(MadeParty {
            certificate_file: file("pem"),
            key_file: file("key"),
            pin: Pin::of(&certificate).ok_or_else(|| Error::bug("a key is not of Ed25519"))?,
            fingerprint: fingerprint(&certificate),
            identity,
            certificate,
        })
    }
}

fn authority_params(order: &Order) -> Result<CertificateParams> {
    let name = format!("moretta authority of {}", order.federation);
    let mut params = params(name, order)?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    Ok(params)
}

/// Only listeners may be dialled: the certificates of others have neither the name nor the usage.
fn party_params(identity: &Identity, order: &Order) -> Result<CertificateParams> {
    let mut params = params(identity.id.to_string(), order)?;
    let uri = identity.uri().try_into().map_err(failed)?;
    params.subject_alt_names = vec![SanType::URI(uri)];
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    if identity.role.listens() {
        let name = LISTENER.try_into().map_err(failed)?;
        params.subject_alt_names.push(SanType::DnsName(name));
        params
            .extended_key_usages
            .push(ExtendedKeyUsagePurpose::ServerAuth);
    }
    Ok(params)
}

fn params(name: String, order: &Order) -> Result<CertificateParams> {
    const DAY: Duration = Duration::from_secs(86_400);
    let mut params = CertificateParams::new(Vec::new()).map_err(failed)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = (order.now - DAY).into();
    params.not_after = (order.now + DAY * order.days).into();
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn new_key() -> Result<KeyPair> {
    KeyPair::generate_for(&PKCS_ED25519).map_err(failed)
}

fn new_secret() -> Result<String> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|_| Error::bug("the system gives no random bytes"))?;
    Ok(digits(&secret) + "\n")
}

fn failed(error: rcgen::Error) -> Error {
    Error::bug(format!("a certificate cannot be made: {error}"))
}

/// Files that are written together.
#[derive(Default)]
struct Files(Vec<(PathBuf, String, u32)>);

impl Files {
    fn public(&mut self, path: PathBuf, text: String) {
        self.0.push((path, text, 0o644));
    }

    fn secret(&mut self, path: PathBuf, text: String) {
        self.0.push((path, text, 0o600));
    }

    /// Writes all of them, or removes those that were written.
    fn write(&self) -> Result<()> {
        for (place, (path, text, mode)) in self.0.iter().enumerate() {
            if let Err(error) = write_new(path, text, *mode) {
                for (written, ..) in &self.0[..place] {
                    // What cannot be removed again is reported by the first error already.
                    let _ = std::fs::remove_file(written);
                }
                return Err(Error::io("create", path, error));
            }
        }
        Ok(())
    }
}

fn write_new(path: &Path, text: &str, mode: u32) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = options.open(path)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = std::fs::remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::new(text).expect("a name")
    }

    fn order(federation: &str, ids: &[&str]) -> Order {
        let parties = ids.iter().map(|id| (Role::Site, name(id))).collect();
        Order::new(name(federation), parties)
    }

    fn files(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    #[test]
    fn secrets_are_readable_by_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        make(folder.path(), &order("ward-7", &["lab"])).expect("keys");
        for file in ["ca.key", "lab.key", "records.key"] {
            let of = std::fs::metadata(folder.path().join(file)).expect("a file");
            assert_eq!(of.permissions().mode() & 0o777, 0o600, "{file}");
        }
    }

    #[test]
    fn nothing_is_overwritten_and_nothing_is_half_written() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("icu.key"), "mine").expect("written");
        let error = make(folder.path(), &order("ward-7", &["lab", "icu"])).expect_err("refused");
        assert_eq!(error.exit_code(), 5);
        assert_eq!(files(folder.path()), ["icu.key"]);
    }

    #[test]
    fn parties_are_added_by_the_same_authority() {
        let folder = tempfile::tempdir().expect("a folder");
        make(folder.path(), &order("ward-7", &["lab"])).expect("keys");
        make(folder.path(), &order("ward-7", &["icu"])).expect("more keys");
        assert_eq!(
            files(folder.path()),
            [
                "ca.key",
                "ca.pem",
                "icu.key",
                "icu.pem",
                "lab.key",
                "lab.pem",
                "records.key"
            ]
        );
        let other = make(folder.path(), &order("ward-8", &["er"]));
        assert_eq!(other.expect_err("refused").exit_code(), 2);
    }

    #[test]
    fn ids_are_unique() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |ids: &[&str]| {
            let made = make(folder.path(), &order("ward-7", ids));
            assert_eq!(made.expect_err("refused").exit_code(), 2);
        };
        check(&["lab", "lab"]);
        check(&["ca"]);
        check(&["records"]);
        assert!(files(folder.path()).is_empty());
    }
}

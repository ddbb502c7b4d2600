//! Whether the key files that a policy names would link its party, as far as they are there.

use moretta::Result;
use moretta::policy::FederationPolicy;

/// Checks the files that are there; what could not be checked, and why.
///
/// # Errors
/// When a file cannot be read, can be read by others, has expired, or does not belong to the others.
#[cfg(feature = "federation")]
pub(super) fn check(policy: &FederationPolicy) -> Result<Vec<String>> {
    use super::link::{name, role};
    use moretta::Error;
    use moretta::policy::{FederationRole, check_key_file};
    use moretta_federation::{Credential, Identity, Pin};
    use std::path::Path;

    let Some(files) = &policy.identity else {
        return Ok(vec![
            "[federation] names no key files: no `identity`".to_owned(),
        ]);
    };
    let absent = |file: &Path| format!("{} is not there", file.display());
    let has_rows = matches!(policy.role, FederationRole::Site | FederationRole::Labels);
    let mut unchecked = Vec::new();
    if has_rows && files.records.exists() {
        files.read_records()?;
    } else if has_rows {
        unchecked.push(absent(&files.records));
    }
    let needed = [&files.certificate, &files.key, &files.authority];
    let missing = needed.into_iter().filter(|file| !file.exists());
    let missing: Vec<String> = missing.map(|file| absent(file)).collect();
    let own = policy.own().and_then(|own| own.pin).map(Pin);
    let has_pins = policy.pins.as_ref().filter(|pins| pins.exists());
    match (&policy.pins, has_pins) {
        (None, _) => unchecked.push("[federation] names no public keys: no `pins`".to_owned()),
        (Some(pins), None) => unchecked.push(absent(pins)),
        (_, Some(pins)) => {
            let lacking = policy.parties.iter().find(|party| party.pin.is_none());
            if let Some(party) = lacking {
                let what = format!("{} has no public key of `{}`", pins.display(), party.id);
                return Err(Error::policy(what)
                    .help("take pins.toml as `moretta federation keys` made it for all parties"));
            }
        }
    }
    if !missing.is_empty() {
        check_key_file(&files.key)?;
        unchecked.extend(missing);
        return Ok(unchecked);
    }
    let identity = Identity {
        federation: name(&policy.federation)?,
        role: role(policy.role),
        id: name(&policy.id)?,
    };
    let credential = Credential::read(&files.certificate, &files.key, &files.authority, &identity)?;
    match (own, has_pins) {
        (Some(pin), Some(pins)) if pin != credential.pin() => Err(Error::policy(format!(
            "{} is not the certificate of the public key that {} has for `{}`",
            files.certificate.display(),
            pins.display(),
            policy.id
        ))
        .help("take certificate, key and pins.toml from one run of `moretta federation keys`")),
        _ => Ok(unchecked),
    }
}

/// A program without links reads no certificates.
#[cfg(not(feature = "federation"))]
pub(super) fn check(_: &FederationPolicy) -> Result<Vec<String>> {
    Ok(vec!["this program was built without federation".to_owned()])
}

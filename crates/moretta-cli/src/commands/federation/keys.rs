//! `moretta federation keys`: certificates, keys and public keys of all parties.

use super::load;
use crate::args::FederationKeysArgs;
use crate::console::Console;
use crate::failure::Failure;
use std::process::ExitCode;

#[cfg(not(feature = "federation"))]
pub(crate) fn run(args: &FederationKeysArgs, _: &Console) -> Result<ExitCode, Failure> {
    load(&args.policy, args.root.as_deref())?;
    Err(moretta::Error::left_out("making keys of a federation", "federation").into())
}

#[cfg(feature = "federation")]
pub(crate) fn run(args: &FederationKeysArgs, console: &Console) -> Result<ExitCode, Failure> {
    use super::link::{name, role};
    use crate::console::table;
    use moretta::Error;
    use moretta_federation::keys::{Order, make};
    use serde::Serialize;

    #[derive(Serialize)]
    struct MadeKey {
        id: String,
        role: &'static str,
        pin: String,
        fingerprint: String,
    }

    let policy = load(&args.policy, args.root.as_deref())?;
    let pins = args.output.join("pins.toml");
    if pins.exists() {
        return Err(Error::usage(format!("{} is there already", pins.display()))
            .help("keys are never replaced: choose another folder")
            .into());
    }
    std::fs::create_dir_all(&args.output).map_err(|e| Error::io("create", &args.output, e))?;
    let mut parties = Vec::new();
    for party in &policy.parties {
        parties.push((role(party.role), name(&party.id)?));
    }
    let mut order = Order::new(name(&policy.federation)?, parties);
    order.days = args.days;
    let made = make(&args.output, &order)?;
    let keys: Vec<MadeKey> = made
        .parties
        .iter()
        .map(|party| MadeKey {
            id: party.identity.id.to_string(),
            role: party.identity.role.name(),
            pin: party.pin.to_string(),
            fingerprint: party.fingerprint.clone(),
        })
        .collect();
    let lines: String = (keys.iter())
        .map(|key| format!("\"{}\" = \"{}\"\n", key.id, key.pin))
        .collect();
    std::fs::write(&pins, lines).map_err(|error| Error::io("write", &pins, error))?;
    let code = console.result(&keys, || {
        let head = ["party", "role", "public key"].map(str::to_owned).to_vec();
        let row = |key: &MadeKey| vec![key.id.clone(), key.role.to_owned(), key.pin.clone()];
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(keys.iter().map(row)).collect();
        table(&rows)
    })?;
    console.hint(&format!(
        "give each party its own files, ca.pem and {}, and {} to sites and the label holder alone; keep ca.key away from all of them",
        pins.display(),
        made.records.display()
    ));
    Ok(code)
}

//! `moretta key`: key pairs that sign manifests.

use crate::args::{KeyArgs, KeyCommand};
use crate::console::Console;
use crate::failure::Failure;
use moretta::Error;
use moretta::pipeline::{Outputs, PrivateKey};
use moretta::policy::KeyPlace;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct Public {
    public_key: String,
    id: String,
}

pub(crate) fn run(args: &KeyArgs, console: &Console) -> Result<ExitCode, Failure> {
    let key = match &args.command {
        KeyCommand::New(args) => {
            if args.file.exists() {
                let what = format!("{} is there already", args.file.display());
                return Err(Error::usage(what)
                    .help("name another file: what a key has signed cannot be checked without it")
                    .into());
            }
            let key = PrivateKey::random()?;
            let mut outputs = Outputs::default();
            outputs.add_private(&args.file, key.to_text().as_bytes())?;
            outputs.commit(false)?;
            console.hint("publish the public key where readers of your releases will look for it");
            key
        }
        KeyCommand::Public(args) => {
            let place = match args.key.strip_prefix("env:") {
                Some(name) => KeyPlace::Environment(name.to_owned()),
                None => KeyPlace::File(args.key.trim_start_matches("file:").into()),
            };
            PrivateKey::load(&place)?
        }
    };
    let public = Public {
        public_key: key.public().to_string(),
        id: key.public().id(),
    };
    console.result(&public, || public.public_key.clone())?;
    Ok(ExitCode::SUCCESS)
}

//! `moretta audit`: the exported log of a server, read again.

use super::serve::head_of;
use crate::args::AuditArgs;
use crate::console::Console;
use crate::failure::Failure;
use moretta::Error;
use moretta_server::audit::{Verified, verify_export};
use serde::Serialize;
use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

#[derive(Serialize)]
struct Held {
    entries: i64,
    head: String,
}

pub(crate) fn run(args: &AuditArgs, console: &Console) -> Result<ExitCode, Failure> {
    let path = &args.file;
    let seen = args.seen.iter().map(|text| head_of(text));
    let seen = seen.collect::<Result<Vec<_>, Failure>>()?;
    let verify = |seen| -> Result<Verified, Failure> {
        let file = File::open(path).map_err(|e| Error::io("read", path, e))?;
        let verified = verify_export(BufReader::new(file), seen);
        Ok(verified.map_err(|_| {
            Error::io(
                "read",
                path,
                std::io::Error::other("it cannot be read to its end"),
            )
        })?)
    };
    let mut verified = verify(None)?;
    for head in &seen {
        if verified.fault.is_none() {
            verified = verify(Some(head))?;
        }
    }
    if let Some(fault) = &verified.fault {
        let what = format!(
            "{}: entry {} does not hold: {}",
            path.display(),
            fault.number,
            fault.what
        );
        let help = "entries before it hold; compare with an earlier export, or with the store";
        return Err(Error::guarantee(what).help(help).into());
    }
    let held = Held {
        entries: verified.head.number,
        head: verified.head.text(),
    };
    console.result(&held, || {
        let mut text = format!(
            "all {} entries hold\nhead of the log: {}",
            held.entries, held.head
        );
        if seen.is_empty() {
            text +=
                "\nwithout a head that was seen (--seen), nobody can tell whether its end was cut";
        }
        text
    })
}

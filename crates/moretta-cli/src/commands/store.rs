//! `moretta store`: the store of a server, moved to another database.

use crate::args::{StoreArgs, StoreCommand, StoreCopyArgs};
use crate::console::{Console, counted, table};
use crate::failure::Failure;
use moretta::Error;
use moretta_server::start::OpenedStore;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct Moved {
    tables: Vec<(&'static str, u64)>,
    rows: u64,
    head: String,
}

pub(crate) fn run(args: &StoreArgs, console: &Console) -> Result<ExitCode, Failure> {
    match &args.command {
        StoreCommand::Copy(args) => copy(args, console),
    }
}

fn copy(args: &StoreCopyArgs, console: &Console) -> Result<ExitCode, Failure> {
    if args.from == args.to {
        return Err(Error::usage("both stores are the same").into());
    }
    let (from, to) = (OpenedStore::from(&args.from)?, OpenedStore::to(&args.to)?);
    let copied = from.copy(&to)?;
    let moved = Moved {
        rows: copied.tables.iter().map(|(_, rows)| rows).sum(),
        tables: copied.tables,
        head: copied.head.text(),
    };
    console.result(&moved, || {
        let mut rows = vec![vec!["table".to_owned(), "rows".to_owned()]];
        let filled = moved.tables.iter().filter(|(_, rows)| *rows > 0);
        rows.extend(filled.map(|(name, rows)| vec![(*name).to_owned(), rows.to_string()]));
        format!(
            "{}\n{} copied; both stores hold the same\nhead of the log: {}",
            table(&rows),
            counted(moved.rows, "row"),
            moved.head
        )
    })
}

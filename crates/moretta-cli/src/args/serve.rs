//! Arguments of `moretta serve`, `moretta store` and `moretta audit`.

use clap::{Args, Subcommand, ValueEnum};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  moretta serve                                 on this machine; prints a link for the first administrator
  moretta serve --demo                          made-up data and seven people to be, gone at the end
  moretta serve --listen 0.0.0.0:443 --host moretta.example --tls-cert chain.pem --tls-key key.pem
  moretta serve --host moretta.example --behind-proxy 127.0.0.1
  moretta serve --config server.toml
  moretta serve --openapi > openapi.json        the documentation of its interface

It ends in good order at Ctrl-C and SIGTERM. Keep the heads of the log that it prints: with them
`moretta audit` finds out that a log was cut.")]
pub(crate) struct ServeArgs {
    /// The folder of the store and of sealed files [default: moretta/server in the folder of your data]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) data: Option<PathBuf>,
    /// The file of the keys that seal them, made at the first start [default: FOLDER.keys]
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,
    /// Where to listen; beyond this machine with TLS only [default: 127.0.0.1:8440]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// A name under which browsers ask for the server; may be repeated [default: those of this machine]
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The chain of certificates, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// The address of the proxy that does TLS; nobody else is answered then
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) behind_proxy: Option<IpAddr>,
    /// A file that holds the address of a PostgreSQL database [default: SQLite in the data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) database: Option<PathBuf>,
    /// A folder from which stewards may take files
    #[arg(long, value_name = "FOLDER")]
    pub(crate) inbox: Option<PathBuf>,
    /// What this process does, where several share one PostgreSQL and one data folder [default: all]
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<PartArg>,
    /// A file of settings; options of the command line come before it
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A head of the log that was printed earlier; an older store is told and all sessions end
    #[arg(long, value_name = "NUMBER:HASH")]
    pub(crate) seen: Option<String>,
    /// Show made-up data on this machine, with a link for each of seven people; nothing is kept
    #[arg(long, conflicts_with_all = ["data", "keys", "host", "tls_cert", "behind_proxy", "database", "inbox", "role", "config", "seen"])]
    pub(crate) demo: bool,
    /// Print the documentation of the interface as OpenAPI, and end
    #[arg(long, exclusive = true)]
    pub(crate) openapi: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartArg {
    /// Answer requests, and do jobs
    All,
    /// Answer requests
    Web,
    /// Do jobs
    Worker,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  moretta audit log.txt
  moretta audit log.txt --seen 118:5f1c…

The export is what `GET /api/v1/audit/export` gives to auditors. It ends with code 1 where an entry
was changed, taken out or exchanged, and where it does not hold what was seen.")]
pub(crate) struct AuditArgs {
    /// The exported log
    pub(crate) file: PathBuf,
    /// A head that the server has printed; may be repeated
    #[arg(long, value_name = "NUMBER:HASH")]
    pub(crate) seen: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy the store of a server that is stopped to another database, and compare both
    #[command(after_help = "\
Examples:
  moretta store copy /var/lib/moretta postgres.address
  moretta store copy postgres.address /var/lib/moretta

A folder is one of SQLite, a file holds the address of a PostgreSQL database. Sealed files stay
where they are: start the server with the same --data and --keys.")]
    Copy(StoreCopyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct StoreCopyArgs {
    /// The data folder of a server, or a file that holds the address of its database
    pub(crate) from: PathBuf,
    /// The same of the store that the rows go to, which must be empty
    pub(crate) to: PathBuf,
}

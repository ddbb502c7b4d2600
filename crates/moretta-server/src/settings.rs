//! What the person who starts the server decides.

use moretta::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// All settings, with their defaults.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The folder of the store and of sealed files.
    pub data: PathBuf,
    /// The file of the keys under which everything is sealed; not in `data`.
    pub keys: PathBuf,
    /// Where to listen.
    pub listen: SocketAddr,
    /// Names under which the server is asked; by default those of this machine.
    pub hosts: Vec<String>,
    /// The file of the certificate chain, and that of its key.
    pub tls_cert: Option<PathBuf>,
    /// The file of the key of the certificate.
    pub tls_key: Option<PathBuf>,
    /// The proxy in front of the server, which speaks TLS for it.
    pub behind_proxy: Option<IpAddr>,
    /// The file that holds the address of a PostgreSQL database; SQLite in `data` without.
    pub database: Option<PathBuf>,
    /// A folder from which stewards may take files.
    pub inbox: Option<PathBuf>,
    /// Whether two persons are needed where one alone could reach data.
    pub four_eyes: bool,
    /// What this process of the server does.
    pub role: Part,
    /// Whether it shows made-up data to whoever has a link, and keeps nothing. No file can say so.
    #[serde(skip)]
    pub demo: bool,
    /// What may not be exceeded.
    pub limits: Limits,
}

/// What a process of a server does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Everything.
    #[default]
    All,
    /// It answers requests; others do the jobs.
    Web,
    /// It does jobs and does not listen.
    Worker,
}

/// What may not be exceeded.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// Bytes of an uploaded file.
    pub file_bytes: u64,
    /// Bytes of all files of a project.
    pub project_bytes: u64,
    /// Bytes that an uploaded file may unpack to.
    pub unpacked_bytes: u64,
    /// Connections of one address.
    pub connections: usize,
    /// Calls a second of one session, and how many may come at once.
    pub calls: (u32, u32),
    /// Previews of a project in a day.
    pub previews: u32,
    /// Bytes of memory of all jobs together; by default 60 % of the machine.
    pub memory: Option<u64>,
    /// Bytes of the disk that are kept free.
    pub reserve_bytes: u64,
    /// Seconds that a peer may take for its handshake, and for the head of a request.
    pub head_seconds: u64,
    /// Seconds that the body of a request may take, and a piece of a response.
    pub body_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            file_bytes: 5 << 30,
            project_bytes: 50 << 30,
            unpacked_bytes: 20 << 30,
            connections: 64,
            calls: (20, 100),
            previews: 2000,
            memory: None,
            reserve_bytes: 64 << 20,
            head_seconds: 10,
            body_seconds: 120,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            data: PathBuf::from("moretta-data"),
            keys: PathBuf::from("moretta-keys"),
            listen: SocketAddr::from(([127, 0, 0, 1], 8440)),
            hosts: Vec::new(),
            tls_cert: None,
            tls_key: None,
            behind_proxy: None,
            database: None,
            inbox: None,
            four_eyes: true,
            role: Part::All,
            demo: false,
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// Fails when the server would be less safe than it says.
    ///
    /// # Errors
    /// When plain HTTP would leave this machine, or a certificate has no key.
    pub fn check(&self) -> Result<()> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            return Err(Error::usage("a certificate and its key go together")
                .help("give both --tls-cert and --tls-key"));
        }
        let sealed = self.tls_cert.is_some() || self.behind_proxy.is_some();
        if !sealed && !self.listen.ip().is_loopback() {
            return Err(Error::usage("plain HTTP would leave this machine").help(
                "give --tls-cert and --tls-key, or --behind-proxy ADDRESS of the proxy that speaks TLS",
            ));
        }
        let is_local = self.listen.ip().is_loopback() && self.behind_proxy.is_none();
        if !is_local && self.hosts.is_empty() && self.role != Part::Worker {
            return Err(
                Error::usage("browsers reach the server by a name that it does not know")
                    .help("say it: --host NAME, as it stands in the address of its pages"),
            );
        }
        if self.role != Part::All && self.database.is_none() {
            return Err(
                Error::usage("several processes of a server need PostgreSQL")
                    .help("name the file with its address: --database FILE"),
            );
        }
        if self.demo && (!is_local || self.database.is_some()) {
            return Err(Error::usage(
                "a demonstration is for this machine alone, and keeps nothing",
            )
            .help("leave out --listen, --behind-proxy and --database"));
        }
        if self.keys.starts_with(&self.data) {
            return Err(
                Error::usage("the keys would lie in the folder that they seal")
                    .help("name another place for the file of keys: --keys FILE"),
            );
        }
        Ok(())
    }

    /// Whether browsers reach the server over TLS.
    pub fn is_secure(&self) -> bool {
        self.tls_cert.is_some() || self.behind_proxy.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_would_be_less_safe_than_it_says_is_refused() {
        let check = |change: fn(&mut Settings), expected: Option<&str>| {
            let mut settings = Settings::default();
            change(&mut settings);
            let told = settings.check().err().map(|error| error.to_string());
            let fits = match (&told, expected) {
                (None, None) => true,
                (Some(told), Some(expected)) => told.contains(expected),
                _ => false,
            };
            assert!(fits, "{told:?} for {expected:?}");
        };
        let everywhere = || SocketAddr::from(([0, 0, 0, 0], 8440));
        check(|_| (), None);
        check(|s| s.listen = "[::1]:1".parse().expect("an address"), None);
        check(
            |s| s.listen = ([192, 0, 2, 1], 80).into(),
            Some("plain HTTP"),
        );
        check(|s| s.tls_cert = Some("c".into()), Some("go together"));
        check(|s| s.tls_key = Some("k".into()), Some("go together"));
        check(
            |s| {
                (s.listen, s.behind_proxy) = (([0, 0, 0, 0], 1).into(), Some([192, 0, 2, 1].into()))
            },
            Some("by a name"),
        );
        check(|s| s.role = Part::Web, Some("PostgreSQL"));
        check(|s| s.keys = s.data.join("keys"), Some("lie in the folder"));
        check(
            |s| (s.demo, s.database) = (true, Some("address".into())),
            Some("this machine alone"),
        );
        let mut settings = Settings {
            listen: everywhere(),
            tls_cert: Some("c".into()),
            tls_key: Some("k".into()),
            hosts: vec!["moretta.example".to_owned()],
            ..Settings::default()
        };
        assert!(settings.check().is_ok());
        settings.demo = true;
        assert!(settings.check().is_err());
    }
}

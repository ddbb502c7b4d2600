//! A database of its own for a test.

use moretta_server::db::PostgresDb;
use moretta_server::id::Id;

/// An empty database on the PostgreSQL server that `MORETTA_TEST_POSTGRES` names. `./test all` runs
/// the tests of the server a second time with it.
#[derive(Debug)]
pub struct Postgres {
    server: String,
    name: String,
}

impl Postgres {
    /// Makes one; `None` where the variable is not set, which continuous integration has to say on
    /// purpose: a run that should try PostgreSQL never passes without.
    pub fn new() -> Option<Self> {
        let Ok(server) = std::env::var("MORETTA_TEST_POSTGRES") else {
            let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
            let on_purpose = std::env::var_os("MORETTA_TEST_SQLITE").is_some();
            assert!(
                on_purpose || !in_ci,
                "CI needs PostgreSQL: MORETTA_TEST_POSTGRES is not set"
            );
            return None;
        };
        let name = format!("t{}", Id::random());
        let postgres = Postgres { server, name };
        postgres.tell(&format!("CREATE DATABASE {}", postgres.name));
        Some(postgres)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The socket of its server, where it has one.
    pub fn socket(&self) -> Option<std::path::PathBuf> {
        let (_, folder) = self.server.split_once("@%2F")?;
        let folder = format!("/{}", folder.replace("%2F", "/"));
        Some(std::path::Path::new(&folder).join(".s.PGSQL.5432"))
    }

    /// Where it is.
    pub fn address(&self) -> String {
        format!("{}/{}", self.server, self.name)
    }

    /// Opens it.
    pub fn open(&self) -> PostgresDb {
        PostgresDb::open(&self.address()).expect("PostgreSQL answers")
    }

    fn tell(&self, statement: &str) {
        let address = format!("{}/postgres", self.server);
        let client = postgres::Client::connect(&address, postgres::NoTls);
        let told = client.and_then(|mut client| client.batch_execute(statement));
        told.expect("PostgreSQL does it");
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.tell(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

//! A demonstration: its folder, which goes away with it, and what its people work with.

use crate::args::ServeArgs;
use moretta::{Error, Result};
use moretta_server::account::DemoPerson;
use moretta_server::app::App;
use moretta_server::demo::Hospital;
use moretta_server::http::Log;
use moretta_server::id::Id;
use moretta_server::settings::Settings;
use moretta_server::start::Stopper;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Has the people of a demonstration work with the example of the documentation.
pub(super) fn show(
    app: Arc<App>,
    people: &[DemoPerson],
    stopper: Stopper,
    log: Log,
) -> JoinHandle<()> {
    macro_rules! example {
        ($name:literal) => {
            include_str!(concat!("../../../../../../examples/hospital/", $name))
        };
    }
    let hospital = Hospital {
        table: example!("admissions.csv"),
        hierarchy: ("education.csv", example!("education.csv")),
        policy: example!("policy.toml"),
    };
    moretta_server::demo::show(app, people, hospital, stopper, log)
}

/// A folder that is gone when this is dropped.
pub(super) struct Demo(PathBuf);

impl Demo {
    pub(super) fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("moretta-demo-{}", Id::random()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.create(&folder);
        made.map_err(|e| Error::io("make the folder", &folder, e))?;
        Ok(Demo(folder))
    }

    /// Of a server that is there for this machine, and for as long as it runs.
    pub(super) fn settings(&self, args: &ServeArgs) -> Settings {
        let settings = Settings {
            data: self.0.join("data"),
            keys: self.0.join("keys"),
            demo: true,
            ..Settings::default()
        };
        match args.listen {
            Some(listen) => Settings { listen, ..settings },
            None => settings,
        }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

//! The settings of a server: options of the command line before a file before defaults.

use crate::args::{PartArg, ServeArgs};
use moretta::{Error, Result};
use moretta_server::settings::{Part, Settings};
use std::path::{Path, PathBuf};

/// All of them.
pub(super) fn of(args: &ServeArgs) -> Result<Settings> {
    let mut settings = match &args.config {
        Some(file) => read(file)?,
        None => Settings {
            data: PathBuf::new(),
            keys: PathBuf::new(),
            ..Settings::default()
        },
    };
    fn take<T: Clone>(from: &Option<T>, to: &mut T) {
        if let Some(value) = from {
            *to = value.clone();
        }
    }
    fn take_some<T: Clone>(from: &Option<T>, to: &mut Option<T>) {
        if from.is_some() {
            to.clone_from(from);
        }
    }
    take(&args.data, &mut settings.data);
    take(&args.keys, &mut settings.keys);
    take(&args.listen, &mut settings.listen);
    take_some(&args.tls_cert, &mut settings.tls_cert);
    take_some(&args.tls_key, &mut settings.tls_key);
    take_some(&args.behind_proxy, &mut settings.behind_proxy);
    take_some(&args.database, &mut settings.database);
    take_some(&args.inbox, &mut settings.inbox);
    if !args.host.is_empty() {
        settings.hosts.clone_from(&args.host);
    }
    if let Some(role) = args.role {
        settings.role = match role {
            PartArg::All => Part::All,
            PartArg::Web => Part::Web,
            PartArg::Worker => Part::Worker,
        };
    }
    if settings.data.as_os_str().is_empty() {
        settings.data = own_folder()?;
    }
    if settings.keys.as_os_str().is_empty() {
        settings.keys = beside(&settings.data)?;
    }
    Ok(settings)
}

/// Reads a file of settings, whose paths start at its folder. It has no secrets.
fn read(file: &Path) -> Result<Settings> {
    let text = std::fs::read_to_string(file).map_err(|e| Error::io("read", file, e))?;
    let wrong = |error: toml::de::Error| {
        let what = format!("{}: {}", file.display(), error.message());
        Error::usage(what).help("`moretta serve --help` and the manual name the settings")
    };
    let mut table: toml::Table = text.parse().map_err(wrong)?;
    // Without them the defaults of this program hold, not those of the type.
    for name in ["data", "keys"] {
        let empty = || toml::Value::String(String::new());
        table.entry(name).or_insert_with(empty);
    }
    let mut settings: Settings = table.try_into().map_err(wrong)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let place = |path: &mut PathBuf| {
        if !path.as_os_str().is_empty() {
            *path = folder.join(&path);
        }
    };
    place(&mut settings.data);
    place(&mut settings.keys);
    for path in [
        &mut settings.tls_cert,
        &mut settings.tls_key,
        &mut settings.database,
        &mut settings.inbox,
    ] {
        path.iter_mut().for_each(place);
    }
    Ok(settings)
}

/// The folder of servers among the data of the user.
fn own_folder() -> Result<PathBuf> {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let data = absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
        .or_else(|| absolute("APPDATA"));
    let data = data.ok_or_else(|| {
        Error::usage("nobody says where data of the user lie")
            .help("name a folder for the server: --data FOLDER")
    })?;
    Ok(data.join("moretta").join("server"))
}

/// `FOLDER.keys`: beside the data, never among them.
fn beside(data: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(data).map_err(|e| Error::io("find", data, e))?;
    let mut name = absolute
        .file_name()
        .ok_or_else(|| Error::usage("the data folder has no name").help("name one with --data"))?
        .to_owned();
    name.push(".keys");
    Ok(absolute.with_file_name(name))
}

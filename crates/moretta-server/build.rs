//! Lists the built web app, so that it becomes part of the program. Nothing is built or fetched here.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

/// What is given to browsers, by its ending.
const SERVED: [&str; 5] = ["css", "html", "js", "svg", "txt"];

fn main() -> io::Result<()> {
    let folder =
        Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../web/dist");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()?;
    names.sort();
    let mut list = "&[\n".to_owned();
    for name in names {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        if SERVED.contains(&ending) {
            let path = folder.join(&name);
            println!("cargo::rerun-if-changed={}", path.display());
            let _ = writeln!(list, "({name:?}, include_bytes!({path:?})),");
        }
    }
    list.push_str("]\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("web.rs"), list)
}

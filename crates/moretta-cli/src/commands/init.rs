//! `moretta init`

use crate::args::InitArgs;
use crate::console::Console;
use crate::failure::Failure;
use moretta::pipeline::check_outputs;
use moretta::policy;
use moretta::{Error, Result as Answer};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Serialize)]
struct Guessed {
    policy: String,
    columns: Vec<GuessedColumn>,
}

#[derive(Serialize)]
struct GuessedColumn {
    name: String,
    role: String,
    why: String,
}

pub(crate) fn run(args: &InitArgs, console: &Console) -> Result<ExitCode, Failure> {
    check_outputs(&[&args.output], &[args.file.as_path()], args.force)?;
    let proposal = policy::propose(&args.file, &args.reading.options()?)?;
    let folder = args
        .output
        .parent()
        .filter(|f| !f.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let source = relative(&args.file, folder)?;
    let text = proposal.text(&source.display().to_string(), &name_of(&args.file));
    std::fs::write(&args.output, &text).map_err(|e| Error::io("write", &args.output, e))?;
    if let Some(odd) = &proposal.headless {
        console.warn(&format!("warning: {odd}; wrote header = false"));
    }
    let outside = source.components().any(|part| part.as_os_str() == "..") || source.is_absolute();
    let root = if outside {
        format!(" --root {}", common_root(&args.file, folder)?.display())
    } else {
        String::new()
    };
    let columns = proposal.columns.iter().map(|guess| GuessedColumn {
        name: guess.name.clone(),
        role: guess.role.word().to_owned(),
        why: guess.why.clone(),
    });
    let guessed = Guessed {
        policy: args.output.display().to_string(),
        columns: columns.collect(),
    };
    console.result(&guessed, || {
        let lines: Vec<String> = guessed
            .columns
            .iter()
            .map(|c| format!("  {:20} {:11} {}", c.name, c.role, c.why))
            .collect();
        let policy = &guessed.policy;
        // A stream is not read as a whole, so there is no plan of it.
        let commands: &[&str] = match proposal.stream {
            true => &["check", "run"],
            false => &["check", "plan", "run"],
        };
        let next = commands
            .iter()
            .map(|command| format!("\n  moretta {command} {policy}{root}"));
        let next: String = next.collect();
        format!(
            "{}\n\nwrote {policy}: read it line by line, a wrong role is a leak; then{next}",
            lines.join("\n")
        )
    })
}

/// The release's name, from the file's.
fn name_of(file: &Path) -> String {
    let name = file
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    name.split('.')
        .next()
        .filter(|n| !n.is_empty())
        .unwrap_or("release")
        .to_owned()
}

/// The way from `folder` to `file`.
fn relative(file: &Path, folder: &Path) -> Answer<PathBuf> {
    let (file, folder) = (real(file)?, real(folder)?);
    let shared = file
        .components()
        .zip(folder.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = folder
        .components()
        .skip(shared)
        .map(|_| std::path::Component::ParentDir);
    Ok(up.chain(file.components().skip(shared)).collect())
}

/// The deepest folder that holds both, as seen from here.
fn common_root(file: &Path, folder: &Path) -> Answer<PathBuf> {
    let here = real(Path::new("."))?;
    let (file, folder) = (real(file)?, real(folder)?);
    let shared: PathBuf = file
        .components()
        .zip(folder.components())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a)
        .collect();
    let up = here
        .strip_prefix(&shared)
        .map(|rest| rest.components().count());
    Ok(match up {
        Ok(0) => PathBuf::from("."),
        Ok(steps) => std::iter::repeat_n("..", steps).collect(),
        Err(_) => shared,
    })
}

fn real(path: &Path) -> Answer<PathBuf> {
    path.canonicalize().map_err(|e| Error::io("read", path, e))
}

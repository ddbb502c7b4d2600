//! `moretta serve`: users, roles, levels, approvals, jobs and streams behind one interface.

mod demo;
mod settings;

use crate::args::ServeArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt;
use crate::printable::printable_line;
use demo::Demo;
use moretta::Error;
use moretta_server::account::{DemoPerson, SetupLink, demo_people, setup_links};
use moretta_server::audit::Head;
use moretta_server::clock::Clock;
use moretta_server::http::{Log, openapi_text};
use moretta_server::settings::Part;
use moretta_server::start::{Server, Stopper, parse_head};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

/// What a server prints when it has begun.
#[derive(Serialize)]
struct Begun {
    address: Option<String>,
    /// Links with which somebody begins. Nobody else may see them.
    links: Vec<Link>,
    head: String,
}

/// A link with which somebody begins.
#[derive(Serialize)]
struct Link {
    whose: String,
    address: String,
}

/// Of the first administrators, while there are none; of everybody in a demonstration.
fn links(server: &Server, people: &[DemoPerson], url: &str) -> Result<Vec<Link>, Failure> {
    let app = &server.app;
    if app.settings.role == Part::Worker {
        return Ok(Vec::new());
    }
    let failed = |problem| server.failure(problem);
    if app.settings.demo {
        let link = |person: &DemoPerson| Link {
            whose: format!("{}: {}", person.name, person.what),
            address: person.address(url),
        };
        return Ok(people.iter().map(link).collect());
    }
    let links = setup_links(app).map_err(failed)?;
    let link = |link: &SetupLink| Link {
        whose: format!("for {}, within 30 minutes and once", link.whose),
        address: link.address(url),
    };
    Ok(links.iter().map(link).collect())
}

pub(crate) fn run(args: &ServeArgs, console: &Console) -> Result<ExitCode, Failure> {
    if args.openapi {
        print(&openapi_text())?;
        return Ok(ExitCode::SUCCESS);
    }
    // Before the server, so that it is there until the server has ended.
    let mut demo = None;
    let settings = match args.demo {
        true => demo.insert(Demo::new()?).settings(args),
        false => settings::of(args)?,
    };
    let seen = args.seen.as_deref().map(head_of).transpose()?;
    // From here on a signal lets it end itself, also while it begins.
    let stopper = Stopper::new();
    let at_signal = stopper.clone();
    interrupt::end_by(move || at_signal.stop());
    let server = Server::open(settings, Clock::default(), seen)?;
    if let Some(lacking) = &server.lacking {
        console.warn(&format!(
            "warning: the store is older than its log has been: entry {} is missing or another one; \
             it was restored from a backup, or somebody has cut the log; all sessions were ended",
            lacking.number
        ));
    }
    let listening = match server.app.settings.role {
        Part::Worker => None,
        _ => Some(server.listen()?),
    };
    let address = match &listening {
        Some(listening) => Some(listening.address().map_err(|e| {
            let listen = server.app.settings.listen.to_string();
            Error::io("listen at", listen, e)
        })?),
        None => None,
    };
    let url = address.map(|address| server.url(address));
    let people = match server.app.settings.demo {
        true => demo_people(&server.app).map_err(|problem| server.failure(problem))?,
        false => Vec::new(),
    };
    let begun = Begun {
        links: links(&server, &people, url.as_deref().unwrap_or_default())?,
        head: server.head()?.text(),
        address: url,
    };
    tell_begun(&begun, console)?;
    let log: Log = Arc::new(|line: &str| {
        let _ = writeln!(std::io::stderr(), "{}", printable_line(line));
    });
    let shown = (!people.is_empty()).then(|| {
        let app = Arc::clone(&server.app);
        demo::show(app, &people, stopper.clone(), Arc::clone(&log))
    });
    let served = server.serve(listening, worker()?, &stopper, Arc::clone(&log));
    if let Some(shown) = shown {
        stopper.stop();
        let _ = shown.join();
    }
    served?;
    log(&format!("head of the log: {}", server.head()?.text()));
    Ok(ExitCode::SUCCESS)
}

/// This program, which does jobs as `moretta worker`.
fn worker() -> Result<Vec<String>, Failure> {
    let program = std::env::current_exe().map_err(|e| Error::io("find", "this program", e))?;
    let program = program.into_os_string().into_string();
    let program = program.map_err(|_| Error::usage("the path of this program is no text"))?;
    Ok(vec![program, "worker".to_owned()])
}

/// Reads a head of a log as a server prints it.
pub(crate) fn head_of(text: &str) -> Result<Head, Failure> {
    let head = parse_head(text).ok_or_else(|| {
        Error::usage("--seen has no head of a log")
            .help("it is the number and the sum that the server has printed: 118:5f1c…")
    })?;
    Ok(head)
}

fn tell_begun(begun: &Begun, console: &Console) -> Result<(), Failure> {
    console.result(begun, || {
        let mut text = match &begun.address {
            Some(address) => format!("the server answers at {address}\n"),
            None => "the server does jobs\n".to_owned(),
        };
        for link in &begun.links {
            text += &format!("\n{}\n  {}\n", link.whose, link.address);
        }
        text += &format!("\nhead of the log: {}\n", begun.head);
        text
    })?;
    Ok(())
}

fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other.map_err(|e| Error::io("write", "standard output", e))?),
    }
}

//! `moretta explain`: pages made from the methods' documentation and the list of measures.

use crate::args::ExplainArgs;
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::config::unknown;
use moretta::protect::{METHODS, MethodInfo};
use moretta::{Error, measure};
use serde::Serialize;
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Serialize)]
struct Page {
    name: String,
    page: String,
}

pub(crate) fn run(args: &ExplainArgs, console: &Console) -> Result<ExitCode, Failure> {
    let pages = match &args.topic {
        None => return list(console),
        Some(topic) => page(topic)?,
    };
    console.result(&pages, || pages.page.clone())
}

fn list(console: &Console) -> Result<ExitCode, Failure> {
    let head = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let mut rows = vec![vec![
        "topic".to_owned(),
        "kind".to_owned(),
        "about".to_owned(),
    ]];
    rows.extend(METHODS.iter().map(|info| {
        vec![
            info.name.to_owned(),
            "method".to_owned(),
            head(&info.page()),
        ]
    }));
    rows.extend(measures().map(|info| {
        vec![
            info.name.to_owned(),
            info.family.word().to_owned(),
            info.meaning.to_owned(),
        ]
    }));
    console.result(&rows[1..].to_vec(), || table(&rows))
}

/// Measures of tables, of streams and of pairs of records.
fn measures() -> impl Iterator<Item = &'static measure::Info> {
    let of_pairs = measure::PAIR_LIST.iter();
    // What is measured of both is told once.
    let only = of_pairs.filter(|info| measure::info(info.name).is_none());
    let lists = [measure::LIST, measure::STREAM_LIST];
    lists.into_iter().flatten().chain(only)
}

fn page(topic: &str) -> Result<Page, Failure> {
    if let Some(method) = MethodInfo::find(topic) {
        return Ok(Page {
            name: topic.to_owned(),
            page: method_page(method),
        });
    }
    if let Some(info) = measures().find(|info| info.name == topic) {
        let kind = info.family.word();
        return Ok(Page {
            name: topic.to_owned(),
            page: format!("{topic} ({kind}): {}", info.meaning),
        });
    }
    let names: Vec<&str> = METHODS
        .iter()
        .map(|m| m.name)
        .chain(measures().map(|m| m.name))
        .collect();
    Err(unknown(
        Error::usage(format!("there is no page about `{topic}`")),
        topic,
        &names,
    )
    .into())
}

fn method_page(method: &MethodInfo) -> String {
    let mut page = method.page();
    page.push_str("\n\nParameters\n");
    for parameter in method.parameters {
        let _ = write!(
            page,
            "\n  {} = {} (default {})\n      {}\n",
            parameter.name, parameter.values, parameter.default, parameter.meaning
        );
    }
    page
}

//! Social graphs whose users are made alike: what is lost of their meaning, and who is found.

use super::data::{Domain, in_memory};
use crate::acceptance::Check;
use crate::sheet::{Place, Sheet, row};
use moretta::data::Column;
use moretta::engine::Plan;
use moretta::io::{self, Source, WriteOptions};
use moretta::measure::categorical::{Figures, ScoreSettings, Scorer};
use moretta::pipeline::{self, Options, Progress, SearchTable, report::SemanticFacts};
use moretta::policy::{Policy, Root};
use moretta::{Error, Result};
use std::path::Path;

/// A generated graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Graph {
    pub(super) name: &'static str,
    users: usize,
    edges: usize,
    /// Added to the seed of the study.
    seed: u64,
}

pub(super) const GRAPHS: [Graph; 2] = [
    Graph {
        name: "graph 1",
        users: 1000,
        edges: 5000,
        seed: 1,
    },
    Graph {
        name: "graph 2",
        users: 3000,
        edges: 24_000,
        seed: 2,
    },
];

const ATTRIBUTES: [&str; 4] = ["location", "topic1", "topic2", "topic3"];

/// A graph and its microdata, protected with one k.
#[derive(Clone, Debug)]
pub(super) struct Protected {
    pub(super) graph: &'static str,
    users: usize,
    edges: usize,
    pub(super) k: u32,
    pub(super) semantic: SemanticFacts,
    /// The users alone, without edges, protected by MDAV.
    pub(super) microdata: Figures,
}

/// Both graphs with every k, each with at most so many users.
pub(super) fn compute(ks: &[u32], most: usize, seed: u64) -> Result<Vec<Protected>> {
    let mut found = Vec::new();
    for graph in GRAPHS {
        let users = graph.users.min(most);
        let graph = Graph {
            users,
            edges: graph.edges * users / graph.users,
            ..graph
        };
        found.extend(protected(graph, ks, seed.wrapping_add(graph.seed))?);
    }
    Ok(found)
}

fn protected(graph: Graph, ks: &[u32], seed: u64) -> Result<Vec<Protected>> {
    let folder = tempfile::tempdir().map_err(|e| Error::io("create", "a folder", e))?;
    let folder = folder.path();
    save(
        moretta_generate::users(graph.users, seed)?,
        &folder.join("users.csv"),
    )?;
    let follows = moretta_generate::follows(graph.users, graph.edges, seed)?;
    save(follows, &folder.join("follows.csv"))?;
    crate::output::write(
        &folder.join("locations.csv"),
        &moretta_generate::locations(),
    )?;
    crate::output::write(&folder.join("topics.csv"), &moretta_generate::topics())?;
    let microdata = microdata(graph, seed)?;
    let scorer = Scorer::new(
        microdata.categorical(microdata.originals())?,
        ScoreSettings::default(),
    )?;
    ks.iter()
        .map(|&k| {
            Ok(Protected {
                graph: graph.name,
                users: graph.users,
                edges: graph.edges,
                k,
                semantic: semantic(folder, k, seed)?,
                microdata: masked(&microdata, &scorer, k)?,
            })
        })
        .collect()
}

fn save(source: impl Source, path: &Path) -> Result<()> {
    let options = WriteOptions {
        guard_formulas: false,
        ..WriteOptions::default()
    };
    let mut sink = io::create(path, &options, source.schema())?;
    for batch in source {
        sink.write(&batch?)?;
    }
    sink.close()
}

/// What a release of the graph with its edges as they are tells.
fn semantic(folder: &Path, k: u32, seed: u64) -> Result<SemanticFacts> {
    let mut text = format!(
        "version = 1\nseed = {seed}\n[source]\npath = \"users.csv\"\n\
         [graph]\nedges = \"follows.csv\"\nnode = \"user\"\n\
         [guarantee]\nk = {k}\n[[protect]]\nmethod = \"semantic-grouping\"\n\
         [sink]\npath = \"out/users.csv\"\nedges = \"out/follows.csv\"\n\
         [columns]\nuser = {{ role = \"identifier\" }}\n"
    );
    for name in ATTRIBUTES {
        let file = if name == "location" {
            "locations"
        } else {
            "topics"
        };
        text +=
            &format!("{name} = {{ role = \"quasi\", hierarchy = {{ file = \"{file}.csv\" }} }}\n");
    }
    let root = Root::of_policy(&folder.join("policy.toml"), None)?;
    let options = Options {
        command: String::new(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    let outcome = pipeline::run(&Policy::parse(&text, &root)?, &options)?;
    let facts = outcome.report.graph.and_then(|graph| graph.semantic);
    facts.ok_or_else(|| Error::bug("a graph was released of which nothing is told"))
}

/// One record a user, without edges.
fn microdata(graph: Graph, seed: u64) -> Result<SearchTable> {
    let mut rows = Vec::new();
    for batch in moretta_generate::users(graph.users, seed)? {
        let batch = batch?;
        let columns =
            ATTRIBUTES.map(|name| batch.column_named(name).and_then(Column::as_categories));
        for row in 0..batch.len() {
            let cell = |column: &Option<&moretta::data::Categories>| {
                let text = column.and_then(|column| column.get(row));
                text.unwrap_or_default().to_owned()
            };
            rows.push(columns.iter().map(cell).collect());
        }
    }
    in_memory(&ATTRIBUTES.map(|name| (name, &Domain::Nominal)), &rows)
}

fn masked(table: &SearchTable, scorer: &Scorer, k: u32) -> Result<Figures> {
    let columns = ATTRIBUTES.map(|name| format!("[columns.{name}]\nrole = \"quasi\"\n"));
    let method = format!("[[protect]]\nmethod = \"microaggregation\"\nk = {k}\n");
    let plan = Plan::parse(&(columns.concat() + &method))?;
    let records = table.protected(&plan)?;
    let records = records.ok_or_else(|| Error::bug("microaggregation left rows out"))?;
    Ok(scorer.score(&table.categorical(&records)?)?.figures())
}

/// Losses and risk of both graphs against k.
pub(super) fn sheets(found: &[Protected]) -> Vec<Sheet> {
    let head = [
        "graph", "users", "edges", "k", "AAMIL", "CDIL", "DBIL", "average", "risk", "100/k",
        "MDAV IL", "MDAV DR", "mean", "max",
    ];
    let title = "Social graphs: semantic loss and risk of the graph, and the extracted microdata protected by MDAV";
    let mut sheet = Sheet::new("graphs", title, Place::Both, &head);
    let head = ["graph", "k", "attribute", "AAMIL", "CDIL"];
    let mut attributes = Sheet::new("graphs-attributes", "By attribute", Place::File, &head);
    for one in found {
        let (semantic, microdata) = (&one.semantic, &one.microdata);
        sheet.rows.push(row![
            one.graph,
            one.users,
            one.edges,
            one.k,
            semantic.aamil,
            semantic.cdil,
            semantic.dbil,
            semantic.average,
            semantic.risk,
            semantic.bound,
            microdata.il(),
            microdata.dr(),
            microdata.mean(),
            microdata.max(),
        ]);
        for attribute in &semantic.attributes {
            attributes.rows.push(row![
                one.graph,
                one.k,
                &*attribute.name,
                attribute.aamil,
                attribute.cdil,
            ]);
        }
    }
    sheet.note("The graphs of the source study were taken from Twitter and are not public; ours are generated. Its figures are not known to us.");
    vec![sheet, attributes]
}

/// The semantic risk is never above 1/k.
pub(super) fn checks(found: &[Protected]) -> Vec<Check> {
    let check = |one: &Protected| {
        let bound = 100.0 / f64::from(one.k);
        let risk = one.semantic.risk.unwrap_or(100.0);
        Check {
            what: format!(
                "{}, k = {}: semantic risk {risk:.2} % at most {bound:.2} %",
                one.graph, one.k
            ),
            // Figures of a report have four digits behind the point.
            holds: risk <= bound + 1e-4,
        }
    };
    found.iter().map(check).collect()
}

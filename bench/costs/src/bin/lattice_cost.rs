//! What the search of a lattice costs: CPU seconds until the best node is proven, in memory.
//!
//! Takes the folder of Adult with ARX's hierarchies (`adult.csv`, `adult_hierarchy_*.csv`), and
//! `k limit` pairs. Prints one line of JSON for each; the fastest of several runs counts. What is
//! measured is finding the node, recoding the table to it and suppressing rows, from columns in
//! memory.
//!
//! ```text
//! cargo run --release --workspace --bin lattice_cost -- ../shared/data/adult 5 0.05 2 0
//! ```

use moretta::data::hierarchy::Hierarchy;
use moretta::data::{Batch, Column, Domain, Domains, Field, Kind, Role, RowIds, Schema};
use moretta::guarantee::Guarantee;
use moretta::protect::lattice::Lattice;
use moretta::protect::{Method, Setting};
use moretta_costs::{Outcome, cpu_seconds, peak_kilobytes};
use std::path::Path;
use std::sync::Arc;

/// The allocator of the program `moretta`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs of which the fastest counts.
const RUNS: usize = 9;

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, jobs) = arguments.split_first().ok_or("name the folder of Adult")?;
    let (table, domains) = load(Path::new(folder))?;
    for job in jobs.chunks_exact(2) {
        let setting = Setting {
            guarantee: Guarantee {
                k: Some(job[0].parse()?),
                ..Guarantee::default()
            },
            domains: Arc::clone(&domains),
            ..Setting::default()
        };
        let method = Method::Lattice(Lattice {
            suppress: job[1].parse()?,
            ..Lattice::default()
        });
        let mut seconds = f64::INFINITY;
        let mut found = None;
        for _ in 0..RUNS {
            let mut operator = method.build(table.schema(), &setting)?;
            operator.push(table.clone())?;
            let before = cpu_seconds()?;
            operator.finish()?;
            seconds = seconds.min(cpu_seconds()? - before);
            found = operator.solutions();
        }
        let found = found.ok_or("no search")?;
        let best = found.best.first().ok_or("no node")?;
        println!(
            "{{\"k\":{},\"limit\":{},\"cpu_seconds\":{seconds:.4},\"levels\":{:?},\"loss\":{:.9},\"suppressed\":{},\"classes\":{},\"looked_at\":{},\"gap\":{},\"peak_kilobytes\":{}}}",
            job[0],
            job[1],
            best.levels,
            best.loss.unwrap_or(f64::NAN),
            best.suppressed,
            best.classes,
            found.looked_at,
            found.gap,
            peak_kilobytes()?
        );
    }
    Ok(())
}

fn cells(path: &Path) -> Outcome<Vec<Vec<String>>> {
    let text = std::fs::read_to_string(path)?;
    let cells = |line: &str| line.split(';').map(str::to_owned).collect();
    Ok(text.lines().map(cells).collect())
}

fn load(folder: &Path) -> Outcome<(Batch, Arc<Domains>)> {
    let mut rows = cells(&folder.join("adult.csv"))?;
    let header = rows.remove(0);
    let kind = Kind::Category { ordered: false };
    let field = |name: &String| Field::new(name.as_str(), Role::Quasi, kind.clone());
    let schema = Arc::new(Schema::new(header.iter().map(field).collect())?);
    let column = |i: usize| Column::Category(rows.iter().map(|row| row.get(i)).collect());
    let columns = (0..header.len()).map(column).collect();
    let len = rows.len();
    let table = Batch::new(schema, RowIds::Range { start: 0, len }, columns)?;
    let mut domains = Vec::new();
    for (i, name) in header.iter().enumerate() {
        let chains = cells(&folder.join(format!("adult_hierarchy_{name}.csv")))?;
        let tree = Arc::new(Hierarchy::from_chains(&chains)?);
        let field = &table.schema().fields()[i];
        domains.push((
            name.clone(),
            Domain::of(field, table.column(i), Some(tree))?,
        ));
    }
    Ok((table, Arc::new(Domains::new(domains))))
}

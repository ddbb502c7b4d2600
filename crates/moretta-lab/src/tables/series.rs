//! What methods lose against k, and against the number of rows.

use super::centroids;
use super::data::{ADULT, AGE_AND_WEIGHT, Rows, Table};
use super::methods::{Contender, OF_HIERARCHIES, OF_NUMBERS};
use moretta::pipeline::{Comparison, ComparisonSettings, Progress, TriedMethod, compare_methods};
use moretta::protect::Method;
use moretta::{Error, Result};
use std::path::Path;

/// What is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) k: Vec<u32>,
    /// The most rows of a table.
    pub(super) rows: usize,
}

/// The k of the series against rows.
const K: u32 = 10;

/// Sixteenths of the table that the series against rows takes.
const SIXTEENTHS: [usize; 6] = [1, 4, 8, 16, 32, 64];

/// What a method loses of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) method: String,
    pub(super) k: u32,
    pub(super) rows: u64,
    pub(super) released: u64,
    pub(super) ncp: Option<f64>,
    pub(super) gcp: Option<f64>,
    pub(super) discernibility: Option<f64>,
    /// Why nothing would be released.
    pub(super) refused: Option<String>,
    /// Wall seconds: protecting, checking and measuring; of microaggregation protecting alone.
    pub(super) seconds: f64,
}

/// What varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against {
    K,
    Rows,
}

/// A table, and what all methods lose of it.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) table: &'static Table,
    pub(super) against: Against,
    pub(super) contenders: &'static [Contender],
    pub(super) figures: Vec<Figures>,
}

impl Series {
    /// Whether groups of microaggregation are in it.
    pub(super) fn has_centroids(&self) -> bool {
        self.table == &AGE_AND_WEIGHT
    }
}

/// Both series of both tables.
pub(super) fn compute(data: &Path, settings: &Settings) -> Result<Vec<Series>> {
    let mut series = Vec::new();
    for (table, contenders) in [(&AGE_AND_WEIGHT, OF_NUMBERS), (&ADULT, OF_HIERARCHIES)] {
        let rows = table.read(data, settings.rows)?;
        for against in [Against::K, Against::Rows] {
            let mut one = Series {
                table,
                against,
                contenders,
                figures: Vec::new(),
            };
            for (rows, k) in steps(&rows, against, settings) {
                one.figures.extend(measure(&rows, contenders, &k, data)?);
                if one.has_centroids() {
                    for k in k {
                        one.figures.push(centroids::measure(&rows, k)?);
                    }
                }
            }
            let place = |figures: &Figures| {
                let mut names = contenders.iter().map(|contender| contender.name);
                names
                    .position(|name| name == figures.method)
                    .unwrap_or(usize::MAX)
            };
            one.figures.sort_by_key(place);
            series.push(one);
        }
    }
    Ok(series)
}

fn steps(rows: &Rows, against: Against, settings: &Settings) -> Vec<(Rows, Vec<u32>)> {
    match against {
        Against::K => vec![(rows.taken(rows.len()), settings.k.clone())],
        Against::Rows => {
            let parts = SIXTEENTHS.iter().map(|parts| rows.len() * parts / 16);
            parts.map(|count| (rows.taken(count), vec![K])).collect()
        }
    }
}

/// What these methods lose of the rows, through the product's own comparison.
fn measure(rows: &Rows, contenders: &[Contender], k: &[u32], data: &Path) -> Result<Vec<Figures>> {
    let methods = Contender::named(contenders, rows.table)?;
    let compared = compare(rows, methods, k, data)?;
    let figures = compared.tried.iter().map(|tried| figures(&compared, tried));
    Ok(figures.collect())
}

/// The product's comparison; of all methods that it knows where none is named.
pub(super) fn compare(
    rows: &Rows,
    methods: Vec<(String, Method)>,
    k: &[u32],
    data: &Path,
) -> Result<Comparison> {
    let folder = tempfile::tempdir().map_err(|e| Error::io("create", "a folder", e))?;
    let policy = rows.policy(data, folder.path())?;
    let settings = ComparisonSettings {
        methods,
        k: k.to_vec(),
        clusters: Vec::new(),
        risk: "prosecutor_risk".to_owned(),
        loss: "ncp".to_owned(),
    };
    let mut compared = compare_methods(&policy, &settings, &Progress::default())?;
    rows.table.name.clone_into(&mut compared.name);
    Ok(compared)
}

pub(super) fn figures(compared: &Comparison, tried: &TriedMethod) -> Figures {
    let value = |name: &str| {
        let place = compared.measures.iter().position(|measure| measure == name);
        place.and_then(|place| tried.values[place])
    };
    Figures {
        method: tried.method.clone(),
        k: tried.k.unwrap_or_default(),
        rows: compared.rows,
        released: tried.released,
        ncp: value("ncp"),
        gcp: value("gcp"),
        discernibility: value("discernibility"),
        refused: tried.refused.clone(),
        seconds: tried.seconds,
    }
}

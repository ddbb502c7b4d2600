//! Random projection of the columns of one site, as its part of a sum over sites.
//!
//! Of a record x with l features, each in 0…1, the site makes k numbers
//! y = R·x/√k + ψ + γ, where R is k × l of secret standard normals, ψ a secret shift and γ noise.
//! The sum of the y of all sources is a random projection of their joined columns, by the joined
//! matrix and with the sum of their noise, though no source knows the columns, matrix or noise of
//! another. Numbers are scaled by declared bounds, since bounds that were learnt would tell of
//! the data; nominal columns become a feature for each category.
//!
//! Every source adds noise of variance σ²/(o − c), with o sources of which c may collude: what is
//! left when colluders take away their own is at least σ². Noise is a function of the site's seed,
//! the node and the number of the record: noise that was drawn again for a record that is asked
//! for again would average out. A new node, or one whose parameters have changed, gets another R,
//! ψ and γ. Cumulative noise goes on with every record of the stream, sent or not, and is found
//! without going through them all.
//!
//! **Protects against** reading the columns of a site off a sum, with the masks of
//! [`mask`](super::mask), which hide everything but the sum.
//! **Does not protect against** what `moretta attack` finds in projections: a node that knows
//! some records, or others like them, gets back much of the rest. It promises nothing.
//! A record that comes twice with other values tells the projected difference.
//!
//! **Costs** l·k multiplications and k draws a record; for cumulative noise as many draws in a row
//! of records, and at most k·2·log₂(n) for record n after a gap or a restart.
//!
//! **From** Liu, Kargupta and Ryan 2006 (projection); Denham, Pears and Naeem 2020 (noise).

mod draws;
#[cfg(test)]
mod tests;
mod walk;

use super::mask::{FEWEST_MEMBERS, MOST_MEMBERS, derive};
use crate::error::{Error, Result};
use crate::protect::MaskedColumn;
use crate::protect::dp::Bounds;
use crate::protect::random_projection::{Features, Noise, RandomProjection, Reset};
use draws::Draws;
use sha2::{Digest, Sha256};
use std::fmt;
use walk::Walk;

/// More numbers than this are no projection of columns.
const MOST_NUMBERS: usize = 1 << 12;

/// How many sources a node has, and how many of them may collude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    sources: usize,
    colluders: usize,
}

impl Group {
    /// Of o sources and c colluders; more colluders mean more noise, σ²·o/(o − c) in the sum.
    ///
    /// # Errors
    /// When there are too few sources for sums to hide anything, or too many, or fewer than two
    /// that do not collude.
    pub fn new(sources: usize, colluders: usize) -> Result<Self> {
        let possible = (FEWEST_MEMBERS..=MOST_MEMBERS).contains(&sources);
        match possible && colluders <= sources - 2 {
            true => Ok(Group { sources, colluders }),
            false => Err(Error::policy(format!(
                "{colluders} colluders of {sources} sources cannot be tolerated"
            ))
            .help("a sum hides something from all sources but two, and needs three of them")),
        }
    }

    /// A source whose projection is seen by itself: it adds all of the noise.
    pub fn alone() -> Self {
        Group {
            sources: 1,
            colluders: 0,
        }
    }

    /// The share of the variance of the noise that each source adds: 1/(o − c).
    pub fn share(self) -> f64 {
        1.0 / (self.sources - self.colluders) as f64
    }
}

/// What the secrets of a projection are bound to.
#[derive(Clone, Copy, Debug)]
pub struct Creation<'a> {
    /// The id of the federation.
    pub federation: [u8; 32],
    /// The trouble node.
    pub node: u32,
    /// The first batch of the node.
    pub first: u64,
    /// Its sources: an aggregator that gives a number to another node gets other secrets.
    pub sources: &'a [u16],
}

/// Projects the records of one site for one trouble node.
pub struct Projection {
    features: Features,
    columns: Vec<Column>,
    /// A row for each feature, scaled.
    matrix: Vec<Vec<f64>>,
    translation: Vec<f64>,
    blur: Blur,
    encoded: Vec<f64>,
    noise: Vec<f64>,
}

/// What is known of a column before any record.
struct Column {
    name: String,
    bounds: Option<Bounds>,
}

/// How projected numbers are blurred.
enum Blur {
    None,
    Independent { draws: Draws, deviation: f64 },
    Cumulative(Walk),
}

impl Projection {
    /// With the secrets that follow from the seed of the site for this node.
    ///
    /// # Errors
    /// When k is not given, a column has neither bounds nor categories, or the noise should start
    /// anew with the drift of a column, which the others would see.
    pub fn new(
        config: &RandomProjection,
        columns: &[MaskedColumn<'_>],
        group: Group,
        seed: &[u8; 32],
        creation: &Creation<'_>,
    ) -> Result<Self> {
        let k = width(config)?;
        let features = Features::new(config, columns)?;
        if features.are_learnt() {
            return Err(Error::policy("a shared column of numbers has no `bounds`")
                .help("say what its numbers can be, whatever the data hold"));
        }
        let reset = match config.reset {
            None => None,
            Some(Reset::Rows(rows)) => Some(rows),
            Some(Reset::Drift { .. }) => {
                return Err(Error::policy("reset = \"drift\" tells others of a drift")
                    .help("give `reset` a number of rows, or leave it out"));
            }
        };
        let info = [
            b"moretta/project/2".as_slice(),
            &creation.node.to_le_bytes(),
            &creation.first.to_le_bytes(),
            &digest(config, columns, group, creation.sources),
        ];
        let root = derive(&creation.federation, seed, &info);
        let key = |purpose: &[u8]| derive(&[], &root, &[purpose]);
        let deviation = config.deviation() * group.share().sqrt();
        Ok(Projection {
            matrix: matrix(key(b"matrix"), features.width(), k),
            translation: Draws::new(key(b"translation")).within(config.translation, k),
            blur: match config.noise {
                Noise::None => Blur::None,
                Noise::Independent => Blur::Independent {
                    draws: Draws::new(key(b"independent")),
                    deviation,
                },
                Noise::Cumulative => {
                    Blur::Cumulative(Walk::new(key(b"cumulative"), k, deviation, reset))
                }
            },
            columns: columns.iter().map(|c| Column::new(config, c)).collect(),
            encoded: Vec::with_capacity(features.width()),
            noise: vec![0.0; k],
            features,
        })
    }

    /// Numbers of a projected record: k.
    pub fn width(&self) -> usize {
        self.translation.len()
    }

    /// Appends what becomes of record number `record` of the stream.
    ///
    /// Records may come in any order, and any of them again; those that rise are fastest.
    ///
    /// # Errors
    /// When a value is missing, out of its bounds or no declared category; then nothing is appended.
    pub fn project(&mut self, record: u64, values: &[f64], out: &mut Vec<f64>) -> Result<()> {
        if values.len() != self.columns.len() {
            return Err(Error::input("a record has another number of columns"));
        }
        for (column, &value) in self.columns.iter().zip(values) {
            column.check(value)?;
        }
        self.features.encode(values, &mut self.encoded)?;
        self.blur.noise(record, &mut self.noise)?;
        let start = out.len();
        out.extend(self.translation.iter().zip(&self.noise).map(|(t, n)| t + n));
        for (feature, row) in self.encoded.iter().zip(&self.matrix) {
            for (projected, weight) in out[start..].iter_mut().zip(row) {
                *projected += feature * weight;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Projection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Projection({} numbers)", self.width())
    }
}

impl Column {
    fn new(config: &RandomProjection, column: &MaskedColumn<'_>) -> Self {
        Column {
            name: column.name.to_owned(),
            bounds: config.bounds.get(column.name).copied(),
        }
    }

    fn check(&self, value: f64) -> Result<()> {
        let within = |bounds: Bounds| bounds.clamp(value) == value;
        let (what, help) = match self.bounds {
            _ if value.is_nan() => (
                "a value is missing, and a projection needs all of them",
                "do not forward such records, or do not share the column",
            ),
            Some(bounds) if !within(bounds) => (
                "a number is out of its bounds",
                "widen the `bounds` of the column, or look for numbers that are wrong",
            ),
            _ => return Ok(()),
        };
        Err(Error::input(what).in_column(&*self.name).help(help))
    }
}

impl Blur {
    fn noise(&mut self, record: u64, noise: &mut [f64]) -> Result<()> {
        match self {
            Blur::None => {}
            Blur::Independent { draws, deviation } => {
                draws.normals(record, noise);
                noise.iter_mut().for_each(|noise| *noise *= *deviation);
            }
            Blur::Cumulative(walk) => noise.copy_from_slice(walk.at(record)?),
        }
        Ok(())
    }
}

fn width(config: &RandomProjection) -> Result<usize> {
    let k = config.k.filter(|k| (1..=MOST_NUMBERS).contains(k));
    // A site does not know how many features the others have, so it cannot be the default.
    k.ok_or_else(|| {
        Error::policy("masked fragments need k, the numbers of a projected record")
            .help("give all sources of the node the same `k`, at most the sum of their features")
    })
}

fn matrix(key: [u8; 32], features: usize, k: usize) -> Vec<Vec<f64>> {
    let scale = 1.0 / (k as f64).sqrt();
    let mut draws = Draws::new(key);
    let mut row = |feature: usize| {
        let mut row = vec![0.0; k];
        draws.normals(feature as u64, &mut row);
        row.iter_mut().for_each(|weight| *weight *= scale);
        row
    };
    (0..features).map(&mut row).collect()
}

/// All that the released numbers depend on besides secrets and data. Two releases by the same
/// matrix or noise, but other bounds or another σ, would tell what each alone does not.
fn digest(
    config: &RandomProjection,
    columns: &[MaskedColumn<'_>],
    group: Group,
    sources: &[u16],
) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut number = |number: u64| hash.update(number.to_le_bytes());
    number(config.k.unwrap_or(0) as u64);
    number(config.noise as u64);
    number(config.deviation().to_bits());
    number(config.translation.to_bits());
    number(match config.reset {
        Some(Reset::Rows(rows)) => rows,
        _ => 0,
    });
    number(group.sources as u64);
    number(group.colluders as u64);
    number(sources.len() as u64);
    sources.iter().for_each(|&source| number(u64::from(source)));
    let mut text = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    for column in columns {
        text(column.name);
        if let Some(bounds) = config.bounds.get(column.name) {
            text(&format!("{:e} {:e}", bounds.lower(), bounds.width()));
        }
        let categories = config.categories.get(column.name).into_iter().flatten();
        categories.for_each(|category| text(category));
    }
    hash.finalize().into()
}

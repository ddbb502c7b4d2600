//! From counts to claims: the worst class of a release for each promise.

use super::classes::Texts;
use super::closeness::Reference;
use super::diversity::{self, TOLERANCE};
use super::findings::ClaimFinding;
use super::likeness::Shares;
use super::population::PopulationRows;
use super::worst::Worst;
use super::{
    Absence, BetaLikeness, ColumnPromise, DeltaDisclosure, Diversity, Ground, LDiversity, Likeness,
    PSensitivity, Sensitivity, TCloseness,
};
use crate::data::hierarchy::Hierarchy;
use crate::data::{DateFormat, Levels, MISSING};
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// What the policy declares about columns beyond the promise itself.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Trees of sensitive columns, for hierarchical closeness.
    pub trees: HashMap<String, Arc<Hierarchy>>,
    /// Values of sensitive columns from least to largest, for ordered closeness
    /// of what is not a number.
    pub orders: HashMap<String, Vec<String>>,
    /// Identifying columns that are released as pseudonyms.
    pub pseudonyms: Vec<String>,
    /// The population that the promise is about.
    pub population: Option<PopulationRows>,
}

/// How often a value is in a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Count {
    pub(super) class: u32,
    /// The code of the value, or missing.
    pub(super) value: u32,
    pub(super) count: u32,
}

/// A sensitive column, counted: how often each value is in each class, in the order of classes.
pub(super) struct Tally<'a> {
    name: String,
    texts: &'a Texts,
    pairs: Vec<Count>,
    /// How often each value occurs in the whole release, and missing values last.
    totals: Vec<u64>,
    classes: usize,
}

impl<'a> Tally<'a> {
    pub(super) fn new(
        name: String,
        pairs: Vec<Count>,
        totals: Vec<u64>,
        texts: &'a Texts,
        classes: usize,
    ) -> Self {
        Tally {
            name,
            texts,
            pairs,
            totals,
            classes,
        }
    }

    /// Whether it counts the column called `name`.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.name == name
    }

    /// The counts of each class in turn, of missing values too.
    fn classes(&self) -> impl Iterator<Item = &[Count]> + '_ {
        let mut rest = self.pairs.as_slice();
        (0..self.classes as u32).map(move |class| {
            let length = rest.iter().take_while(|pair| pair.class == class).count();
            let (here, after) = rest.split_at(length);
            rest = after;
            here
        })
    }
}

/// Whether every class keeps what is promised of a sensitive column.
pub(super) fn column_claim(
    promise: ColumnPromise<'_>,
    tally: &Tally<'_>,
    declared: &Declared,
) -> Result<ClaimFinding> {
    Ok(match promise {
        ColumnPromise::L(l) => l_claim(l, tally),
        ColumnPromise::T(t) => t_claim(t, tally, declared)?,
        ColumnPromise::P(p) => p_claim(p, tally),
        ColumnPromise::Beta(beta) => beta_claim(beta, tally),
        ColumnPromise::Delta(delta) => delta_claim(delta, tally),
    })
}

/// Whether every class keeps to l-diversity.
fn l_claim(l: &LDiversity, tally: &Tally<'_>) -> ClaimFinding {
    let mut counts = Vec::new();
    let figures = tally.classes().map(|class| {
        counts.clear();
        counts.extend(present(class).map(|pair| pair.count));
        diversity::figure(l.kind, l.l, &mut counts)
    });
    let worst = Worst::of(
        figures,
        |figure| diversity::holds(l.kind, l.l, figure),
        |a, b| diversity::worse(l.kind, a, b),
    );
    let (kind, promised, value) = match l.kind {
        Diversity::Distinct => ("distinct l", format!("at least {}", l.l), l.l),
        Diversity::Entropy => ("entropy l", format!("at least {}", l.l), l.l),
        Diversity::Recursive { c } => ("recursive (c, l)", format!("below {c} for l = {}", l.l), c),
    };
    let name = format!("{kind}-diversity of `{}`", tally.name);
    worst.claim(name, promised, value)
}

/// Whether every class keeps to t-closeness.
fn t_claim(t: &TCloseness, tally: &Tally<'_>, declared: &Declared) -> Result<ClaimFinding> {
    let totals = &tally.totals;
    let (kind, reference) = match t.distance {
        Ground::Equal => ("equal", Reference::equal(totals)),
        Ground::Ordered => (
            "ordered",
            Reference::ordered(totals, ranks(tally, declared)?),
        ),
        Ground::Hierarchical => {
            let (tree, leaves) = leaves(tally, declared)?;
            (
                "hierarchical",
                Reference::hierarchical(totals, tree, leaves),
            )
        }
    };
    let figures = tally
        .classes()
        .map(|class| reference.distance(class.iter().map(|pair| (pair.value, pair.count))));
    let worst = Worst::of(figures, |figure| figure <= t.t + TOLERANCE, f64::max);
    Ok(worst.claim(
        format!("{kind} t-closeness of `{}`", tally.name),
        format!("at most {}", t.t),
        t.t,
    ))
}

/// Whether every class keeps to p-sensitivity.
fn p_claim(p: &PSensitivity, tally: &Tally<'_>) -> ClaimFinding {
    let least = f64::from(p.p);
    let (worst, name) = match p.kind {
        Sensitivity::Distinct => {
            let figures = tally.classes().map(|class| present(class).count() as f64);
            let worst = Worst::of(figures, |figure| figure >= least, f64::min);
            (worst, "p-sensitivity")
        }
        Sensitivity::Each => {
            // A class without any value has none that is rare.
            let rarest = |class| present(class).map(|pair| pair.count).min();
            let figures = tally.classes().filter_map(rarest).map(f64::from);
            let worst = Worst::of(figures, |figure| figure >= least, f64::min);
            (worst, "p-sensitivity of each value")
        }
    };
    let name = format!("{name} of `{}`", tally.name);
    worst.claim(name, format!("at least {}", p.p), least)
}

/// Whether every class keeps to beta-likeness.
fn beta_claim(beta: &BetaLikeness, tally: &Tally<'_>) -> ClaimFinding {
    let shares = Shares::new(&tally.totals);
    let figures = tally
        .classes()
        .map(|class| shares.gain(beta, &pairs(class)));
    let (kind, promised) = match beta.kind {
        Likeness::Basic => ("basic", format!("at most {}", beta.beta)),
        Likeness::Enhanced => (
            "enhanced",
            format!("at most {} and -ln of the value's share", beta.beta),
        ),
    };
    let name = format!("{kind} beta-likeness of `{}`", tally.name);
    Worst::of_judged(figures, f64::max).claim(name, promised, beta.beta)
}

/// Whether every class keeps to delta-disclosure.
fn delta_claim(delta: &DeltaDisclosure, tally: &Tally<'_>) -> ClaimFinding {
    let shares = Shares::new(&tally.totals);
    let figures = tally
        .classes()
        .map(|class| shares.doublings(delta, &pairs(class)));
    let kind = match delta.absent {
        Absence::Infinite => "",
        Absence::Ignore => " of present values",
    };
    Worst::of_judged(figures, f64::max).claim(
        format!("delta-disclosure{kind} of `{}`", tally.name),
        format!("below {}", delta.delta),
        delta.delta,
    )
}

/// The values of a class and how often each is there.
fn pairs(class: &[Count]) -> Vec<(u32, u32)> {
    class.iter().map(|pair| (pair.value, pair.count)).collect()
}

/// The place of each value: as declared, else by size when all are numbers or
/// dates of one format.
fn ranks(tally: &Tally<'_>, declared: &Declared) -> Result<Vec<u32>> {
    let levels = tally.texts.levels();
    let finite = |text: &str| text.parse().ok().filter(|n: &f64| n.is_finite());
    let numbers: Option<Vec<f64>> = levels.iter().map(finite).collect();
    let keys = match (
        numbers.or_else(|| days(levels)),
        declared.orders.get(&tally.name),
    ) {
        (_, Some(order)) => declared_places(tally, order)?,
        (Some(numbers), None) => numbers,
        (None, None) => {
            return Err(Error::policy(format!(
                "ordered closeness of `{}` needs an order, and its values are not numbers",
                tally.name
            ))
            .help("declare the order of the values, or use equal or hierarchical distance"));
        }
    };
    let mut distinct = keys.clone();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    Ok(keys
        .iter()
        .map(|key| distinct.partition_point(|d| d < key) as u32)
        .collect())
}

/// The days that the texts are, when they are dates.
fn days(texts: &Levels) -> Option<Vec<f64>> {
    DateFormat::GUESSED.iter().find_map(|format| {
        let days = texts.iter().map(|text| format.parse(text).map(f64::from));
        days.collect()
    })
}

fn declared_places(tally: &Tally<'_>, order: &[String]) -> Result<Vec<f64>> {
    let place_of: HashMap<&str, usize> = order.iter().map(String::as_str).zip(0..).collect();
    let levels = tally.texts.levels();
    let places: Vec<f64> = levels
        .iter()
        .filter_map(|text| place_of.get(text).map(|&place| place as f64))
        .collect();
    if places.len() < levels.len() {
        return Err(Error::policy(format!(
            "{} values of `{}` are not in its declared order",
            levels.len() - places.len(),
            tally.name
        ))
        .help("add them to the order"));
    }
    Ok(places)
}

fn leaves<'a>(tally: &Tally<'_>, declared: &'a Declared) -> Result<(&'a Arc<Hierarchy>, Vec<u32>)> {
    let tree = declared.trees.get(&tally.name).ok_or_else(|| {
        Error::policy(format!(
            "hierarchical closeness of `{}` needs a hierarchy of its values",
            tally.name
        ))
        .help("declare a hierarchy for the column, or use equal distance")
    })?;
    let levels = tally.texts.levels();
    let leaves: Vec<u32> = levels.iter().filter_map(|text| tree.leaf(text)).collect();
    if leaves.len() < levels.len() {
        return Err(Error::policy(format!(
            "{} values of `{}` are not in its hierarchy",
            levels.len() - leaves.len(),
            tally.name
        ))
        .help("add them to the hierarchy"));
    }
    Ok((tree, leaves))
}

fn present(class: &[Count]) -> impl Iterator<Item = &Count> {
    class.iter().filter(|pair| pair.value != MISSING)
}

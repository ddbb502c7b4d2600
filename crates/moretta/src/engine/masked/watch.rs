//! Looks at masked rows beside their originals before they leave.

use super::masks::Masks;
use super::pairs::Pairs;
use super::unchanged::Unchanged;
use crate::data::{Attribute, Batch, Encoder, Kind, Role, Schema};
use crate::engine::context::Wanted;
use crate::engine::plan::Plan;
use crate::engine::progress::Records;
use crate::error::{Error, Result};
use crate::measure::is_accuracy_loss;
use crate::measure::pairs::{PAIR_LIST, PairMeasures, PairSettings};

/// Measures what leaves.
pub(crate) struct Watch {
    pairs: Pairs,
    looked: Unchanged,
    /// None when nobody wants to know.
    measures: Option<PairMeasures>,
    released: u64,
}

impl Watch {
    /// `table`: the rows of a table, which comes at once.
    pub(crate) fn new(
        plan: &Plan,
        masks: &Masks,
        (before, after): (&Schema, &Schema),
        table: Option<usize>,
        wanted: Wanted,
    ) -> Result<Self> {
        let compared = match masks.is_comparable {
            true => &masks.leaving[..],
            false => &[],
        };
        let class =
            class(before).filter(|place| masks.made.is_none() || !masks.places.contains(place));
        let measures = measures(plan, masks, before, class, (table, wanted))?;
        Ok(Watch {
            pairs: pairs(masks, (before, after), class, measures.is_some())?,
            measures,
            looked: Unchanged::new(before, compared),
            released: 0,
        })
    }

    /// Columns most of whose numbers left as they were.
    pub(crate) fn unchanged(&self) -> Vec<&str> {
        self.looked.columns(self.released)
    }

    /// What was measured.
    pub(crate) fn measures(&self) -> Option<&PairMeasures> {
        self.measures.as_ref()
    }

    /// How it is going, with so many rows read.
    pub(crate) fn live(&self, read: u64) -> Records {
        let figures = self.measures.iter().flat_map(PairMeasures::values);
        Records {
            read,
            released: self.released,
            figures: figures
                .filter(|(info, _)| matches!(info.name, "record_linkage" | "sse"))
                .filter_map(|(info, value)| Some((info.name, value?, info.percent)))
                .collect(),
        }
    }

    /// Shows all originals of a table, which an attacker knows, before any row leaves.
    pub(crate) fn prepare(&mut self, original: &Batch) -> Result<()> {
        if let Some(measures) = &mut self.measures {
            measures.prepare(self.pairs.encode(original)?);
        }
        Ok(())
    }

    /// Rows that were read and will leave in this order.
    pub(crate) fn read(&mut self, rows: &Batch) {
        self.pairs.read(rows);
    }

    /// Rows that leave.
    pub(crate) fn look(&mut self, released: &Batch) -> Result<()> {
        self.released += released.len() as u64;
        let (measures, looked) = (&mut self.measures, &mut self.looked);
        self.pairs.released(released, |original, released, labels| {
            looked.observe(original, released);
            if let Some(measures) = measures {
                measures.observe_labelled(original, released, labels);
            }
        })
    }
}

/// Columns that have no originals are paired where they are `measured`, else for their
/// order only.
fn pairs(
    masks: &Masks,
    (before, after): (&Schema, &Schema),
    class: Option<usize>,
    measured: bool,
) -> Result<Pairs> {
    let own = |&place: &usize| &*before.fields()[place].name;
    let (columns, names): (&[usize], Vec<&str>) = match &masks.made {
        None => (&masks.leaving, masks.leaving.iter().map(own).collect()),
        Some(_) if !measured => (&[], Vec::new()),
        Some(made) => (&masks.leaving, made.iter().map(String::as_str).collect()),
    };
    Pairs::new((before, columns), (after, &names), class)
}

/// What is worth measuring: what the policy asks for, everything where a report is
/// written, and the two classic figures for whoever watches. A report on what is
/// differentially private tells nothing of the originals unless it is asked to.
fn measures(
    plan: &Plan,
    masks: &Masks,
    schema: &Schema,
    class: Option<usize>,
    (table, wanted): (Option<usize>, Wanted),
) -> Result<Option<PairMeasures>> {
    let places = &masks.leaving;
    let limits = plan.fail_above.iter().map(|(name, _)| name.as_str());
    let asked = plan.report_measures.iter().map(String::as_str);
    let asked: Vec<&str> = asked.chain(limits).collect();
    // What learners lose is measured of all released columns together, where some are made
    // coarser, and so are classes.
    let of_pairs = |name: &&str| {
        let listed = PAIR_LIST.iter().any(|info| info.name == *name);
        listed && !(plan.keeps_guarantee() && is_accuracy_loss(name))
    };
    let mut names: Vec<&str> = asked.iter().copied().filter(of_pairs).collect();
    let learnt = names.iter().find(|name| is_accuracy_loss(name));
    if let (Some(name), None) = (learnt, class) {
        return Err(Error::policy(format!(
            "{name} needs a class that has a type and is released"
        ))
        .help("give the column to predict a type, and do not mix it into others"));
    }
    let measurable = |name: &str| masks.is_comparable || is_accuracy_loss(name);
    if let Some(name) = names.iter().find(|name| !measurable(name)) {
        return Err(Error::policy(format!(
            "{name} compares values with their originals, and mixtures of columns have none"
        ))
        .help("take it out of [measure]; accuracy_loss tells what learners lose, and `moretta attack` what can be got back"));
    }
    if asked.is_empty() && wanted.all && !masks.is_private() {
        names = PAIR_LIST.iter().map(|info| info.name).collect();
        let learns = class.is_some() && !plan.keeps_guarantee();
        names.retain(|name| !is_accuracy_loss(name) || learns);
    } else if wanted.live && !masks.is_private() {
        names.extend(["record_linkage", "sse"]);
    }
    names = PAIR_LIST
        .iter()
        .map(|info| info.name)
        .filter(|name| names.contains(name) && measurable(name))
        .collect();
    if names.is_empty() || places.is_empty() {
        return Ok(None);
    }
    let attributes = Encoder::new(schema, places)?.attributes();
    let columns: Vec<&str> = places
        .iter()
        .map(|&place| &*schema.fields()[place].name)
        .collect();
    let made = masks.made.as_ref();
    let settings = PairSettings {
        attributes,
        released: made.map(|names| vec![Attribute::Number; names.len()]),
        buffer: plan.pairs.buffer.unwrap_or(match table {
            Some(rows) => rows.clamp(1, RANKED),
            None => 100,
        }),
        interval: plan.pairs.interval,
        tolerance: plan.pairs.tolerance,
        learner: plan.pairs.learner.clone(),
        class: places.iter().position(|place| Some(*place) == class),
    };
    PairMeasures::new(&settings, &columns, &names).map(Some)
}

/// Protected values of a table among which ranks are counted.
const RANKED: usize = 1_000;

/// The column that learners predict, if there is one and it has a type.
fn class(schema: &Schema) -> Option<usize> {
    match schema.with_role(Role::Class)[..] {
        [class] if !matches!(schema.fields()[class].kind, Kind::Plain(_)) => Some(class),
        _ => None,
    }
}

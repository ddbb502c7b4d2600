//! Looks at masked rows beside their originals before they leave.

use super::masks::Masks;
use super::pairs::Pairs;
use super::unchanged::Unchanged;
use crate::data::{Attribute, Batch, Encoder, Kind, ReadAs, Role, Schema};
use crate::engine::context::Wanted;
use crate::engine::learn::AccuracyLoss;
use crate::engine::plan::Plan;
use crate::engine::progress::Records;
use crate::error::{Error, Result};
use crate::measure::{self, Info, LIST, Measure, Of, PairMeasures, PairSettings};

/// Measures what leaves.
pub(crate) struct Watch {
    pairs: Pairs,
    looked: Unchanged,
    /// What the columns of records are called.
    names: Vec<String>,
    /// None when measuring is off.
    measures: Option<PairMeasures>,
    released: u64,
}

/// What a learner loses by the measure of this name in the rows of a table, which only
/// learning from all of them can tell; `asked` says whether the plan names it.
pub(crate) type Learn<'a> = dyn FnMut(&'static Info, bool) -> Result<Option<f64>> + 'a;

impl Watch {
    /// `table`: the number of rows of a table, which comes at once, and who leads a learner
    /// through it.
    pub(crate) fn new(
        plan: &Plan,
        masks: &Masks,
        (before, after): (&Schema, &Schema),
        table: Option<(usize, &mut Learn<'_>)>,
        wanted: Wanted,
    ) -> Result<Self> {
        let compared = match masks.is_comparable {
            true => &masks.leaving[..],
            false => &[],
        };
        let name = |&place: &usize| before.fields()[place].name.to_string();
        Ok(Watch {
            names: compared.iter().map(name).collect(),
            measures: measures(plan, masks, before, table, wanted)?,
            pairs: Pairs::new(before, compared, after)?,
            looked: Unchanged::new(before, compared),
            released: 0,
        })
    }

    /// What is told of columns too much of which left as it was.
    pub(crate) fn unchanged(&self) -> Vec<String> {
        self.looked.told(self.released).collect()
    }

    /// Columns whose categories speak against a link where they agree, so that probabilistic linkage
    /// is not to be trusted.
    pub(crate) fn inverted(&self) -> Vec<&str> {
        let places = self.measures.iter().flat_map(PairMeasures::inverted);
        places
            .filter_map(|place| self.names.get(place).map(String::as_str))
            .collect()
    }

    /// What was measured.
    pub(crate) fn measures(&self) -> Option<&PairMeasures> {
        self.measures.as_ref()
    }

    /// Every measure; none of one that is no number.
    pub(crate) fn values(&self) -> Vec<(&'static str, Option<f64>)> {
        let found = self.measures.iter().flat_map(PairMeasures::values);
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        found
            .map(|(info, value)| (info.name, finite(value)))
            .collect()
    }

    /// How it is going, with so many rows read.
    pub(crate) fn live(&self, read: u64) -> Records {
        let value = |name| self.measures.as_ref()?.value(name);
        let figures = CLASSIC.into_iter().filter_map(value);
        Records {
            read,
            released: self.released,
            figures: figures
                .map(|(info, value)| (info.name, value, info.percent))
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
        self.pairs
            .released(released, |(before, after), (originals, records)| {
                for (original, released) in originals.iter().zip(records.iter()) {
                    looked.observe(original, released);
                }
                match measures {
                    // Records of no columns are none.
                    Some(measures) if originals.width() == 0 => {
                        measures.observe(before, after, None)
                    }
                    Some(measures) => measures.observe(before, after, Some((originals, records))),
                    None => Ok(()),
                }
            })
    }
}

/// What was measured elsewhere.
struct Told(Option<f64>);

impl Measure for Told {
    fn value(&self) -> Option<f64> {
        self.0
    }
}

/// The two figures for a reader who watches a stream.
const CLASSIC: [&str; 2] = ["record_linkage", "sse"];

/// What is worth measuring: what the plan asks for, everything where a report is
/// written, and the two classic figures for a reader who watches. A report on what is
/// differentially private tells nothing of the originals unless it is asked to.
fn measures(
    plan: &Plan,
    masks: &Masks,
    schema: &Schema,
    mut table: Option<(usize, &mut Learn<'_>)>,
    wanted: Wanted,
) -> Result<Option<PairMeasures>> {
    let all = plan.report_measures.is_empty() && plan.fail_above.is_empty() && wanted.all;
    let told = !masks.is_private();
    let class = class(plan, masks, schema);
    let settings = PairSettings {
        buffer: plan.pairs.buffer.unwrap_or(match &table {
            Some((rows, _)) => (*rows).clamp(1, RANKED),
            None => 100,
        }),
        interval: plan.pairs.interval,
        tolerance: plan.pairs.tolerance,
        categories: plan.pairs.categories,
        ..PairSettings::new(match masks.is_comparable {
            true => attributes(plan, masks, schema)?,
            false => Vec::new(),
        })
    };
    let has_categories = settings.has_categories();
    let mut measures = Vec::new();
    for info in LIST {
        let asked = plan.measures(info.name);
        match info.of {
            // Of all released columns together, where some are made coarser, and so are classes.
            Of::Lessons { .. } if plan.keeps_guarantee() => {}
            Of::Lessons { .. } if asked && !class => return Err(no_class(info)),
            Of::Lessons { .. } if class && (asked || all && told) => {
                let measure: Box<dyn Measure> = match &mut table {
                    Some((_, learn)) => Box::new(Told(learn(info, asked)?)),
                    None => Box::new(AccuracyLoss::new(plan, schema, info)?),
                };
                measures.push((info, Some(measure)));
            }
            Of::Records(_) | Of::Categories(_) if asked && !masks.is_comparable => {
                return Err(mixtures(info));
            }
            Of::Categories(_) if asked && !has_categories => return Err(no_categories(info)),
            Of::Categories(_) if has_categories && (asked || all && told) => {
                measures.push((info, None));
            }
            Of::Records(_) if masks.is_comparable => {
                let watched = wanted.live && CLASSIC.contains(&info.name);
                if asked || (all || watched) && told {
                    measures.push((info, Some(measure::build(info.name, &settings)?)));
                }
            }
            _ => {}
        }
    }
    if measures.is_empty() || masks.leaving.is_empty() {
        return Ok(None);
    }
    let names = masks
        .leaving
        .iter()
        .map(|&place| &*schema.fields()[place].name);
    let names: Vec<&str> = names.collect();
    Ok(Some(PairMeasures::new(&settings, &names, measures)))
}

/// What the numbers of records mean. Of ordered categories all that are declared count, also those
/// that no row has.
fn attributes(plan: &Plan, masks: &Masks, schema: &Schema) -> Result<Vec<Attribute>> {
    let attributes = Encoder::new(schema, &masks.leaving)?.attributes();
    let of = masks.leaving.iter().zip(attributes);
    let declared = of.map(|(&place, attribute)| {
        let column = plan.column(&schema.fields()[place].name);
        match column.map(|column| &column.read) {
            Some(ReadAs::Ordered(levels)) => Attribute::Ordinal {
                levels: levels.len(),
            },
            _ => attribute,
        }
    });
    Ok(declared.collect())
}

fn no_categories(info: &Info) -> Error {
    Error::policy(format!(
        "{} is about masked categories, and all masked columns are numbers",
        info.name
    ))
    .help("take it out of [measure], or read a column as type = \"category\"")
}

fn no_class(info: &Info) -> Error {
    let what = format!(
        "{} needs a class that has a type and is released",
        info.name
    );
    Error::policy(what).help("give the column to predict a type, and do not mix it into others")
}

fn mixtures(info: &Info) -> Error {
    Error::policy(format!(
        "{} compares values with their originals, and mixtures of columns have none",
        info.name
    ))
    .help("take it out of [measure]; accuracy_loss tells what learners lose, and `moretta attack` what can be got back")
}

/// Protected values of a table among which ranks are counted.
const RANKED: usize = 1_000;

/// Whether there is a column that learners predict: one with a type, which is released.
fn class(plan: &Plan, masks: &Masks, schema: &Schema) -> bool {
    let [place] = schema.with_role(Role::Class)[..] else {
        return false;
    };
    let field = &schema.fields()[place];
    let mixed = masks.made.is_some() && masks.places.contains(&place);
    !matches!(field.kind, Kind::Plain(_)) && plan.keeps(&field.name) && !mixed
}

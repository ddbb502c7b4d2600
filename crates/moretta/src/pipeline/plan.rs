//! What a run would face: sizes, uniques, and columns that single persons out and are no
//! quasi-identifiers.

use super::check::check_alone;
use super::goal::{Found, reach};
use super::memory;
use super::stream;
use super::trial::read;
use crate::data::Role;
use crate::data::coded::{Coded, classes};
use crate::engine::column_sets::column_sets;
use crate::engine::copies::Copies;
use crate::engine::domains::domains;
use crate::engine::items;
use crate::engine::report::ColumnSet;
use crate::engine::telling::{THOROUGH, TellingSet, telling};
use crate::engine::{Progress, Stage, warnings};
use crate::error::Result;
use crate::policy::Policy;
use crate::protect::Masking;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;

/// What a run would face.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Rows of the table.
    pub rows: u64,
    /// Persons, or rows when there is no subject.
    pub persons: u64,
    /// "persons" or "rows".
    pub unit: &'static str,
    /// Memory that a run needs, about.
    pub megabytes: u64,
    /// Classes of equal quasi-identifiers.
    pub classes: u64,
    /// Share of persons alone in their class.
    pub uniques: f64,
    /// Share of persons in classes smaller than k, where k is promised.
    pub below_k: Option<f64>,
    /// What a record loses at most under a private method, and how losses add up.
    pub privacy: Vec<String>,
    /// Every column that is read.
    pub columns: Vec<PlannedColumn>,
    /// Sets of released columns, not all of them quasi-identifiers, by which many rows are unique.
    pub telling: Vec<TellingSet>,
    /// Columns that single persons out together, of each number of columns those that do it most.
    pub column_sets: Vec<ColumnSet>,
    /// What was tried for the goal of the policy, and what was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<Found>,
    /// What a steward should know.
    pub warnings: Vec<String>,
}

/// One column.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Distinct values; none for plain columns.
    pub distinct: Option<u64>,
    /// Share of missing values.
    pub missing: f64,
    /// Levels of its hierarchy.
    pub hierarchy_levels: Option<usize>,
}

/// Reads the table and looks ahead.
pub fn plan(policy: &Policy, progress: &Progress) -> Result<Plan> {
    stream::refuse(policy, "plan")?;
    if policy.goal.is_none() {
        return plan_of(policy, progress);
    }
    let (found, chosen) = reach(policy, progress)?;
    let mut plan = plan_of(&chosen, progress)?;
    plan.goal = Some(found);
    Ok(plan)
}

fn plan_of(policy: &Policy, progress: &Progress) -> Result<Plan> {
    check_alone(policy)?;
    let original = read(policy, progress)?;
    progress.enter(Stage::Check);
    let domains = domains(&policy.plan, &original, None)?;
    let batch = &original.batch;
    let columns: Vec<Coded> = (0..batch.schema().len())
        .map(|i| Coded::new(batch, i))
        .collect();
    let persons = columns.iter().find(|c| c.role == Role::Subject);
    let sizes = match items::labels_a_row(&policy.plan, batch)? {
        Some(items) => {
            let [persons, items] = [0, 1].map(|place| Coded::new(&items, place));
            class_sizes(&[&items], items.codes.len(), Some(&persons))
        }
        None => {
            let quasi: Vec<&Coded> = columns.iter().filter(|c| c.role == Role::Quasi).collect();
            class_sizes(&quasi, batch.len(), persons)
        }
    };
    let total: u64 = sizes.iter().sum();
    let masking = policy.plan.masking();
    let k = policy
        .plan
        .guarantee
        .class_size()
        .or(masking.and_then(Masking::k));
    let rows = batch.len() as u64;
    let share = |below: u64| {
        sizes.iter().filter(|&&size| size < below).sum::<u64>() as f64 / total.max(1) as f64
    };
    Ok(Plan {
        rows,
        persons: persons.map_or(rows, |c| c.distinct),
        unit: if persons.is_some() { "persons" } else { "rows" },
        megabytes: memory::run_bytes(policy, batch).div_ceil(1_000_000),
        classes: sizes.len() as u64,
        uniques: share(2),
        below_k: k.map(|k| share(u64::from(k))),
        privacy: privacy(policy, Some(rows)),
        goal: None,
        telling: telling(&columns, batch.len(), &THOROUGH),
        column_sets: column_sets(&columns, batch.len(), persons, THOROUGH.visits),
        columns: columns
            .iter()
            .zip(batch.columns())
            .map(|(coded, column)| PlannedColumn {
                name: coded.name.clone(),
                role: coded.role.word().to_owned(),
                distinct: (!coded.codes.is_empty()).then_some(coded.distinct),
                missing: column.missing_count() as f64 / column.len().max(1) as f64,
                hierarchy_levels: domains
                    .get(&coded.name)
                    .and_then(|d| d.hierarchy.as_ref())
                    .map(|h| h.level_count()),
            })
            .collect(),
        warnings: {
            let mut told = warnings(&policy.plan, &original, false)?;
            told.extend(Copies::warnings_of(&policy.plan, batch)?);
            told
        },
    })
}

/// What a private method spends, and how that adds up; `rows` is `None` where it is not known.
pub fn privacy(policy: &Policy, rows: Option<u64>) -> Vec<String> {
    let private = policy.plan.maskings();
    private
        .flat_map(|masking| masking.loss().into_iter().chain(masking.composition(rows)))
        .collect()
}

/// Persons (or rows) in each class of equal codes.
fn class_sizes(columns: &[&Coded], rows: usize, persons: Option<&Coded>) -> Vec<u64> {
    let codes: Vec<&[u32]> = columns.iter().map(|column| &*column.codes).collect();
    let classes = classes(&codes, rows);
    let n_classes = classes.iter().max().map_or(0, |&most| most as usize + 1);
    let mut sizes = vec![0; n_classes];
    match persons {
        None => classes.iter().for_each(|&class| sizes[class as usize] += 1),
        Some(persons) => {
            let mut seen: HashMap<(u32, u32), (), FixedState> = HashMap::default();
            for (&class, &person) in classes.iter().zip(&persons.codes) {
                if seen.insert((class, person), ()).is_none() {
                    sizes[class as usize] += 1;
                }
            }
        }
    }
    sizes
}

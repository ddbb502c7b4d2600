//! Attacks on tables whose values were made coarser: on what a policy would release, or on files.
//!
//! The attacker knows the quasi-identifiers of everybody in the source. In a file nobody can say
//! which row became which, so persons are found as an outsider would find them: by the class
//! that covers them. Of sets of items the attacker knows some items of a person.

use crate::attack::known_items::{KnownItems, MOST_ITEMS, by_known_items};
use crate::attack::table::intersection::{self, Fitting, Intersection};
use crate::attack::table::{ATTACKS, Evidence, ReleasedTable};
use crate::data::{Batch, Domains, Role};
use crate::engine::attacks::rules;
use crate::engine::domains::domains;
use crate::engine::items;
use crate::engine::original::places_of;
use crate::engine::shown::counted_as_text;
use crate::engine::{Candidate, Original, Progress, Purpose, Stage};
use crate::error::{Error, Result};
use crate::io::{self, ReadOptions};
use crate::pipeline::no_rows::filled;
use crate::pipeline::read_back::released_names;
use crate::pipeline::release_columns::{Taken, release_plans};
use crate::pipeline::trial::{Rows, read};
use crate::policy::Policy;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How attacks on tables went.
#[derive(Clone, Debug, Serialize)]
pub struct AttackedTables {
    /// Each release by itself.
    pub releases: Vec<AttackedRelease>,
    /// All of them side by side, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intersection: Option<Intersection>,
    /// What was odd, and what was not tried.
    pub notes: Vec<String>,
}

/// How attacks on one release went.
#[derive(Clone, Debug, Serialize)]
pub struct AttackedRelease {
    /// The file; none for what a policy would release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Its rows.
    pub rows: u64,
    /// Its classes.
    pub classes: u64,
    /// What each attack gets.
    pub attacks: Vec<Evidence>,
    /// What is got by who knows some items of a person, of a release of items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_items: Vec<KnownItems>,
}

/// Attacks what the policy would release.
///
/// # Errors
/// When nothing can be released, or no method makes values coarser.
pub fn attack_table(policy: &Policy, progress: &Progress) -> Result<AttackedTables> {
    policy.need_one_release("`attack`")?;
    if !policy.plan.keeps_guarantee() {
        return Err(Error::bug("masked records were attacked as a table"));
    }
    let rows = Rows::read(policy, progress)?;
    let plan = policy.loaded_plan()?;
    let candidate = rows.try_out(plan, Purpose::Rows, &policy.context(progress)?)?;
    let Candidate {
        plan,
        original,
        rows,
        ..
    } = candidate;
    progress.enter(Stage::Check);
    let released = counted_as_text(&rows)?;
    let domains = domains(&plan, &original, None)?;
    let places = places_of(&original.batch, released.rows())?;
    let persons: Option<Vec<u32>> = persons(&original.batch).map(|persons| {
        let person = |&place: &u32| persons[place as usize];
        places.iter().map(person).collect()
    });
    let table = ReleasedTable::new(&released, &domains, persons.as_deref())?;
    let table = table
        .made_from(&original.batch, &places)
        .made_by(rules(&plan));
    let mut found = AttackedTables {
        releases: vec![attacked(None, &table, progress)?],
        intersection: None,
        notes: original.notes,
    };
    let labels = items::labels_of_persons(&plan, &released, persons.as_deref())?;
    found.know_items(policy, labels);
    Ok(found)
}

/// Attacks files that were released of the source of the policy, each by itself and all together.
///
/// # Errors
/// When a file has other columns than the policy releases, or the source cannot be read.
pub fn attack_files(
    policy: &Policy,
    files: &[PathBuf],
    options: &ReadOptions,
    progress: &Progress,
) -> Result<AttackedTables> {
    // The files of levels come in their order; other files are of the one promise.
    let policies = policy.of_levels();
    policies[0].need_one_release("`attack`")?;
    super::refuse_found(policy)?;
    if !policy.plan.keeps_guarantee() {
        return Err(Error::policy(
            "files are attacked whose values a method of the policy made coarser",
        )
        .help("attack masked records by their policy alone: moretta attack POLICY"));
    }
    let original: Original = read(policy, progress)?;
    let domains = domains(&policy.loaded_plan()?, &original, None)?;
    progress.enter(Stage::Check);
    let mut found = AttackedTables {
        releases: Vec::new(),
        intersection: None,
        notes: original.notes.clone(),
    };
    let mut tables = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let level = policies.get(place).unwrap_or(&policies[0]);
        let (table, labels) = table_of(level, file, options, &original.batch, &domains)?;
        let attacked = attacked(Some(file.clone()), &table, progress)?;
        found.releases.push(attacked);
        if labels.is_some() && level.plan.hides_persons_of_rows() {
            found.notes.push(ROWS_ARE_PERSONS.to_owned());
        }
        found.know_items(level, labels);
        let nowhere = table
            .known
            .iter()
            .filter(|&&class| class == crate::data::MISSING);
        if nowhere.count() == original.batch.len() && !original.batch.is_empty() {
            let file = file.display();
            let note = format!("{file} covers nobody of the source: is it a release of it?");
            found.notes.push(note);
        }
        tables.push(table);
    }
    if tables.len() > 1 {
        found.intersection = side_by_side(&tables);
    }
    Ok(found)
}

/// The person and the label of each item that is shown.
type Labels = Vec<(u32, u32)>;

fn attacked(
    file: Option<PathBuf>,
    table: &ReleasedTable,
    progress: &Progress,
) -> Result<AttackedRelease> {
    let mut attacks = Vec::new();
    for evidence in ATTACKS.iter().filter_map(|attack| (attack.run)(table)) {
        progress.found(&evidence)?;
        attacks.push(evidence);
    }
    Ok(AttackedRelease {
        file,
        rows: table.class_of.len() as u64,
        classes: table.sizes.len() as u64,
        attacks,
        known_items: Vec::new(),
    })
}

impl AttackedTables {
    /// Attacks the last release by who knows some of its items, each of which is a person and a
    /// label.
    fn know_items(&mut self, policy: &Policy, labels: Option<Labels>) {
        let (Some(labels), Some(release)) = (labels, self.releases.last_mut()) else {
            return;
        };
        let k = policy.plan.guarantee.km.as_ref().map_or(2, |km| km.k);
        let is_empty = labels.is_empty();
        release.known_items = by_known_items(labels.into_iter(), k);
        let tried = release.known_items.len();
        if tried < MOST_ITEMS && !is_empty {
            self.notes.push(format!(
                "attackers who know more than {tried} items were not tried: persons have too many items"
            ));
        }
    }
}

const ROWS_ARE_PERSONS: &str = "the file does not tell whose the rows are, so the items of each row count as those of one person";

/// The release in a file, in which the people of the source are looked for.
fn table_of(
    policy: &Policy,
    file: &Path,
    options: &ReadOptions,
    people: &Batch,
    domains: &Domains,
) -> Result<(ReleasedTable, Option<Labels>)> {
    let mut options = options.clone();
    options.names = released_names(policy);
    let plans = release_plans(policy, file, &options, Taken::Release)?;
    let source = io::open(file, &options, &plans)?;
    let schema = Arc::clone(source.schema());
    let released = Batch::concat(&schema, source.collect::<Result<Vec<_>>>()?)?;
    let released = filled(released, file, policy)?;
    let table = ReleasedTable::new(&released, domains, persons(&released))?;
    let table = table
        .found_among(people, domains)
        .made_by(rules(&policy.plan));
    let labels = items::labels_of_persons(&policy.plan, &released, None)?;
    Ok((table, labels))
}

/// Releases side by side, as who knows the people of the source sees them.
fn side_by_side(tables: &[ReleasedTable]) -> Option<Intersection> {
    let fitting: Vec<&Fitting> = tables.iter().map(|table| &table.fitting).collect();
    let mut found = intersection::intersect(&fitting)?;
    let names = tables.first()?.sensitive.iter().map(|(name, _)| name);
    let learnt = names.filter_map(|name| {
        let values = tables.iter().map(|table| table.values_of_classes(name));
        let values = values.collect::<Option<Vec<_>>>()?;
        Some(intersection::learnt(&fitting, &values))
    });
    found.learnt = learnt.max();
    Some(found)
}

/// Who each row is about.
fn persons(rows: &Batch) -> Option<&[u32]> {
    let place = rows.schema().with_role(Role::Subject).first().copied()?;
    Some(rows.column(place).as_categories()?.codes())
}

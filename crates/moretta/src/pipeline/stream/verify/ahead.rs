//! Which rows of a source must have been ahead of the clock when they came.
//!
//! Rows wait for the watermark, which follows the latest time that was read. A row that
//! is in the release did not come behind it. If it would have by the rows before it,
//! those of them that moved the watermark so far were turned away.

use super::rows::{Decided, Rows};
use super::{Inspect, open_release, places};
use crate::error::Result;
use crate::pipeline::stream::certificate::Row;
use crate::pipeline::stream::sources::{Sources, ladders};
use crate::protect::z_anonymity::Mode;
use foldhash::quality::RandomState;
use hashbrown::HashMap;
use std::collections::HashSet;
use std::hash::BuildHasher;

/// How often more of such rows are looked for.
const MOST_ROUNDS: usize = 8;

/// What is known to have been released.
enum Known {
    /// The certificate names the rows.
    Rows(HashSet<Row>),
    /// How often a time and a subject are in the release.
    Keys(HashMap<u64, u64, RandomState>, RandomState),
}

/// A row that came too late if nothing was turned away.
struct Late {
    /// How many rows were read before it.
    place: u64,
    id: u64,
    time: i64,
    key: u64,
}

/// The rows that were ahead of the clock if the release is right. Without a certificate
/// a late row is taken for a released one `surely`, when there are fewer other rows of its
/// time and subject than released ones, or else when there is a released one at all.
pub(super) fn ahead_of_clock(inspect: &Inspect<'_>, surely: bool) -> Result<HashSet<u64>> {
    let mut ahead = HashSet::new();
    // Without those that were found the sources are read in another order, which may show more.
    for _ in 0..MOST_ROUNDS {
        let late = late_and_released(inspect, &ahead, surely)?;
        let more = ahead_of(inspect, &ahead, &late)?;
        if more.is_empty() {
            break;
        }
        ahead.extend(more);
    }
    Ok(ahead)
}

/// The released rows that came too late if only the rows of `ahead` were turned away.
fn late_and_released(
    inspect: &Inspect<'_>,
    ahead: &HashSet<u64>,
    surely: bool,
) -> Result<Vec<Late>> {
    let mut rows = decided(inspect, ahead)?;
    if !rows.waits() {
        return Ok(Vec::new());
    }
    let mut known = known(inspect, &rows)?;
    let (mut late, mut read) = (Vec::new(), 0);
    while let Some(step) = rows.read()? {
        let first = step.batch.as_ref().map_or(0, |batch| batch.rows().get(0));
        if let Some(ordered) = step.ordered {
            let is_late = ordered.late;
            let ordered = rows.rows(ordered.batch)?;
            for (row, is_late) in is_late.into_iter().enumerate() {
                let (id, key) = (ordered.id(row), known.key(&ordered, row));
                match is_late {
                    true => late.push(Late {
                        place: read + (id - first),
                        id,
                        time: ordered.time(row),
                        key,
                    }),
                    false if surely => known.take(key),
                    false => {}
                }
            }
        }
        read += step.batch.map_or(0, |batch| batch.len() as u64);
    }
    late.retain(|row| known.has(row));
    Ok(late)
}

/// The rows that made others late.
fn ahead_of(inspect: &Inspect<'_>, ahead: &HashSet<u64>, late: &[Late]) -> Result<Vec<u64>> {
    let (mut least, mut bounds) = (i64::MAX, Vec::with_capacity(late.len()));
    for row in late.iter().rev() {
        least = least.min(row.time);
        bounds.push((row.place, least));
    }
    let mut found = Vec::new();
    if bounds.is_empty() {
        return Ok(found);
    }
    let lateness = match inspect.config.mode {
        Mode::Exact => inspect.config.lateness,
        Mode::ZeroDelay => 0,
    };
    let (mut rows, mut read) = (decided(inspect, ahead)?, 0);
    while let Some(step) = rows.read()? {
        let Some(batch) = step.batch else {
            continue;
        };
        for (row, time) in rows.times(&batch)?.into_iter().enumerate() {
            while bounds.last().is_some_and(|&(place, _)| place <= read) {
                bounds.pop();
            }
            read += 1;
            let id = batch.rows().get(row);
            match bounds.last() {
                None => return Ok(found),
                Some(&(_, least)) if time > least.saturating_add(lateness) => {
                    found.extend((!ahead.contains(&id)).then_some(id));
                }
                Some(_) => {}
            }
        }
    }
    Ok(found)
}

fn decided(inspect: &Inspect<'_>, ahead: &HashSet<u64>) -> Result<Decided> {
    let ladders = ladders(inspect.policy)?;
    let sources = Sources::open(inspect.policy, &ladders, inspect.progress)?;
    let places = places(inspect.config, sources.schema())?;
    Decided::new(
        inspect.policy,
        inspect.config,
        sources,
        places,
        ahead.clone(),
    )
}

/// Looks at the certificate, or else at the release.
fn known(inspect: &Inspect<'_>, rows: &Decided) -> Result<Known> {
    let (schema, places) = (rows.schema(), rows.places());
    if let Some(path) = inspect.certificate {
        let name = |&place: &usize| schema.fields()[place].name.to_string();
        let names: Vec<String> = places.attributes.iter().map(name).collect();
        return Ok(Known::Rows(inspect.lines(path, &names)?.into_rows()?));
    }
    let Inspect {
        policy,
        file,
        options,
        ..
    } = *inspect;
    let mut released = open_release(policy, file, options, schema, places)?;
    let (mut keys, state) = (HashMap::default(), RandomState::default());
    while let Some(time) = released.time() {
        let subject = released.subject();
        let subject = released.plain(subject).unwrap_or(subject);
        *keys.entry(state.hash_one((time, subject))).or_default() += 1;
        released.advance()?;
    }
    Ok(Known::Keys(keys, state))
}

impl Known {
    fn key(&self, rows: &Rows, row: usize) -> u64 {
        match self {
            Known::Rows(_) => 0,
            Known::Keys(keys, state) => {
                let key = |subject: &str| state.hash_one((rows.time(row), subject));
                let shown = key(rows.shown_subject(row).unwrap_or_default());
                // Where subjects are not released, their texts are empty.
                if keys.contains_key(&shown) {
                    shown
                } else {
                    key("")
                }
            }
        }
    }

    /// A row that was not late may be one of those in the release.
    fn take(&mut self, key: u64) {
        if let Known::Keys(keys, _) = self
            && let Some(count) = keys.get_mut(&key)
        {
            *count = count.saturating_sub(1);
        }
    }

    fn has(&mut self, row: &Late) -> bool {
        match self {
            Known::Rows(rows) => rows.contains(&Row::of(row.id)),
            Known::Keys(keys, _) => keys.get_mut(&row.key).is_some_and(|count| {
                let has = *count > 0;
                *count = count.saturating_sub(1);
                has
            }),
        }
    }
}

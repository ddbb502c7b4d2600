//! Counts again, row by row, whether enough users share what a stream releases.
//!
//! The checker sees every row that was decided, in the order of the decisions,
//! and what was released of it. It climbs the ladders itself and counts the users
//! of every label itself; nothing of the method that decided is used. A cell may
//! show only a label of its own row's value, and only one whose users, among the
//! rows so far and this one, number at least z: a user counts who showed it at
//! most a window before the row and not after it. Where rows are out of order,
//! users who showed it again after the row may not be counted; all others are. Users
//! whose names look the same to a reader are one.
//!
//! **Finds** a cell with too few users, a label that is not its row's, a row that
//! was released twice or never read, help of made-up rows that are not there.
//! **Does not find** that a row could have shown more, and does not look at
//! columns other than the attributes.
//!
//! **Costs** a note in a log a row and level, and 24 bytes for each exposure of
//! the window and level until repeated ones are dropped, then for each (label,
//! user) pair. Users are known by 64 bits that are drawn anew in each run; should
//! two share them, they count as one, which is too low.

mod exposures;
mod labels;

use crate::data::hierarchy::Ladder;
use crate::data::{Batch, Categories, MISSING, folded};
use crate::error::{Error, Result};
use exposures::{Exposure, Exposures};
use foldhash::quality::RandomState;
use hashbrown::HashMap;
use labels::{Labels, NO_LABEL};
use std::hash::BuildHasher;

/// Ids from here on are of rows that were made up.
const MADE_UP: u64 = 1 << 63;

/// Bits of a row id that tell its place in its source; those above tell the source.
const PLACE_BITS: u32 = 48;

/// What a cell shows of which nothing may be shown.
const HIDDEN: &str = "*";

/// A label of the release that no value has shown yet.
const NOT_LOOKED_UP: u32 = u32::MAX - 1;

/// Rows that were decided, and what was released of them.
pub struct Decided<'a> {
    /// Milliseconds since 1970 of each original row.
    pub times: &'a [i64],
    /// The rows in the order in which they were decided.
    pub original: &'a Batch,
    /// What was released of them, in their order and under their ids; ids from
    /// 2^63 on are of made-up rows, which may be anywhere.
    pub released: &'a Batch,
    /// The users that each attribute of each released row needs, row by row; 0
    /// where nothing is shown, at least 1 elsewhere. Not looked at for made-up rows.
    pub z: &'a [u32],
    /// How many made-up rows helped each released row; empty when none did.
    pub fakes: &'a [u32],
    /// The made-up rows are not among the released ones; they are shown to
    /// [`StreamChecker::settle`] when they leave.
    pub fakes_follow: bool,
    /// The place of the subject.
    pub subject: usize,
    /// The places of the attributes.
    pub attributes: &'a [usize],
    /// The place of the group, when groups are bounded.
    pub group: Option<usize>,
}

/// What was found in a stream that is right so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamFindings {
    /// Rows that were decided.
    pub decided: u64,
    /// Rows that were released, without the made-up ones.
    pub released: u64,
    /// Rows that were made up.
    pub made_up: u64,
    /// Cells that show something.
    pub cells: u64,
    /// Cells that made-up rows helped over z.
    pub faked: u64,
    /// The fewest users of a cell that was not helped.
    pub smallest_count: Option<u64>,
}

/// Counts the users of released cells again.
pub struct StreamChecker {
    ladders: Vec<Ladder>,
    labels: Labels,
    exposures: Exposures,
    /// The users that every cell needs, whatever is said of it.
    least: u32,
    /// The part of z that made-up rows may make up for.
    fakes_at_most: Option<(u32, u32)>,
    fingerprints: RandomState,
    findings: StreamFindings,
    /// Made-up rows that are still to leave, by label.
    owed: HashMap<Box<str>, u64, RandomState>,
    /// Rows that were decided and are still to leave, with a fingerprint of what they show.
    held: HashMap<u64, u64, RandomState>,
    /// The most specific label of each value of a batch, column by column.
    values: Vec<Vec<u32>>,
    /// The label that each code of a released column stands for.
    shown: Vec<Vec<u32>>,
}

impl StreamChecker {
    /// `window` is in milliseconds; there is one ladder for each attribute; of a
    /// group at most `group_at_most` users count.
    pub fn new(window: i64, ladders: Vec<Ladder>, group_at_most: Option<u32>) -> Self {
        StreamChecker {
            values: vec![Vec::new(); ladders.len()],
            shown: vec![Vec::new(); ladders.len()],
            ladders,
            labels: Labels::default(),
            exposures: Exposures::new(window, group_at_most),
            least: 1,
            fakes_at_most: None,
            fingerprints: RandomState::default(),
            findings: StreamFindings::default(),
            owed: HashMap::default(),
            held: HashMap::default(),
        }
    }

    /// Remembers users so much longer that rows may be behind the newest one by
    /// so many milliseconds and be released.
    pub fn with_lateness(mut self, lateness: i64) -> Self {
        self.exposures.set_lateness(lateness);
        self
    }

    /// Holds every cell to at least so many users, also where fewer are said to be needed.
    pub fn with_least(mut self, z: u32) -> Self {
        self.least = z.max(1);
        self
    }

    /// Lets made-up rows help a cell by z times this over that at most, and only one
    /// that shows its value; without it by any number.
    pub fn with_fakes_at_most(mut self, part: (u32, u32)) -> Self {
        self.fakes_at_most = Some(part);
        self
    }

    /// Takes rows in the order in which they were decided, and looks at what was
    /// released of them.
    ///
    /// # Errors
    /// `Error::guarantee` when a cell may not be released as it is; it names the
    /// row, the column, the rule and the counts.
    pub fn check(&mut self, seen: &Decided<'_>) -> Result<()> {
        let Rows {
            subject,
            group,
            original,
            released,
        } = self.read(seen)?;
        let mut users: Vec<Option<u64>> = vec![None; subject.levels().len()];
        let mut next = Released::new(seen);
        for (row, &time) in seen.times.iter().enumerate() {
            let id = seen.original.rows().get(row);
            let code = subject.codes()[row];
            if code == MISSING {
                continue;
            }
            let fingerprints = &self.fingerprints;
            let user = *users[code as usize]
                .get_or_insert_with(|| fingerprints.hash_one(folded(subject.levels().get(code))));
            let group = group.map(|column| column.get(row).map(folded));
            let exposure = Exposure {
                time,
                user,
                group: group.map_or(0, |group| fingerprints.hash_one(group)),
            };
            self.exposures.advance(user, time);
            self.expose(row, exposure, &original);
            if let Some(place) = next.take(id) {
                self.check_row(seen, row, place, time, &original, &released)?;
            }
        }
        next.finish()?;
        if seen.fakes_follow {
            self.hold(seen)?;
        }
        self.check_help(seen, &released)?;
        self.findings.decided += seen.times.len() as u64;
        self.findings.made_up += next.made_up;
        if let Some(keep) = self.exposures.sweep() {
            self.labels.retain(&keep);
        }
        Ok(())
    }

    /// Remembers what decided rows must show when they leave.
    fn hold(&mut self, seen: &Decided<'_>) -> Result<()> {
        let labels = seen.released.categories(seen.attributes[0])?;
        let users = seen.released.categories(seen.subject)?;
        for (place, id) in seen.released.rows().iter().enumerate() {
            let print = self
                .fingerprints
                .hash_one((users.get(place), labels.get(place)));
            self.held.insert(id, print);
        }
        Ok(())
    }

    /// Takes the rows that leave now, where they wait after they were decided. A
    /// made-up one must be owed to a row that left with too few users, and the
    /// others must show what was decided of them, once.
    ///
    /// # Errors
    /// `Error::guarantee` when a row leaves that may not.
    pub fn settle(&mut self, released: &Batch, subject: usize, attribute: usize) -> Result<()> {
        let (users, labels) = (
            released.categories(subject)?,
            released.categories(attribute)?,
        );
        for (place, id) in released.rows().iter().enumerate() {
            let (user, label) = (users.get(place), labels.get(place));
            let fault = if id >= MADE_UP {
                self.findings.made_up += 1;
                match self.owed.get_mut(label.unwrap_or_default()) {
                    Some(owed) if *owed > 0 => {
                        *owed -= 1;
                        None
                    }
                    _ => Some("a made-up row left that helps nobody"),
                }
            } else if self.held.remove(&id) == Some(self.fingerprints.hash_one((user, label))) {
                None
            } else {
                Some("a row left that was not decided so, or twice")
            };
            if let Some(fault) = fault {
                return Err(Error::guarantee(fault).help(HELP));
            }
        }
        self.owed.retain(|_, owed| *owed > 0);
        Ok(())
    }

    /// The stream has ended: nothing may wait or be owed any more.
    ///
    /// # Errors
    /// `Error::guarantee` when decided rows, or made-up rows that help others, have not left.
    pub fn finish(&self) -> Result<()> {
        if !self.held.is_empty() {
            let what = format!("{} rows that were decided have not left", self.held.len());
            return Err(Error::guarantee(what).help(HELP));
        }
        match self.owed.values().sum::<u64>() {
            0 => Ok(()),
            owed => Err(Error::guarantee(format!(
                "{owed} made-up rows that help others have not left"
            ))
            .help(HELP)),
        }
    }

    /// Rows that were released so far, without the made-up ones.
    pub fn released(&self) -> u64 {
        self.findings.released
    }

    /// What was found so far.
    pub fn findings(&self) -> StreamFindings {
        self.findings
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.labels.memory()
            + self.exposures.memory()
            + self.held.allocation_size()
            + self.owed.allocation_size()
    }

    /// The columns that matter.
    fn read<'a>(&mut self, seen: &Decided<'a>) -> Result<Rows<'a>> {
        let columns = seen.attributes.len();
        let lengths = [
            (seen.times.len(), seen.original.len()),
            (seen.z.len(), seen.released.len() * columns),
            (columns, self.ladders.len()),
        ];
        let helped = seen.fakes.is_empty() || seen.fakes.len() == seen.released.len();
        if lengths.iter().any(|(one, other)| one != other) || !helped {
            return Err(Error::bug("a checker was shown rows that do not fit"));
        }
        let all = |batch: &'a Batch| -> Result<Vec<&'a Categories>> {
            let places = seen.attributes.iter();
            places.map(|&place| batch.categories(place)).collect()
        };
        let rows = Rows {
            subject: seen.original.categories(seen.subject)?,
            group: seen
                .group
                .map(|place| seen.original.categories(place))
                .transpose()?,
            original: all(seen.original)?,
            released: all(seen.released)?,
        };
        for (column, values) in rows.original.iter().enumerate() {
            self.values[column].clear();
            self.values[column].resize(values.levels().len(), NOT_LOOKED_UP);
        }
        for (column, labels) in rows.released.iter().enumerate() {
            self.shown[column].clear();
            self.shown[column].resize(labels.levels().len(), NOT_LOOKED_UP);
        }
        Ok(rows)
    }

    /// Notes that a row's user shows every label of its values.
    fn expose(&mut self, row: usize, exposure: Exposure, original: &[&Categories]) {
        for (column, values) in original.iter().enumerate() {
            let leaf = self.leaf(column, values, row);
            for label in self.labels.upwards(leaf) {
                self.exposures.show(label, exposure);
            }
        }
    }

    /// The most specific label of the row's value.
    #[inline]
    fn leaf(&mut self, column: usize, values: &Categories, row: usize) -> u32 {
        let code = values.codes()[row];
        if code == MISSING {
            return NO_LABEL;
        }
        let known = self.values[column][code as usize];
        if known != NOT_LOOKED_UP {
            return known;
        }
        let value = values.levels().get(code);
        let leaf = self
            .labels
            .of_value(column as u32, &self.ladders[column], value);
        self.exposures.grow(self.labels.len());
        self.values[column][code as usize] = leaf;
        leaf
    }

    /// Checks every cell of a released row.
    fn check_row(
        &mut self,
        seen: &Decided<'_>,
        row: usize,
        place: usize,
        time: i64,
        original: &[&Categories],
        released: &[&Categories],
    ) -> Result<()> {
        let columns = released.len();
        let fakes = u64::from(seen.fakes.get(place).copied().unwrap_or(0));
        self.findings.released += 1;
        for column in 0..columns {
            let z = u64::from(seen.z[place * columns + column]);
            let labels = released[column];
            if z == 0 {
                match labels.get(place) {
                    None | Some(HIDDEN) => continue,
                    Some(_) => {
                        let what = "shows a value that nothing allows";
                        return Err(fault(seen, row, column, what));
                    }
                }
            }
            let z = z.max(u64::from(self.least));
            let leaf = self.leaf(column, original[column], row);
            let label = self.shown_label(column, labels, place);
            if label == NO_LABEL || !self.labels.upwards(leaf).any(|above| above == label) {
                let what = "shows a label that is not one of its value";
                return Err(fault(seen, row, column, what));
            }
            let too_many = |(top, bottom): (u32, u32)| {
                label != leaf || fakes * u64::from(bottom) > z * u64::from(top)
            };
            if fakes > 0 && self.fakes_at_most.is_some_and(too_many) {
                let what = format!("needs {z} users and may not be helped by {fakes} made-up rows");
                return Err(fault(seen, row, column, &what));
            }
            let enough = self.findings.smallest_count.unwrap_or(u64::MAX).max(z);
            let users = self.exposures.count(label, time, enough);
            if users + fakes < z {
                let help = match fakes {
                    0 => String::new(),
                    fakes => format!(" and {fakes} made-up rows"),
                };
                let what = format!("needs {z} users that share it and has {users}{help}");
                return Err(fault(seen, row, column, &what));
            }
            self.findings.cells += 1;
            if users >= z {
                let smallest = &mut self.findings.smallest_count;
                *smallest = Some(smallest.map_or(users, |least| least.min(users)));
            } else {
                self.findings.faked += 1;
            }
        }
        Ok(())
    }

    /// The label that a released cell shows; [`NO_LABEL`] when no value has it.
    #[inline]
    fn shown_label(&mut self, column: usize, labels: &Categories, place: usize) -> u32 {
        let code = labels.codes()[place];
        if code == MISSING {
            return NO_LABEL;
        }
        let known = self.shown[column][code as usize];
        if known != NOT_LOOKED_UP {
            return known;
        }
        let found = self.labels.find(column as u32, labels.levels().get(code));
        // Not found may change with a later row of the batch, so it is not kept.
        if let Some(label) = found {
            self.shown[column][code as usize] = label;
        }
        found.unwrap_or(NO_LABEL)
    }

    /// Checks that the made-up rows that are said to have helped are there, and
    /// show what those show whom they helped.
    fn check_help(&mut self, seen: &Decided<'_>, released: &[&Categories]) -> Result<()> {
        if seen.fakes.iter().all(|&fakes| fakes == 0) {
            return Ok(());
        }
        if seen.fakes_follow {
            for (place, &fakes) in seen
                .fakes
                .iter()
                .enumerate()
                .filter(|(_, fakes)| **fakes > 0)
            {
                let label = released[0].get(place).unwrap_or_default();
                *self.owed.entry(label.into()).or_default() += u64::from(fakes);
            }
            return Ok(());
        }
        let mut there: HashMap<Vec<Option<&str>>, u64, RandomState> = HashMap::default();
        let mut claimed = there.clone();
        for place in 0..seen.released.len() {
            let labels = released.iter().map(|column| column.get(place)).collect();
            if seen.released.rows().get(place) >= MADE_UP {
                *there.entry(labels).or_default() += 1;
            } else if seen.fakes[place] > 0 {
                *claimed.entry(labels).or_default() += u64::from(seen.fakes[place]);
            }
        }
        for (labels, claimed) in claimed {
            let there = there.get(&labels).copied().unwrap_or(0);
            if there < claimed {
                return Err(Error::guarantee(format!(
                    "{claimed} made-up rows are said to have helped a label that {there} of them show"
                ))
                .help(HELP));
            }
        }
        Ok(())
    }
}

/// The columns that matter.
struct Rows<'a> {
    subject: &'a Categories,
    group: Option<&'a Categories>,
    original: Vec<&'a Categories>,
    released: Vec<&'a Categories>,
}

/// Goes through the released rows beside the original ones.
struct Released<'a> {
    seen: &'a Decided<'a>,
    next: usize,
    made_up: u64,
}

impl<'a> Released<'a> {
    fn new(seen: &'a Decided<'a>) -> Self {
        let mut released = Released {
            seen,
            next: 0,
            made_up: 0,
        };
        released.skip_made_up();
        released
    }

    /// The place of the row with this id, if it is the next that was released.
    #[inline]
    fn take(&mut self, id: u64) -> Option<usize> {
        let place = self.next;
        if place >= self.seen.released.len() || self.seen.released.rows().get(place) != id {
            return None;
        }
        self.next += 1;
        self.skip_made_up();
        Some(place)
    }

    fn skip_made_up(&mut self) {
        let rows = self.seen.released.rows();
        while self.next < rows.len() && rows.get(self.next) >= MADE_UP {
            self.next += 1;
            self.made_up += 1;
        }
    }

    /// Fails when a released row is left that none of the decided ones is.
    fn finish(&self) -> Result<()> {
        let rows = self.seen.released.rows();
        if self.next == rows.len() {
            return Ok(());
        }
        Err(Error::guarantee(format!(
            "row {} was released twice, out of its order, or without having been decided",
            row_name(rows.get(self.next))
        ))
        .help(HELP))
    }
}

const HELP: &str = "nothing of this batch was written; please report it with the policy";

/// The number of a row in its source, from 1 on.
fn row_name(id: u64) -> String {
    let number = (id & ((1 << PLACE_BITS) - 1)) + 1;
    match id >> PLACE_BITS {
        0 => number.to_string(),
        source => format!("{number} of source {}", source + 1),
    }
}

fn fault(seen: &Decided<'_>, row: usize, column: usize, what: &str) -> Error {
    let name = &seen.original.schema().fields()[seen.attributes[column]].name;
    let row = row_name(seen.original.rows().get(row));
    Error::guarantee(format!("row {row}, column `{name}`: {what}")).help(HELP)
}

#[cfg(test)]
mod tests;

//! Groups that show the same are one class to a reader, and are judged as one.

use super::super::limits::Limits;
use super::{Group, Records};
use crate::error::Result;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The groups with those that show the same taken together. A class that misses the guarantee,
/// as can be of rare rows and where persons are counted, is joined with the nearest one.
pub(super) fn joined(records: &Records, limits: &Limits, groups: Vec<Group>) -> Result<Vec<Group>> {
    let mut classes = alike(groups);
    while classes.len() > 1 {
        records.cancel.check()?;
        let Some(failing) = classes.iter().position(|class| !limits.hold(&class.rows)) else {
            break;
        };
        let failing = classes.swap_remove(failing);
        let nearest = (0..classes.len()).min_by_key(|&i| records.apart(&classes[i], &failing));
        let with = nearest.map(|i| classes.swap_remove(i).rows);
        let mut rows: Vec<u32> = with.into_iter().flatten().chain(failing.rows).collect();
        rows.sort_unstable();
        classes.push(records.group(rows));
        classes = alike(classes);
    }
    Ok(classes)
}

/// One group for each that is shown, in the order of first appearance.
fn alike(groups: Vec<Group>) -> Vec<Group> {
    let mut places: HashMap<Vec<u32>, usize, FixedState> = HashMap::default();
    let mut classes: Vec<Group> = Vec::new();
    for group in groups {
        let place = *places.entry(group.shown.clone()).or_insert(classes.len());
        match classes.get_mut(place) {
            Some(class) => class.rows.extend(group.rows),
            None => classes.push(group),
        }
    }
    for class in &mut classes {
        class.rows.sort_unstable();
    }
    classes
}

impl Records {
    /// How far what two groups show is apart.
    fn apart(&self, a: &Group, b: &Group) -> u64 {
        let shown = a.shown.iter().zip(&b.shown).enumerate();
        shown
            .map(|(column, (&a, &b))| self.space.parts(column, a, b))
            .sum()
    }
}

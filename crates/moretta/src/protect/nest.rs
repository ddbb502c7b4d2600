//! What a release must lie inside of: one of the same rows that hides persons among more others.

use crate::data::coded::{Coded, classes};
use crate::data::{Batch, MISSING};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// What a release must lie inside of. Each class of the coarser release is then a union of its
/// own. Nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// The coarser releases, of the same rows. Where classes of one look alike that lie in several
    /// of another, they are told apart by both.
    pub within: Vec<Batch>,
    /// The lowest and the highest level that a column may have, where whole columns are recoded;
    /// beyond the top of a hierarchy its top is meant.
    pub levels: BTreeMap<String, (usize, usize)>,
}

impl Nest {
    /// The class in the coarser releases of each row of `table`, from 0 on, of rows that look
    /// alike in these columns; none where there is no such release.
    pub(super) fn classes(&self, table: &Batch, columns: &[&str]) -> Result<Option<Vec<u32>>> {
        let mut of_row: Option<Vec<u32>> = None;
        for coarser in &self.within {
            let more = classes_in(coarser, table, columns)?;
            of_row = Some(match of_row {
                None => more,
                Some(so_far) => classes(&[&so_far, &more], table.len()),
            });
        }
        Ok(of_row)
    }
}

/// The class in one coarser release of each row of `table`.
fn classes_in(coarser: &Batch, table: &Batch, columns: &[&str]) -> Result<Vec<u32>> {
    let places = columns.iter().map(|name| {
        let place = coarser.schema().index_of(name);
        place.ok_or_else(|| Error::bug(format!("no column `{name}` in the coarser release")))
    });
    let coded = places.map(|place| Ok(Coded::new(coarser, place?)));
    let coded = coded.collect::<Result<Vec<Coded>>>()?;
    let codes: Vec<&[u32]> = coded.iter().map(|column| &*column.codes).collect();
    let own = classes(&codes, coarser.len());
    let most = coarser.rows().iter().max().map_or(0, |id| id as usize + 1);
    let mut of_id = vec![MISSING; most];
    for (id, class) in coarser.rows().iter().zip(own) {
        of_id[id as usize] = class;
    }
    let found = table.rows().iter().map(|id| {
        let class = of_id.get(id as usize).copied();
        class.filter(|&class| class != MISSING)
    });
    let found: Option<Vec<u32>> = found.collect();
    found.ok_or_else(|| Error::bug("a coarser release does not have all rows of a finer one"))
}

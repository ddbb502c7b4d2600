//! What rows show in combinations, which of it is unsafe, and cells that are emptied for that.

use crate::data::{Batch, Column, MISSING, Role};
use crate::error::{Error, Result};
use crate::guarantee::Combination;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

/// The cells of a table as codes.
pub(super) struct Cells {
    sets: Vec<(Vec<usize>, u32)>,
    /// Column by column; missing where a cell says nothing.
    codes: Vec<Vec<u32>>,
    emptied: Vec<Vec<bool>>,
    persons: Option<Vec<u32>>,
    rows: usize,
}

impl Cells {
    /// Of the quasi-identifiers at these places of a table, which are shown later.
    pub(super) fn new(table: &Batch, quasi: &[usize], sets: Vec<Combination>) -> Result<Self> {
        let fields = table.schema().fields();
        let place = |name: &String| quasi.iter().position(|&i| *fields[i].name == **name);
        let set = |of: Combination| {
            let places: Option<Vec<usize>> = of.columns.iter().map(place).collect();
            let places = places.ok_or_else(|| Error::bug("a combination of other columns"))?;
            Ok((places, of.k))
        };
        let subject = table.schema().with_role(Role::Subject).first().copied();
        let persons = match subject.map(|place| table.column(place)) {
            None => None,
            Some(Column::Category(persons)) => Some(persons.codes().to_vec()),
            Some(_) => return Err(Error::bug("persons were not read as categories")),
        };
        Ok(Cells {
            sets: sets.into_iter().map(set).collect::<Result<_>>()?,
            codes: vec![Vec::new(); quasi.len()],
            emptied: vec![vec![false; table.len()]; quasi.len()],
            persons,
            rows: table.len(),
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// What a column shows.
    pub(super) fn show(&mut self, column: usize, codes: Vec<u32>) {
        self.codes[column] = codes;
    }

    /// A column shows what is above; at the top, nothing.
    pub(super) fn raise(
        &mut self,
        column: usize,
        above: &HashMap<u32, u32, FixedState>,
        top: bool,
    ) {
        for code in &mut self.codes[column] {
            *code = match top {
                true => MISSING,
                false => above.get(code).copied().unwrap_or(MISSING),
            };
        }
    }

    pub(super) fn is_emptied(&self, column: usize, row: usize) -> bool {
        self.emptied[column][row]
    }

    /// How many rows show something unsafe, and for each column how many pairs of a row and an
    /// unsafe combination it is in.
    pub(super) fn unsafe_pairs(&self) -> (usize, Vec<u64>) {
        let mut pairs = vec![0; self.codes.len()];
        let mut rows = vec![false; self.rows];
        for (unsafe_rows, (set, _)) in self.unsafe_rows().into_iter().zip(&self.sets) {
            for &column in set {
                pairs[column] += unsafe_rows.len() as u64;
            }
            unsafe_rows
                .iter()
                .for_each(|&row| rows[row as usize] = true);
        }
        (
            rows.into_iter().filter(|&is_unsafe| is_unsafe).count(),
            pairs,
        )
    }

    /// Empties cells until no row shows what is unsafe now; false if nothing is. What others show
    /// may become rare by that.
    pub(super) fn empty_unsafe(&mut self, weights: &[f64]) -> bool {
        let mut of_row: HashMap<u32, Vec<usize>, FixedState> = HashMap::default();
        for (set, rows) in self.unsafe_rows().into_iter().enumerate() {
            rows.iter()
                .for_each(|&row| of_row.entry(row).or_default().push(set));
        }
        if of_row.is_empty() {
            return false;
        }
        let entropies: Vec<f64> = self.codes.par_iter().map(|codes| entropy(codes)).collect();
        for (row, mut open) in of_row {
            while !open.is_empty() {
                let column = self.worst(&open, weights, &entropies);
                self.codes[column][row as usize] = MISSING;
                self.emptied[column][row as usize] = true;
                open.retain(|&set| !self.sets[set].0.contains(&column));
            }
        }
        true
    }

    /// The column that is in most of these sets.
    fn worst(&self, open: &[usize], weights: &[f64], entropies: &[f64]) -> usize {
        let mut counts = vec![0_u32; self.codes.len()];
        for &set in open {
            self.sets[set]
                .0
                .iter()
                .for_each(|&column| counts[column] += 1);
        }
        let order = |&a: &usize, &b: &usize| {
            let count = counts[a].cmp(&counts[b]);
            let weight = weights[b].total_cmp(&weights[a]);
            let entropy = entropies[b].total_cmp(&entropies[a]);
            count.then(weight).then(entropy).then(b.cmp(&a))
        };
        (0..counts.len()).max_by(order).unwrap_or(0)
    }

    /// For each combination the rows that show something unsafe in it.
    fn unsafe_rows(&self) -> Vec<Vec<u32>> {
        self.sets
            .par_iter()
            .map(|(set, k)| self.rare(set, *k))
            .collect()
    }

    fn rare(&self, set: &[usize], k: u32) -> Vec<u32> {
        let key = |row: usize| -> Option<u128> {
            set.iter()
                .try_fold(0, |key: u128, &column| match self.codes[column][row] {
                    MISSING => None,
                    code => Some(key << 32 | u128::from(code)),
                })
        };
        let mut counts: HashMap<u128, u32, FixedState> = HashMap::default();
        let mut seen: HashSet<(u128, u32), FixedState> = HashSet::default();
        for row in 0..self.rows {
            if let Some(key) = key(row) {
                let persons = self.persons.as_ref();
                let is_new = persons.is_none_or(|persons| seen.insert((key, persons[row])));
                *counts.entry(key).or_default() += u32::from(is_new);
            }
        }
        let is_rare = |&row: &u32| key(row as usize).is_some_and(|key| counts[&key] < k);
        (0..self.rows as u32).filter(is_rare).collect()
    }
}

/// -Σ p log2 p of the codes that are present.
fn entropy(codes: &[u32]) -> f64 {
    let mut counts: HashMap<u32, u64, FixedState> = HashMap::default();
    for &code in codes.iter().filter(|&&code| code != MISSING) {
        *counts.entry(code).or_default() += 1;
    }
    // In one order, so that the sum is the same each time.
    let mut counts: Vec<u64> = counts.into_values().collect();
    counts.sort_unstable();
    let all = counts.iter().sum::<u64>() as f64;
    let term = |&count: &u64| {
        let share = count as f64 / all;
        -share * share.log2()
    };
    counts.iter().map(term).sum()
}

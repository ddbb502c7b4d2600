//! The names of nodes, by which edges know the rows of the node table, and the secret order in
//! which the rows go through their session.
//!
//! Methods, and the order of a release, treat rows that are equal by their place in the input:
//! that is harmless where they are interchangeable, but edges tell them apart. So the rows are
//! put into the order of a hash of their names under a seed first, and neither who is in which
//! group nor the number of a node follows from the order of the file.

use crate::data::{Batch, LevelsBuilder, RowIds, Schema};
use crate::engine::Progress;
use crate::engine::masked::secret_seed;
use crate::error::{Error, Result};
use crate::io::Source;
use crate::pipeline::inputs::node_table;
use crate::policy::{GraphPolicy, Policy};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The names of the nodes, and where each is in the secret order.
pub(in crate::pipeline) struct Names {
    /// In the order of the file.
    names: LevelsBuilder,
    /// The row of the file at each place of the secret order, and the other way round.
    rows: Arc<[u32]>,
    places: Vec<u32>,
    /// What chance is drawn from.
    pub(super) seed: u64,
}

impl Names {
    /// Reads the node column of the source, and nothing else of it.
    ///
    /// # Errors
    /// When a row has no name, or two have one.
    pub(in crate::pipeline) fn read(
        policy: &Policy,
        graph: &GraphPolicy,
        progress: &Progress,
    ) -> Result<Self> {
        let mut names = LevelsBuilder::default();
        let (mut rows, mut nameless, mut repeated) = (0, 0u64, 0u64);
        for batch in node_table(policy, &graph.node, progress)? {
            let batch = batch?;
            let place = batch.schema().index_of(&graph.node);
            let place = place.ok_or_else(|| Error::bug("the node column was not read"))?;
            let column = batch.categories(place)?;
            for row in 0..column.len() {
                match column.get(row) {
                    None => nameless += 1,
                    Some(name) if names.intern(name) != rows => repeated += 1,
                    Some(_) => rows += 1,
                }
            }
        }
        let refused = |count: u64, what: &str, help: &str| {
            let error = Error::input(format!("{count} {what}")).in_column(graph.node.as_str());
            Err(error.in_file(&policy.source.path).help(help))
        };
        match (nameless, repeated) {
            (1.., _) => refused(nameless, "nodes without a name", "give each node a name"),
            (0, 1..) => refused(
                repeated,
                "nodes whose name another one has",
                "a node is one row of the node table; take repeated ones out",
            ),
            (0, 0) => {
                let seed = policy.plan.seed.map_or_else(secret_seed, Ok)?;
                Ok(Names::mixed(names, seed))
            }
        }
    }

    fn mixed(names: LevelsBuilder, seed: u64) -> Self {
        let mut rows: Vec<u32> = (0..names.len() as u32).collect();
        let secret = |&row: &u32| -> [u8; 32] {
            let mut hash = Sha256::new();
            hash.update(seed.to_le_bytes());
            hash.update(names.levels().get(row));
            hash.finalize().into()
        };
        rows.sort_by_cached_key(secret);
        let mut places = vec![0; rows.len()];
        for (place, &row) in (0..).zip(&rows) {
            places[row as usize] = place;
        }
        Names {
            rows: rows.into(),
            names,
            places,
            seed,
        }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// The place of the node called `name` in the secret order.
    pub(super) fn place(&self, name: &str) -> Option<u32> {
        let row = self.names.find(name)?;
        Some(self.places[row as usize])
    }

    /// The row of the file at a place of the secret order.
    pub(super) fn row(&self, place: u64) -> Option<u64> {
        self.rows.get(place as usize).map(|&row| u64::from(row))
    }

    /// The node table in the secret order; ids are places of it.
    pub(in crate::pipeline) fn mix(&self, source: Box<dyn Source>) -> Box<dyn Source> {
        Box::new(Mixed {
            rows: Some(Arc::clone(&self.rows)),
            source,
        })
    }
}

/// A table whose rows are put into another order.
struct Mixed {
    source: Box<dyn Source>,
    /// None once they were given.
    rows: Option<Arc<[u32]>>,
}

impl Mixed {
    fn all(&mut self, rows: &[u32]) -> Result<Batch> {
        let schema = Arc::clone(self.source.schema());
        let batches = self.source.by_ref().collect::<Result<Vec<Batch>>>()?;
        let table = Batch::concat(&schema, batches)?;
        if table.len() != rows.len() {
            return Err(Error::input("the node table has changed while it was read"));
        }
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        Batch::new(schema, ids, table.take(rows)?.columns().to_vec())
    }
}

impl Iterator for Mixed {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let rows = self.rows.take()?;
        Some(self.all(&rows))
    }
}

impl Source for Mixed {
    fn schema(&self) -> &Arc<Schema> {
        self.source.schema()
    }

    fn notes(&self) -> Vec<String> {
        self.source.notes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str], seed: u64) -> Names {
        let mut names = LevelsBuilder::default();
        texts.iter().for_each(|text| {
            names.intern(text);
        });
        Names::mixed(names, seed)
    }

    #[test]
    fn the_secret_order_follows_from_names_and_seed_alone() {
        let order = |texts: &[&str], seed| -> Vec<String> {
            let names = names(texts, seed);
            let row = |place| names.row(place).expect("a row") as usize;
            (0..texts.len() as u64)
                .map(|place| texts[row(place)].to_owned())
                .collect()
        };
        let texts = ["ada", "bea", "cleo", "dora", "eve"];
        let turned = ["eve", "cleo", "ada", "dora", "bea"];
        assert_eq!(order(&texts, 1), order(&turned, 1));
        let orders: std::collections::BTreeSet<_> = (0..20).map(|s| order(&texts, s)).collect();
        assert!(orders.len() > 10);
        let named = names(&texts, 3);
        for text in texts {
            let place = named.place(text).expect("a node");
            let row = named.row(u64::from(place)).expect("a row");
            assert_eq!(texts[row as usize], text);
        }
        assert_eq!(named.place("nobody"), None);
    }
}

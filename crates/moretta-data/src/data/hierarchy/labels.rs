//! What one level of a hierarchy calls each leaf, before the tree is made.

use crate::data::levels::LevelsBuilder;

/// One slot for each leaf, in the order the leaves were given: a code into the
/// names of the level's nodes, which are numbered by first appearance.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    pub(super) codes: Vec<u32>,
    pub(super) names: LevelsBuilder,
}

impl Labels {
    /// The same label for all of `len` leaves.
    pub(super) fn constant(label: &str, len: usize) -> Self {
        let mut names = LevelsBuilder::default();
        names.intern(label);
        Labels {
            codes: vec![0; len],
            names,
        }
    }

    /// Each leaf is called by its key; `write` puts the label of a key into an
    /// empty text. Neighbours with equal keys cost no label.
    pub(super) fn by_key<K: PartialEq>(
        keys: impl IntoIterator<Item = K>,
        mut write: impl FnMut(&K, &mut String),
    ) -> Self {
        let mut labels = Labels::default();
        let mut text = String::new();
        let mut last: Option<(K, u32)> = None;
        for key in keys {
            let code = match last {
                Some((same, code)) if same == key => code,
                _ => {
                    text.clear();
                    write(&key, &mut text);
                    labels.names.intern(&text)
                }
            };
            labels.codes.push(code);
            last = Some((key, code));
        }
        labels
    }

    /// Calls the next leaf `label`.
    pub(super) fn push(&mut self, label: &str) {
        self.codes.push(self.names.intern(label));
    }

    /// How many leaves there are.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// How many distinct labels there are.
    pub(super) fn node_count(&self) -> usize {
        self.names.len()
    }

    /// What leaf `row` is called.
    pub(super) fn name(&self, row: usize) -> &str {
        self.names.levels().get(self.codes[row])
    }

    /// The same labels for the leaves in another order.
    pub(super) fn in_order(self, order: &[u32]) -> Self {
        if is_identity(order) {
            return self;
        }
        let mut new_code = vec![u32::MAX; self.node_count()];
        let mut names = LevelsBuilder::default();
        let codes = order
            .iter()
            .map(|&row| {
                let old = self.codes[row as usize];
                let new = &mut new_code[old as usize];
                if *new == u32::MAX {
                    *new = names.intern(self.names.levels().get(old));
                }
                *new
            })
            .collect();
        Labels { codes, names }
    }
}

impl<S: AsRef<str>> FromIterator<S> for Labels {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let mut labels = Labels::default();
        for text in texts {
            labels.push(text.as_ref());
        }
        labels
    }
}

/// The order of the leaves in which every node is a run: siblings by first appearance.
pub(super) fn tree_order(levels: &[Labels]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..levels.first().map_or(0, Labels::len) as u32).collect();
    for level in levels {
        let code = |&row: &u32| level.codes[row as usize];
        if !order.is_sorted_by_key(code) {
            order = stable_sort(&order, level.node_count(), code);
        }
    }
    order
}

/// Counting sort, so that the order of a million leaves takes linear time.
fn stable_sort(rows: &[u32], keys: usize, key: impl Fn(&u32) -> u32) -> Vec<u32> {
    let mut next = vec![0_usize; keys + 1];
    for row in rows {
        next[key(row) as usize + 1] += 1;
    }
    for i in 0..keys {
        next[i + 1] += next[i];
    }
    let mut sorted = vec![0; rows.len()];
    for row in rows {
        let place = &mut next[key(row) as usize];
        sorted[*place] = *row;
        *place += 1;
    }
    sorted
}

fn is_identity(order: &[u32]) -> bool {
    order.iter().enumerate().all(|(i, &row)| i == row as usize)
}

/// Whether the leaves already stand in tree order.
pub(super) fn in_tree_order(levels: &[Labels]) -> bool {
    is_identity(&tree_order(levels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tree_order_is_the_order_of_the_chains_read_from_the_top(
            rows in proptest::collection::vec((0..4_u8, 0..4_u8, 0..4_u8), 0..40),
        ) {
            let level = |pick: fn(&(u8, u8, u8)) -> u8| {
                rows.iter().map(|row| pick(row).to_string()).collect::<Labels>()
            };
            let levels = [level(|r| r.0), level(|r| r.1), level(|r| r.2)];
            let mut slow: Vec<u32> = (0..rows.len() as u32).collect();
            slow.sort_by_key(|&row| {
                [2, 1, 0].map(|level: usize| levels[level].codes[row as usize])
            });
            prop_assert_eq!(tree_order(&levels), slow);
        }
    }

    #[test]
    fn another_order_keeps_each_leaf_its_name() {
        let labels: Labels = ["a", "b", "a", "c"].iter().collect();
        let turned = labels.in_order(&[3, 2, 1, 0]);
        let names: Vec<&str> = (0..4).map(|row| turned.name(row)).collect();
        assert_eq!(names, ["c", "a", "b", "a"]);
        assert_eq!(turned.codes, [0, 1, 2, 1]);
    }
}

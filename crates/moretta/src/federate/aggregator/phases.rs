//! Whether the sources of a trouble node tell keys first, or keys and values at once.
//!
//! With keys first a source sends values of agreed records only, and is told which these are: for
//! each of them one more key. Of the records that sources forward they agree on a share a, so it is
//! shorter iff g < f·(1/a - 1), where g bits tell a key and f bits the values of a source. Keys are
//! places in a batch of m records, so g is ⌈log2 m⌉; f is the mean over the sources. Frames
//! themselves and what they leave out of equal rows are not counted.
//!
//! It is decided for all nodes whenever the hierarchy changes. Where it does not, an epoch is
//! begun for it once the last is as long as a window: by then the agreement is a new one.

use super::Aggregator;
use crate::federate::nodes::width_of;
use crate::federate::ratio::Ratio;
use crate::federate::terms::Phases;
use crate::federate::topology::{Node, Topology};

/// Bits of a value.
const VALUE: u128 = 64;

impl Aggregator {
    /// Says of all nodes whether keys go first.
    pub(super) fn decide_phases(&self, topology: &mut Topology) {
        let nodes = topology.nodes.iter();
        let two: Vec<bool> = nodes
            .map(|node| self.is_two_phase(topology, node))
            .collect();
        for (node, two) in topology.nodes.iter_mut().zip(two) {
            node.two_phase = two;
        }
    }

    /// Whether a new epoch should begin since other phases are shorter for a node.
    pub(super) fn changes_phases(&self, newest: &Topology) -> bool {
        let batches = self.below.saturating_sub(newest.first_batch);
        let is_old =
            batches.saturating_mul(u64::from(self.terms.batch)) >= self.terms.window as u64;
        let changes = |node: &Node| node.two_phase != self.is_two_phase(newest, node);
        is_old && newest.nodes.iter().any(changes)
    }

    fn is_two_phase(&self, topology: &Topology, node: &Node) -> bool {
        let Some(trouble) = &self.terms.trouble else {
            return true;
        };
        let agreement = self.agreements_told.get(&node.id);
        match (trouble.phases, agreement) {
            (Phases::Auto, Some(&agreement)) if trouble.allows_phases(false) => {
                let values = |&source: &u16| width_of(topology, node, source);
                let values = node.sources.iter().map(values).sum();
                keys_first_are_shorter(self.terms.batch, node.sources.len(), values, agreement)
            }
            _ => trouble.allows_phases(true),
        }
    }
}

/// g < f·(1/a - 1) in whole numbers, of so many sources with so many values together.
fn keys_first_are_shorter(batch: u32, sources: usize, values: usize, agreement: Ratio) -> bool {
    let key = u128::from(u32::BITS - batch.saturating_sub(1).leading_zeros());
    let (agreed, of) = (u128::from(agreement.part), u128::from(agreement.over));
    let keys = sources as u128 * key * agreed;
    keys < values as u128 * VALUE * of.saturating_sub(agreed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 256 records a key has 8 bits, and a value has 64: at 8/9 both are as long.
    #[test]
    fn keys_first_are_shorter_where_few_records_are_agreed_on() {
        let check = |batch, sources, values, agreement: (u32, u32), expected: bool| {
            let agreement = Ratio::new(agreement.0, agreement.1);
            let found = keys_first_are_shorter(batch, sources, values, agreement);
            assert_eq!(found, expected, "{batch} {sources} {values} {agreement:?}");
        };
        check(256, 2, 2, (0, 1), true);
        check(256, 2, 2, (887, 1000), true);
        check(256, 2, 2, (8, 9), false);
        check(256, 2, 2, (889, 1000), false);
        check(256, 2, 2, (1, 1), false);
        // One bit more of a key, or one source more for the same values.
        check(257, 2, 2, (887, 1000), false);
        check(256, 3, 2, (887, 1000), false);
        // 5 columns are 320 bits: 320/328.
        check(256, 4, 20, (975, 1000), true);
        check(256, 4, 20, (976, 1000), false);
        // The place in a batch of one takes no bit.
        check(1, 2, 2, (999, 1000), true);
        check(1, 2, 2, (1, 1), false);
        // Sources that give nothing, and a node that says more than can be.
        check(256, 2, 0, (1, 2), false);
        check(256, 2, 2, (9, 8), false);
        check(4096, 1024, 1 << 20, (u32::MAX - 1, u32::MAX), false);
    }
}

//! Nested releases of one table: which plans can have them, and the plan of each.

use super::{Conflict, Level, Plan};
use crate::error::{Error, Result};

impl Plan {
    /// The plan of each level alone, from the least to the most protected.
    pub(crate) fn of_levels(&self) -> Vec<Plan> {
        self.levels.iter().map(|level| self.at(level)).collect()
    }

    /// The plan of one level alone: the same promises with its k.
    pub(crate) fn at(&self, level: &Level) -> Plan {
        let mut plan = self.clone();
        plan.levels.clear();
        plan.guarantee.k = Some(level.k);
        for method in &mut plan.protect {
            *method = method.promising(level.k);
        }
        plan
    }

    /// Refuses levels that nobody can nest.
    pub(super) fn check_levels(&self) -> Result<()> {
        if self.levels.is_empty() {
            return Ok(());
        }
        let stages = self.stages();
        if self.is_stream() || stages.len() != 1 || stages[0].method.nests().is_none() {
            return Err(Error::policy(
                "[levels] are releases of a table by one method that can make finer classes inside of coarser ones",
            )
            .help("use mondrian (strict), lattice (optimal or heuristic, not cuts) or microaggregation alone; recoding may stand before the first two"));
        }
        let mut maskings = self.maskings();
        let parts = maskings.find_map(|masking| masking.parts());
        if parts.is_some_and(|parts| parts.len() > 1) {
            return Err(Error::policy(
                "[levels] promise k of all columns together, and `groups` keep it in each list only",
            )
            .help("take `groups` or [levels] out"));
        }
        let held = self.ledger;
        if held.is_some_and(|held| held.growth || held.on_conflict == Conflict::Coarsen) {
            return Err(Error::policy(
                "classes that a ledger has joined or kept would not be nested",
            )
            .help("with [levels] use on_conflict = \"refuse\" without growth"));
        }
        Ok(())
    }
}

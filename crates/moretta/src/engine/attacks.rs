//! Attacks on the rows that leave, as measures.

use super::context::Context;
use super::plan::Plan;
use crate::attack::table::{ATTACKS, ReleasedTable};
use crate::data::{Batch, Domains};
use crate::error::Result;

/// What attacks get of a release: those that the plan names, or all where a report is made. Row
/// `i` of `released` was made from row `places[i]` of the originals.
pub(super) fn attacks(
    plan: &Plan,
    context: &Context,
    released: &Batch,
    originals: (&Batch, &[u32]),
    domains: &Domains,
    persons: Option<&[u32]>,
) -> Result<Vec<(&'static str, f64)>> {
    let wanted = |name: &str| context.measure_all || plan.measures(name);
    if !ATTACKS.iter().any(|attack| wanted(attack.name)) {
        return Ok(Vec::new());
    }
    let (people, places) = originals;
    let persons: Option<Vec<u32>> = persons.map(|persons| {
        let person = |&place: &u32| persons[place as usize];
        places.iter().map(person).collect()
    });
    let table = ReleasedTable::new(released, domains, persons.as_deref())?;
    let table = table.made_from(people, places);
    let mut told = Vec::new();
    for attack in ATTACKS.iter().filter(|attack| wanted(attack.name)) {
        context.cancel.check()?;
        told.extend((attack.run)(&table).map(|evidence| (attack.name, evidence.share)));
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{LIST, Of};

    #[test]
    fn every_attack_on_a_table_is_a_measure() {
        let measured = LIST.iter().filter(|info| matches!(info.of, Of::Attacks));
        let measured: Vec<&str> = measured.map(|info| info.name).collect();
        let attacks: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        assert_eq!(measured, attacks);
    }
}

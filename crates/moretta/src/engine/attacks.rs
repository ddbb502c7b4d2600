//! Attacks on the rows that leave, as measures.

use super::context::Context;
use super::plan::Plan;
use crate::attack::table::{ATTACKS, Most, ReleasedTable, Rules};
use crate::data::{Batch, Domains};
use crate::error::Result;
use crate::guarantee::{ColumnPromise, Diversity, Sensitivity};
use crate::protect::Method;

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
    let table = table.made_from(people, places).made_by(rules(plan));
    let mut told = Vec::new();
    for attack in ATTACKS.iter().filter(|attack| wanted(attack.name)) {
        context.cancel.check()?;
        told.extend((attack.run)(&table).map(|evidence| (attack.name, evidence.share)));
    }
    Ok(told)
}

/// What everybody may know of how the plan makes its release.
pub(crate) fn rules(plan: &Plan) -> Rules {
    let refused = plan.protect.iter().find_map(|method| match method {
        Method::Mondrian(mondrian) => Some(mondrian.refuse),
        _ => None,
    });
    let most = plan.guarantee.of_columns().filter_map(|promise| {
        let most = match promise {
            ColumnPromise::L(l) => match l.kind {
                Diversity::Distinct if l.l >= 2.0 => Most::NotAll,
                Diversity::Recursive { c } if l.l == 2.0 => Most::Share(c / (1.0 + c)),
                _ => return None,
            },
            ColumnPromise::P(p) if p.kind == Sensitivity::Distinct && p.p >= 2 => Most::NotAll,
            ColumnPromise::Beta(beta) => Most::Gain(beta.beta),
            _ => return None,
        };
        Some((promise.column().to_owned(), most))
    });
    Rules {
        k: plan.guarantee.class_size().unwrap_or(1),
        refused,
        most: most.collect(),
    }
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

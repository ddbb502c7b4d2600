//! Background knowledge: who can exclude some values for a person is left with one.
//!
//! A class with d sensitive values gives a person's away to an attacker who knows of d - 1 of them
//! that the person has not got them: a colleague is known to be healthy, men have no breast
//! cancer. The measure takes an attacker who can exclude any one value; the evidence also tells of
//! those who can exclude two and three.
//!
//! **From** Machanavajjhala and others, l-Diversity: privacy beyond k-anonymity, ICDE 2006.

use super::homogeneity::worst_column;
use super::{Evidence, ReleasedTable, TableAttack};

/// The attack.
pub const ATTACK: TableAttack = TableAttack {
    name: "background_knowledge",
    knows: "the quasi-identifiers of a person in the release, and a sensitive value that it has not",
    way_out: "promise an l, or p, of more values, or t of the column",
    run,
};

/// Values that attackers can exclude.
const EXCLUDED: std::ops::RangeInclusive<usize> = 2..=3;

fn run(table: &ReleasedTable) -> Option<Evidence> {
    let mut evidence = worst_column(table, &ATTACK, 2)?;
    evidence.details = EXCLUDED
        .filter_map(|excluded| {
            let more = worst_column(table, &ATTACK, excluded + 1)?;
            let share = more.share * 100.0;
            Some(format!(
                "who can exclude {excluded} values learns {share:.1} %"
            ))
        })
        .collect();
    Some(evidence)
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;

    #[test]
    fn classes_of_two_values_are_open_to_who_can_exclude_one() {
        let found = run(&table("aaabbbcccc", "xxyxyzwxyz")).expect("a sensitive column");
        assert_eq!((found.succeeds, found.of, found.classes), (3, 10, 1));
        let learns = |n: usize| found.details[n].ends_with(["learns 60.0 %", "learns 100.0 %"][n]);
        assert!(learns(0) && learns(1), "{:?}", found.details);
    }
}

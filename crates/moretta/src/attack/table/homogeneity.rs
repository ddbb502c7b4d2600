//! Homogeneity: all rows of a class have one sensitive value, so that who knows that a person is
//! in the class knows the value, however large the class is.
//!
//! Succeeds for every person of a class with one value; where a value is missing, or suppressed,
//! nothing is certain. It is told of the sensitive column in which it gets most.
//!
//! **From** Machanavajjhala and others, l-Diversity: privacy beyond k-anonymity, ICDE 2006.

use super::{Evidence, ReleasedTable, TableAttack};

/// The attack.
pub const ATTACK: TableAttack = TableAttack {
    name: "homogeneity",
    knows: "the quasi-identifiers of a person in the release",
    way_out: "promise l, p, t, beta or delta of the column",
    run,
};

fn run(table: &ReleasedTable) -> Option<Evidence> {
    worst_column(table, &ATTACK, 1)
}

/// Persons of classes with at most `most` values, of the column that has most of them.
pub(super) fn worst_column(
    table: &ReleasedTable,
    attack: &TableAttack,
    most: usize,
) -> Option<Evidence> {
    let of = table.persons_in_classes();
    let columns = table.sensitive.iter().map(|(name, values)| {
        let counts = table.distinct_values(values);
        let open =
            |&(count, _): &(&Option<usize>, &u32)| count.is_some_and(|c| 1 <= c && c <= most);
        let found: Vec<u64> = (counts.iter().zip(&table.sizes).filter(open))
            .map(|(_, &size)| u64::from(size))
            .collect();
        Evidence {
            classes: found.len() as u64,
            column: Some(name.clone()),
            ..attack.evidence("persons", found.iter().sum(), of)
        }
    });
    columns.reduce(|worst, other| match other.succeeds > worst.succeeds {
        true => other,
        false => worst,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;

    #[test]
    fn a_class_of_one_value_gives_it_away() {
        let found = run(&table("aaabbbcc", "xxxxyxx-")).expect("a sensitive column");
        assert_eq!((found.succeeds, found.of, found.classes), (3, 8, 1));
        assert_eq!(found.column.as_deref(), Some("s"));
        assert!(run(&table("aabb", "xyxy")).is_some_and(|found| found.share == 0.0));
        assert!(run(&table("", "")).is_some_and(|found| found.share == 0.0));
    }

    #[test]
    fn what_looks_alike_is_one_value_and_a_star_is_none() {
        let found = run(&table("aabb", "xXx*")).expect("a sensitive column");
        assert_eq!((found.succeeds, found.classes), (2, 1));
    }
}

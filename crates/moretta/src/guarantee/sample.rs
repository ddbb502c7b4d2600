//! Whether a sample holds persons whole: each with all rows, or with none.

use crate::data::Categories;

/// How many persons are in a sample with a part of their rows; `drawn` tells of each row whether it
/// is in it. Rows without a person are those of one.
pub fn torn_persons(persons: &Categories, drawn: &[bool]) -> u64 {
    let nobody = persons.levels().len();
    let mut rows = vec![(0_u64, 0_u64); nobody + 1];
    for (&code, &drawn) in persons.codes().iter().zip(drawn) {
        let (all, in_sample) = &mut rows[nobody.min(code as usize)];
        *all += 1;
        *in_sample += u64::from(drawn);
    }
    let torn = |(all, drawn): &&(u64, u64)| *drawn > 0 && drawn < all;
    rows.iter().filter(torn).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_with_some_rows_in_the_sample_and_some_not_is_found() {
        let persons = [
            Some("ann"),
            Some("bob"),
            Some("ann"),
            None,
            Some("cid"),
            None,
        ];
        let persons: Categories = persons.into_iter().collect();
        for (drawn, torn) in [
            ([true, false, true, false, true, false], 0),
            ([false; 6], 0),
            ([true; 6], 0),
            ([true, false, false, false, true, false], 1),
            ([false, true, true, true, false, true], 1),
            ([true, true, false, true, true, false], 2),
        ] {
            assert_eq!(torn_persons(&persons, &drawn), torn, "{drawn:?}");
        }
    }
}

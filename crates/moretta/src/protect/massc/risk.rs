//! How risky rows are: by the number of persons with the same identifying values.

use super::RISKS;
use crate::data::Column;
use crate::protect::generalization::class_of_rows;

/// Classes of rows with the same identifying values, and the risk of each.
pub(super) struct Risks {
    /// The class of each row.
    pub(super) class_of: Vec<u32>,
    /// The risk of each class.
    pub(super) of_class: Vec<u32>,
}

impl Risks {
    /// Classes of fewer than `rare` persons are rare, those of one unique.
    pub(super) fn new(
        columns: &[&Column],
        persons: Option<&[u32]>,
        rows: usize,
        rare: usize,
    ) -> Self {
        let (class_of, classes) = class_of_rows(columns.iter().copied(), rows);
        let sizes = sizes(&class_of, classes, persons);
        let risk = |&size: &usize| match size {
            0 | 1 => 0,
            size if size < rare => 1,
            _ => 2,
        };
        Risks {
            class_of,
            of_class: sizes.iter().map(risk).collect(),
        }
    }

    /// The risk of each row: the highest of the rows of its person.
    pub(super) fn of_persons(&self, persons: Option<&[u32]>) -> Vec<u32> {
        let own = self
            .class_of
            .iter()
            .map(|&class| self.of_class[class as usize]);
        let mut risks: Vec<u32> = own.collect();
        let Some(persons) = persons else {
            return risks;
        };
        let place = |code: u32| code.checked_add(1).map_or(0, |place| place as usize);
        let codes = persons.iter().map(|&code| place(code)).max();
        let mut highest = vec![RISKS as u32 - 1; codes.map_or(0, |last| last + 1)];
        for (&person, &risk) in persons.iter().zip(&risks) {
            let highest = &mut highest[place(person)];
            *highest = risk.min(*highest);
        }
        for (risk, &person) in risks.iter_mut().zip(persons) {
            *risk = highest[place(person)];
        }
        risks
    }
}

/// The persons, or else the rows, of each class.
fn sizes(class_of: &[u32], classes: usize, persons: Option<&[u32]>) -> Vec<usize> {
    let mut sizes = vec![0; classes];
    match persons {
        None => class_of
            .iter()
            .for_each(|&class| sizes[class as usize] += 1),
        Some(persons) => {
            let pairs = class_of.iter().copied().zip(persons.iter().copied());
            let mut pairs: Vec<(u32, u32)> = pairs.collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs
                .iter()
                .for_each(|&(class, _)| sizes[class as usize] += 1);
        }
    }
    sizes
}

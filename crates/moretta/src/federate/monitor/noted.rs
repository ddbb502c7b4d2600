//! Records that monitors will take together: of each the answers to the same questions.

/// Records that are noted at most: batches that are settled late are many.
const MOST: usize = 4096;
/// Answers that are, of all records together: where sources are asked much, of fewer records.
const MOST_ANSWERS: usize = 1 << 22;

/// The records.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    numbers: Vec<u64>,
    answers: Vec<Option<bool>>,
}

impl Noted {
    /// Notes a record; until all are cleared each has as many answers.
    pub(super) fn note(&mut self, record: u64, answers: impl Iterator<Item = Option<bool>>) {
        self.numbers.push(record);
        self.answers.extend(answers);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether they should be taken before another one is noted.
    pub(super) fn is_full(&self) -> bool {
        self.numbers.len() >= MOST || self.answers.len() >= MOST_ANSWERS
    }

    /// Number and answers of each record, in order.
    pub(super) fn records(&self) -> impl Iterator<Item = (u64, &[Option<bool>])> {
        let width = self.answers.len() / self.numbers.len().max(1);
        let numbers = self.numbers.iter().enumerate();
        numbers.map(move |(at, &number)| (number, &self.answers[at * width..(at + 1) * width]))
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.answers.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_their_own_answers() {
        let mut noted = Noted::default();
        assert_eq!(noted.records().count(), 0);
        noted.note(3, [Some(true), None].into_iter());
        noted.note(7, [Some(false), Some(true)].into_iter());
        let found: Vec<_> = noted.records().collect();
        assert_eq!(found[0], (3, &[Some(true), None][..]));
        assert_eq!(found[1], (7, &[Some(false), Some(true)][..]));
        noted.clear();
        noted.note(9, std::iter::empty());
        assert_eq!(noted.records().collect::<Vec<_>>(), [(9, &[][..])]);
    }

    #[test]
    fn of_many_answers_fewer_records_are_noted() {
        for (answers, most) in [(1, 4096), (1024, 4096), (40_000, 105)] {
            let mut noted = Noted::default();
            let told = || std::iter::repeat_n(Some(true), answers);
            let full = (1..=4096).find(|&record| {
                noted.note(record, told());
                noted.is_full()
            });
            assert_eq!(full, Some(most), "{answers}");
        }
    }
}

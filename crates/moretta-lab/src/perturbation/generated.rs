//! The two streams of the study that MOA generates.
//!
//! Values are rounded to six decimals: the published streams went through files of such.

use super::data_sets::{Rows, gathered};
use moretta::Result;
use moretta_generate::moa::{ConceptDrift, Generator, RandomRbf, RandomRbfDrift, Sea};

/// RBF-F of the theses.
pub(super) fn random_rbf(records: usize) -> Result<Rows> {
    let rbf = RandomRbf {
        classes: 5,
        ..RandomRbf::default()
    };
    let drift = RandomRbfDrift {
        rbf,
        speed: 0.001,
        ..RandomRbfDrift::default()
    };
    Ok(generated(&mut drift.generator()?, records))
}

/// SEA-A of the theses.
pub(super) fn abrupt_sea(records: usize) -> Result<Rows> {
    let concept = |function| -> Result<Box<dyn Generator>> {
        let sea = Sea {
            function,
            ..Sea::default()
        };
        Ok(Box::new(sea.generator()?))
    };
    let drift = |position, from, to| -> Result<Box<dyn Generator>> {
        let drift = ConceptDrift {
            position,
            width: 1.0,
            ..ConceptDrift::default()
        };
        Ok(Box::new(drift.generator(from, to)?))
    };
    let first = drift(25_000.0, concept(1)?, concept(2)?)?;
    let second = drift(25_000.0, concept(3)?, concept(4)?)?;
    Ok(generated(&mut *drift(50_000.0, first, second)?, records))
}

fn generated(generator: &mut dyn Generator, records: usize) -> Rows {
    let width = generator.header().attributes.len();
    let mut record = vec![0.0; width];
    let six_decimals = |value: &f64| (value * 1e6).round() / 1e6;
    let row = |_| {
        let class = generator.next(&mut record);
        (record.iter().map(six_decimals).collect(), class)
    };
    gathered(width, (0..records).map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_concepts_of_sea_replay_the_same_records() {
        let (records, classes) = abrupt_sea(50_010).expect("sound");
        assert_eq!(classes.len(), 50_010);
        for row in 0..10 {
            // The second drift starts the third concept, whose first record is that of the first.
            assert_eq!(records.record(row), records.record(50_000 + row), "{row}");
        }
    }

    #[test]
    fn values_have_six_decimals() {
        let (records, _) = random_rbf(50).expect("sound");
        for value in records.iter().flatten() {
            let millionths = value * 1e6;
            assert!((millionths - millionths.round()).abs() < 1e-6, "{value}");
        }
    }
}

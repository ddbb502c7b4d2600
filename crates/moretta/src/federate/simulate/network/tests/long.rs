//! A stream that is long for its faults.

use super::*;
use crate::federate::simulate::RecordStream;
use sha2::{Digest, Sha256};

const BATCH: u64 = 256;

/// Records that are made when they are asked for.
struct Generated(u64);

fn value(record: u64, column: u64) -> f64 {
    let mut mixed = record.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ column.wrapping_mul(0xbf58_476d);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

fn class(record: u64) -> u32 {
    let sum: f64 = (0..4).map(|column| value(record, column)).sum();
    u32::from(sum > 2.0)
}

impl RecordStream for Generated {
    fn batches(&self) -> u64 {
        self.0
    }

    fn rows(&self, party: PartyId, batch: u64) -> Rows {
        let numbers = batch * BATCH..(batch + 1) * BATCH;
        let mut rows = Rows {
            batch,
            keys: batch,
            ..Rows::default()
        };
        if party.is_site() {
            rows.records = Records::new(1);
            let column = u64::from(party.0);
            numbers.for_each(|number| rows.records.push(&[value(number, column)]));
        } else {
            rows.classes = numbers.map(class).collect();
        }
        rows
    }
}

/// A sum of all answers, and how many are right.
#[derive(Default)]
struct Summary {
    sum: Sha256,
    records: u64,
    right: u64,
}

impl Watch for Summary {
    fn answer(&mut self, batch: u64, finals: &[Final]) {
        self.sum.update(bytes(finals));
        self.records += finals.len() as u64;
        let records = (batch * BATCH..).zip(finals);
        self.right += records
            .filter(|(record, answer)| answer.class == class(*record))
            .count() as u64;
    }
}

/// Answers with faults must be those without. Gives the greatest checkpoint in bytes.
fn check(kind: Option<FragmentKind>, batches: u64) -> usize {
    let mut case = Case::new(Rule::Vote, kind, BATCH as u32, 1, 1);
    if let Some(trouble) = &mut case.terms.trouble {
        trouble.learner = "nb".to_owned();
    }
    let run = |weather: Weather| {
        let weather = Weather {
            keeps_answers: false,
            ..weather
        };
        let (terms, stream) = (case.terms.clone(), Box::new(Generated(batches)));
        let network = Network::over(terms, case.sources(), stream, weather, Summary::default());
        network.run().expect("journals that can be opened")
    };
    let (whole, expected) = run(Weather::good(1));
    let bad = Weather {
        kill_share: 0.0005,
        ..Weather::bad(1)
    };
    let (run, found) = run(bad);
    for (run, found) in [(&whole, &expected), (&run, &found)] {
        assert!(run.failure.is_none(), "{:?}", run.failure);
        assert_eq!((run.answered, found.records), (batches, batches * BATCH));
        assert!(
            run.greatest_checkpoint < 2 << 20,
            "{}",
            run.greatest_checkpoint
        );
        assert!(run.most_in_flight < 10_000, "{}", run.most_in_flight);
    }
    assert!(run.kills > 20 && run.lost > 1000, "{} kills", run.kills);
    assert!(found.right > found.records * 6 / 10);
    assert_eq!(found.sum.finalize(), expected.sum.finalize());
    run.greatest_checkpoint
}

#[test]
fn a_million_records_with_faults_are_answered_as_without() {
    let long = option_env!("MORETTA_LONG").is_some();
    let records = if long { 1_000_000_000_u64 } else { 1_000_000 };
    check(None, records.div_ceil(BATCH));
}

#[test]
fn a_changing_hierarchy_takes_no_more_memory_with_time() {
    // Sums of the last 1,024 batches are remembered; from then on nothing grows.
    let (short, long) = [1100, 2200]
        .map(|batches| check(Some(FragmentKind::Raw), batches))
        .into();
    assert!(long < short + short / 10, "{short} bytes, then {long}");
}

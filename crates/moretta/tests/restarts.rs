//! Where a random walk starts anew, an attacker who sees it gains: cumulative noise of a
//! stream that drifts, attacked with and without that knowledge.

use moretta::attack::reconstruction::{Blur, Optimizer, Restarts, Stream, StudySettings, study};
use moretta::data::Records;
use moretta::math::java_random::JavaRandom;
use moretta::protect::random_projection::{Noise, RandomProjection, Reset};
use moretta::protect::{Filter, Masked, MaskedColumn};
use std::collections::BTreeMap;

/// Even features, all of which lie higher in every other part of the stream.
fn drifting(rows: usize, part: usize) -> Records {
    let mut random = JavaRandom::new(4);
    let mut records = Records::new(4);
    for row in 0..rows {
        let shift = if (row / part) % 2 == 0 { 0.0 } else { 0.5 };
        let record: Vec<f64> = (0..4).map(|_| shift + 0.5 * random.next_double()).collect();
        records.push(&record);
    }
    records
}

#[test]
fn an_attacker_who_sees_restarts_gets_more() {
    let records = drifting(4_000, 400);
    let names: Vec<String> = (0..4).map(|place| format!("x{place}")).collect();
    let config = RandomProjection {
        k: None,
        noise: Noise::Cumulative,
        sigma: 0.1,
        records: 1,
        reset: Some(Reset::Drift { delta: 0.002 }),
        translation: 0.0,
        bounds: BTreeMap::new(),
        categories: BTreeMap::new(),
        buffer: None,
        columns: None,
    };
    let mut filter = config
        .build(&MaskedColumn::numbers(&names), 7)
        .expect("built");
    filter.note_starts();
    let mut masked = Masked::new(4);
    for record in records.iter() {
        filter.push(record, &mut masked).expect("projected");
    }
    filter.finish(&mut masked).expect("done");
    let mut inputs = Records::new(4);
    let mut features = Vec::new();
    for record in records.iter() {
        let encoded = filter.features().encode(record, &mut features);
        encoded.expect("numbers");
        inputs.push(&features);
    }
    // One start for each of the ten parts, soon after it began.
    let starts = filter.starts();
    assert_eq!(starts.len(), 10, "{starts:?}");
    assert!(starts.iter().all(|start| start % 400 < 80), "{starts:?}");
    let breach = |reset| {
        let stream = Stream {
            inputs: &inputs,
            outputs: masked.records(),
            blur: Blur::Cumulative {
                deviation: config.deviation(),
                reset,
            },
            translated: false,
        };
        let settings = StudySettings {
            known: 3,
            attacks: 80,
            epsilon: 0.5,
            optimizer: Optimizer::Lbfgs,
            starts: 3,
            accuracy: None,
            seed: 1,
        };
        let study = study(&stream, &settings).expect("enough records");
        let mut attacks = study.attacks.into_iter();
        let marginal = attacks.find(|one| one.attack == "marginal");
        marginal.expect("tried").breach
    };
    let (blind, seeing) = (breach(None), breach(Some(Restarts::At(starts))));
    assert!(seeing > blind + 0.02, "{seeing} {blind}");
}

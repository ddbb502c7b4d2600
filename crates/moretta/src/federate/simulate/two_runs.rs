//! What a node learns that has recorded two runs over other records of the same sites.

use super::{Process, SiteSource};
use crate::data::Records;
use crate::federate::frame::{Body, decode};
use crate::federate::{
    Column, FragmentKind, Phases, Range, Ratio, Rule, Sharing, Terms, TroubleTerms,
};
use crate::math::java_random::JavaRandom;
use std::collections::{BTreeMap, BTreeSet};

const RECORDS: usize = 64;

/// The masked words of a run, by site and batch.
type Words = BTreeMap<(u16, u64), Vec<u64>>;

/// Three sites of one column and a node over all of them, to which every record is forwarded.
fn run(values: &[[f64; 3]], secrets: [u8; 3]) -> Words {
    let mut terms = Terms::of_study(3, 2, Rule::Vote).with_trouble(Ratio::new(1000, 1));
    terms.federation = [7; 32];
    terms.batch = 8;
    let trouble = terms.trouble.take();
    terms.trouble = trouble.map(|trouble| TroubleTerms {
        learner: "nb".to_owned(),
        group: 3,
        fragments: FragmentKind::Masked,
        phases: Phases::Two,
        noise: 0.05,
        colluders: 1,
        fixed: true,
        ..trouble
    });
    let source = |site: usize| {
        let mut records = Records::new(1);
        values
            .iter()
            .for_each(|record| records.push(&record[site..=site]));
        SiteSource {
            columns: vec![Column {
                id: site as u64,
                size: 1,
                values: 0,
            }],
            learner: "nb".to_owned(),
            records,
            sharing: Sharing {
                seed: [secrets[site]; 32],
                ranges: vec![Some(Range::Bounds(0.0, 1.0))],
            },
        }
    };
    let classes = (0..values.len()).map(|at| at as u32 % 2).collect();
    let process = Process::new(terms, (0..3).map(source).collect(), classes);
    let outcome = process.expect("parties").recording().run().expect("a run");
    let mut words = Words::new();
    for frame in outcome.frames {
        if let Ok((header, Body::Masked(masked))) = decode(&frame.bytes) {
            words.insert((masked.source, header.batch), masked.words);
        }
    }
    words
}

fn records(seed: i64) -> Vec<[f64; 3]> {
    let mut random = JavaRandom::new(seed);
    let record = |_| std::array::from_fn(|_| random.next_double());
    (0..RECORDS).map(record).collect()
}

/// Differences of words of one site at one place, as the numbers that they would be.
fn differences(first: &Words, second: &Words) -> Vec<f64> {
    assert!(first.keys().eq(second.keys()));
    let pairs = first.values().flatten().zip(second.values().flatten());
    pairs
        .map(|(a, b)| a.wrapping_sub(*b) as i64 as f64 / 2_f64.powi(32))
        .collect()
}

#[test]
fn two_runs_tell_a_node_nothing_since_each_has_its_own_secrets() {
    let (first, mut second) = (records(1), records(2));
    // One person has the same value at site 1 in both runs.
    second[5][1] = first[5][1];
    let known = run(&first, [1, 2, 3]);
    assert_eq!(known.len(), 3 * RECORDS / 8);
    let width = known[&(0, 0)].len() / 8;

    // Had a site the same secret in both runs, pads and noise would cancel: what is left is the
    // difference of two projections, 0 where the values are equal.
    let same = run(&second, [1, 2, 3]);
    let told = differences(&known, &same);
    assert!(told.iter().all(|difference| difference.abs() < 100.0));
    let of_site_1 = known[&(1, 0)].iter().zip(&same[&(1, 0)]);
    let equal: Vec<usize> = of_site_1
        .enumerate()
        .filter(|(_, (a, b))| a == b)
        .map(|(at, _)| at)
        .collect();
    assert_eq!(equal, (5 * width..6 * width).collect::<Vec<_>>());

    let fresh = run(&second, [4, 5, 6]);
    let told = differences(&known, &fresh);
    // Uniform over 2³² numbers: one in twenty million is that small.
    assert!(told.iter().all(|difference| difference.abs() > 100.0));
    let words: Vec<u64> = known
        .values()
        .chain(fresh.values())
        .flatten()
        .copied()
        .collect();
    let distinct: BTreeSet<u64> = words.iter().copied().collect();
    assert_eq!(distinct.len(), words.len(), "no masked word comes twice");
}

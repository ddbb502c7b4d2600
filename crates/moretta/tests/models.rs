//! Models that were saved go on as if they had not been, and no damaged file does harm.

use moretta::data::Levels;
use moretta::learn::{
    AdaptiveRandomForest, Criterion, Draw, Header, HoeffdingAdaptiveTree, HoeffdingTree, LEARNERS,
    LeafPrediction, Learner, Meaning, Model, NearestNeighbours, OnlineBagging, Vocabulary, build,
};
use moretta::math::java_random::JavaRandom;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::path::Path;

fn levels(texts: &[&str]) -> Levels {
    texts.iter().collect()
}

/// Two numbers, two categories and an order; three classes.
fn vocabulary() -> Vocabulary {
    let colours = levels(&["red", "green", "blue"]);
    let columns = vec![
        ("x".to_owned(), Meaning::Number),
        ("colour".to_owned(), Meaning::Nominal(colours)),
        ("day".to_owned(), Meaning::Date),
        ("yes".to_owned(), Meaning::Nominal(levels(&["y", "n"]))),
        ("size".to_owned(), Meaning::Ordered(levels(&["s", "l"]))),
    ];
    Vocabulary::new(columns, "kind".to_owned(), levels(&["a", "b", "c"])).expect("small")
}

/// What tells the class changes every 400 records; one value in 15 is missing, some are
/// unknown or out of all measure.
struct Stream {
    random: JavaRandom,
    at: usize,
}

impl Stream {
    fn new(seed: i64) -> Self {
        let random = JavaRandom::new(seed);
        Stream { random, at: 0 }
    }
}

impl Iterator for Stream {
    type Item = (Vec<f64>, u32);

    fn next(&mut self) -> Option<Self::Item> {
        let random = &mut self.random;
        let mut record = vec![
            random.next_gaussian(),
            f64::from(random.next_int_below(3)),
            random.next_double() * 1000.0,
            f64::from(random.next_int_below(2)),
            f64::from(random.next_int_below(2)),
        ];
        let class = match self.at / 400 % 2 {
            0 => u32::from(record[0] > 0.0) + u32::from(record[1] > 1.0),
            _ => u32::from(record[2] < 400.0) + record[3] as u32,
        };
        if random.next_int_below(15) == 0 {
            let odd = [f64::NAN, f64::NAN, 1e200, f64::INFINITY, -3.0];
            let place = random.next_int_below(5) as usize;
            record[place] = odd[random.next_int_below(5) as usize];
        }
        self.at += 1;
        Some((record, class))
    }
}

/// Every learner of the list, and some whose options are not the default.
fn learners(header: &Header, seed: u64) -> Vec<(String, Box<dyn Learner>)> {
    let listed = LEARNERS.iter().map(|info| {
        let learner = build(info.name, header, seed).expect("it is in the list");
        (info.name.to_owned(), learner)
    });
    let eager = HoeffdingTree {
        grace_period: 30.0,
        split_confidence: 0.3,
        tie_threshold: 0.3,
        ..HoeffdingTree::default()
    };
    let bound = HoeffdingTree {
        memory_limit: 9000,
        subspace: Some(2),
        draw: Draw::Of2017,
        binary_splits: true,
        criterion: Criterion::Gini,
        leaf: LeafPrediction::NaiveBayes,
        ..eager
    };
    let again = HoeffdingTree {
        resplit: true,
        ..eager
    };
    let forest = AdaptiveRandomForest {
        trees: 3,
        tree: eager,
        warning: 0.3,
        drift: 0.1,
        ..AdaptiveRandomForest::of_moa_2017()
    };
    let bagging = OnlineBagging {
        copies: 2,
        lambda: 6.0,
        tree: bound,
    };
    let neighbours = NearestNeighbours { k: 3, window: 50 };
    let adaptive = HoeffdingAdaptiveTree { tree: eager };
    let own: Vec<(&str, Box<dyn Learner>)> = vec![
        (
            "eager ht",
            Box::new(eager.build(header, seed).expect("sound")),
        ),
        (
            "bound ht",
            Box::new(bound.build(header, seed).expect("sound")),
        ),
        (
            "eager hat",
            Box::new(adaptive.build(header, seed).expect("sound")),
        ),
        (
            "bound bagging",
            Box::new(bagging.build(header, seed).expect("sound")),
        ),
        (
            "eager arf",
            Box::new(forest.build(header, seed).expect("sound")),
        ),
        (
            "short knn",
            Box::new(neighbours.build(header).expect("sound")),
        ),
        (
            "resplit ht",
            Box::new(again.build(header, seed).expect("sound")),
        ),
    ];
    let own = own
        .into_iter()
        .map(|(name, learner)| (name.to_owned(), learner));
    listed.chain(own).collect()
}

fn saved(learner: &dyn Learner) -> Vec<u8> {
    Model::save(learner, &vocabulary(), true).expect("every learner can be saved")
}

fn votes(learner: &dyn Learner, record: &[f64]) -> Vec<u64> {
    let mut votes = Vec::new();
    learner.predict(record, &mut votes);
    votes.into_iter().map(f64::to_bits).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn loaded_models_go_on_bit_for_bit(
        seed in 0_u64..1000,
        before in prop_oneof![0_usize..60, 300_usize..1300],
        after in 500_usize..900,
    ) {
        let vocabulary = vocabulary();
        for (name, mut learner) in learners(vocabulary.header(), seed) {
            let mut stream = Stream::new(seed as i64);
            for (record, class) in stream.by_ref().take(before) {
                learner.learn(&record, class);
            }
            let bytes = saved(&*learner);
            let model = Model::load(&bytes).expect("as saved");
            prop_assert!(name.ends_with(model.name()));
            prop_assert!(model.vocabulary == vocabulary && model.from_originals);
            let mut loaded = model.learner;
            prop_assert!(saved(&*loaded) == bytes, "{} is saved otherwise", name);
            for (at, (record, class)) in stream.take(after).enumerate() {
                let (ours, theirs) = (votes(&*learner, &record), votes(&*loaded, &record));
                prop_assert_eq!(ours, theirs, "{} after {} + {}", name, before, at);
                learner.learn(&record, class);
                loaded.learn(&record, class);
            }
            prop_assert!(saved(&*learner) == saved(&*loaded), "{} differs in the end", name);
        }
    }
}

/// The error of a file that cannot be loaded.
fn refused(bytes: &[u8]) -> String {
    let error = Model::load(bytes).expect_err("a damaged model");
    assert_eq!(error.exit_code(), 4, "{error}");
    error.to_string()
}

fn with_sum(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 32;
    let sum = Sha256::digest(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum);
    bytes
}

fn small(name: &str) -> Vec<u8> {
    let mut learner = build(name, vocabulary().header(), 1).expect("listed");
    for (record, class) in Stream::new(1).take(450) {
        learner.learn(&record, class);
    }
    saved(&*learner)
}

#[test]
fn a_damaged_file_is_told_apart_from_a_newer_one_and_from_none_of_ours() {
    let bytes = small("nb");
    for cut in [8, 12, 20, 21, bytes.len() - 33, bytes.len() - 1] {
        assert!(refused(&bytes[..cut]).contains("cut short"), "{cut}");
    }
    assert!(refused(&[]).contains("no model"));
    assert!(refused(b"x,colour,kind\n1,red,a\n").contains("no model"));
    assert!(refused(&[&bytes[..], b"\n"].concat()).contains("follows"));
    for place in 20..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        assert!(refused(&changed).contains("changed"), "{place}");
    }
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert!(refused(&with_sum(newer)).contains("version 2"));
}

#[test]
fn what_one_learner_knows_is_nothing_to_another() {
    for info in LEARNERS {
        let bytes = small(info.name);
        for other in LEARNERS.iter().filter(|other| other.name != info.name) {
            // The body begins with the name and its length.
            let mut changed = bytes[..12].to_vec();
            let rest = &bytes[28 + info.name.len()..bytes.len() - 32];
            let length = (8 + other.name.len() + rest.len()) as u64;
            changed.extend_from_slice(&length.to_le_bytes());
            changed.extend_from_slice(&(other.name.len() as u64).to_le_bytes());
            changed.extend_from_slice(other.name.as_bytes());
            changed.extend_from_slice(rest);
            changed.extend_from_slice(&[0; 32]);
            let loaded = Model::load(&with_sum(changed));
            // Both linear learners hold the same numbers.
            let linear = ["perceptron", "logistic"];
            let alike = linear.contains(&info.name) && linear.contains(&other.name);
            assert_eq!(loaded.is_ok(), alike, "{} as {}", info.name, other.name);
        }
    }
}

/// Uses whatever was loaded.
fn exercise(bytes: &[u8]) {
    let Ok(mut model) = Model::load(bytes) else {
        return;
    };
    let width = model.vocabulary.header().attributes().len();
    let mut votes = Vec::new();
    for (mut record, class) in Stream::new(5).take(60) {
        record.resize(width, 1.0);
        model.learner.predict(&record, &mut votes);
        assert_eq!(votes.len(), model.vocabulary.header().classes());
        model.learner.learn(&record, class);
    }
    let again = Model::save(&*model.learner, &model.vocabulary, true).expect("it can be saved");
    Model::load(&again).expect("what was saved can be loaded");
}

#[test]
fn a_count_at_its_end_is_saved_so_that_it_loads_again() {
    let most = (1_u64 << 53).to_le_bytes();
    let mut counts = 0;
    for name in ["logistic", "perceptron", "arf", "hat"] {
        let bytes = small(name);
        // A stream of 450 records was counted somewhere.
        let counted = |&place: &usize| bytes[place..place + 8] == 450_u64.to_le_bytes();
        for place in (20..bytes.len() - 40).filter(counted).take(3) {
            let mut crafted = bytes.clone();
            crafted[place..place + 8].copy_from_slice(&most);
            let crafted = with_sum(crafted);
            counts += usize::from(Model::load(&crafted).is_ok());
            exercise(&crafted);
        }
    }
    assert!(counts >= 3, "{counts}");
}

#[test]
fn crafted_files_give_an_error_or_a_learner_that_predicts() {
    for info in LEARNERS {
        let bytes = small(info.name);
        let mut random = JavaRandom::new(9);
        let end = (bytes.len() - 32) as i32;
        for _ in 0..150 {
            let mut crafted = bytes.clone();
            for _ in 0..1 + random.next_int_below(3) {
                let place = 20 + random.next_int_below(end - 20) as usize;
                crafted[place] = match random.next_int_below(4) {
                    0 => 0,
                    1 => 0xff,
                    _ => crafted[place] ^ 1 << random.next_int_below(8),
                };
            }
            exercise(&with_sum(crafted));
        }
        for _ in 0..30 {
            let cut = 21 + random.next_int_below(end - 21) as usize;
            let mut crafted = bytes[..cut].to_vec();
            let length = (cut - 20) as u64;
            crafted[12..20].copy_from_slice(&length.to_le_bytes());
            crafted.extend_from_slice(&[0; 32]);
            refused(&with_sum(crafted));
        }
    }
}

/// Every number of the start, where lengths and options are, is made huge in turn.
#[test]
fn crafted_lengths_allocate_nothing() {
    for info in LEARNERS {
        let bytes = small(info.name);
        for place in 20..(bytes.len() - 40).min(500) {
            let huge: u64 = [u64::MAX, 1 << 40, 1 << 31][place % 3];
            let mut crafted = bytes.clone();
            crafted[place..place + 8].copy_from_slice(&huge.to_le_bytes());
            exercise(&with_sum(crafted));
        }
    }
}

/// A tree of one number and one category, after 12 records.
fn kept() -> Vec<u8> {
    let columns = vec![
        ("x".to_owned(), Meaning::Number),
        (
            "colour".to_owned(),
            Meaning::Nominal(levels(&["red", "blue"])),
        ),
    ];
    let vocabulary = Vocabulary::new(columns, "kind".to_owned(), levels(&["low", "high"]));
    let vocabulary = vocabulary.expect("small");
    let mut tree = build("ht", vocabulary.header(), 1).expect("listed");
    for n in 0..12 {
        tree.learn(
            &[f64::from(n * 5 % 12), f64::from(n % 2)],
            u32::from(n * 5 % 12 > 5),
        );
    }
    Model::save(&*tree, &vocabulary, false).expect("it can be saved")
}

/// The number of bytes and the sum of every learner after 900 records, and of one that starts
/// again by each detector. Weights of linear learners are as exact as the machine's exponential
/// function: they are saved before the first record.
fn layout() -> String {
    let vocabulary = vocabulary();
    let mut learners = learners(vocabulary.header(), 3);
    for detector in ["adwin", "ddm", "eddm", "page-hinkley", "kswin"] {
        let name = format!("drift(detector={detector})");
        let learner = build(&name, vocabulary.header(), 3).expect("listed");
        learners.push((name, learner));
    }
    let lines = learners.into_iter().map(|(name, mut learner)| {
        let records = match &*name {
            "perceptron" | "logistic" => 0,
            _ => 900,
        };
        for (record, class) in Stream::new(3).take(records) {
            learner.learn(&record, class);
        }
        let bytes = saved(&*learner);
        let sum = Sha256::digest(&bytes)[..8].to_vec();
        format!("{name}: {} bytes, {sum:02x?}\n", bytes.len())
    });
    lines.collect()
}

/// Compares with a file that is kept beside this test; see below.
#[test]
fn every_learner_is_written_as_ever() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/layout-v1.txt");
    if std::env::var_os("MORETTA_REFRESH").is_some() {
        std::fs::write(&path, layout()).expect("written");
    }
    let kept = std::fs::read_to_string(&path).expect("it is kept beside this test");
    assert_eq!(layout(), kept);
}

/// When this fails the layout has changed: then raise the version, go on reading this
/// one, and keep a file of the new one, which `MORETTA_REFRESH=1` writes.
#[test]
fn a_file_of_version_1_is_read_and_written_as_ever() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/ht-v1.model");
    if std::env::var_os("MORETTA_REFRESH").is_some() {
        std::fs::write(&path, kept()).expect("written");
    }
    let bytes = std::fs::read(&path).expect("it is kept beside this test");
    assert!(bytes.len() < 600, "{}", bytes.len());
    assert!(bytes == kept(), "the layout has changed");
    let model = Model::load(&bytes).expect("of version 1");
    assert_eq!((model.name(), model.from_originals), ("ht", false));
    assert_eq!(model.vocabulary.class(), "kind");
    assert_eq!(model.vocabulary.classes().find("high"), Some(1));
    let mut votes = Vec::new();
    model.learner.predict(&[2.0, 0.0], &mut votes);
    assert!(votes[0] > votes[1], "{votes:?}");
}

//! Learners reach the accuracies that MOA reaches on the same streams.
//!
//! Each record is predicted before it is learnt. Figures of today's MOA count all
//! records; those of the forest of MOA 17.06 skip the first 1000. The example
//! `learners` of the library prints the whole table.

mod support;

use moretta::io::ReadOptions;
use moretta::learn::prequential::{Schedule, ScoreSettings};
use moretta::learn::{self, Header, Input, predicted};
use moretta::pipeline;
use moretta_generate::moa::RandomRbf;
use support::{Stream, eye_states, moving_rbf, occupancy, sea, shared, wall_following_robot};

fn check(stream: &Stream, learner: &str, skipped: usize, moa: f64, within: f64) {
    let accuracy = accuracy(stream, learner, skipped);
    assert!(
        (accuracy - moa).abs() <= within,
        "{learner}: {accuracy} for {moa}"
    );
}

/// In percent, after the first records.
fn accuracy(stream: &Stream, learner: &str, skipped: usize) -> f64 {
    let mut learner = learn::build(learner, &stream.header, 1).expect("sound options");
    let mut votes = Vec::new();
    learner.predict_then_learn(&stream.records, &stream.classes, &mut votes);
    let votes = votes.chunks_exact(stream.header.classes()).map(predicted);
    let pairs = votes.zip(&stream.classes).skip(skipped);
    let right = pairs.filter(|(vote, class)| vote == *class).count();
    100.0 * right as f64 / (stream.classes.len() - skipped) as f64
}

/// Learners by the names of the command line. Naive Bayes, the Hoeffding tree, the adaptive
/// tree and nearest neighbours use no chance, or MOA's; the forest has its own, and the
/// default one, whose trees draw apart, is at least as accurate.
fn check_today(stream: &Stream, moa: [f64; 5]) {
    let learners = [
        ("nb", 0.01),
        ("ht", 0.02),
        ("hat", 0.02),
        ("arf(preset=moa)", 0.5),
        ("knn", 0.01),
    ];
    for ((learner, within), moa) in learners.into_iter().zip(moa) {
        check(stream, learner, 0, moa, within);
    }
    let ours = accuracy(stream, "arf", 0);
    assert!(ours > moa[3] - 0.5, "{ours} for {}", moa[3]);
}

#[test]
fn learners_are_as_accurate_as_those_of_moa_on_random_rbf() {
    let generator = RandomRbf::default().generator().expect("sound");
    let stream = Stream::generated(generator, 100_000).expect("sound");
    check_today(&stream, [72.31, 85.39, 84.28, 93.67, 92.81]);
}

#[test]
fn learners_are_as_accurate_as_those_of_moa_on_abrupt_sea() {
    check_today(&sea(1.0), [83.65, 84.28, 87.06, 88.75, 86.69]);
}

#[test]
fn learners_are_as_accurate_as_those_of_moa_on_electricity() {
    let Some(folder) = shared("electricity") else {
        return;
    };
    let columns: Vec<usize> = (0..8).collect();
    let file = folder.join("electricity.csv");
    let stream = Stream::read(&file, &columns, |rows| (0..rows).collect());
    let mut stream = stream.expect("a file of numbers");
    let mut inputs = vec![Input::Number; 8];
    inputs[1] = Input::Nominal { values: 7 };
    for row in 0..stream.records.len() {
        // The day of the week is written from 1.
        stream.records.record_mut(row)[1] -= 1.0;
    }
    stream.header = Header::new(inputs, 2).expect("small");
    check_today(&stream, [73.36, 79.20, 83.39, 89.33, 78.38]);
}

/// MOA numbers values as the header declares them, not as they appear or are sorted.
#[test]
fn values_of_an_arff_file_have_the_numbers_that_moa_gives_them() {
    let Some(folder) = shared("electricity") else {
        return;
    };
    let rows = std::fs::read_to_string(folder.join("electricity.csv")).expect("a table");
    let (names, rows) = rows.split_once('\n').expect("a header");
    let attribute = |name: &str| match name.trim() {
        "day" => "@attribute day {1,2,3,4,5,6,7}\n".to_owned(),
        "class" => "@attribute class {UP,DOWN}\n".to_owned(),
        name => format!("@attribute {name} numeric\n"),
    };
    let header: String = names.split(',').map(attribute).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("electricity.arff");
    std::fs::write(&path, format!("@relation elec\n{header}@data\n{rows}")).expect("written");
    let lessons = pipeline::lessons_of_file(
        &path,
        &ReadOptions::default(),
        "class",
        None,
        &pipeline::Progress::default(),
    );
    let settings = pipeline::LearnSettings {
        learners: ["nb", "ht", "hat"].map(str::to_owned).to_vec(),
        arms: vec![pipeline::Arm::ORIGINAL],
        schedule: Schedule::TestThenTrain,
        score: ScoreSettings::default(),
        seed: 1,
    };
    let learned = pipeline::learn(
        &lessons.expect("rows"),
        &settings,
        None,
        &pipeline::Progress::default(),
    );
    let learned = learned.expect("learns");
    for (learned, moa) in learned.iter().zip([73.36, 79.20, 83.39]) {
        let accuracy = 100.0 * learned.whole.accuracy.expect("rows");
        let within = (accuracy - moa).abs() <= 0.02;
        assert!(within, "{}: {accuracy} for {moa}", learned.learner);
    }
}

/// On a stream that may not be there.
fn check_2017(stream: Option<Stream>, moa: f64) {
    if let Some(stream) = stream {
        check(&stream, "arf(preset=2017, leaf=nb)", 1000, moa, 0.5);
    }
}

#[test]
fn the_forest_of_2017_is_as_accurate_on_the_wall_following_robot() {
    check_2017(wall_following_robot(), 92.82);
}

#[test]
fn the_forest_of_2017_is_as_accurate_on_occupancy() {
    check_2017(occupancy(), 95.65);
}

#[test]
fn the_forest_of_2017_is_as_accurate_on_eye_states() {
    check_2017(eye_states(), 82.07);
}

#[test]
fn the_forest_of_2017_is_as_accurate_on_moving_rbf() {
    check_2017(Some(moving_rbf(0.001).rounded()), 68.54);
}

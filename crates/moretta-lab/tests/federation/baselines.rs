//! Sites without monitors: DMaxConf, DVote, DStack and Park's one trouble node, table 4.3.
//!
//! The study's text gives Park's node a forest, its code a naive Bayes, whose figures are those
//! that it prints. The stack is a forest, whose chance is not Java's: on three streams it gives
//! the printed digits, on the others it comes near.

use crate::percent;
use crate::reference::{Hierarchy, Rule, Settings, run};
use crate::support::{Stream, eye_states, moving_rbf, occupancy, sea, wall_following_robot};

/// Accuracy and deviation in percent.
fn figures(stream: &Stream, settings: &Settings) -> [String; 2] {
    run(stream, settings).accuracy(&stream.classes).map(percent)
}

/// Sites of `width` columns against printed accuracies and deviations: those of the most
/// confident site, of votes, and with Park's node.
fn check(stream: &Stream, width: usize, printed: [[&str; 2]; 3]) {
    let flat = |rule| Settings::of(stream, width, rule, Hierarchy::Flat);
    let park = Settings {
        twice_factor: 4 * width as u64,
        node_learner: "nb",
        ..Settings::of(stream, width, Rule::MostConfident, Hierarchy::Park)
    };
    let all = [flat(Rule::MostConfident), flat(Rule::Vote), park];
    assert_eq!(all.map(|settings| figures(stream, &settings)), printed);
}

fn stacked(stream: &Stream, width: usize) -> [String; 2] {
    let settings = Settings::of(stream, width, Rule::Stack, Hierarchy::Flat);
    figures(stream, &settings)
}

/// A stack that comes near a printed accuracy.
fn check_stack_near(stream: &Stream, width: usize, printed: f64) {
    let [accuracy, _] = stacked(stream, width);
    let found: f64 = accuracy.parse().expect("a number");
    assert!((found - printed).abs() <= 0.8, "{found} for {printed}");
}

#[test]
fn one_channel_a_site_on_eye_states() {
    if let Some(stream) = eye_states() {
        let (confident, vote) = (["48.20", "6.82"], ["54.36", "4.95"]);
        check(&stream, 1, [confident, vote, ["48.20", "6.82"]]);
        check_stack_near(&stream, 1, 57.72);
    }
}

#[test]
fn one_sensor_a_site_on_occupancy() {
    if let Some(stream) = occupancy() {
        let (confident, vote) = (["78.98", "4.08"], ["82.04", "3.98"]);
        check(&stream, 1, [confident, vote, ["81.86", "3.89"]]);
        assert_eq!(stacked(&stream, 1), ["81.86", "3.96"]);
    }
}

#[test]
fn four_sensors_a_site_on_the_wall_following_robot() {
    if let Some(stream) = wall_following_robot() {
        let (confident, vote) = (["56.69", "16.15"], ["57.12", "14.01"]);
        check(&stream, 4, [confident, vote, ["56.77", "16.10"]]);
        check_stack_near(&stream, 4, 73.88);
    }
}

#[test]
fn one_feature_a_site_on_fast_rbf() {
    let stream = moving_rbf(0.001).rounded();
    let (confident, vote) = (["30.06", "4.75"], ["29.96", "4.64"]);
    check(&stream, 1, [confident, vote, ["30.06", "4.75"]]);
    check_stack_near(&stream, 1, 35.34);
}

#[test]
fn one_feature_a_site_on_moderate_rbf() {
    let stream = moving_rbf(0.0001).rounded();
    let (confident, vote) = (["32.61", "5.58"], ["30.36", "4.75"]);
    check(&stream, 1, [confident, vote, ["32.61", "5.58"]]);
    check_stack_near(&stream, 1, 58.32);
}

#[test]
fn one_feature_a_site_on_abrupt_sea() {
    let stream = sea(1.0).rounded();
    let (confident, vote) = (["75.37", "7.66"], ["70.65", "7.82"]);
    check(&stream, 1, [confident, vote, ["79.30", "6.69"]]);
    assert_eq!(stacked(&stream, 1), ["74.65", "5.74"]);
}

#[test]
fn one_feature_a_site_on_gradual_sea() {
    let stream = sea(10_000.0).rounded();
    let (confident, vote) = (["75.42", "6.86"], ["70.63", "7.03"]);
    check(&stream, 1, [confident, vote, ["79.29", "6.06"]]);
    assert_eq!(stacked(&stream, 1), ["73.80", "5.43"]);
}

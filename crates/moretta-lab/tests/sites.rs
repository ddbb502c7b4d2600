//! Sites that see some columns each, with a naive Bayes of their own, answer together
//! as accurately as was published: HDSM's baselines DMaxConf and DVote, table 4.3.
//!
//! A record is shown to all sites, which answer and then learn it. Either the most
//! confident answer counts or that of most sites. The first 1000 results do not count;
//! deviations are those over blocks of 100. All figures agree to both printed digits.
//! The gas sensors of the table are missing here, since not all of their data is public.

mod support;

use moretta::learn::prequential::{Score, ScoreSettings};
use moretta::learn::{Header, Input, Learner, NaiveBayes, NaiveBayesLearner, predicted};
use moretta::math::java_random::JavaRandom;
use support::{Stream, eye_states, moving_rbf, occupancy, sea, wall_following_robot};

/// What a site takes for the class of a record.
struct Answer {
    class: u32,
    /// The share of the votes; 0 where no class has any.
    confidence: f64,
}

fn answer(site: &NaiveBayesLearner, seen: &[f64], votes: &mut Vec<f64>) -> Answer {
    site.predict(seen, votes);
    let class = predicted(votes);
    let confidence = votes[class as usize] / votes.iter().sum::<f64>();
    Answer {
        class,
        confidence: if confidence.is_nan() { 0.0 } else { confidence },
    }
}

/// Before anything was learnt chance answers, the same at all sites.
fn guess(classes: usize, record: i64) -> Answer {
    let mut classes: Vec<u32> = (0..classes as u32).collect();
    JavaRandom::new(record).shuffle(&mut classes);
    Answer {
        class: classes[0],
        confidence: 0.0,
    }
}

/// The answer of the first of the most confident sites.
fn most_confident(answers: &[Answer]) -> u32 {
    let best = answers.iter().reduce(|best, next| {
        if next.confidence > best.confidence {
            next
        } else {
            best
        }
    });
    best.expect("a site").class
}

/// The answer of most sites; of several, taken in the order they appear, chance decides.
fn elected(answers: &[Answer], random: &mut JavaRandom) -> u32 {
    let mut counts: Vec<(u32, usize)> = Vec::new();
    for answer in answers {
        match counts.iter_mut().find(|(class, _)| *class == answer.class) {
            Some((_, count)) => *count += 1,
            None => counts.push((answer.class, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max();
    counts.retain(|(_, count)| Some(*count) == most);
    random.shuffle(&mut counts);
    counts[0].0
}

/// Accuracy and deviation in percent, with two digits.
fn figures(score: &Score) -> [String; 2] {
    let accuracy = score.accuracy().expect("many results");
    let deviation = score.deviation().expect("many blocks");
    [accuracy, deviation].map(|share| format!("{:.2}", 100.0 * share))
}

/// Sites of `width` consecutive columns; published accuracies and deviations.
fn check(stream: &Stream, width: usize, max_conf: [&str; 2], vote: [&str; 2]) {
    let classes = stream.header.classes();
    let own = Header::new(vec![Input::Number; width], classes).expect("small");
    let count = stream.records.width() / width;
    let mut sites: Vec<NaiveBayesLearner> = (0..count).map(|_| NaiveBayes.build(&own)).collect();
    let settings = ScoreSettings {
        warm_up: 1000,
        ..ScoreSettings::default()
    };
    let mut scores = [(); 2].map(|()| Score::new(classes, &settings).expect("sound"));
    let (mut random, mut votes) = (JavaRandom::new(1), Vec::new());
    for (record, (values, &class)) in (1..).zip(stream.records.iter().zip(&stream.classes)) {
        let parts = sites.iter_mut().zip(values.chunks_exact(width));
        let learn = |(site, part): (&mut NaiveBayesLearner, &[f64])| {
            let answer = match record {
                1 => guess(classes, record),
                _ => answer(site, part, &mut votes),
            };
            site.learn(part, class);
            answer
        };
        let answers: Vec<Answer> = parts.map(learn).collect();
        scores[0].observe(class, most_confident(&answers));
        scores[1].observe(class, elected(&answers, &mut random));
    }
    assert_eq!(scores.each_ref().map(figures), [max_conf, vote]);
}

#[test]
fn one_channel_a_site_on_eye_states() {
    if let Some(stream) = eye_states() {
        check(&stream, 1, ["48.20", "6.82"], ["54.36", "4.95"]);
    }
}

#[test]
fn one_sensor_a_site_on_occupancy() {
    if let Some(stream) = occupancy() {
        check(&stream, 1, ["78.98", "4.08"], ["82.04", "3.98"]);
    }
}

#[test]
fn four_sensors_a_site_on_the_wall_following_robot() {
    if let Some(stream) = wall_following_robot() {
        check(&stream, 4, ["56.69", "16.15"], ["57.12", "14.01"]);
    }
}

#[test]
fn one_feature_a_site_on_moving_rbf() {
    check(&moving_rbf(0.001), 1, ["30.06", "4.75"], ["29.96", "4.64"]);
    check(&moving_rbf(0.0001), 1, ["32.61", "5.58"], ["30.36", "4.75"]);
}

#[test]
fn one_feature_a_site_on_sea() {
    check(&sea(1.0), 1, ["75.37", "7.66"], ["70.65", "7.82"]);
    check(&sea(10_000.0), 1, ["75.42", "6.86"], ["70.63", "7.03"]);
}

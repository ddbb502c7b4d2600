//! Every stream equals MOA's dump of it, bit for bit.

use super::super::super::test_data::shared;
use super::*;

type Made = Result<Box<dyn Generator>>;

/// A generator behind a pointer.
fn boxed<G: Generator + 'static>(generator: Result<G>) -> Made {
    Ok(Box::new(generator?))
}

#[track_caller]
fn check(name: &str, generator: Made) {
    let Some(path) = shared(&format!("moa-streams/{name}.csv")) else {
        return;
    };
    let mut generator = generator.expect("sound options");
    let text = std::fs::read_to_string(path).expect("a dump");
    let mut lines = text.lines();
    let header = generator.header();
    let mut names: Vec<&str> = header.attributes.iter().map(|(n, _)| n.as_str()).collect();
    names.push("class");
    assert_eq!(lines.next(), Some(names.join(",").as_str()), "{name}");
    let mut record = vec![0.0; header.attributes.len()];
    let mut compared = 0;
    for line in lines {
        let class = generator.next(&mut record);
        let made: Vec<u64> = record.iter().map(|value| value.to_bits()).collect();
        let (values, expected_class) = line.rsplit_once(',').expect("a class");
        let expected: Vec<u64> = values
            .split(',')
            .map(|cell| cell.parse::<f64>().expect("a number").to_bits())
            .collect();
        assert_eq!(made, expected, "{name}, record {compared}");
        assert_eq!(
            class.to_string(),
            expected_class,
            "{name}, record {compared}"
        );
        compared += 1;
    }
    assert_eq!(compared, 100, "{name}");
}

#[test]
fn random_rbf_equals_moa() {
    let options = RandomRbf::default();
    check("rbf-default", boxed(options.generator()));
    let five = RandomRbf {
        classes: 5,
        ..options
    };
    check("rbf-a10-c5-n50", boxed(five.generator()));
    let seeded = RandomRbf {
        model_seed: 7,
        seed: 3,
        ..five
    };
    check("rbf-r7-i3-c5-a10-n50", boxed(seeded.generator()));
}

#[test]
fn random_rbf_with_drift_equals_moa() {
    let drift = |speed, classes, drift_centroids| {
        let options = RandomRbfDrift {
            rbf: RandomRbf {
                classes,
                ..RandomRbf::default()
            },
            speed,
            drift_centroids,
        };
        boxed(options.generator())
    };
    check("rbfdrift-default", drift(0.0, 2, 50));
    check("rbfdrift-s0.001", drift(0.001, 2, 50));
    check("rbfdrift-s0.0001", drift(0.0001, 2, 50));
    check("rbfdrift-s0.001-c5-k10", drift(0.001, 5, 10));
}

#[test]
fn waveform_equals_moa() {
    let waveform = |noise| boxed(Waveform { seed: 1, noise }.generator());
    check("waveform-default", waveform(false));
    check("waveform-noise", waveform(true));
}

fn sea(function: u32, seed: i64) -> Made {
    let options = Sea {
        function,
        seed,
        ..Sea::default()
    };
    boxed(options.generator())
}

#[test]
fn sea_equals_moa() {
    for function in 1..=4 {
        check(&format!("sea-f{function}"), sea(function, 1));
    }
    let balanced = Sea {
        balanced: true,
        noise: 0,
        ..Sea::default()
    };
    check("sea-f1-balanced-n0", boxed(balanced.generator()));
}

#[test]
fn led_equals_moa() {
    check("led-default", boxed(Led::default().generator()));
    let bare = Led {
        noise: 0,
        only_relevant: true,
        ..Led::default()
    };
    check("led-s-n0", boxed(bare.generator()));
}

#[test]
fn agrawal_equals_moa() {
    for function in 1..=10 {
        let options = Agrawal {
            function,
            ..Agrawal::default()
        };
        check(&format!("agrawal-f{function}"), boxed(options.generator()));
    }
    let balanced = Agrawal {
        balanced: true,
        ..Agrawal::default()
    };
    check("agrawal-f1-balanced", boxed(balanced.generator()));
    let exact = Agrawal {
        perturbation: 0.0,
        ..Agrawal::default()
    };
    check("agrawal-f1-p0", boxed(exact.generator()));
}

#[test]
fn hyperplane_equals_moa() {
    check(
        "hyperplane-default",
        boxed(Hyperplane::default().generator()),
    );
    let drifting = Hyperplane {
        drift_attributes: 10,
        magnitude: 0.001,
        ..Hyperplane::default()
    };
    check("hyperplane-k10-t0.001", boxed(drifting.generator()));
}

#[test]
fn concept_drift_equals_moa() {
    let drift = |function, width| {
        let options = ConceptDrift {
            position: 500.0,
            width,
            ..ConceptDrift::default()
        };
        boxed(options.generator(sea(1, 1)?, sea(function, 2)?))
    };
    check("drift-sea-f1-f2-p500-w1", drift(2, 1.0));
    check("drift-sea-f1-f3-p500-w200", drift(3, 200.0));
}

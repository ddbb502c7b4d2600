//! Every stream equals MOA's, bit for bit: a dump of it, or the sum of its first records.
//!
//! The sums are those that `bench/MoaStreams.java` prints for the option strings beside
//! them, with MOA 2024.07.0.

use super::*;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A file of the shared data; under CI it must be there.
fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    let found = path.exists();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "CI needs the shared data: {name}"
    );
    found.then_some(path)
}

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

/// The first 1,000 records have the sum that MOA's have.
#[track_caller]
fn check_sum(expected: &str, generator: Made) {
    let mut generator = generator.expect("sound options");
    let mut record = vec![0.0; generator.header().attributes.len()];
    let mut sum = Sha256::new();
    for _ in 0..1000 {
        let class = generator.next(&mut record);
        for value in record.iter().chain([&f64::from(class)]) {
            sum.update(value.to_le_bytes());
        }
    }
    let text: String = sum.finalize().iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(text, expected);
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
    let waveform = |noise| {
        let options = Waveform {
            noise,
            ..Waveform::default()
        };
        boxed(options.generator())
    };
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

#[test]
fn random_tree_equals_moa() {
    let options = RandomTree::default();
    check("randomtree-default", boxed(options.generator()));
    let other = RandomTree {
        model_seed: 7,
        seed: 3,
        classes: 5,
        nominals: 3,
        numbers: 4,
        values: 3,
        depth: 6,
        first_leaf: 2,
        leaves: 0.3,
    };
    // generators.RandomTreeGenerator -r 7 -i 3 -c 5 -o 3 -u 4 -v 3 -d 6 -l 2 -f 0.3
    check_sum(
        "9ed32683e4599ad9cde838cb2f4559275d96f0cdc439d3aa2634022a65dfe130",
        boxed(other.generator()),
    );
}

fn sine(function: u32, seed: i64) -> Made {
    let options = Sine {
        function,
        seed,
        ..Sine::default()
    };
    boxed(options.generator())
}

#[test]
fn sine_equals_moa() {
    check("sine-default", sine(1, 1));
    // generators.SineGenerator -f 2
    check_sum(
        "6cbaa81e49ef9e816139b65456ccf7a4c6019da356ae5301b39f7b7b76b6fded",
        sine(2, 1),
    );
    // generators.SineGenerator -f 4 -i 9
    check_sum(
        "5634abd3028bfc57438c5f5795b70e086b3248f20e211ec4734f88637d2f3f41",
        sine(4, 9),
    );
    let bare = Sine {
        function: 3,
        only_relevant: true,
        balanced: true,
        ..Sine::default()
    };
    // generators.SineGenerator -f 3 -s -b
    check_sum(
        "7ecc0875b4763bb40f0de9876e4c1e217ac99676e298846ee38d91ef151dbf38",
        boxed(bare.generator()),
    );
}

#[test]
fn mixed_equals_moa() {
    check("mixed-default", boxed(Mixed::default().generator()));
    let other = Mixed {
        function: 2,
        seed: 4,
        balanced: true,
    };
    // generators.MixedGenerator -f 2 -b -i 4
    check_sum(
        "5778abcb4d4d2d5addd2a47c1e2d739aaec6a001fc3679650418b1968acc55c1",
        boxed(other.generator()),
    );
}

#[test]
fn stagger_equals_moa() {
    check("stagger-default", boxed(Stagger::default().generator()));
    let stagger = |function, seed, balanced| {
        let options = Stagger {
            function,
            seed,
            balanced,
        };
        boxed(options.generator())
    };
    // generators.STAGGERGenerator -f 2 -i 5
    check_sum(
        "684511550cddf9bc6d8953007af83b47952696dc63feaa8e8cf2fa355bff8d49",
        stagger(2, 5, false),
    );
    // generators.STAGGERGenerator -f 3 -b
    check_sum(
        "ca4e7834e3eac13f8f746165e05faeac6e3b52b7275c10174b2e2ee50981350b",
        stagger(3, 1, true),
    );
}

#[test]
fn led_with_drift_equals_moa() {
    let led = |drift_attributes, noise, only_relevant| {
        let options = Led {
            seed: 1,
            noise,
            only_relevant,
            drift_attributes,
        };
        boxed(options.generator())
    };
    // generators.LEDGeneratorDrift
    check_sum(
        "a00f9093373c786dcc8ee4cb760ffe3a2f5b1108c38f2eec9592e01e5692888a",
        led(1, 10, false),
    );
    // generators.LEDGeneratorDrift -d 7 -n 5
    check_sum(
        "fd94bdac68f93b01abb3a3e5761844adda2be4cb6b57d5e37becdfde3fd27a10",
        led(7, 5, false),
    );
    // generators.LEDGeneratorDrift -d 3 -s
    check_sum(
        "8466f7f5e989d466c9057f91fecd8a6021e1450040ecd83eaab8edb8031294ca",
        led(3, 10, true),
    );
}

#[test]
fn waveform_with_drift_equals_moa() {
    let waveform = |drift_attributes, noise, seed| {
        let options = Waveform {
            seed,
            noise,
            drift_attributes: Some(drift_attributes),
        };
        boxed(options.generator())
    };
    // generators.WaveformGeneratorDrift
    check_sum(
        "a135ee0f0beda0a11df23e6d325819b816f6d61fbc7c8dbb25c8a94b649ab9f6",
        waveform(0, false, 1),
    );
    // generators.WaveformGeneratorDrift -d 10 -n -i 2
    check_sum(
        "cc4b45097aab4fd51ea7244cb87a05e2b66dc7f79254bfd7b6a771b31b7980b0",
        waveform(10, true, 2),
    );
    // generators.WaveformGeneratorDrift -d 40
    check_sum(
        "72bfc33b596264b3cfefaeb2d59bcfa864feb72b7455e92e2781eb2bddb8972d",
        waveform(40, false, 1),
    );
}

#[test]
fn recurrent_drift_equals_moa() {
    let options = ConceptDrift {
        position: 100.0,
        width: 20.0,
        seed: 1,
        recurrence: Some(Recurrence::default()),
    };
    let drift = || boxed(options.generator(sine(1, 1)?, sine(2, 2)?));
    // RecurrentConceptDriftStream -s (generators.SineGenerator -f 1) -d (generators.SineGenerator -f 2 -i 2) -p 100 -w 20
    check_sum(
        "b87ecf090ce062e4014cada9d611f6d431b60d1e2ad6cd21ea31b3a0865206a9",
        drift(),
    );
    let options = ConceptDrift {
        position: 150.0,
        width: 50.0,
        seed: 6,
        recurrence: Some(Recurrence {
            duration: 80,
            pause: 120,
            times: 3,
        }),
    };
    let drift = || boxed(options.generator(sea(1, 1)?, sea(3, 2)?));
    // RecurrentConceptDriftStream -s (generators.SEAGenerator -f 1) -d (generators.SEAGenerator -f 3 -i 2) -p 150 -w 50 -x 80 -y 120 -z 3 -r 6
    check_sum(
        "684a5a9ee79b04684d88d6444d55c2e66a60ea14d5376f3ce5e3bc01c7d8a33a",
        drift(),
    );
}

#[test]
fn imbalanced_equals_moa() {
    let tree = || boxed(RandomTree::default().generator());
    // ImbalancedStream
    check_sum(
        "8187e39885417d2bc2e901cf103a46c2ea3d5204a532957cb754717445abb995",
        boxed(Imbalanced::default().generator(tree)),
    );
    let options = Imbalanced {
        shares: vec![0.5, 0.25, 0.25],
        seed: 3,
    };
    let rbf = RandomRbf {
        classes: 3,
        ..RandomRbf::default()
    };
    // ImbalancedStream -s (generators.RandomRBFGenerator -c 3) -c 0.5;0.25;0.25 -i 3
    check_sum(
        "3d9488ff0e407fe5c4a983a60df9042e02b5a5e2fb7205e9d91e4019743fc52e",
        boxed(options.generator(|| boxed(rbf.generator()))),
    );
    let options = Imbalanced {
        shares: vec![0.05, 0.95],
        seed: 1,
    };
    // ImbalancedStream -s (generators.SEAGenerator -f 2) -c 0.05;0.95
    check_sum(
        "6e36943d55f5bc30f249b50e96203c6a0f40ce8a4277f1b5d7526c064d1d6031",
        boxed(options.generator(|| sea(2, 1))),
    );
}

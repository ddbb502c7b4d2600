//! Attacks on the electricity stream, as the published study of random projections
//! runs them: 8 features scaled to 0…1, m − 1 known records, σ = 0.1, ε = 0.2.

mod support;

use moretta::attack::reconstruction::{Blur, Optimizer, Stream, Study, StudySettings, study};
use moretta::data::{Attribute, Records, Role};
use moretta::protect::random_projection::{Noise, RandomProjection};
use moretta::protect::{Filter, Masked, MaskedColumn};
use std::collections::BTreeMap;

const FEATURES: [&str; 8] = [
    "date",
    "day",
    "period",
    "nswprice",
    "nswdemand",
    "vicprice",
    "vicdemand",
    "transfer",
];

fn attack(records: &Records, noise: Noise) -> Study {
    let config = RandomProjection {
        k: None,
        noise,
        sigma: 0.1,
        records: records.len() as u64,
        reset: None,
        translation: 0.0,
        bounds: BTreeMap::new(),
        categories: BTreeMap::new(),
        buffer: None,
        columns: None,
    };
    let columns = FEATURES.map(|name| MaskedColumn {
        name,
        role: Role::Quasi,
        attribute: Attribute::Number,
    });
    let mut filter = config.build(&columns, 1).expect("numbers");
    let mut masked = Masked::new(filter.width());
    for record in records.iter() {
        filter.push(record, &mut masked).expect("projected");
    }
    filter.finish(&mut masked).expect("projected");
    let (mut inputs, mut features) = (Records::new(FEATURES.len()), Vec::new());
    for record in records.iter() {
        let encoded = filter.features().encode(record, &mut features);
        encoded.expect("numbers");
        inputs.push(&features);
    }
    let deviation = config.deviation();
    let stream = Stream {
        inputs: &inputs,
        outputs: masked.records(),
        blur: match noise {
            Noise::None => Blur::None,
            Noise::Independent => Blur::Independent { deviation },
            Noise::Cumulative => Blur::Cumulative {
                deviation,
                reset: None,
            },
        },
        translated: false,
    };
    let settings = StudySettings {
        known: FEATURES.len() - 1,
        attacks: 100,
        epsilon: 0.2,
        optimizer: Optimizer::Lbfgs,
        starts: 3,
        accuracy: None,
        seed: 1,
    };
    study(&stream, &settings).expect("enough records")
}

fn breach(study: &Study, name: &str) -> f64 {
    let found = study.attacks.iter().find(|one| one.attack == name);
    found.expect("tried").breach
}

#[test]
fn noise_protects_electricity_and_the_marginal_attack_is_the_strongest() {
    let Some(folder) = support::shared("electricity") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("electricity.csv")).expect("read");
    let mut records = Records::new(FEATURES.len());
    for line in text.lines().skip(1) {
        let cells = line.split(',').take(FEATURES.len());
        let record: Vec<f64> = cells.map(|cell| cell.parse().expect("a number")).collect();
        records.push(&record);
    }
    assert_eq!(records.len(), 45_312);
    let [none, independent, cumulative] =
        [Noise::None, Noise::Independent, Noise::Cumulative].map(|noise| attack(&records, noise));
    let published = [
        breach(&none, "A-RP"),
        breach(&cumulative, "A-RPCN"),
        breach(&independent, "A-RPIN"),
    ];
    let ours = [&none, &cumulative, &independent].map(|study| breach(study, "marginal"));
    // Each kind of noise protects, at equal average size the independent kind more.
    assert!(published.is_sorted_by(|a, b| a > b), "{published:?}");
    assert!(ours.is_sorted_by(|a, b| a > b), "{ours:?}");
    assert!(
        ours.iter()
            .zip(published)
            .all(|(ours, published)| *ours > published)
    );
    assert!(ours[0] > 0.9, "{ours:?}");
}

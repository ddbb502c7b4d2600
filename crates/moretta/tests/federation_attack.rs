//! What a trouble node sees of masked sums is attacked, alone and with a site that colludes.

use moretta::attack::reconstruction::{Optimizer, StudySettings};
use moretta::data::Records;
use moretta::federate::simulate::SiteSource;
use moretta::federate::{Column, FragmentKind, Range, Ratio, Rule, Sharing, Terms};
use moretta::math::java_random::JavaRandom;
use moretta::pipeline::{AttackedNode, attack_federation};

const SITES: u16 = 4;

/// Sites of two columns each; the class follows all of them together, so that trouble is shared.
fn sources() -> (Vec<SiteSource>, Vec<u32>) {
    let mut random = JavaRandom::new(23);
    let mut records = vec![Records::new(2); usize::from(SITES)];
    let mut classes = Vec::new();
    for _ in 0..3000 {
        let mut high = 0;
        for site in &mut records {
            let record = [random.next_double(), random.next_double()];
            high += usize::from(record[0] > 0.5);
            site.push(&record);
        }
        classes.push((high % 2) as u32);
    }
    let site = |(id, records): (u16, Records)| SiteSource {
        columns: [2 * id, 2 * id + 1]
            .map(|id| Column {
                id: u64::from(id),
                size: 1,
                values: 0,
            })
            .to_vec(),
        learner: "nb".to_owned(),
        records,
        sharing: Sharing {
            seed: [id as u8 + 1; 32],
            ranges: vec![Some(Range::Bounds(0.0, 1.0)); 2],
        },
    };
    ((0..).zip(records).map(site).collect(), classes)
}

fn attacked(noise: f64, known: usize) -> Vec<AttackedNode> {
    let mut terms = Terms::of_study(SITES, 2, Rule::Vote).with_trouble(Ratio::new(6, 1));
    terms.batch = 64;
    if let Some(trouble) = &mut terms.trouble {
        trouble.learner = "nb".to_owned();
        trouble.group = 3;
        trouble.fragments = FragmentKind::Masked;
        trouble.colluders = 1;
        trouble.noise = noise;
    }
    let settings = StudySettings {
        known,
        attacks: 40,
        epsilon: 0.2,
        optimizer: Optimizer::Lbfgs,
        starts: 1,
        accuracy: None,
        seed: 5,
    };
    let (sources, classes) = sources();
    attack_federation(&terms, sources, classes, &settings).expect("a federation with nodes")
}

/// The success of the best attack on a node.
fn strongest(node: &AttackedNode) -> f64 {
    let breaches = node.attacks.iter().map(|attack| attack.breach);
    breaches.fold(0.0, f64::max)
}

#[test]
fn sums_without_noise_fall_to_who_knows_as_many_records_as_there_are_features() {
    let nodes = attacked(0.0, 7);
    let alone = &nodes[0];
    assert_eq!(
        (alone.features, alone.released, alone.colluders.len()),
        (6, 6, 0)
    );
    assert!(alone.records > 100, "{}", alone.records);
    assert!(strongest(alone) > 0.95, "{}", strongest(alone));
}

#[test]
fn a_colluding_site_makes_the_rest_easier_and_noise_makes_it_harder() {
    let plain = attacked(0.0, 4);
    let (alone, helped) = (&plain[0], &plain[1]);
    assert_eq!((helped.features, helped.colluders.len()), (4, 1));
    assert!(
        strongest(helped) > strongest(alone),
        "{} {}",
        strongest(helped),
        strongest(alone)
    );
    let noisy = attacked(0.25, 7);
    assert!(strongest(&noisy[0]) < 0.5, "{}", strongest(&noisy[0]));
}

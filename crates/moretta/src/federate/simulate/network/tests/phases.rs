//! One phase or two, whichever is shorter: other frames, and the same answers.

use super::*;

/// One node over four sites, which hold the same for half of the stream and then values of their own.
fn case(phases: Phases) -> Case {
    let mut case = Case::new(Rule::Vote, Some(FragmentKind::Raw), 32, 3200, 5);
    case.width = 3;
    case.terms.window = 200;
    let trouble = case.terms.trouble.as_mut().expect("nodes");
    (trouble.fixed, trouble.phases) = (true, phases);
    trouble.factor = Ratio::new(6, 1);
    // It bounds nothing, but batches wait for the one before them.
    trouble.second_factor = Some(Ratio::new(1000, 1));
    let half = case.records.len() / 2;
    for record in &mut case.records[..half] {
        *record = vec![record[0]; 4];
    }
    case
}

/// What nodes are told, in bytes, and the phases that they have, epoch by epoch.
#[derive(Default)]
struct Told {
    bytes: usize,
    phases: BTreeMap<u32, Vec<bool>>,
}

impl Watch for Told {
    fn frame(&mut self, _: PartyId, _: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, body) = decode(&bytes).expect("a frame");
        match body {
            Body::Topology(topology) => {
                let nodes = topology.nodes.iter().map(|node| node.two_phase);
                self.phases.insert(topology.epoch, nodes.collect());
                self.bytes += bytes.len();
            }
            Body::Keys(_) | Body::Agreed(_) | Body::Fragment(_) => self.bytes += bytes.len(),
            _ => assert_ne!(header.kind, Kind::Masked),
        }
        vec![bytes]
    }
}

fn told(case: &Case) -> (Vec<u8>, Told) {
    let mut case = case.copy();
    // At a host, so that the node's own frames travel too.
    case.terms.hosts = vec![PartyId::host(0).0];
    let weather = Weather {
        until: 10_000_000,
        ..Weather::good(1)
    };
    let (run, told) = case.run(weather, Told::default());
    assert_eq!(run.answers.len(), case.batches(), "{:?}", run.failure);
    (bytes(&run.finals()), told)
}

#[test]
fn phases_change_with_the_agreement_and_answers_do_not() {
    let [one, two, auto] = [Phases::One, Phases::Two, Phases::Auto].map(|phases| {
        let (answers, told) = told(&case(phases));
        assert_eq!(answers, bytes(&case(phases).expected()), "{phases:?}");
        (answers, told)
    });
    assert!(one.0 == two.0 && two.0 == auto.0, "the same answers");
    let phases = |told: &Told| told.phases.values().cloned().collect::<Vec<_>>();
    assert_eq!(phases(&one.1), [[false]]);
    assert_eq!(phases(&two.1), [[true]]);
    assert_eq!(phases(&auto.1), [[true], [false], [true]]);
    let (one, two, auto) = (one.1.bytes, two.1.bytes, auto.1.bytes);
    assert!(auto < one.min(two), "{one} {two} {auto}");
}

#[test]
fn phases_change_the_same_way_under_kills() {
    let expected = bytes(&case(Phases::Auto).expected());
    let (_, told) = told(&case(Phases::Auto));
    for seed in 0..6 {
        let mut case = case(Phases::Auto);
        if seed % 2 == 1 {
            case.terms.hosts = vec![PartyId::host(0).0];
        }
        let weather = Weather {
            until: 10_000_000,
            checkpoint_every: 20 + seed as u64 * 30,
            ..Weather::bad(seed)
        };
        let (run, other) = case.run(weather, Told::default());
        assert!(run.failure.is_none(), "seed {seed}: {:?}", run.failure);
        assert!(run.kills > 0 && (run.contradictions, run.deviations) == (0, 0));
        assert_eq!(bytes(&run.finals()), expected, "seed {seed}");
        assert_eq!(other.phases, told.phases, "seed {seed}");
    }
}

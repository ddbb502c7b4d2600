//! Hellos of sites that say more of their columns than can be, or what is not theirs.

use super::*;
use crate::federate::frame::encode;
use crate::federate::mask::Identity;
use crate::federate::topology::COMMON;

fn column(id: u64, size: u32, values: u32) -> Column {
    Column { id, size, values }
}

fn numbers(first: u64, count: u64) -> Vec<Column> {
    (first..first + count).map(|id| column(id, 1, 0)).collect()
}

/// Four sites, with one node over all of them from the beginning.
fn terms(fragments: FragmentKind) -> Terms {
    let mut terms = Terms::of_study(4, 2, Rule::Vote).with_trouble(Ratio::ONE);
    if let Some(trouble) = &mut terms.trouble {
        (trouble.fragments, trouble.fixed) = (fragments, true);
        trouble.learner = "nb".to_owned();
    }
    terms
}

fn identity(party: PartyId) -> Identity {
    Identity::from_seed(&[(party.0 as u8).wrapping_add(1); 32])
}

/// What each party knows of the others where these are on links.
fn pinned(me: PartyId) -> Trust {
    let sites = (0..4).map(PartyId);
    let pins = sites.map(|site| (site, identity(site).public()));
    Trust::Pinned {
        identity: Box::new(identity(me)),
        pins: pins.collect(),
    }
}

/// Shows hellos of sites, from the first one on, to an aggregator; gives what it refused.
fn refused(terms: Terms, is_linked: bool, sites: &[Vec<Column>]) -> Vec<(u16, Refusal)> {
    let terms = Arc::new(terms);
    let trust = |me| match is_linked {
        true => pinned(me),
        false => Trust::Process,
    };
    let options = AggregatorOptions {
        trust: trust(PartyId::AGGREGATOR),
        delivery: Delivery::Certain,
        has_consumer: false,
        observes: false,
        stall: None,
    };
    let mut hub = Aggregator::new(Arc::clone(&terms), options).expect("an aggregator");
    let mut out = Outbox::default();
    for (site, columns) in (0..).zip(sites) {
        let from = PartyId(site);
        let mut hello = Hello {
            terms: terms.sum(),
            next: 0,
            columns: columns.clone(),
            allows: FragmentKind::Raw,
            min_sources: 2,
            mask: [site as u8 + 9; 32],
            signature: [0; 64],
        };
        hello.signature = trust(from).sign_hello((&terms, 0), from, 0, &hello);
        let header = crate::federate::frame::Header {
            kind: Kind::Hello,
            federation: terms.federation_number(),
            epoch: 0,
            sender: from,
            node: u16::MAX,
            batch: 0,
        };
        let bytes = encode(&header, &Body::Hello(hello));
        let frame = Event::Frame {
            from,
            bytes: &bytes,
        };
        hub.handle(frame, 0, &mut out).expect("it goes on");
    }
    let notes = out.notes.iter();
    let refused = notes.filter_map(|note| match note {
        Note::Refused(party, why) => Some((party.0, *why)),
        _ => None,
    });
    refused.collect()
}

#[test]
fn hellos_with_more_columns_or_values_than_there_is_room_for_are_refused() {
    let raw = || terms(FragmentKind::Raw);
    let few = |first: u64| numbers(first, 1);
    let all = |one: Vec<Column>| vec![one, few(9000), few(9001), few(9002)];
    assert_eq!(refused(raw(), false, &all(numbers(0, 4))), []);
    // Four of these would not fit into a leaf of a learner; one that lies keeps no other out.
    let huge = |id| vec![column(id, 1, 600_000)];
    let none: Vec<(u16, Refusal)> = (0..4).map(|site| (site, Refusal::Room)).collect();
    let sites: Vec<_> = (0..4).map(huge).collect();
    assert_eq!(refused(raw(), false, &sites), none);
    let most = vec![column(0, 1, 16_384)];
    assert_eq!(refused(raw(), false, &all(most)), []);
    let more = vec![column(0, 1, 16_384), column(1, 1, 0)];
    assert_eq!(refused(raw(), false, &all(more)), [(0, Refusal::Room)]);
    let greatest = vec![column(0, 1, u32::MAX)];
    assert_eq!(refused(raw(), false, &all(greatest)), [(0, Refusal::Room)]);
    // Where values are not counted there may be many.
    let projected = terms(FragmentKind::Projected);
    assert_eq!(refused(projected, false, &sites), []);

    let together = all(numbers(0, 4094));
    assert_eq!(refused(raw(), false, &together), [(3, Refusal::Room)]);
    let nothing = vec![column(0, 0, 0)];
    assert_eq!(refused(raw(), false, &all(nothing)), [(0, Refusal::Width)]);
    assert_eq!(refused(raw(), false, &all(vec![])), [(0, Refusal::Width)]);
}

#[test]
fn numbers_of_columns_are_held_against_their_site() {
    let raw = || terms(FragmentKind::Raw);
    let own = |site: u64| numbers(site * 16_384, 2);
    let check = |of_one: Vec<Column>, expected: &[(u16, Refusal)]| {
        let sites = [own(0), of_one, own(2), own(3)];
        assert_eq!(refused(raw(), true, &sites), expected);
    };
    check(own(1), &[]);
    check(own(0), &[(1, Refusal::Value)]);
    check(numbers(32_768, 1), &[(1, Refusal::Value)]);
    check(numbers(16_384 + 16_383, 2), &[(1, Refusal::Value)]);
    check(numbers(COMMON + 7, 1), &[]);
}

use super::*;
use crate::federate::mask::Identity;

const FEDERATION: [u8; 32] = [3; 32];
const WIDTH: usize = 3;

fn identity(place: usize) -> Identity {
    Identity::from_seed(&[place as u8 + 1; 32])
}

fn id(place: usize) -> u16 {
    10 * place as u16 + 5
}

fn round(sites: usize, number: u64) -> Round {
    let participant = |place: usize| Participant {
        id: id(place),
        identity: identity(place).public(),
    };
    let participants = (0..sites).map(participant).collect();
    Round::new(FEDERATION, number, participants).expect("a round")
}

fn counters(sites: usize) -> Vec<Counter> {
    let counter = |place: usize| Counter::new(id(place), identity(place), None);
    (0..sites).map(counter).collect()
}

fn counts(place: usize) -> Vec<u64> {
    let place = place as u64;
    vec![place, 1000 * (place + 1), LARGEST_COUNT - place]
}

fn random(place: usize) -> [u8; 32] {
    [place as u8 + 100; 32]
}

/// A set of sites as bits.
type Sites = u32;

fn has(sites: Sites, place: usize) -> bool {
    sites >> place & 1 == 1
}

/// Everything up to the masked counts, of those that stay in each round.
fn send(n: usize, stay: &[Sites]) -> Result<(Vec<(usize, Sent)>, CountsIn)> {
    let round = round(n, 1);
    let mut counters = counters(n);
    let (mut joined, mut keys) = (Vec::new(), Vec::new());
    for (place, counter) in counters
        .iter_mut()
        .enumerate()
        .filter(|(p, _)| has(stay[0], *p))
    {
        let (site, own) = counter.join(&round, &random(place)).expect("joined");
        joined.push((place, site));
        keys.push(own);
    }
    let server = KeysIn::new(&round, keys)?;
    let (mut shared, mut sealed) = (Vec::new(), Vec::new());
    for (place, site) in joined.into_iter().filter(|(p, _)| has(stay[1], *p)) {
        let (site, own) = site.share(server.keys()).expect("shared");
        shared.push((place, site));
        sealed.extend(own);
    }
    let server = server.share(sealed)?;
    let (mut sent, mut masked) = (Vec::new(), Vec::new());
    for (place, site) in shared.into_iter().filter(|(p, _)| has(stay[2], *p)) {
        let shares = server.shares_for(id(place));
        let (site, own) = site.mask(&shares, &counts(place)).expect("masked");
        sent.push((place, site));
        masked.push(own);
    }
    Ok((sent, server.add_counts(masked)?))
}

fn sum(n: usize, stay: &[Sites]) -> Result<Vec<u64>> {
    let (mut sent, server) = send(n, stay)?;
    let mut confirmations = Vec::new();
    for (_, site) in sent.iter_mut().filter(|(p, _)| has(stay[3], *p)) {
        confirmations.push(site.confirm(server.survivors()).expect("confirmed"));
    }
    let mut reveals = Vec::new();
    for (_, site) in sent.iter().filter(|(p, _)| has(stay[4], *p)) {
        reveals.push(site.reveal(&confirmations)?);
    }
    server.finish(reveals)
}

/// Runs every course in which enough sites stay, and every one that fails because one too many is
/// lost; from a set of sites, all ways to go on.
fn check_all(n: usize, stay: &mut Vec<Sites>, courses: &mut usize) {
    let threshold = 2 * n / 3 + 1;
    let before = stay.last().copied().unwrap_or((1 << n) - 1);
    if stay.len() == 5 {
        let mut expected = vec![0; WIDTH];
        for place in (0..n).filter(|&place| has(stay[2], place)) {
            expected
                .iter_mut()
                .zip(counts(place))
                .for_each(|(sum, c)| *sum += c);
        }
        assert_eq!(sum(n, stay).expect("a sum"), expected, "{stay:?}");
        *courses += 1;
        return;
    }
    for next in (0..1 << n).filter(|next: &Sites| next & !before == 0) {
        let left = next.count_ones() as usize;
        if left + 1 < threshold {
            continue;
        }
        stay.push(next);
        if left < threshold {
            // What would come later must not matter.
            let mut stay = stay.clone();
            stay.resize(5, next);
            let error = sum(n, &stay).expect_err("too few").to_string();
            assert!(error.contains("sites are left"), "{stay:?}: {error}");
            *courses += 1;
        } else {
            check_all(n, stay, courses);
        }
        stay.pop();
    }
}

#[test]
fn sums_are_those_of_the_sites_that_stayed_whoever_is_lost_and_when() {
    for (n, expected) in [(3, 16), (4, 171), (5, 276), (6, 406)] {
        let mut courses = 0;
        check_all(n, &mut Vec::new(), &mut courses);
        assert_eq!(courses, expected, "{n} sites");
    }
}

#[test]
fn larger_groups_lose_up_to_a_third() {
    // Of ten sites seven are needed; one is lost in each of three rounds.
    let all = (1 << 10) - 1;
    let stay = [
        all & !1,
        all & !3,
        all & !0b10_0000_0011,
        all & !0b10_0000_0011,
        all & !0b10_0000_0011,
    ];
    let expected = (0..10)
        .filter(|&place| has(stay[2], place))
        .map(|place| counts(place)[1]);
    assert_eq!(sum(10, &stay).expect("a sum")[1], expected.sum::<u64>());
}

#[test]
fn thresholds_are_more_than_two_thirds() {
    for (sites, threshold) in [(3, 3), (4, 3), (5, 4), (6, 5), (9, 7), (10, 7)] {
        assert_eq!(round(sites, 1).threshold(), threshold);
    }
    let participants = round(3, 1).participants;
    for wrong in [
        participants[..2].to_vec(),
        vec![participants[0]; 3],
        vec![participants[2], participants[1], participants[0]],
        vec![participants[0]; 1025],
    ] {
        assert!(Round::new(FEDERATION, 1, wrong).is_err());
    }
}

#[test]
fn a_server_that_asks_for_both_secrets_is_refused() {
    let all = 0b1111;
    let (mut sent, server) = send(4, &[all; 3]).expect("sent");
    let survivors = server.survivors().to_vec();
    let others = survivors[1..].to_vec();
    let site = &mut sent[3].1;
    assert!(site.reveal(&[]).is_err(), "nothing was confirmed");
    let confirmed = site.confirm(&survivors).expect("confirmed");
    assert_eq!(site.confirm(&survivors).expect("the same again"), confirmed);
    // Now the first site is said to be lost, so that its key would be revealed, too.
    let error = site.confirm(&others).expect_err("refused");
    assert!(error.to_string().contains("another list"), "{error}");
    // Two sites that were told one list and two that were told the other make no t of 3.
    let mut confirm = |place: usize, list: &[u16]| sent[place].1.confirm(list).expect("confirmed");
    let split = [confirm(1, &others), confirm(2, &others), confirmed];
    for site in [&sent[1].1, &sent[3].1] {
        let error = site.reveal(&split).expect_err("refused").to_string();
        assert!(error.contains("has not confirmed this list"), "{error}");
    }
    assert!(sent[1].1.reveal(&split[..2]).is_err(), "too few");
    let twice = [split[0], split[0], split[1]];
    assert!(sent[1].1.reveal(&twice).is_err(), "one site counts once");
}

#[test]
fn lists_of_survivors_that_cannot_be_right_are_refused() {
    let (mut sent, server) = send(5, &[0b11111, 0b01111, 0b01111]).expect("sent");
    let list = server.survivors().to_vec();
    assert_eq!(list, [5, 15, 25, 35]);
    for wrong in [
        &[5, 15, 25][..],
        &[5, 15, 25, 25],
        &[15, 5, 25, 35],
        &[5, 15, 25, 45],
        &[15, 25, 35, 45],
        &[],
    ] {
        assert!(sent[0].1.confirm(wrong).is_err(), "{wrong:?}");
    }
    assert!(sent[0].1.confirm(&list).is_ok());
}

#[test]
fn for_each_site_one_of_two_shares_is_revealed() {
    // The last of four is lost after it has shared.
    let (mut sent, server) = send(4, &[0b1111, 0b1111, 0b0111]).expect("sent");
    let survivors = server.survivors().to_vec();
    let confirm = |(_, site): &mut (usize, Sent)| site.confirm(&survivors).expect("confirmed");
    let confirmations: Vec<Confirmation> = sent.iter_mut().map(confirm).collect();
    for (_, site) in &sent {
        let reveal = site.reveal(&confirmations).expect("revealed");
        let ids: Vec<u16> = reveal.shares.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, [5, 15, 25, 35]);
        for (id, share) in reveal.shares {
            assert_eq!(matches!(share, Revealed::MaskKey(_)), id == 35);
        }
        // Asked again, it says the same.
        assert_eq!(site.reveal(&confirmations).expect("again").by, reveal.by);
    }
}

#[test]
fn a_round_is_joined_once_whoever_takes_part() {
    let mut counter = Counter::new(id(0), identity(0), Some(6));
    for number in [0, 5, 6] {
        assert!(counter.join(&round(4, number), &random(0)).is_err());
    }
    assert!(counter.join(&round(4, 7), &random(0)).is_ok());
    assert_eq!(counter.last(), Some(7));
    // Again, with the same members, with fewer, and with more.
    for sites in [4, 3, 5] {
        let error = counter
            .join(&round(sites, 7), &random(1))
            .expect_err("refused");
        assert!(error.to_string().contains("not repeated"), "{error}");
    }
    assert!(counter.join(&round(3, 8), &random(2)).is_ok());
    let mut stranger = Counter::new(id(7), identity(7), None);
    assert!(stranger.join(&round(3, 1), &random(7)).is_err());
    let mut impostor = Counter::new(id(1), identity(7), None);
    assert!(impostor.join(&round(3, 1), &random(7)).is_err());
}

/// Three sites that have joined, and their keys.
fn joined(random_of: impl Fn(usize) -> [u8; 32]) -> (Round, Vec<Joined>, Vec<Keys>) {
    let round = round(3, 1);
    let mut sites = Vec::new();
    let mut all = Vec::new();
    for (place, counter) in counters(3).iter_mut().enumerate() {
        let (site, keys) = counter.join(&round, &random_of(place)).expect("joined");
        sites.push(site);
        all.push(keys);
    }
    (round, sites, all)
}

/// Three sites that have shared, and the server that has their shares.
fn shared() -> (Vec<Shared>, SharesIn) {
    let (round, joined, keys) = joined(random);
    let server = KeysIn::new(&round, keys).expect("keys");
    let (mut sites, mut sealed) = (Vec::new(), Vec::new());
    for site in joined {
        let (site, own) = site.share(server.keys()).expect("shared");
        sites.push(site);
        sealed.extend(own);
    }
    (sites, server.share(sealed).expect("shares"))
}

#[test]
fn keys_that_the_server_made_are_refused() {
    let check = |change: fn(&mut Vec<Keys>), reason: &str| {
        let (round, mut sites, mut keys) = joined(random);
        change(&mut keys);
        let error = sites.remove(0).share(&keys).expect_err("refused");
        assert!(error.to_string().contains(reason), "{error}");
        keys.reverse();
        let taken = KeysIn::new(&round, keys)
            .err()
            .map(|error| error.to_string());
        assert!(taken.is_none_or(|error| error.contains(reason)));
    };
    check(|keys| keys[1].mask[0] ^= 1, "not signed");
    check(|keys| keys[1].channel[0] ^= 1, "not signed");
    check(|keys| keys[2] = Keys { id: 25, ..keys[1] }, "not signed");
    check(|keys| keys.truncate(2), "sites are left");
    check(|keys| keys[2] = keys[1], "do not rise");
    // The same random bytes at two sites.
    let (_, mut sites, keys) = joined(|_| [1; 32]);
    let error = sites.remove(0).share(&keys).expect_err("refused");
    assert!(error.to_string().contains("same key"), "{error}");
}

#[test]
fn shares_that_were_changed_or_meant_for_others_are_refused() {
    let check = |change: fn(&mut Vec<SealedShare>), reason: &str| {
        let (mut sites, server) = shared();
        let mut shares = server.shares_for(id(0));
        change(&mut shares);
        let error = sites.remove(0).mask(&shares, &[1]).expect_err("refused");
        assert!(error.to_string().contains(reason), "{error}");
    };
    check(|shares| shares[0].bytes[0] ^= 1, "cannot be opened");
    check(|shares| shares[0].bytes[111] ^= 1, "cannot be opened");
    check(|shares| shares[0].bytes.truncate(111), "cannot be opened");
    check(|shares| shares[0].from = 25, "cannot be opened");
    check(|shares| shares[0].to = 15, "another site");
    check(|shares| shares[0].from = 5, "another site");
    check(|shares| shares[1] = shares[0].clone(), "two shares");
    check(|shares| shares.truncate(1), "sites are left");
}

#[test]
fn what_a_site_sends_hides_its_counts() {
    let send_one = |value: u64| {
        let (mut sites, server) = shared();
        let counts = vec![value; 25_600];
        let (site, masked) = sites
            .remove(0)
            .mask(&server.shares_for(id(0)), &counts)
            .expect("masked");
        assert_eq!(format!("{site:?}"), "Sent(secret)");
        masked.words
    };
    for byte in 0..8 {
        let mut histogram = [0_f64; 256];
        for word in send_one(7) {
            histogram[usize::from(word.to_le_bytes()[byte])] += 1.0;
        }
        let square: f64 = histogram.iter().map(|n| (n - 100.0).powi(2) / 100.0).sum();
        // Of 255 degrees of freedom, within five standard deviations.
        assert!((square - 255.0).abs() < 113.0, "byte {byte}: {square}");
    }
}

#[test]
fn counts_that_are_too_large_or_of_other_sizes_are_refused() {
    let (mut sites, server) = shared();
    let shares = server.shares_for(id(0));
    let error = sites.remove(0).mask(&shares, &[LARGEST_COUNT + 1]);
    let error = error.expect_err("refused").to_string();
    assert!(error.contains("too large"), "{error}");

    let frame = |id: u16, words: usize| MaskedCounts {
        id,
        words: vec![0; words],
    };
    for (wrong, reason) in [
        (vec![frame(5, 1), frame(15, 1)], "sites are left"),
        (
            vec![frame(5, 1), frame(15, 1), frame(25, 2)],
            "differ in size",
        ),
        (vec![frame(5, 1), frame(15, 1), frame(15, 1)], "twice"),
        (
            vec![frame(5, 1), frame(15, 1), frame(35, 1)],
            "another site",
        ),
    ] {
        let error = shared()
            .1
            .add_counts(wrong)
            .expect_err("refused")
            .to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn reveals_that_do_not_fit_give_no_sum() {
    let check = |change: fn(&mut Vec<Reveal>), reason: &str| {
        let (mut sent, server) = send(4, &[0b1111, 0b1111, 0b0111]).expect("sent");
        let survivors = server.survivors().to_vec();
        let confirm = |(_, site): &mut (usize, Sent)| site.confirm(&survivors).expect("confirmed");
        let confirmations: Vec<Confirmation> = sent.iter_mut().map(confirm).collect();
        let reveal = |(_, site): &(usize, Sent)| site.reveal(&confirmations).expect("revealed");
        let mut reveals: Vec<Reveal> = sent.iter().map(reveal).collect();
        change(&mut reveals);
        let error = server.finish(reveals).expect_err("no sum").to_string();
        assert!(error.contains(reason), "{error}");
    };
    check(|reveals| reveals.truncate(2), "sites are left");
    check(|reveals| reveals[1] = reveals[0].clone(), "twice");
    check(|reveals| reveals[0].shares.truncate(3), "has not revealed");
    check(|reveals| reveals[0].by = 36, "takes no part");
    // The share of another site, of its key or of its mask.
    check(
        |reveals| reveals[0].shares[3].1 = reveals[0].shares[0].1,
        "has not revealed",
    );
    check(
        |reveals| reveals[0].shares[0].1 = reveals[0].shares[1].1,
        "do not fit",
    );
    check(
        |reveals| {
            let Revealed::SelfMask(share) = reveals[0].shares[0].1 else {
                panic!("the first site survived")
            };
            reveals[0].shares[3].1 = Revealed::MaskKey(share);
        },
        "do not",
    );
}

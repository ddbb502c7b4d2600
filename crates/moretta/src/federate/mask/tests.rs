use super::*;
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use x25519_dalek::x25519;

const FEDERATION: [u8; 32] = [0xab; 32];

/// Sites with these ids, whose secret keys are numbered from 1.
fn sites(ids: &[u16]) -> (Vec<MaskKey>, Vec<Member>) {
    let key = |place: usize| MaskKey::from_secret([place as u8 + 1; 32], &FEDERATION, 1);
    let keys: Vec<MaskKey> = (0..ids.len()).map(key).collect();
    let member = |(&id, key): (&u16, &MaskKey)| Member {
        id,
        public: key.public(),
    };
    let members = ids.iter().zip(&keys).map(member).collect();
    (keys, members)
}

fn scope(positions: &[u16], width: usize) -> Scope<'_> {
    Scope {
        node: 1,
        batch: 0,
        positions,
        width,
    }
}

fn frames(ids: &[u16], scope: &Scope<'_>, values: &[Vec<f64>]) -> Vec<Vec<u64>> {
    let (keys, members) = sites(ids);
    let frame = |(place, values): (usize, &Vec<f64>)| {
        let secrets = keys[place].pair_with(ids[place], &members);
        secrets
            .expect("a group")
            .mask(scope, values)
            .expect("masked")
    };
    values.iter().enumerate().map(frame).collect()
}

fn add_up(ids: &[u16], frames: &[Vec<u64>]) -> Result<Vec<f64>> {
    let mut sum = MaskedSum::new(&sites(ids).1, frames[0].len())?;
    for (&id, frame) in ids.iter().zip(frames) {
        sum.add(id, frame)?;
    }
    sum.finish()
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The words of one pair of sites, put together word by word with no code of the method: HMAC by
/// its definition, ChaCha20 by its quarter rounds.
mod reference {
    use super::*;

    fn hash(parts: &[&[u8]]) -> [u8; 32] {
        Sha256::digest(parts.concat()).into()
    }

    fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
        let pad = |with: u8| {
            let mut block = [with; 64];
            block.iter_mut().zip(key).for_each(|(pad, key)| *pad ^= key);
            block
        };
        hash(&[&pad(0x5c), &hash(&[&pad(0x36), message])])
    }

    fn block(key: &[u8; 32], counter: u32) -> [u8; 64] {
        let mut start = [0_u32; 16];
        start[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
        for (word, bytes) in start[4..12].iter_mut().zip(key.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        start[12] = counter;
        let mut state = start;
        let mut quarter = |[a, b, c, d]: [usize; 4]| {
            for (to, with, other, turn) in
                [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)]
            {
                state[to] = state[to].wrapping_add(state[with]);
                state[other] = (state[other] ^ state[to]).rotate_left(turn);
            }
        };
        for _ in 0..10 {
            for column in 0..4 {
                quarter([column, column + 4, column + 8, column + 12]);
            }
            for d in 0..4 {
                let place = |row: usize| 4 * row + (d + row) % 4;
                quarter([place(0), place(1), place(2), place(3)]);
            }
        }
        let mut bytes = [0; 64];
        for (place, out) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *out = state[place].wrapping_add(start[place]).to_le_bytes();
        }
        bytes
    }

    /// What site `own` sends at each place of a frame.
    pub(super) fn frame(ids: &[u16], own: usize, scope: &Scope<'_>, values: &[f64]) -> Vec<u64> {
        let secret = |place: usize| [place as u8 + 1; 32];
        let base = x25519_dalek::X25519_BASEPOINT_BYTES;
        let public = |place: usize| x25519(secret(place), base);
        let mut group = Vec::new();
        for (place, id) in ids.iter().enumerate() {
            group.extend([&id.to_le_bytes()[..], &public(place)].concat());
        }
        let positions: Vec<u8> = scope
            .positions
            .iter()
            .flat_map(|p| p.to_le_bytes())
            .collect();
        let info = [
            b"moretta/mask/1".as_slice(),
            &1_u32.to_le_bytes(),
            &scope.node.to_le_bytes(),
            &scope.batch.to_le_bytes(),
            &hash(&[&group]),
            &hash(&[&positions]),
            &[1],
        ];
        let info = info.concat();
        let mask = |other: usize, word: usize| {
            let extracted = hmac(&FEDERATION, &x25519(secret(own), public(other)));
            let block = block(&hmac(&extracted, &info), (word / 8) as u32);
            u64::from_le_bytes(block.as_chunks().0[word % 8])
        };
        let word = |(place, &value): (usize, &f64)| {
            let multiple = (value * 4_294_967_296.0).round_ties_even() as i64 as u64;
            (0..ids.len()).fold(multiple, |sum, other| match own.cmp(&other) {
                std::cmp::Ordering::Less => sum.wrapping_add(mask(other, place)),
                std::cmp::Ordering::Greater => sum.wrapping_sub(mask(other, place)),
                std::cmp::Ordering::Equal => sum,
            })
        };
        values.iter().enumerate().map(word).collect()
    }
}

#[test]
fn the_worked_vector_comes_out_word_by_word() {
    let ids = [0, 1, 2];
    let (_, members) = sites(&ids);
    assert!(digits(&hash_members(&members)).starts_with("2e15a064"));
    let positions = Sha256::digest(0_u16.to_le_bytes());
    assert!(digits(&positions).starts_with("96a296d2"));
    let values = [vec![1.0], vec![2.0], vec![-0.5]];
    let frames = frames(&ids, &scope(&[0], 1), &values);
    assert_eq!(
        frames.concat(),
        [
            0xe95c_1bb4_33df_a588,
            0xff7a_963a_f7da_1a8a,
            0x1729_4e13_5446_3fee
        ]
    );
    assert_eq!(add_up(&ids, &frames).expect("a sum"), [2.5]);
}

#[test]
fn frames_are_those_of_a_slow_reference() {
    let ids = [2, 3, 700, 65_535];
    let positions = [0, 1, 7, 4095];
    let scope = scope(&positions, 5);
    let values: Vec<Vec<f64>> = (0..4)
        .map(|site| (0..20).map(|i| f64::from(i * site) / 7.0 - 3.0).collect())
        .collect();
    for (place, frame) in frames(&ids, &scope, &values).iter().enumerate() {
        let slow = reference::frame(&ids, place, &scope, &values[place]);
        assert_eq!(*frame, slow, "site {place}");
    }
}

proptest! {
    #[test]
    fn masks_cancel_whoever_the_members_are(
        ids in prop::collection::btree_set(any::<u16>(), 3..7),
        positions in prop::collection::btree_set(any::<u16>(), 0..9),
        width in 1..4_usize,
        seed in any::<u64>(),
    ) {
        let ids: Vec<u16> = ids.into_iter().collect();
        let positions: Vec<u16> = positions.into_iter().collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Multiples of 2⁻³² up to 2²⁰ in size, of which sums are exact.
        let mut value = || (random.next_u64() as i64 >> 11) as f64 / 4_294_967_296.0;
        let mut row = || (0..positions.len() * width).map(|_| value()).collect::<Vec<f64>>();
        let values: Vec<Vec<f64>> = ids.iter().map(|_| row()).collect();
        let frames = frames(&ids, &scope(&positions, width), &values);
        let sum = add_up(&ids, &frames).expect("a sum");
        for (place, sum) in sum.iter().enumerate() {
            let multiple = |values: &Vec<f64>| (values[place] * 4_294_967_296.0) as i64;
            let expected: i64 = values.iter().map(multiple).sum();
            prop_assert_eq!(*sum, expected as f64 / 4_294_967_296.0);
        }
    }

    #[test]
    fn a_sum_that_lacks_a_frame_is_far_from_every_partial_sum(
        left_out in 0..4_usize,
        values in prop::collection::vec(-1.0..1.0_f64, 4),
    ) {
        let ids = [1, 2, 3, 4];
        let values: Vec<Vec<f64>> = values.into_iter().map(|value| vec![value; 64]).collect();
        let frames = frames(&ids, &scope(&(0..64).collect::<Vec<u16>>(), 1), &values);
        let kept = (0..4).filter(|&site| site != left_out);
        let mut sum = vec![0_u64; 64];
        for site in kept {
            sum.iter_mut().zip(&frames[site]).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
        }
        // Partial sums are below 4 in size; a uniform word is so with a chance of 2⁻²⁹.
        let near = sum.iter().filter(|&&word| (word as i64).unsigned_abs() <= 4 << 32);
        prop_assert_eq!(near.count(), 0);
    }
}

#[test]
fn one_frame_alone_is_uniform_in_each_of_its_bytes() {
    let positions: Vec<u16> = (0..4096).collect();
    let ids = [0, 1, 2];
    // The same number everywhere: what varies is the mask.
    let values = vec![vec![0.75; 40_960]; 3];
    for frame in frames(&ids, &scope(&positions, 10), &values) {
        for byte in 0..8 {
            let mut counts = [0_f64; 256];
            for word in &frame {
                counts[usize::from(word.to_le_bytes()[byte])] += 1.0;
            }
            let square = counts.iter().map(|count| (count - 160.0).powi(2) / 160.0);
            let square: f64 = square.sum();
            // Of 255 degrees of freedom, within five standard deviations.
            assert!((square - 255.0).abs() < 113.0, "byte {byte}: {square}");
        }
    }
}

#[test]
fn every_part_of_the_scope_makes_other_masks() {
    let (keys, members) = sites(&[0, 1, 2]);
    let (more_keys, more) = sites(&[0, 1, 2, 3]);
    let masked = |key: &MaskKey, members: &[Member], scope: Scope<'_>| {
        let secrets = key.pair_with(0, members).expect("a group");
        secrets.mask(&scope, &[0.0]).expect("masked")[0]
    };
    let plain = scope(&[0], 1);
    let later = MaskKey::from_secret([1; 32], &FEDERATION, 2);
    let elsewhere = MaskKey::from_secret([1; 32], &[0xcd; 32], 1);
    let mut words = vec![
        masked(&keys[0], &members, plain),
        masked(&keys[0], &members, Scope { node: 2, ..plain }),
        masked(&keys[0], &members, Scope { batch: 1, ..plain }),
        masked(&keys[0], &members, scope(&[1], 1)),
        masked(&more_keys[0], &more, plain),
        masked(&later, &members, plain),
        masked(&elsewhere, &members, plain),
    ];
    assert_eq!(words[0], masked(&keys[0], &members, plain));
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), 7);
}

#[test]
fn groups_in_which_masks_hide_too_little_are_refused() {
    let (keys, members) = sites(&[0, 1, 2]);
    let check = |members: &[Member], reason: &str| {
        let error = keys[0].pair_with(0, members).expect_err("refused");
        assert!(error.to_string().contains(reason), "{error}");
    };
    let with = |place: usize, public: [u8; 32]| {
        let mut members = members.clone();
        members[place].public = public;
        members
    };
    check(&members[..2], "not of 2");
    let many = (0..1025).map(|id| Member { id, ..members[0] });
    check(&many.collect::<Vec<Member>>(), "not of 1025");
    check(&[members[0], members[2], members[1]], "do not rise");
    check(&[members[0], members[1], members[1]], "do not rise");
    check(&with(0, [9; 32]), "lacks this site");
    check(&with(2, members[1].public), "same mask key");
    // The highest bit of a public key counts for nothing.
    let mut twin = members[1].public;
    twin[31] |= 0x80;
    check(&with(2, twin), "same mask key");
    // Points of low order: 0, 1 and −1.
    let mut one = [0; 32];
    one[0] = 1;
    let mut minus_one = [0xff; 32];
    (minus_one[0], minus_one[31]) = (0xec, 0x7f);
    for public in [[0; 32], one, minus_one] {
        check(&with(2, public), "no secret");
    }
}

#[test]
fn fragments_that_do_not_fit_are_refused_without_their_values() {
    let (keys, members) = sites(&[0, 1, 2]);
    let secrets = keys[1].pair_with(1, &members).expect("a group");
    let check = |positions: &[u16], width: usize, values: &[f64]| {
        let error = secrets.mask(&scope(positions, width), values);
        let told = format!("{:?}", error.expect_err("refused"));
        assert!(!told.contains("1234"), "{told}");
    };
    check(&[1, 0], 1, &[0.0; 2]);
    check(&[1, 1], 1, &[0.0; 2]);
    check(&[0, 1], 2, &[0.0; 3]);
    check(&[0, 1], usize::MAX, &[0.0; 2]);
    check(&[0], 1, &[f64::NAN]);
    check(&[0], 1, &[1_234_567.0]);
    check(&[0], 1, &[-1_234_567.0]);
    let empty = secrets.mask(&scope(&[], 3), &[]).expect("nothing agreed");
    assert!(empty.is_empty());
}

#[test]
fn a_sum_is_of_all_members_once_and_in_one_size() {
    let (_, members) = sites(&[4, 5, 9]);
    let mut sum = MaskedSum::new(&members, 2).expect("a group");
    sum.add(5, &[1 << 32, 2 << 32]).expect("a frame");
    for (id, frame) in [(5, &[0, 0][..]), (6, &[0, 0]), (4, &[0]), (4, &[0, 0, 0])] {
        assert_eq!(sum.add(id, frame).expect_err("refused").exit_code(), 4);
    }
    assert_eq!(sum.missing().collect::<Vec<u16>>(), [4, 9]);
    assert!(sum.clone().finish().is_err());
    sum.add(9, &[0, 0]).expect("a frame");
    let mut wrong = sum.clone();
    wrong.add(4, &[0, 1 << 62]).expect("a frame");
    let error = wrong.finish().expect_err("impossible").to_string();
    assert_eq!(error, "a masked sum is out of range");
    sum.add(4, &[0, 0]).expect("a frame");
    assert_eq!(sum.finish().expect("a sum"), [1.0, 2.0]);
    assert!(MaskedSum::new(&members[..2], 1).is_err());
}

#[test]
fn keys_follow_from_seed_federation_and_topology_and_are_never_shown() {
    let key = |seed: u8, federation: u8, epoch: u32, topology: u8| {
        MaskKey::derive(&[seed; 32], &[federation; 32], epoch, &[topology; 32]).public()
    };
    let own = key(1, 2, 3, 4);
    assert_eq!(key(1, 2, 3, 4), own);
    for other in [
        key(2, 2, 3, 4),
        key(1, 3, 3, 4),
        key(1, 2, 4, 4),
        key(1, 2, 3, 5),
    ] {
        assert_ne!(other, own);
    }
    assert!(trace(&own).is_some() && trace(&[0; 32]).is_none());
    let (keys, members) = sites(&[0, 1, 2]);
    let secrets = keys[0].pair_with(0, &members).expect("a group");
    assert_eq!(format!("{:?}", keys[0]), "MaskKey(secret)");
    assert_eq!(format!("{secrets:?}"), "PairSecrets(2 secrets)");
}

//! Every frame is read back as it was written, and every byte string is a frame or has a flaw.

use super::*;
use crate::federate::ratio::Ratio;
use crate::federate::topology::{Column, FragmentKind, Node, SiteColumns};
use crate::math::java_random::JavaRandom;

fn header(random: &mut JavaRandom) -> Header {
    Header {
        kind: Kind::Hello,
        federation: random.next_long() as u64,
        epoch: random.next_int() as u32,
        sender: PartyId(random.next_int() as u16),
        node: NO_NODE,
        batch: random.next_long() as u64,
    }
}

/// One that names a trouble node where it may.
fn header_of(random: &mut JavaRandom, body: &Body) -> Header {
    let kind = body.kind();
    let node = match kind.may_name_node() {
        true => random.next_int() as u16,
        false => NO_NODE,
    };
    Header {
        kind,
        node,
        ..header(random)
    }
}

fn below(random: &mut JavaRandom, bound: i32) -> usize {
    random.next_int_below(bound) as usize
}

fn bits(random: &mut JavaRandom, count: usize) -> Bits {
    let mut bits = Bits::new(count);
    let rare = below(random, 9) + 1;
    for at in 0..count {
        if below(random, rare as i32) == 0 {
            bits.set(at);
        }
    }
    bits
}

fn bytes<const N: usize>(random: &mut JavaRandom) -> [u8; N] {
    [(); N].map(|()| random.next_int() as u8)
}

fn column(random: &mut JavaRandom) -> Column {
    Column {
        id: random.next_long() as u64,
        size: below(random, 9) as u32,
        values: below(random, 5) as u32,
    }
}

fn answers(random: &mut JavaRandom) -> Answers {
    let count = below(random, 70) + 1;
    let class_count = below(random, 6) as u32 + 1;
    let coarse = [Coarse::Bits8, Coarse::Bits16, Coarse::Exact][below(random, 3)];
    let present = match below(random, 2) {
        0 => Bits::all(count),
        _ => bits(random, count),
    };
    let of = |at: usize, value: f64| if present.get(at) { value } else { 0.0 };
    let confidences = (0..count)
        .map(|at| of(at, coarse.round(random.next_double())))
        .collect();
    let class = |at: usize| of(at, f64::from(at as u32 % class_count)) as u32;
    Answers {
        source: 9,
        class_count,
        coarse,
        confidences,
        classes: (0..count).map(class).collect(),
        forwards: (0..below(random, 3)).map(|_| bits(random, count)).collect(),
        what_ifs: (0..below(random, 4)).map(|_| bits(random, count)).collect(),
        present,
        agreement: (3, 1),
        keys: 77,
    }
}

fn topology(random: &mut JavaRandom) -> Topology {
    let sites = 3 + below(random, 3);
    let site = |id: usize| SiteColumns {
        id: id as u16,
        columns: vec![column(&mut JavaRandom::new(id as i64))],
    };
    let mut topology = Topology::of_sites((0..sites).map(site).collect());
    topology.nodes.push(Node {
        id: sites as u16,
        order: 1,
        sources: vec![0, 2],
        length: 2,
        factor: Ratio::new(3, 2),
        second: (below(random, 2) == 0).then_some(Ratio::ONE),
        kind: FragmentKind::Masked,
        two_phase: true,
        width: 2,
        host: PartyId::AGGREGATOR,
        first: 4,
    });
    topology.lengths = vec![(1, vec![2, 5])];
    topology.signature = bytes(random);
    topology
}

/// Frames of all kinds.
fn frames(random: &mut JavaRandom) -> Vec<Body> {
    let count = below(random, 60) + 1;
    let forwarded = bits(random, count);
    let width = below(random, 4) + 1;
    let value = |random: &mut JavaRandom| f64::from(random.next_int_below(3));
    let classes = (0..count).map(|at| if forwarded.get(at) { 1 } else { 0 });
    vec![
        Body::Hello(Hello {
            terms: bytes(random),
            next: 8,
            columns: (0..3).map(|_| column(random)).collect(),
            allows: FragmentKind::Projected,
            min_sources: 3,
            mask: bytes(random),
            signature: bytes(random),
        }),
        Body::Answers(answers(random)),
        Body::Keys(Keys {
            source: 1,
            forwarded: forwarded.clone(),
        }),
        Body::Agreed(Agreed {
            records: forwarded.clone(),
            members: vec![0, 3],
        }),
        Body::Fragment(Fragment {
            source: 1,
            forwarded: (below(random, 2) == 0).then(|| forwarded.clone()),
            width: width as u16,
            values: (0..width * forwarded.ones())
                .map(|_| value(random))
                .collect(),
        }),
        Body::Masked(Masked {
            source: 1,
            width: width as u16,
            words: (0..width).map(|_| random.next_long() as u64).collect(),
        }),
        Body::Labels(Labels {
            class_count: 2,
            classes: classes.collect(),
            present: forwarded.clone(),
            keys: 5,
        }),
        Body::State(State {
            nodes: vec![(7, Ratio::new(1, 3), Ratio::ONE)],
        }),
        Body::Topology(topology(random)),
        Body::Final(Finals {
            records: vec![Final {
                class: 1,
                confidence: random.next_double(),
                who: NO_NODE,
                order: 0,
                partial: true,
                early: false,
            }],
        }),
        Body::Ack(Ack {
            frames: vec![Stream {
                kind: Kind::Labels,
                source: 1,
                node: 2,
                batch: 3,
            }],
        }),
        Body::Credit(Credit {
            below: 4,
            epoch: 2,
            closed: 1,
        }),
        Body::Refuse(Refusal::ALL[below(random, Refusal::ALL.len() as i32)]),
        Body::Scores(Scores {
            scores: forwarded.places().map(|at| at as f32).collect(),
            records: forwarded,
        }),
        Body::Join(Join {
            mark: bytes(random),
            run: random.next_int() as u32,
            terms: [7; 32],
        }),
        Body::End(End { batches: 12 }),
    ]
}

#[test]
fn frames_are_read_back_as_they_were_written() {
    let mut random = JavaRandom::new(11);
    for _ in 0..200 {
        for body in frames(&mut random) {
            let header = header_of(&mut random, &body);
            let bytes = encode(&header, &body);
            assert_eq!(decode(&bytes), Ok((header, body)));
        }
    }
}

#[test]
fn a_frame_has_one_text_alone() {
    let mut random = JavaRandom::new(12);
    for body in frames(&mut random) {
        let header = header_of(&mut random, &body);
        let bytes = encode(&header, &body);
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[place] ^= 1 << bit;
                if let Ok((header, body)) = decode(&other) {
                    assert_eq!(
                        encode(&header, &body),
                        other,
                        "{:?} at {place}",
                        body.kind()
                    );
                }
            }
        }
    }
}

#[test]
fn bytes_of_anything_have_a_flaw_and_no_panic() {
    let check = |bytes: &[u8], flaw: Flaw| assert_eq!(decode(bytes), Err(flaw));
    check(&[], Flaw::Short);
    check(&[0; 40], Flaw::Magic);
    let mut random = JavaRandom::new(13);
    let bodies = frames(&mut random);
    let mut bytes = encode(&header(&mut random), &bodies[0]);
    bytes[2] = 9;
    check(&bytes, Flaw::Version(9));
    (bytes[2], bytes[3]) = (VERSION, 200);
    check(&bytes, Flaw::Kind(200));
    bytes[3] = 1;
    bytes.pop();
    check(&bytes, Flaw::Length);
    for body in &bodies {
        let named = Header {
            node: 7,
            ..header(&mut random)
        };
        if !body.kind().may_name_node() {
            check(&encode(&named, body), Flaw::Node);
        }
        let whole = encode(&header_of(&mut random, body), body);
        for _ in 0..300 {
            let mut other = whole[..below(&mut random, whole.len() as i32)].to_vec();
            other.extend((0..below(&mut random, 40)).map(|_| random.next_int() as u8));
            // The length is put right, so that the body is what is looked at.
            if let Some(body) = other.len().checked_sub(HEADER) {
                other[28..32].copy_from_slice(&(body as u32).to_le_bytes());
            }
            let _ = decode(&other);
        }
    }
}

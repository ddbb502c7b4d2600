//! A federation with marked cells leaks nothing, and each of twelve planted leaks is found.

use super::*;
use crate::federate::frame::{Agreed, Answers, Fragment, Hello, Kind, Masked, Refusal, encode};
use crate::federate::simulate::{Process, SiteSource};
use crate::federate::{Column, Range, Ratio, Rule, Sharing};
use crate::math::java_random::JavaRandom;

const SITES: u16 = 4;
const RECORDS: usize = 4000;

/// Cells with random mantissas, in 0 to 1; the class follows all of them together.
fn cells() -> (Vec<Records>, Vec<u32>) {
    let mut random = JavaRandom::new(17);
    let mut sites = vec![Records::new(1); usize::from(SITES)];
    let mut classes = Vec::new();
    for _ in 0..RECORDS {
        let record = [(); SITES as usize].map(|()| random.next_double());
        let high = record.iter().filter(|value| **value > 0.5).count();
        classes.push(u32::from(high % 2 == 1));
        for (site, value) in sites.iter_mut().zip(record) {
            site.push(&[value]);
        }
    }
    (sites, classes)
}

fn terms(kind: FragmentKind) -> Terms {
    let mut terms = Terms::of_study(SITES, 2, Rule::Vote).with_trouble(Ratio::new(3, 1));
    terms.batch = 64;
    terms.coarse = Coarse::Bits8;
    if let Some(trouble) = &mut terms.trouble {
        trouble.learner = "nb".to_owned();
        trouble.group = 3;
        trouble.fragments = kind;
        trouble.noise = 0.05;
        trouble.colluders = 1;
    }
    terms
}

fn run(kind: FragmentKind, sites: &[Records], classes: &[u32]) -> Vec<Recorded> {
    let source = |(site, records): (u16, &Records)| SiteSource {
        columns: vec![Column {
            id: u64::from(site),
            size: 1,
            values: 0,
        }],
        learner: "nb".to_owned(),
        records: records.clone(),
        sharing: Sharing {
            seed: [site as u8 + 1; 32],
            ranges: vec![Some(Range::Bounds(0.0, 1.0))],
        },
    };
    let sources = (0..).zip(sites).map(source).collect();
    let process = Process::new(terms(kind), sources, classes.to_vec()).expect("sound terms");
    process.recording().run().expect("sound records").frames
}

struct Case {
    sites: Vec<Records>,
    frames: Vec<Recorded>,
    kind: FragmentKind,
}

impl Case {
    fn new(kind: FragmentKind) -> Self {
        let (sites, classes) = cells();
        let frames = run(kind, &sites, &classes);
        Case {
            sites,
            frames,
            kind,
        }
    }

    fn audit(&self, frames: &[Recorded], texts: &[&[u8]]) -> Vec<LeakKind> {
        let secrets = Secrets {
            cells: (0..).zip(&self.sites).collect(),
            names: vec!["haemoglobin".to_owned()],
            allows: (0..SITES).map(|site| (site, self.kind)).collect(),
        };
        let leaks = audit(&terms(self.kind), &secrets, frames, texts);
        leaks.into_iter().map(|leak| leak.kind).collect()
    }

    fn first(&self, wanted: Kind) -> (usize, Header, Body) {
        let found = self.frames.iter().enumerate().find_map(|(place, frame)| {
            let (header, body) = decode(&frame.bytes).ok()?;
            (header.kind == wanted && header.sender == PartyId(0)).then_some((place, header, body))
        });
        found.expect("such a frame")
    }

    /// Puts a frame behind those that were recorded.
    fn with(&self, header: Header, body: &Body) -> Vec<LeakKind> {
        let mut frames = self.frames.clone();
        let bytes = encode(&header, body);
        frames.push(Recorded {
            from: header.sender,
            to: PartyId::AGGREGATOR,
            bytes,
        });
        self.audit(&frames, &[])
    }
}

fn answers(body: Body) -> Answers {
    match body {
        Body::Answers(answers) => answers,
        _ => panic!("answers"),
    }
}

fn masked(body: Body) -> Masked {
    match body {
        Body::Masked(masked) => masked,
        _ => panic!("a masked frame"),
    }
}

fn hello(body: Body) -> Hello {
    match body {
        Body::Hello(hello) => hello,
        _ => panic!("a hello"),
    }
}

#[test]
fn masked_fragments_leak_nothing() {
    let case = Case::new(FragmentKind::Masked);
    let masked = case
        .frames
        .iter()
        .filter(|frame| frame.bytes[3] == Kind::Masked as u8);
    assert!(masked.count() > 30, "trouble nodes were made");
    assert_eq!(case.audit(&case.frames, &[b"an error without a value"]), []);
}

#[test]
fn projected_fragments_hold_no_cell_and_raw_ones_are_allowed_where_sites_say_so() {
    let case = Case::new(FragmentKind::Projected);
    assert_eq!(case.audit(&case.frames, &[]), []);
    let raw = Case::new(FragmentKind::Raw);
    assert_eq!(raw.audit(&raw.frames, &[]), []);
    let strict = Case {
        kind: FragmentKind::Masked,
        ..raw
    };
    let leaks = strict.audit(&strict.frames, &[]);
    assert!(leaks.contains(&LeakKind::Double) && leaks.contains(&LeakKind::Fragment));
}

#[test]
fn leaks_in_fragments_and_masks_are_found() {
    let case = Case::new(FragmentKind::Masked);
    let (_, header, body) = case.first(Kind::Masked);
    let frame = masked(body);
    let raw = Fragment {
        source: 0,
        forwarded: None,
        width: 1,
        values: vec![case.sites[0].record(5)[0]],
    };
    let found = case.with(header, &Body::Fragment(raw));
    assert!(found.contains(&LeakKind::Fragment) && found.contains(&LeakKind::Double));

    let mut reused = frame.clone();
    reused
        .words
        .iter_mut()
        .for_each(|word| *word = word.wrapping_add(1 << 31));
    let later = Header {
        batch: header.batch + 1000,
        ..header
    };
    assert_eq!(
        case.with(later, &Body::Masked(reused.clone())),
        [LeakKind::ReusedMask]
    );

    let zero = Masked {
        words: frame.words.iter().map(|_| 1 << 31).collect(),
        ..frame.clone()
    };
    assert!(
        case.with(later, &Body::Masked(zero))
            .contains(&LeakKind::NoMask)
    );

    let mut other = frame;
    other.words[0] ^= 1;
    assert_eq!(
        case.with(header, &Body::Masked(other)),
        [LeakKind::SecondFrame]
    );

    let agreed = Agreed {
        records: crate::federate::frame::Bits::new(64),
        members: vec![0, 1],
    };
    let to_others = Header {
        sender: PartyId::AGGREGATOR,
        ..header
    };
    let found = case.with(to_others, &Body::Agreed(agreed));
    assert!(found.contains(&LeakKind::SecondFrame), "{found:?}");
}

#[test]
fn leaks_in_answers_and_small_frames_are_found() {
    let case = Case::new(FragmentKind::Masked);
    let (_, header, body) = case.first(Kind::Answers);
    let told = answers(body);

    let mut exact = told.clone();
    exact.coarse = Coarse::Exact;
    exact.confidences[0] = 0.123_456_789;
    assert_eq!(
        case.with(header, &Body::Answers(exact)),
        [LeakKind::Confidence]
    );

    let mut ranked = told.clone();
    ranked.agreement = (312, 1000);
    assert_eq!(
        case.with(header, &Body::Answers(ranked)),
        [LeakKind::Number]
    );
    let mut keyed = told;
    keyed.keys = 312;
    assert_eq!(case.with(header, &Body::Answers(keyed)), [LeakKind::Number]);

    let (_, header, body) = case.first(Kind::Hello);
    let said = hello(body);
    let mut named = said.clone();
    named.mask[..11].copy_from_slice(b"haemoglobin");
    assert_eq!(
        case.with(header, &Body::Hello(named)),
        [LeakKind::ColumnName]
    );

    let mut frames = case.frames.clone();
    for start in (0..160).step_by(16) {
        let mut floats = said.clone();
        for (at, slot) in floats.signature.chunks_exact_mut(4).enumerate() {
            let cell = case.sites[0].record(start + at)[0] as f32;
            slot.copy_from_slice(&cell.to_be_bytes());
        }
        frames.push(Recorded {
            from: PartyId(0),
            to: PartyId::AGGREGATOR,
            bytes: encode(&header, &Body::Hello(floats)),
        });
    }
    assert!(case.audit(&frames, &[]).contains(&LeakKind::Float));

    let mut bytes = encode(&header, &Body::Refuse(Refusal::Value));
    bytes.extend(case.sites[0].record(9)[0].to_le_bytes());
    let mut frames = case.frames.clone();
    frames.push(Recorded {
        from: PartyId(0),
        to: PartyId::AGGREGATOR,
        bytes,
    });
    assert_eq!(
        case.audit(&frames, &[]),
        [LeakKind::Double, LeakKind::Malformed]
    );
}

#[test]
fn leaks_in_texts_are_found() {
    let case = Case::new(FragmentKind::Masked);
    let cell = case.sites[2].record(77)[0];
    let text = format!("the value {cell:.8} is out of bounds");
    assert_eq!(case.audit(&[], &[text.as_bytes()]), [LeakKind::Text]);
    let alphabet: Vec<u8> = (b'A'..=b'Z')
        .chain(b'a'..=b'z')
        .chain(b'0'..=b'9')
        .chain(*b"+/")
        .collect();
    let word = cell
        .to_le_bytes()
        .iter()
        .fold(0_u128, |sum, &byte| sum << 8 | u128::from(byte));
    let sextets = (0..11).map(|at| (word << 2 >> (60 - 6 * at) & 63) as usize);
    let base64: Vec<u8> = sextets.map(|sextet| alphabet[sextet]).collect();
    assert_eq!(case.audit(&[], &[&base64]), [LeakKind::Base64]);
    let integer = ((cell * 4_294_967_296.0).round_ties_even() as i64).to_be_bytes();
    assert_eq!(case.audit(&[], &[&integer]), [LeakKind::Integer]);
}

#[test]
fn noise_that_is_drawn_again_is_found() {
    let case = Case::new(FragmentKind::Projected);
    let (_, header, body) = case.first(Kind::Fragment);
    let Body::Fragment(mut fragment) = body else {
        panic!("a fragment");
    };
    assert!(fragment.forwarded.is_some() && !fragment.values.is_empty());
    assert_eq!(case.with(header, &Body::Fragment(fragment.clone())), []);
    fragment.values[0] += 0.01;
    assert_eq!(
        case.with(header, &Body::Fragment(fragment)),
        [LeakKind::RedrawnNoise]
    );
}

//! Proof on bytes: a federation of processes whose cells are marks, and everything that who records
//! all of it could look at. Links, before TLS and after it; files; what is printed; the memory of
//! all who hold no cells.

use crate::bed::{Bed, Process, finish, free_ports};
use crate::canaries::{BATCH, Canaries, DIALLED, OTHERS, RECORDS, SITES, decoys, load};
use crate::forwarder::{Faults, Forwarder};
use crate::memory;
use crate::relay::Relay;
use moretta::federate::PartyId;
use moretta::federate::audit::{LeakKind, Recorded, Search, Secrets, audit};
use moretta::federate::frame::{Kind, decode_header};
use moretta::policy::FederationPolicy;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::net::SocketAddr;

/// The batches after which everybody stands still and is looked at.
const MOMENTS: [usize; 3] = [16, 32, 44];

/// What was found where.
type Found = BTreeMap<String, BTreeSet<LeakKind>>;

/// Everything that is left of a run.
struct Evidence {
    bed: Bed,
    canaries: Canaries,
    policy: FederationPolicy,
    frames: Vec<Recorded>,
    /// Inside of TLS, and outside.
    plain: Vec<Vec<u8>>,
    wires: Vec<Vec<u8>>,
    memory: Found,
}

/// Runs a federation with these fragments to its end.
fn run(kind: &str, seed: u64) -> Evidence {
    let bed = Bed::new();
    let listened: [u16; 3] = free_ports();
    let local = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
    let keys = bed.path("keys");
    // Keys are made from a policy, and links need keys: so their ports are written in twice.
    Canaries::plant(&bed, seed, kind, listened, listened);
    bed.make_keys();
    let relays = [0, 1, 2].map(|at: usize| Relay::start(&keys, DIALLED[at], local(listened[at])));
    let wires = [0, 1, 2].map(|at: usize| Forwarder::start(relays[at].address, Faults::default()));
    let dialled = [0, 1, 2].map(|at: usize| wires[at].address.port());
    let canaries = Canaries::plant(&bed, seed, kind, listened, dialled);
    let rows = bed.read(&format!("{}.csv", SITES[0]));
    bed.change(
        &format!("{}.toml", SITES[0]),
        &format!("{}.csv", SITES[0]),
        "-",
    );
    let mut processes: Vec<Process> = OTHERS
        .iter()
        .chain(&SITES)
        .map(|party| bed.start(party))
        .collect();
    let mut memory = Found::new();
    let lines: Vec<&str> = rows.split_inclusive('\n').collect();
    let mut fed = 0;
    for batches in MOMENTS {
        let until = 1 + batches * BATCH;
        let site = processes
            .iter_mut()
            .find(|process| process.party == SITES[0]);
        site.expect("a site").feed(&lines[fed..until].concat());
        fed = until;
        bed.wait_for_answers(batches * BATCH);
        look_at_memory(&processes, &canaries, &mut memory);
    }
    finish(processes);
    bed.change(
        &format!("{}.toml", SITES[0]),
        "\"-\"",
        &format!("\"{}.csv\"", SITES[0]),
    );
    bed.check_answers(RECORDS);
    let recorded = |bytes: Vec<u8>| Recorded {
        from: decode_header(&bytes).map_or(PartyId::AGGREGATOR, |header| header.sender),
        to: PartyId::AGGREGATOR,
        bytes,
    };
    Evidence {
        policy: load(&bed, "hub"),
        frames: relays
            .iter()
            .flat_map(Relay::frames)
            .map(recorded)
            .collect(),
        plain: relays.iter().flat_map(Relay::plain).collect(),
        wires: wires.iter().map(Forwarder::wire).collect(),
        bed,
        canaries,
        memory,
    }
}

fn look_at_memory(processes: &[Process], canaries: &Canaries, found: &mut Found) {
    let decoys = decoys();
    for process in processes
        .iter()
        .filter(|process| OTHERS.contains(&&*process.party))
    {
        // The label holder has keys of its own.
        let search = canaries.search(process.party != "desk");
        let leaks = found.entry(process.party.clone()).or_default();
        let (mut hits, mut by_chance) = (HashSet::new(), HashSet::new());
        let bytes = memory::look_at(process.id(), |piece| {
            leaks.extend(search.find(piece).into_keys());
            hits.extend(search.floats(piece));
            by_chance.extend(decoys.floats(piece));
        });
        assert!(bytes > 1 << 20, "{bytes} bytes of {}", process.party);
        let (hits, by_chance) = (hits.len(), by_chance.len());
        if are_more(hits, by_chance) {
            leaks.insert(LeakKind::Float);
        }
        println!(
            "{}: {bytes} bytes in memory, floats {hits} and {by_chance} by chance",
            process.party
        );
    }
}

/// Whether there are more hits than those of marks that were never used.
fn are_more(hits: usize, by_chance: usize) -> bool {
    hits as f64 > by_chance as f64 + 6.0 * (by_chance as f64).sqrt() + 6.0
}

fn look_at_bytes(
    search: &Search,
    decoys: &Search,
    bytes: &[u8],
    packed: bool,
) -> BTreeSet<LeakKind> {
    let mut leaks: BTreeSet<LeakKind> = search.find(bytes).into_keys().collect();
    if packed {
        leaks.extend(search.shifted(bytes).into_keys());
    }
    if are_more(search.floats(bytes).len(), decoys.floats(bytes).len()) {
        leaks.insert(LeakKind::Float);
    }
    leaks
}

impl Evidence {
    fn count(&self, kind: Kind) -> usize {
        let frames = self.frames.iter();
        frames.filter(|frame| frame.bytes[3] == kind as u8).count()
    }

    /// Frames held against what their kinds may say.
    fn audited(&self) -> BTreeSet<LeakKind> {
        let sites = self.canaries.by_site();
        let secrets = Secrets {
            cells: (0..).zip(&sites).collect(),
            names: self.canaries.words.clone(),
            allows: (0..4)
                .map(|site| (site, self.policy.consent.allows))
                .collect(),
        };
        let leaks = audit(&self.policy.terms, &secrets, &self.frames, &[]);
        leaks.into_iter().map(|leak| leak.kind).collect()
    }

    /// What is found anywhere but in memory, by place.
    fn found(&self) -> Found {
        let (search, without_keys, decoys) = (
            self.canaries.search(true),
            self.canaries.search(false),
            decoys(),
        );
        let mut found = Found::new();
        let mut look = |place: String, search: &Search, bytes: &[u8], packed: bool| {
            let leaks = look_at_bytes(search, &decoys, bytes, packed);
            found.entry(place).or_default().extend(leaks);
        };
        for frame in &self.frames {
            let kind = Kind::ALL
                .into_iter()
                .find(|kind| *kind as u8 == frame.bytes[3]);
            look(format!("frames {kind:?}"), &search, &frame.bytes, true);
        }
        for bytes in &self.plain {
            look("before TLS".to_owned(), &search, bytes, false);
        }
        for bytes in &self.wires {
            look("on the wire".to_owned(), &search, bytes, false);
        }
        let inputs = OTHERS
            .iter()
            .chain(&SITES)
            .flat_map(|party| [format!("{party}.toml"), format!("{party}.csv")]);
        let inputs: Vec<String> = inputs.chain(["labels.csv".to_owned()]).collect();
        for path in self.bed.files() {
            let bytes = std::fs::read(&path).expect("a file");
            let name = path.strip_prefix(self.bed.path("")).expect("below it");
            let name = name.to_str().expect("a name").to_owned();
            if inputs.contains(&name) {
                continue;
            }
            let is_desk = name.contains("desk");
            look(
                name,
                if is_desk { &without_keys } else { &search },
                &bytes,
                true,
            );
        }
        found
    }
}

fn leaky(found: &Found) -> Vec<(&String, &BTreeSet<LeakKind>)> {
    found
        .iter()
        .filter(|(_, leaks)| !leaks.is_empty())
        .collect()
}

fn check_nothing_leaks(kind: &str, telling: Kind, seed: u64) {
    let evidence = run(kind, seed);
    assert!(evidence.canaries.cells.len() > 10_000);
    assert!(evidence.count(telling) > 30, "trouble nodes were made");
    assert!(evidence.wires.iter().all(|wire| wire.len() > 10_000));
    assert_eq!(evidence.audited(), BTreeSet::new());
    let found = evidence.found();
    for place in [
        "before TLS",
        "on the wire",
        "out/answers.csv",
        "logs/hub.err",
        "logs/node.err",
        "keys/hub.key",
    ] {
        assert!(found.contains_key(place), "{place} was looked at");
    }
    assert_eq!(leaky(&found), [], "{kind}");
    assert_eq!(evidence.memory.len(), OTHERS.len());
    assert_eq!(leaky(&evidence.memory), [], "{kind}");
}

#[test]
fn masked_fragments_leave_no_cell_anywhere() {
    check_nothing_leaks("masked", Kind::Masked, 1);
}

#[test]
fn projected_fragments_leave_no_cell_anywhere() {
    check_nothing_leaks("projected", Kind::Fragment, 2);
}

/// What is looked for is found where it is: cells that sites allow to be sent as they are.
#[test]
fn raw_fragments_are_found_in_frames_and_in_memory() {
    let evidence = run("raw", 3);
    assert!(
        evidence.count(Kind::Fragment) > 30,
        "trouble nodes were made"
    );
    assert!(evidence.frames.len() > RECORDS / BATCH);
    let found = evidence.found();
    assert!(
        found["frames Some(Fragment)"].contains(&LeakKind::Double),
        "{found:?}"
    );
    assert!(found["before TLS"].contains(&LeakKind::Double), "{found:?}");
    assert_eq!(found["on the wire"], BTreeSet::new());
    assert!(
        evidence.memory["node"].contains(&LeakKind::Double),
        "{:?}",
        evidence.memory
    );
    for party in ["hub", "desk", "viewer"] {
        assert_eq!(evidence.memory[party], BTreeSet::new(), "{party}");
    }
}

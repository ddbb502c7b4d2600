//! What must hold for every seed.

use super::*;
use crate::federate::Mode;
use std::collections::BTreeSet;

/// The seeds that are tried: a few that are always the same, or many from the campaign's on.
pub(super) fn seeds(few: i64) -> std::ops::Range<i64> {
    match option_env!("MORETTA_LONG") {
        None => 0..few,
        Some(campaign) => {
            let first = campaign.parse::<u64>().expect("a number") % 1_000_000_000;
            let first = i64::try_from(first).expect("below a billion");
            first..first + few * 50
        }
    }
}

/// Looks for values of records, and for batches of two epochs.
pub(super) struct Auditor {
    canaries: Vec<[u8; 8]>,
    may_tell: bool,
    epochs: BTreeMap<u64, u32>,
    nodes: usize,
    /// Kinds of frames that each party was sent; topologies count if a node is gone.
    sent: BTreeMap<PartyId, BTreeSet<Kind>>,
    newest_nodes: Vec<u16>,
    /// The same whenever the journal of a party was looked at: when it was killed, and at the end.
    looked: BTreeMap<PartyId, Vec<BTreeSet<Kind>>>,
}

impl Auditor {
    fn new(case: &Case, may_tell: bool) -> Self {
        let canaries = case.records.iter().flatten();
        let mut canaries: Vec<[u8; 8]> = canaries.map(|value| value.to_le_bytes()).collect();
        canaries.sort_unstable();
        Auditor {
            canaries,
            may_tell,
            epochs: BTreeMap::new(),
            nodes: 0,
            sent: BTreeMap::new(),
            newest_nodes: Vec::new(),
            looked: BTreeMap::new(),
        }
    }

    /// Kills of each party.
    fn kills(&self) -> impl Iterator<Item = (PartyId, usize)> {
        self.looked
            .iter()
            .map(|(party, looks)| (*party, looks.len() - 1))
    }

    /// Kills of parties that were sent a frame of a kind before.
    pub(super) fn kills_after(&self, kind: Kind) -> usize {
        let before_the_end = |looks: &Vec<BTreeSet<Kind>>| {
            let kills = looks[..looks.len() - 1].iter();
            kills.filter(|sent| sent.contains(&kind)).count()
        };
        self.looked.values().map(before_the_end).sum()
    }

    /// Notes what a party is sent.
    fn note(&mut self, to: PartyId, kind: Kind, bytes: &[u8]) {
        if kind == Kind::Topology {
            let Ok((_, Body::Topology(topology))) = decode(bytes) else {
                return;
            };
            let nodes: Vec<u16> = topology.nodes.iter().map(|node| node.id).collect();
            let is_gone = |node: &u16| !nodes.contains(node);
            if self.newest_nodes.iter().any(is_gone) {
                // The aggregator tells it to itself.
                for party in [to, PartyId::AGGREGATOR] {
                    self.sent.entry(party).or_default().insert(kind);
                }
            } else {
                self.newest_nodes = nodes;
            }
            return;
        }
        self.sent.entry(to).or_default().insert(kind);
    }

    fn tells(&self, bytes: &[u8]) -> bool {
        let mut windows = bytes.windows(8);
        windows.any(|window| {
            self.canaries
                .binary_search_by(|canary| canary[..].cmp(window))
                .is_ok()
        })
    }
}

impl Watch for Auditor {
    fn frame(&mut self, _: PartyId, to: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let header = decode_header(&bytes).expect("a frame");
        self.note(to, header.kind, &bytes);
        let of_batch = matches!(
            header.kind,
            Kind::Answers | Kind::Keys | Kind::Agreed | Kind::Fragment | Kind::Masked | Kind::Final
        );
        if of_batch {
            let known = *self.epochs.entry(header.batch).or_insert(header.epoch);
            assert_eq!(
                known, header.epoch,
                "batch {} of {:?} from {}",
                header.batch, header.kind, header.sender
            );
        }
        let allowed = self.may_tell && header.kind == Kind::Fragment;
        assert!(
            allowed || !self.tells(&bytes),
            "{:?} tells a value",
            header.kind
        );
        self.nodes += usize::from(matches!(header.kind, Kind::Fragment | Kind::Masked));
        vec![bytes]
    }

    fn journal(&mut self, party: PartyId, journal: &MemoryJournal) {
        let sent = self
            .sent
            .get(&party)
            .filter(|_| journal.last_checkpoint().is_some());
        let looks = self.looked.entry(party).or_default();
        looks.push(sent.cloned().unwrap_or_default());
        let runs_nodes = party == PartyId::AGGREGATOR || party.is_host();
        if self.may_tell && runs_nodes {
            return;
        }
        // What a site has learnt of its own columns is its own, and may hold extremes as they are.
        let own = journal.last_checkpoint().filter(|_| !party.is_site());
        let tells = journal.entries().chain(own).any(|bytes| self.tells(bytes));
        assert!(!tells, "the journal of {party}");
    }
}

/// The same, with nodes at the aggregator or, for some seeds, at two hosts.
pub(super) fn hosted(case: &Case, seed: i64) -> Case {
    let mut case = case.copy();
    if seed % 3 == 1 && case.terms.trouble.is_some() {
        case.terms.hosts = vec![PartyId::host(0).0, PartyId::host(1).0];
    }
    case
}

/// Runs a case in lockstep over a network that loses, repeats and overtakes, with kills.
pub(super) fn check_seed(case: &Case, seed: i64, expected: &[Final]) -> (Run, Auditor) {
    let kind = case.terms.trouble.as_ref().map(|trouble| trouble.fragments);
    let weather = Weather {
        until: 10_000_000,
        checkpoint_every: 20 + seed as u64 % 200,
        to_the_end: true,
        ..Weather::bad(seed)
    };
    let (run, auditor) = case.run(weather, Auditor::new(case, kind == Some(FragmentKind::Raw)));
    assert!(run.failure.is_none(), "seed {seed}: {:?}", run.failure);
    assert_eq!(
        run.answers.len(),
        case.batches(),
        "seed {seed} stands still"
    );
    assert_eq!((run.contradictions, run.deviations), (0, 0), "seed {seed}");
    assert!(bytes(&run.finals()) == bytes(expected), "seed {seed}");
    assert!(run.is_over, "seed {seed} does not end");
    let sites = case.terms.sites.len();
    assert!(run.most_in_flight < 500 * sites, "{}", run.most_in_flight);
    assert!(
        run.greatest_checkpoint < (1 << 18) * sites,
        "{}",
        run.greatest_checkpoint
    );
    let quarantined = run.count(|note| matches!(note, Note::Quarantined(_)));
    assert_eq!(quarantined, 0, "seed {seed}: {:?}", run.notes);
    (run, auditor)
}

fn check(rule: Rule, kind: Option<FragmentKind>, few: i64) {
    let mut forwarded = 0;
    let mut killed = BTreeMap::new();
    for seed in seeds(few) {
        let mut case = Case::new(rule, kind, 8, 400, seed / 10);
        case.terms.label_delay = [0, 0, 5, 30][seed as usize % 4];
        let expected = case.expected();
        let (_, auditor) = check_seed(&hosted(&case, seed), seed, &expected);
        forwarded += auditor.nodes;
        for (party, kills) in auditor.kills() {
            *killed.entry(party).or_insert(0) += kills;
        }
    }
    assert!(
        killed.len() >= 7 && killed.values().all(|&kills| kills > 0),
        "{killed:?}"
    );
    assert_eq!(forwarded > 0, kind.is_some(), "nodes were made");
}

#[test]
fn lockstep_answers_are_those_of_one_process_without_nodes() {
    check(Rule::Vote, None, 60);
}

#[test]
fn lockstep_answers_are_those_of_one_process_with_raw_fragments() {
    check(Rule::MaxConfidence, Some(FragmentKind::Raw), 60);
    check(Rule::Stack, Some(FragmentKind::Raw), 30);
}

#[test]
fn lockstep_answers_are_those_of_one_process_with_masked_fragments() {
    check(Rule::Vote, Some(FragmentKind::Masked), 60);
}

fn check_flow(kind: Option<FragmentKind>, few: i64) {
    let (mut kills, mut late) = (0, 0);
    for seed in seeds(few) {
        let mut case = Case::new(Rule::Vote, kind, 8, 400, seed / 10);
        case.terms.mode = Mode::Flow {
            after: 100,
            patience: 300,
            ahead: 32,
        };
        if seed % 2 == 1 && kind.is_some() {
            case.terms.hosts = vec![PartyId::host(0).0, PartyId::host(1).0];
        }
        let mut weather = Weather {
            interval: Some(10),
            to_the_end: true,
            until: 10_000_000,
            checkpoint_every: 20 + seed as u64 % 200,
            ..Weather::bad(seed)
        };
        if seed % 3 == 0 {
            weather.partitions.push(Partition {
                from: 200,
                until: 500 + 10 * (seed % 2000) as Time,
                side: vec![PartyId(seed as u16 % 4), PartyId(3)],
            });
        }
        let auditor = Auditor::new(&case, kind == Some(FragmentKind::Raw));
        let (run, _) = case.run(weather, auditor);
        assert!(run.failure.is_none(), "seed {seed}: {:?}", run.failure);
        assert_eq!(
            run.answers.len(),
            case.batches(),
            "seed {seed} stands still"
        );
        assert_eq!((run.contradictions, run.deviations), (0, 0), "seed {seed}");
        assert_eq!(run.finals().len(), case.classes.len(), "seed {seed}");
        assert!(run.is_over, "seed {seed} does not end");
        assert!(run.most_in_flight < 3000, "{}", run.most_in_flight);
        assert!(
            run.greatest_checkpoint < 1 << 20,
            "{}",
            run.greatest_checkpoint
        );
        let faults = run.notes.iter().find(|(_, _, note)| {
            matches!(
                note,
                Note::Quarantined(_) | Note::Refused(..) | Note::Dropped(_)
            )
        });
        assert_eq!(faults, None, "seed {seed}");
        kills += run.kills;
        late += run.count(|note| matches!(note, Note::Late(..)));
    }
    assert!(
        kills > few as u64 && late > 0,
        "{kills} kills, {late} late frames"
    );
}

#[test]
fn flow_answers_every_batch_once_without_nodes() {
    check_flow(None, 40);
}

#[test]
fn flow_answers_every_batch_once_with_raw_fragments() {
    check_flow(Some(FragmentKind::Raw), 40);
}

#[test]
fn flow_answers_every_batch_once_with_masked_fragments() {
    check_flow(Some(FragmentKind::Masked), 40);
}

use super::*;
use crate::federate::frame::{Body, Hello, Kind, decode};
use crate::federate::{Column, PartyId, Topology};
use crate::math::java_random::JavaRandom;
use crate::pipeline::{Chronicle, FederationFacts};
use crate::policy::Root;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

const RECORDS: usize = 400;
/// What sites say of their columns; `beat` and `pulse` are the same column.
const HEART: &str = "beat = { role = \"quasi\"BEAT }\nage = { role = \"quasi\" }";
const LUNG: &str = "pulse = { role = \"quasi\"PULSE }\nspo2 = { role = \"quasi\" }";
const BLOOD: &str = "iron = { role = \"quasi\" }\nsugar = { role = \"quasi\" }";

/// A federation of three sites, whose trouble nodes are over two, with these keys of columns.
fn policies(folder: &Path, beat: &str, pulse: &str) -> Vec<FederationPolicy> {
    write_rows(folder);
    let of = |id: &str, role: &str, columns: &str| {
        let rows = match columns {
            "" => String::new(),
            columns => format!(
                "[source]\npath = \"{id}.csv\"\n[columns]\nvisit = {{ role = \"key\" }}\n{columns}\n"
            ),
        };
        let text = format!(
            "version = 1\n{rows}[federation]\nname = \"f\"\nrole = \"{role}\"\nid = \"{id}\"\n\
             parties = {{ hub = \"aggregator\", desk = \"labels\", heart = \"site\", lung = \"site\", blood = \"site\" }}\n\
             classes = [\"no\", \"yes\"]\nlearner = \"nb\"\nconfidence_bits = 64\nbatch = 1\n\
             trouble = {{ factor = 1.5, learner = \"nb\" }}\nfragments = {{ kind = \"raw\" }}\n\
             monitors = {{ window = 50, creation_time = 20, removal_time = 4000 }}\n"
        );
        let root = Root::of_policy(&folder.join("policy.toml"), None).expect("a folder");
        FederationPolicy::parse(&text, &root).expect("a policy")
    };
    vec![
        of("hub", "aggregator", ""),
        of("desk", "labels", "outcome = { role = \"class\" }"),
        of("heart", "site", &HEART.replace("BEAT", beat)),
        of("lung", "site", &LUNG.replace("PULSE", pulse)),
        of("blood", "site", BLOOD),
    ]
}

fn write_rows(folder: &Path) {
    let mut random = JavaRandom::new(7);
    let mut files = [
        ("heart.csv", "visit,beat,age\n".to_owned()),
        ("lung.csv", "visit,pulse,spo2\n".to_owned()),
        ("blood.csv", "visit,iron,sugar\n".to_owned()),
        ("desk.csv", "visit,outcome\n".to_owned()),
    ];
    for visit in 0..RECORDS {
        let mut draw = || random.next_double();
        let (pulse, age, spo2, iron, sugar) = (draw(), draw(), draw(), draw(), draw());
        let class = if pulse + age + spo2 > 1.5 {
            "yes"
        } else {
            "no"
        };
        for ((_, text), cells) in files.iter_mut().zip([
            format!("{pulse},{age}"),
            format!("{pulse},{spo2}"),
            format!("{iron},{sugar}"),
            class.to_owned(),
        ]) {
            writeln!(text, "{visit},{cells}").expect("room");
        }
    }
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("written");
    }
}

/// Of a record: how sure a site was, and whether it forwarded to each node.
type Answered = (f64, Vec<(u16, bool)>);

/// What was said in a run.
struct Said {
    hellos: BTreeMap<u16, Hello>,
    topologies: BTreeMap<u32, Topology>,
    /// Of each site.
    answers: BTreeMap<u16, Vec<Answered>>,
    bytes: Vec<Vec<u8>>,
}

fn run(beat: &str, pulse: &str) -> Said {
    let folder = tempfile::tempdir().expect("a folder");
    let policies = policies(folder.path(), beat, pulse);
    let simulated = open_simulated(&policies, |policy| Ok(made_up_seed(policy)));
    let process = simulated.expect("a federation").process.recording();
    let outcome = process.run().expect("a run");
    assert_eq!(outcome.finals.len(), RECORDS);
    let mut said = Said {
        hellos: BTreeMap::new(),
        topologies: BTreeMap::new(),
        answers: BTreeMap::new(),
        bytes: Vec::new(),
    };
    for frame in outcome.frames {
        let (header, body) = decode(&frame.bytes).expect("a frame");
        match body {
            Body::Hello(hello) if frame.to == PartyId::AGGREGATOR && header.epoch == 0 => {
                said.hellos.insert(frame.from.0, hello);
            }
            Body::Topology(topology) => {
                said.topologies.insert(topology.epoch, topology);
            }
            Body::Answers(answers) if frame.from.is_site() => {
                let topology = &said.topologies[&header.epoch];
                let nodes = topology.destinations(frame.from.0).map(|node| node.id);
                let bits = answers.forwards.iter().map(|bits| bits.get(0));
                let told = (answers.confidences[0], nodes.zip(bits).collect());
                said.answers.entry(frame.from.0).or_default().push(told);
            }
            _ => assert_ne!(header.kind, Kind::Refuse),
        }
        said.bytes.push(frame.bytes);
    }
    said
}

/// The slow and obvious way: all confidences of the window are compared for each record, and the
/// lengths are those of the arguments.
fn check_forwards(said: &Said, length: impl Fn(&[u16]) -> f64) -> usize {
    let mut forwarded = 0;
    for (site, answers) in &said.answers {
        let mut seen: Vec<f64> = Vec::new();
        for (confidence, nodes) in answers {
            seen.push(*confidence);
            let window = &seen[seen.len().saturating_sub(1000)..];
            let at_most = window.iter().filter(|other| *other <= confidence).count();
            let rank = at_most as f64 / window.len() as f64;
            for (node, forwards) in nodes {
                let topologies = said.topologies.values();
                let entry = topologies.filter_map(|t| t.node(*node)).next();
                let sources = &entry.expect("a node").sources;
                let product = rank * length(sources);
                assert!((product - 1.5).abs() > 1e-9 || !forwards, "a tie");
                assert_eq!(*forwards, product < 1.5 - 1e-9, "site {site}, node {node}");
                forwarded += usize::from(*forwards);
            }
        }
    }
    forwarded
}

/// The sites that a node stands on.
fn sites_below(said: &Said, sources: &[u16]) -> BTreeSet<u16> {
    let below = |source: &u16| match source {
        0..=2 => BTreeSet::from([*source]),
        node => {
            let found = said.topologies.values().find_map(|t| t.node(*node));
            sites_below(said, &found.expect("a node").sources)
        }
    };
    sources.iter().flat_map(below).collect()
}

#[test]
fn a_common_column_counts_once_and_sizes_change_who_forwards() {
    // `pulse` of `lung` is called as `beat` of `heart` is where they are one column.
    let check = |keys: &str, size: f64, pulse: &str| {
        let said = run(keys, keys);
        // Sites are numbered by their ids.
        let of_site = |site: u16| match site {
            0 => [("iron", 1.0), ("sugar", 1.0)],
            1 => [("beat", size), ("age", 1.0)],
            _ => [(pulse, size), ("spo2", 1.0)],
        };
        let length = |sources: &[u16]| {
            let sites = sites_below(&said, sources).into_iter();
            let columns: BTreeMap<&str, f64> = sites.flat_map(of_site).collect();
            columns.values().sum::<f64>()
        };
        let mut made = 0;
        for topology in said.topologies.values() {
            for node in &topology.nodes {
                assert_eq!(node.length as f64, length(&node.sources), "{keys}");
                made += 1;
            }
            for sources in [[1, 2], [0, 1], [0, 2]] {
                assert_eq!(topology.length_of_all(&sources) as f64, length(&sources));
            }
        }
        assert!(made > 0, "{keys}");
        (check_forwards(&said, length), topology_pair(&said))
    };
    let common = ", common = \"heart rate\"";
    let (plain, apart) = check("", 1.0, "pulse");
    let (once, joined) = check(common, 1.0, "beat");
    let (large, large_joined) = check(&format!("{common}, size = 5"), 5.0, "beat");
    let (_, large_apart) = check(", size = 5", 5.0, "pulse");
    assert_eq!([apart, joined, large_joined, large_apart], [4, 3, 7, 12]);
    assert!(plain > large && once > large, "{once}, {plain}, {large}");
}

/// L of `heart` and `lung` together.
fn topology_pair(said: &Said) -> u64 {
    said.topologies[&0].length_of_all(&[1, 2])
}

#[test]
fn names_of_common_columns_do_not_cross_and_sites_number_them_alike() {
    let said = run(", common = \"heart rate\"", ", common = \"heart rate\"");
    let other = run(", common = \"heart rate\"", ", common = \"Heart rate\"");
    let ids = |said: &Said, site: u16| -> Vec<u64> {
        let columns = said.hellos[&site].columns.iter();
        columns.map(|column: &Column| column.id).collect()
    };
    assert_eq!(ids(&said, 1)[0], ids(&said, 2)[0]);
    assert_ne!(ids(&other, 1)[0], ids(&other, 2)[0]);
    let distinct: BTreeSet<u64> = (0..3).flat_map(|s| ids(&said, s)).collect();
    assert_eq!(distinct.len(), 5);
    for word in ["heart", "rate", "pulse", "beat"] {
        let crosses = |bytes: &Vec<u8>| bytes.windows(word.len()).any(|w| w == word.as_bytes());
        assert!(!said.bytes.iter().any(crosses), "{word}");
    }
}

#[test]
fn sites_that_do_not_say_the_same_of_a_common_column_are_told_so() {
    let check = |beat: &str, pulse: &str, told: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let common = |keys: &str| format!(", common = \"p\"{keys}");
        let policies = policies(folder.path(), &common(beat), &common(pulse));
        let opened = open_simulated(&policies, |policy| Ok(made_up_seed(policy)));
        let error = opened.err().expect(told);
        assert!(error.to_string().contains(told), "{told}: {error}");
        assert!(error.to_string().contains("`heart` and `lung`"), "{error}");
        assert!(error.help_text().is_some(), "{told}");
        assert_eq!(error.exit_code(), 3);
    };
    check(", size = 2", ", size = 4", "the sizes 2 and 4");
    check("", ", size = 4", "the sizes 1 and 4");
    let texts = ", order = [\"low\", \"high\"]";
    check("", texts, "different kinds or categories");
    let turned = ", order = [\"high\", \"low\"]";
    check(texts, turned, "different kinds or categories");
}

/// Sites compare nothing with each other; the aggregator refuses who comes second.
#[test]
fn an_aggregator_refuses_a_site_whose_common_column_has_another_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let common = ", common = \"p\"";
    let policies = policies(folder.path(), common, common);
    let mut gathered = gathered(&policies);
    gathered.sources[2].columns[0].size = 3;
    check_lung_is_refused(&policies, gathered);
}

/// As many categories in another order would be learnt as if they were the same.
#[test]
fn an_aggregator_refuses_a_site_whose_common_column_has_another_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let common = ", common = \"p\"";
    let [low, high] = [
        ", common = \"p\", order = [\"low\", \"high\"]",
        ", common = \"p\", order = [\"high\", \"low\"]",
    ];
    for (heart, lung) in [(low, high), (common, low), (low, common)] {
        let policies = policies(folder.path(), common, common);
        let mut gathered = gathered(&policies);
        let said = self::policies(folder.path(), heart, lung);
        for (site, policy) in [(1, &said[2]), (2, &said[3])] {
            gathered.sources[site].columns = columns_of(policy, &SIMULATED);
        }
        check_lung_is_refused(&policies, gathered);
    }
}

fn gathered(policies: &[FederationPolicy]) -> Gathering {
    let gathered = gather(policies, |policy| Ok(made_up_seed(policy)));
    gathered.expect("a federation")
}

fn check_lung_is_refused(policies: &[FederationPolicy], gathered: Gathering) {
    let Gathering {
        terms,
        sources,
        classes,
        ..
    } = gathered;
    let process = Process::new(terms, sources, classes).expect("parties");
    let mut refused = Refused::default();
    let process = process.named(policies[0].names());
    let error = process
        .run_before(&mut refused)
        .expect_err("nothing begins");
    assert_eq!(error.exit_code(), 5);
    let told = error.to_string();
    assert!(told.ends_with("nothing comes any more from lung"), "{told}");
    let columns = crate::federate::frame::Refusal::Columns;
    let by = crate::federate::Note::RefusedBy(PartyId::AGGREGATOR, columns);
    assert!(refused.0.contains(&by), "{:?}", refused.0);
}

/// Counts as an aggregator does that is restarted once so many batches are answered.
struct Counted {
    chronicle: Chronicle,
    /// What counts after the restart.
    anew: Chronicle,
    restarts_at: u64,
    /// What was counted before.
    before: Option<FederationFacts>,
    restarts: bool,
}

impl Witness for Counted {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: &[u8]) {
        self.chronicle.frame(from, to, bytes);
    }

    fn pause(
        &mut self,
        aggregator: &mut crate::federate::Aggregator,
        _: Vec<crate::federate::frame::Final>,
        _: Vec<crate::federate::Note>,
    ) -> Result<()> {
        self.chronicle.look(aggregator);
        if self.before.is_none() && aggregator.answered() >= self.restarts_at {
            self.restarts_at = aggregator.answered();
            self.before = Some(self.chronicle.facts());
            if self.restarts {
                // What a journal has again of records before the restart is not counted twice.
                std::mem::swap(&mut self.chronicle, &mut self.anew);
                self.chronicle.restart(aggregator);
            }
        }
        Ok(())
    }
}

#[test]
fn figures_after_a_restart_are_all_of_the_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    let policies = policies(folder.path(), "", "");
    let count = |restarts: bool| {
        let simulated = open_simulated(&policies, |policy| Ok(made_up_seed(policy)));
        let mut counted = Counted {
            chronicle: Chronicle::of_all(&policies[0]),
            anew: Chronicle::of_all(&policies[0]),
            restarts_at: 150,
            before: None,
            restarts,
        };
        let simulated = simulated.expect("a federation");
        simulated.run_before(&mut counted).expect("no error");
        let (at, facts) = (counted.restarts_at, counted.chronicle.facts());
        (at, counted.before.expect("a restart"), facts)
    };
    let (at, before, whole) = count(false);
    let (_, _, rest) = count(true);
    assert_eq!((before.restarted_at, whole.restarted_at), (None, None));
    assert_eq!(rest.restarted_at, Some(at));
    // Batches are of one record, and there is no consumer: who is labelled is counted.
    assert_eq!(whole.labelled, RECORDS as u64);
    assert_eq!(rest.labelled, RECORDS as u64 - at);
    assert_eq!(rest.records, rest.labelled);
    assert_eq!(rest.bytes, whole.bytes - before.bytes);
    let right = |facts: &FederationFacts| {
        let share = facts.accuracy.expect("labels");
        (share * facts.labelled as f64).round() as u64
    };
    // At most the record that is just answered is not labelled yet.
    let unlabelled = at - before.labelled;
    assert!(unlabelled <= 1, "{unlabelled}");
    assert!(right(&whole) - right(&before) - right(&rest) <= unlabelled);
    for site in &rest.sites {
        assert_eq!(site.presence, 1.0, "{}", site.site);
    }
}

/// Keeps notes, also of a run that does not end.
#[derive(Default)]
struct Refused(Vec<crate::federate::Note>);

impl Witness for Refused {
    fn pause(
        &mut self,
        _: &mut crate::federate::Aggregator,
        _: Vec<crate::federate::frame::Final>,
        notes: Vec<crate::federate::Note>,
    ) -> Result<()> {
        self.0.extend(notes);
        Ok(())
    }
}

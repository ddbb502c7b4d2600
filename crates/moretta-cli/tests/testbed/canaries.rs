//! A federation all of whose cells are marks: numbers with random mantissas, words and keys that
//! stand nowhere else.

use crate::bed::Bed;
use moretta::data::Records;
use moretta::federate::audit::Search;
use moretta::policy::{FederationPolicy, Root};
use std::fmt::Write;

pub(crate) const SITES: [&str; 4] = ["alder", "birch", "cedar", "dogwood"];
/// Those who hold no cell of a site.
pub(crate) const OTHERS: [&str; 4] = ["hub", "desk", "node", "viewer"];
/// Those among them who are dialled.
pub(crate) const DIALLED: [&str; 3] = ["hub", "desk", "node"];
pub(crate) const BATCH: usize = 64;
pub(crate) const RECORDS: usize = 44 * BATCH;
/// Words of a site's column of categories.
const WORDS: usize = 40;

pub(crate) struct Canaries {
    pub(crate) keys: Vec<String>,
    /// Words and names of columns.
    pub(crate) words: Vec<String>,
    pub(crate) cells: Vec<f64>,
}

impl Canaries {
    /// Writes the rows and policies of a federation; all but listeners dial these ports.
    pub(crate) fn plant(
        bed: &Bed,
        seed: u64,
        kind: &str,
        listened: [u16; 3],
        dialled: [u16; 3],
    ) -> Self {
        let mut draws = Draws(seed);
        let mut canaries = Canaries {
            keys: (0..RECORDS)
                .map(|_| draws.text(b"0123456789", 14))
                .collect(),
            words: Vec::new(),
            cells: Vec::new(),
        };
        let mut odd = vec![false; RECORDS];
        for site in SITES {
            let (number, category) = (draws.word(), draws.word());
            let words: Vec<String> = (0..WORDS).map(|_| draws.word()).collect();
            let mut rows = format!("visit,{number},{category}\n");
            for (key, odd) in canaries.keys.iter().zip(&mut odd) {
                // Three digits before the point: confidences and shares have none, and as floats
                // they look like no double.
                let cell = 100.0 + 900.0 * draws.fraction();
                *odd ^= cell > 550.0;
                let word = &words[draws.below(WORDS as u64) as usize];
                let _ = writeln!(rows, "{key},{cell},{word}");
                canaries.cells.push(cell);
            }
            bed.write(&format!("{site}.csv"), &rows);
            let list = words.join("\", \"");
            let columns = format!(
                "[source]\npath = \"{site}.csv\"\n\n[columns]\nvisit = {{ role = \"key\" }}\n\
                 {number} = {{ role = \"quasi\", type = \"number\", range = [100, 1000] }}\n\
                 {category} = {{ role = \"quasi\", type = \"category\", order = [\"{list}\"] }}\n"
            );
            // Fragments that are raw hold all columns.
            let share = match kind {
                "raw" => String::new(),
                _ => format!(", share = [\"{number}\"]"),
            };
            let fragments = format!("kind = \"{kind}\", k = 2{share}");
            bed.write(
                &format!("{site}.toml"),
                &policy(site, &columns, &fragments, listened, dialled),
            );
            canaries.words.extend([number, category]);
            canaries.words.extend(words);
        }
        let mut rows = String::from("visit,outcome\n");
        for (key, odd) in canaries.keys.iter().zip(odd) {
            let _ = writeln!(rows, "{key},{}", if odd { "odd" } else { "even" });
        }
        bed.write("labels.csv", &rows);
        let columns = "[source]\npath = \"labels.csv\"\n\n[columns]\nvisit = { role = \"key\" }\noutcome = { role = \"class\" }\n";
        let sink = "[sink]\npath = \"out/answers.csv\"\n";
        let fragments = format!("kind = \"{kind}\", k = 2");
        let others = [
            ("hub", ""),
            ("desk", columns),
            ("node", ""),
            ("viewer", sink),
        ];
        for (party, sections) in others {
            bed.write(
                &format!("{party}.toml"),
                &policy(party, sections, &fragments, listened, dialled),
            );
        }
        canaries
    }

    /// The numbers of each site.
    pub(crate) fn by_site(&self) -> Vec<Records> {
        let records = |cells: &[f64]| {
            let mut records = Records::new(1);
            cells.iter().for_each(|cell| records.push(&[*cell]));
            records
        };
        self.cells.chunks(RECORDS).map(records).collect()
    }

    /// Looks for all marks, with keys or without.
    pub(crate) fn search(&self, with_keys: bool) -> Search {
        let keys = self.keys.iter().filter(|_| with_keys);
        let words = self.words.iter().chain(keys).map(String::as_str);
        Search::new(self.cells.iter().copied(), words)
    }
}

/// Numbers of the same kind that were never used.
pub(crate) fn decoys() -> Search {
    let mut draws = Draws(u64::MAX / 3);
    let cells = (0..SITES.len() * RECORDS).map(|_| 100.0 + 900.0 * draws.fraction());
    Search::new(cells, [])
}

fn policy(
    party: &str,
    sections: &str,
    fragments: &str,
    listened: [u16; 3],
    dialled: [u16; 3],
) -> String {
    let role = match party {
        "hub" => "aggregator",
        "desk" => "labels",
        "node" => "trouble",
        "viewer" => "consumer",
        _ => "site",
    };
    let place = DIALLED.iter().position(|dialled| *dialled == party);
    let listen = place.map(|place| listened[place]);
    let listen = listen.map_or(String::new(), |port| {
        format!("listen = \"127.0.0.1:{port}\"\n")
    });
    let sites = SITES.map(|site| format!("{site} = \"site\"")).join(", ");
    let [aggregator, labels, node] = dialled;
    format!(
        "version = 1\n\n{sections}\n[federation]\nname = \"grove\"\nrole = \"{role}\"\nid = \"{party}\"\n\
         aggregator = \"127.0.0.1:{aggregator}\"\nlabels = \"127.0.0.1:{labels}\"\n{listen}\
         identity = {{ certificate = \"file:keys/{party}.pem\", key = \"file:keys/{party}.key\", authority = \"file:keys/ca.pem\" }}\n\
         parties = {{ hub = \"aggregator\", desk = \"labels\", node = \"trouble\", viewer = \"consumer\", {sites} }}\n\
         hosts = {{ node = \"127.0.0.1:{node}\" }}\n\
         pins = \"keys/pins.toml\"\nclasses = [\"even\", \"odd\"]\nlearner = \"naive-bayes\"\n\
         trouble = {{ learner = \"nb\", factor = 6, group = 3 }}\nanswer = {{ rule = \"vote\" }}\n\
         mode = \"lockstep\"\nbatch = {BATCH}\nfragments = {{ {fragments} }}\n\
         monitors = {{ creation_time = 100, removal_time = 2000 }}\n"
    )
}

/// A policy as the program reads it.
pub(crate) fn load(bed: &Bed, party: &str) -> FederationPolicy {
    let path = bed.path(&format!("{party}.toml"));
    let root = Root::of_policy(&path, None).expect("a folder");
    FederationPolicy::load(&path, &root).expect("a policy")
}

/// SplitMix64.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// From 0 to 1, with all bits of a mantissa.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn text(&mut self, alphabet: &[u8], length: usize) -> String {
        let letter = |_| char::from(alphabet[self.below(alphabet.len() as u64) as usize]);
        (0..length).map(letter).collect()
    }

    fn word(&mut self) -> String {
        self.text(b"abcdefghijklmnopqrstuvwxyz", 12)
    }
}

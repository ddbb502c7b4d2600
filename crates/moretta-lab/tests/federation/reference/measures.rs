//! What is measured of a run: how often it was right, and how much of the data left its site.
//!
//! The first 1000 records count for nothing; blocks have 100 records.

use super::{Event, Run};
use moretta::learn::prequential::{Score, ScoreSettings};

const WARM_UP: usize = 1000;
const BLOCK: usize = 100;

impl Run {
    /// The shares of right answers, and their deviation over blocks.
    pub(crate) fn accuracy(&self, classes: &[u32]) -> [f64; 2] {
        let settings = ScoreSettings {
            warm_up: WARM_UP as u64,
            ..ScoreSettings::default()
        };
        let count = classes.iter().max().map_or(1, |&most| most as usize + 1);
        let mut score = Score::new(count, &settings).expect("sound");
        for (answer, &class) in self.answers.iter().zip(classes) {
            score.observe(class, answer.class);
        }
        let accuracy = score.accuracy().expect("many results");
        [accuracy, score.deviation().expect("many blocks")]
    }

    /// TDTV: the share of the data that went to trouble nodes, which can be above 1.
    pub(crate) fn transmitted(&self) -> f64 {
        let nodes = 0..self.nodes.len();
        let records = WARM_UP..self.answers.len();
        nodes.map(|node| self.sent_to(node, records.clone())).sum()
    }

    /// The part of it that went to nodes of this name.
    pub(crate) fn transmitted_to(&self, name: &str) -> f64 {
        let nodes = (0..self.nodes.len()).filter(|&node| self.name(node) == name);
        let records = WARM_UP..self.answers.len();
        nodes.map(|node| self.sent_to(node, records.clone())).sum()
    }

    /// The share of records that nodes of this name answered.
    pub(crate) fn used(&self, name: &str) -> f64 {
        let answers = &self.answers[WARM_UP..];
        let nodes = answers.iter().filter_map(|answer| answer.node);
        nodes.filter(|&node| self.name(node) == name).count() as f64 / answers.len() as f64
    }

    /// MDTV: the share of the data that the busiest trouble node of a block got, on average.
    /// Of nodes that a block sees come and go only the records in between count; in the study
    /// also those after they went.
    pub(crate) fn busiest(&self, as_in_the_study: bool) -> f64 {
        let all = self.answers.len() - WARM_UP;
        let share = |start: usize| {
            let end = (start + BLOCK).min(self.answers.len());
            let sent = (0..self.nodes.len()).map(|node| {
                let (first, last) = self.life(node);
                let last = if as_in_the_study { end } else { last };
                self.sent_to(node, start.max(first)..end.min(last))
            });
            sent.fold(0.0, f64::max) * (end - start) as f64 / all as f64
        };
        let starts = (WARM_UP..self.answers.len()).step_by(BLOCK);
        starts.map(share).sum()
    }

    /// A node by its sources, as in `[[2,3],5]`.
    pub(crate) fn name(&self, node: usize) -> String {
        let (sources, _) = &self.nodes[node];
        if sources.is_empty() {
            return node.to_string();
        }
        let sources: Vec<String> = sources.iter().map(|&source| self.name(source)).collect();
        format!("[{}]", sources.join(","))
    }

    /// The first record that a node could answer, and the first that it could not any more.
    fn life(&self, of: usize) -> (usize, usize) {
        let (mut first, mut end) = (0, self.answers.len());
        for event in &self.events {
            match *event {
                Event::Created { record, node } if node == of => first = record + 1,
                Event::Removed { record, node } if node == of => end = record + 1,
                _ => {}
            }
        }
        (first, end)
    }

    /// The share of the data of these records that went to a node.
    fn sent_to(&self, node: usize, records: std::ops::Range<usize>) -> f64 {
        if records.is_empty() {
            return 0.0;
        }
        let sites = self.nodes.iter().filter(|(sources, _)| sources.is_empty());
        let width: usize = sites.map(|(_, columns)| columns.len()).sum();
        let count = records.len();
        let forwards = self.forwards[records].iter().flatten();
        let to_it = forwards.filter(|forward| forward.node == node);
        let cells: usize = to_it.map(|forward| self.nodes[forward.source].1.len()).sum();
        cells as f64 / (count * width) as f64
    }
}

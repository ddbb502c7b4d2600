//! What is measured of a run: how often it was right, and how much of the data left its site.
//!
//! The first 1000 records count for nothing; blocks have 100 records.

use super::{Event, Run};
use moretta::learn::prequential::{Score, ScoreSettings};

const WARM_UP: usize = 1000;
const BLOCK: usize = 100;

impl Run {
    /// The share of right answers, and its deviation over blocks.
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

    /// MDTV: the share of the data that the busiest trouble node of a block got, on average over
    /// blocks, of which each counts alike. Of a node that comes or goes within a block only the
    /// records in between count; in the study those after it went dilute its share.
    pub(crate) fn busiest(&self, as_in_the_study: bool) -> f64 {
        let share = |start: usize| {
            let end = (start + BLOCK).min(self.answers.len());
            let sent = (0..self.nodes.len()).map(|node| {
                let (first, gone) = self.life(node);
                let gone = if as_in_the_study { end } else { gone };
                self.sent_to(node, start.max(first)..end.min(gone))
            });
            sent.fold(0.0, f64::max)
        };
        let starts = (WARM_UP..self.answers.len()).step_by(BLOCK);
        let blocks = starts.len();
        starts.map(share).sum::<f64>() / blocks as f64
    }

    /// A node by its sources, as in `[[2,3],5]`.
    pub(crate) fn name(&self, node: usize) -> String {
        let mut sources = self.nodes[node].sources.clone();
        if sources.is_empty() {
            return node.to_string();
        }
        sources.sort_by_key(|&source| self.nodes[source].columns[0]);
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
        let sites = self.nodes.iter().filter(|node| node.sources.is_empty());
        let width: usize = sites.map(|site| site.columns.len()).sum();
        let count = records.len();
        let forwards = self.forwards[records].iter().flatten();
        let to_it = forwards.filter(|forward| forward.node == node);
        let cells: usize = to_it
            .map(|forward| self.nodes[forward.source].columns.len())
            .sum();
        cells as f64 / (count * width) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Final, Forward, Member};
    use super::*;

    #[test]
    fn what_is_sent_is_counted_as_by_hand() {
        let member = |sources: &[usize], columns: &[usize]| Member {
            sources: sources.to_vec(),
            columns: columns.to_vec(),
        };
        let answer = |record: usize| Final {
            class: 0,
            confidence: 1.0,
            node: (1050..1075).contains(&record).then_some(2),
        };
        let forward = Forward { source: 0, node: 2 };
        let mut run = Run {
            answers: (0..1200).map(answer).collect(),
            nodes: vec![
                member(&[], &[0]),
                member(&[], &[1]),
                member(&[1, 0], &[0, 1]),
            ],
            forwards: vec![Vec::new(); 1200],
            events: vec![
                Event::Created {
                    record: 1049,
                    node: 2,
                },
                Event::Removed {
                    record: 1074,
                    node: 2,
                },
            ],
        };
        run.forwards[1050..1075].fill(vec![forward]);
        assert_eq!(run.name(2), "[0,1]");
        assert_eq!(run.used("[0,1]"), 25.0 / 200.0);
        assert_eq!(run.transmitted(), 25.0 / 400.0);
        assert_eq!(run.transmitted_to("[0,1]"), run.transmitted());
        assert_eq!([false, true].map(|study| run.busiest(study)), [0.25, 0.125]);
    }
}

//! Ranks of one site against those of another, record by record: where both are low, both are
//! troubled.
//!
//! Ranks never leave a site; here they are computed from the sites' own columns, for a reader.

use crate::federation::sets::WFR;
use crate::federation::streams::Stream;
use crate::multiples::{Key, multiples};
use moretta::Result;
use moretta::learn::{self, Header};
use moretta_report::figure::{Axis, Mark, Panel, Scale, Stroke, Tone, brief};
use std::collections::VecDeque;

const WINDOW: usize = 1000;
const RECORD: Tone = Tone(2);
const THRESHOLD: Tone = Tone(1);
/// The rank below which a site forwards to a node over two: a trouble factor of one site's columns
/// over the columns of two.
const FORWARDED: f64 = 0.5;
/// The records that are drawn.
const SHOWN: std::ops::Range<usize> = 2000..2600;
/// Pairs of sites: the first three become nodes of the run with a naive Bayes everywhere.
const PAIRS: [[usize; 2]; 4] = [[0, 5], [1, 2], [3, 4], [0, 3]];

/// A panel for each pair of sites of WFR.
pub(super) fn draw(stream: &Stream) -> Result<String> {
    let sites = 0..usize::from(WFR.sites());
    let ranks: Vec<Vec<f64>> = sites
        .map(|site| ranks(stream, site))
        .collect::<Result<_>>()?;
    let title = "WFR: ranks of the confidence of two sites, 600 records; low is troubled";
    let keys = [
        (RECORD, "a record"),
        (
            THRESHOLD,
            "threshold at 1× (dashed): records below and left of both go to the node",
        ),
    ];
    let keys = keys.map(|(tone, words)| Key {
        tone,
        words: words.to_owned(),
    });
    let (mut drawing, areas) = multiples(title, &keys, PAIRS.len());
    for ([one, other], area) in PAIRS.into_iter().zip(areas) {
        let axis = |site: usize| Axis {
            label: format!("rank at site {site}"),
            scale: Scale::Linear {
                low: 0.0,
                high: 1.0,
            },
            marks: 3,
            write: brief,
        };
        let panel = Panel {
            area,
            title: format!("[{one},{other}]"),
            x: axis(one),
            y: axis(other),
        };
        panel.frame(&mut drawing);
        let dashed = Stroke {
            tone: THRESHOLD,
            dashed: true,
        };
        panel.line(&mut drawing, dashed, &[(FORWARDED, 0.0), (FORWARDED, 1.0)]);
        panel.line(&mut drawing, dashed, &[(0.0, FORWARDED), (1.0, FORWARDED)]);
        let mark = Mark {
            tone: RECORD,
            radius: 1.5,
            filled: true,
        };
        for record in SHOWN.filter(|&record| record < stream.records.len()) {
            let at = (ranks[one][record], ranks[other][record]);
            panel.mark(&mut drawing, mark, at, "");
        }
    }
    Ok(drawing.finish())
}

/// The share of the last confidences of a site that are not above that of each record.
fn ranks(stream: &Stream, site: usize) -> Result<Vec<f64>> {
    let width = usize::from(WFR.width);
    let columns = site * width..(site + 1) * width;
    let inputs = stream.header.attributes()[columns.clone()].to_vec();
    let header = Header::new(inputs, stream.header.classes())?;
    let mut learner = learn::build(WFR.learners[0], &header, 1)?;
    let mut window: VecDeque<f64> = VecDeque::with_capacity(WINDOW + 1);
    let mut votes = Vec::new();
    let mut ranks = Vec::with_capacity(stream.records.len());
    let records = stream.records.iter().zip(&stream.classes);
    for (record, &class) in records.take(SHOWN.end) {
        let record = &record[columns.clone()];
        votes.clear();
        learner.predict(record, &mut votes);
        let (most, sum) = (
            votes.iter().fold(0.0, |a, &b| f64::max(a, b)),
            votes.iter().sum::<f64>(),
        );
        let confidence = if sum > 0.0 { most / sum } else { 0.0 };
        window.push_front(confidence);
        window.truncate(WINDOW);
        let at_most = window.iter().filter(|other| **other <= confidence).count();
        ranks.push(at_most as f64 / window.len() as f64);
        learner.learn(record, class);
    }
    Ok(ranks)
}

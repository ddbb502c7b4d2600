//! Accuracy over time, with creations and removals of trouble nodes.

use super::legend::Legend;
use super::{Cell, batches, figure, share, table};
use crate::figure::{Area, Axis, Drawing, Panel, Scale, Stroke, Tone, brief};
use crate::markup::Markup;
use crate::number;
use moretta::pipeline::{FederationFacts, MomentFact};

/// Sites that are drawn at most, and rows of the table.
const MOST_SITES: usize = 12;
const ROWS: usize = 12;

const SITES: Tone = Tone(0);
const ALL: Tone = Tone(2);
const MADE: Tone = Tone(3);
const GONE: Tone = Tone(1);

const AREA: Area = Area {
    left: 70.0,
    right: 1020.0,
    top: 70.0,
    bottom: 330.0,
};

pub(super) fn write(facts: &FederationFacts, page: &mut Markup) {
    page.raw("<section class=\"federation\" id=\"accuracy\"><h2>Accuracy over time</h2>");
    figure(page, &sentence(facts), draw(facts));
    page.raw("<details><summary>As a table</summary>");
    let mut head = vec!["From batch", "Records", "Accuracy"];
    let few = facts.sites.len() <= MOST_SITES;
    let sites = facts.sites.iter().filter(|_| few);
    head.extend(sites.clone().map(|site| site.site.as_str()));
    let step = facts.moments.len().div_ceil(ROWS).max(1);
    let row = |moments: &[MomentFact]| {
        let labelled: u64 = moments.iter().map(|moment| moment.labelled).sum();
        let of = |right: &dyn Fn(&MomentFact) -> (f64, f64)| {
            let (right, all) = moments
                .iter()
                .map(right)
                .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            Cell::Figure(share((all > 0.0).then(|| right / all)))
        };
        let mut cells = vec![
            Cell::Name(number::count(moments[0].from_batch)),
            Cell::Figure(number::count(labelled)),
            of(&|moment| {
                let records = moment.labelled as f64;
                (moment.accuracy.unwrap_or(0.0) * records, records)
            }),
        ];
        cells.extend(sites.clone().enumerate().map(|(site, _)| {
            of(&|moment| {
                let presence = moment.presence.get(site).copied().unwrap_or(0.0);
                let records = moment.labelled as f64 * presence;
                let accuracy = moment.site_accuracies.get(site).copied().flatten();
                (accuracy.unwrap_or(0.0) * records, records)
            })
        }));
        cells
    };
    table(page, &head, facts.moments.chunks(step).map(row));
    page.raw("</details></section>");
}

fn sentence(facts: &FederationFacts) -> String {
    let mut text = format!(
        "The federation answered {} right, {} of late.",
        share(facts.accuracy),
        share(facts.recent_accuracy)
    );
    let best = facts
        .sites
        .iter()
        .filter_map(|site| Some((site, site.accuracy?)));
    if let Some((site, accuracy)) = best.reduce(|a, b| if b.1 > a.1 { b } else { a }) {
        text.push_str(&format!(
            " The best site alone, {}, was right in {}.",
            site.site,
            number::percent(accuracy)
        ));
    }
    text.push_str(" Each point is of the records of ");
    text.push_str(&match facts.moment {
        1 => "one batch".to_owned(),
        batches => format!("{} batches", number::count(batches)),
    });
    text.push_str("; upright lines are trouble nodes that were made, dashed ones nodes that went.");
    text
}

fn draw(facts: &FederationFacts) -> Markup {
    let [first, last] = batches(facts);
    let middle = |moment: &MomentFact| moment.from_batch as f64 + 0.5 * facts.moment as f64;
    let few = facts.sites.len() <= MOST_SITES;
    let values = facts.moments.iter().flat_map(|moment| {
        let sites = moment.site_accuracies.iter().filter(|_| few).copied();
        sites.flatten().chain(moment.accuracy)
    });
    let panel = Panel {
        area: AREA,
        title: String::new(),
        x: Axis {
            label: "batch".to_owned(),
            scale: Scale::Linear {
                low: first as f64,
                high: last as f64,
            },
            marks: 10,
            write: brief,
        },
        y: Axis {
            label: "answered right".to_owned(),
            scale: Scale::linear(values, [0.0, 1.0]),
            marks: 5,
            write: number::percent,
        },
    };
    let mut drawing = Drawing::inside(1040.0, 380.0, "Accuracy over batches");
    let whole = |tone| Stroke {
        tone,
        dashed: false,
    };
    let gone = Stroke {
        tone: GONE,
        dashed: true,
    };
    let mut entries = vec![(whole(ALL), "federation")];
    if few {
        entries.push((whole(SITES), "each site alone"));
    }
    entries.extend([(whole(MADE), "node made"), (gone, "node removed")]);
    let entries = entries
        .into_iter()
        .map(|(stroke, words)| (stroke, words.to_owned()));
    Legend::new(entries, [AREA.left, AREA.right], 44.0).draw(&mut drawing);
    panel.frame(&mut drawing);
    let ends = match panel.y.scale {
        Scale::Linear { low, high } => [low, high],
        _ => [0.0, 1.0],
    };
    let mut upright = |batch: u64, stroke: Stroke| {
        let ends = ends.map(|end| (batch as f64, end));
        panel.line(&mut drawing, stroke, &ends);
    };
    for node in &facts.nodes {
        upright(node.from_batch, whole(MADE));
        if let Some(end) = node.to_batch {
            upright(end, gone);
        }
    }
    let mut line = |tone: Tone, of: &dyn Fn(&MomentFact) -> Option<f64>| {
        let points = facts
            .moments
            .iter()
            .filter_map(|moment| Some((middle(moment), of(moment)?)));
        panel.line(&mut drawing, whole(tone), &points.collect::<Vec<_>>());
    };
    if few {
        for site in 0..facts.sites.len() {
            line(SITES, &|moment| {
                moment.site_accuracies.get(site).copied().flatten()
            });
        }
    }
    line(ALL, &|moment| moment.accuracy);
    drawing.into_markup()
}

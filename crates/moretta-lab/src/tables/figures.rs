//! The results as drawings: a panel for each of GCP, DM and seconds.

use super::Results;
use super::methods::MICROAGGREGATION;
use super::series::{Against, Figures, Series};
use crate::multiples::{Key, multiples};
use moretta_report::figure::{Axis, Mark, Panel, Scale, brief};

/// What a panel shows.
struct Measure {
    title: &'static str,
    label: &'static str,
    value: fn(&Figures) -> Option<f64>,
}

const MEASURES: [Measure; 3] = [
    Measure {
        title: "GCP",
        label: "GCP in %",
        value: |figures| figures.gcp.map(|share| 100.0 * share),
    },
    Measure {
        title: "DM",
        label: "DM",
        value: |figures| figures.discernibility,
    },
    Measure {
        title: "time",
        label: "seconds",
        value: |figures| figures.gcp.map(|_| figures.seconds),
    },
];

/// The name and the text of each drawing.
pub(super) fn figures(results: &Results) -> Vec<(String, String)> {
    results.series.iter().map(drawing).collect()
}

fn drawing(series: &Series) -> (String, String) {
    let (against, word): (fn(&Figures) -> f64, &str) = match series.against {
        Against::K => (|figures| f64::from(figures.k), "k"),
        Against::Rows => (|figures| figures.rows as f64, "rows"),
    };
    let contenders: Vec<_> = match series.has_centroids() {
        true => series
            .contenders
            .iter()
            .chain([&MICROAGGREGATION])
            .collect(),
        false => series.contenders.iter().collect(),
    };
    let keys: Vec<Key> = contenders
        .iter()
        .map(|contender| Key {
            tone: contender.stroke.tone,
            words: match contender.stroke.dashed {
                true => format!("{} (dashes)", contender.name),
                false => contender.name.to_owned(),
            },
        })
        .collect();
    let title = format!("{}: loss and time against {word}", series.table.name);
    let (mut drawing, areas) = multiples(&title, &keys, MEASURES.len());
    for (measure, area) in MEASURES.iter().zip(areas) {
        let points = |name: Option<&str>| -> Vec<(f64, f64)> {
            let of = series.figures.iter();
            let of = of.filter(|figures| name.is_none_or(|name| figures.method == name));
            of.filter_map(|figures| Some((against(figures), (measure.value)(figures)?)))
                .collect()
        };
        let all = points(None);
        let panel = Panel {
            area,
            title: measure.title.to_owned(),
            x: Axis {
                label: word.to_owned(),
                scale: Scale::logarithmic(all.iter().map(|point| point.0)),
                marks: 4,
                write: brief,
            },
            y: Axis {
                label: measure.label.to_owned(),
                scale: Scale::logarithmic(all.iter().map(|point| point.1)),
                marks: 4,
                write: brief,
            },
        };
        panel.frame(&mut drawing);
        for contender in &contenders {
            let line = points(Some(contender.name));
            panel.line(&mut drawing, contender.stroke, &line);
            let mark = Mark {
                tone: contender.stroke.tone,
                radius: 2.5,
                filled: !contender.stroke.dashed,
            };
            for at in line {
                let detail = format!(
                    "{}: {word} {}, {} {}",
                    contender.name,
                    at.0,
                    measure.title,
                    brief(at.1)
                );
                panel.mark(&mut drawing, mark, at, &detail);
            }
        }
    }
    let name = series.table.name.replace(' ', "-");
    (format!("{name}-against-{word}.svg"), drawing.finish())
}

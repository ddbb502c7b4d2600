//! Sizes of the classes of equal quasi-identifiers, with the promised k.
//!
//! Every size gets its bar while sizes are few; when they are wide the bars
//! cover intervals that grow with the size, so the small classes, which matter,
//! stay apart. Everything below k shares one bar left of the line.

use super::markup::Markup;
use super::number;
use super::plot::{Plot, Side, Size, Slot, Threshold, upright};
use super::promises::promised_k;
use moretta::pipeline::report::{Report, SizeCount};

/// Bars that a figure can hold.
const MOST_BARS: u64 = 24;

/// Edges of a decade, from fine to coarse.
const DECADES: [&[f64]; 4] = [
    &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0],
    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
    &[1.0, 2.0, 5.0],
    &[1.0],
];

pub(super) fn write(report: &Report, page: &mut Markup) {
    let k = promised_k(report);
    let unit = &report.verdict.unit;
    let plot = Plot {
        title: "Classes by size".to_owned(),
        description: describe(report, k),
        size: Size::Wide,
        slots: slots(&report.class_sizes, k, unit),
        edges: Vec::new(),
        axis: number::number,
        threshold: k
            .filter(|_| !report.class_sizes.is_empty())
            .map(|k| Threshold {
                slot: 1,
                label: format!("k = {}", number::count(k)),
                forbidden: Side::Left,
            }),
    };
    page.raw("<figure class=\"panel\"><figcaption><h3>How many classes have which size</h3>");
    page.leaf("p", &[("class", &"note")], &plot.description);
    page.raw("</figcaption><p class=\"axis up\">number of classes</p>");
    upright(page, &plot);
    page.element("p", &[("class", &"axis")], |page| {
        page.text(unit);
        page.raw(" in a class");
    });
    page.raw("</figure>");
}

fn describe(report: &Report, k: Option<u64>) -> String {
    let sizes = &report.class_sizes;
    let smallest = sizes.iter().map(|entry| entry.size).min();
    let largest = sizes.iter().map(|entry| entry.size).max();
    let (Some(smallest), Some(largest)) = (smallest, largest) else {
        return "The release has no classes.".to_owned();
    };
    let below = k.map_or(0, |k| {
        let below = sizes.iter().filter(|entry| entry.size < k);
        below.map(|entry| entry.classes).sum::<u64>()
    });
    let verdict = match (k, below) {
        (None, _) => "no k was promised".to_owned(),
        (Some(_), 0) => "none lies below k".to_owned(),
        (Some(_), 1) => "1 lies below k".to_owned(),
        (Some(_), below) => format!("{} lie below k", number::count(below)),
    };
    format!(
        "The smallest class holds {} {unit}, the largest {}; {verdict}.",
        number::count(smallest),
        number::count(largest),
        unit = report.verdict.unit,
    )
}

fn slots(sizes: &[SizeCount], k: Option<u64>, unit: &str) -> Vec<Slot> {
    let Some(largest) = sizes.iter().map(|entry| entry.size).max() else {
        return Vec::new();
    };
    let smallest = sizes
        .iter()
        .map(|entry| entry.size)
        .min()
        .unwrap_or(largest);
    let first = k.unwrap_or(smallest);
    let mut slots = Vec::new();
    if let Some(k) = k {
        let label = format!("<{}", number::count(k));
        slots.push(slot(sizes, 0, k.saturating_sub(1), label, unit));
    }
    for (low, high) in bins(first, largest.max(first)) {
        let label = if low == high || sizes.is_empty() {
            number::count(low)
        } else {
            format!("{}–{}", number::count(low), number::count(high))
        };
        slots.push(slot(sizes, low, high, label, unit));
    }
    if k.is_some() {
        slots[0].alarm = true;
    }
    slots
}

fn slot(sizes: &[SizeCount], low: u64, high: u64, label: String, unit: &str) -> Slot {
    let inside = sizes
        .iter()
        .filter(|entry| (low..=high).contains(&entry.size));
    let classes = inside
        .map(|entry| entry.classes)
        .fold(0, u64::saturating_add);
    Slot {
        detail: format!("{label} {unit}: {} classes", number::count(classes)),
        label,
        after: Some(classes as f64),
        ..Slot::default()
    }
}

/// Intervals, both ends included, that cover `first` to `last` without gaps.
fn bins(first: u64, last: u64) -> Vec<(u64, u64)> {
    if last - first < MOST_BARS {
        return (first..=last).map(|size| (size, size)).collect();
    }
    let finest = DECADES.iter().map(|decade| edges(first, last, decade));
    let starts = finest
        .reduce(|best, next| {
            if best.len() as u64 <= MOST_BARS {
                best
            } else {
                next
            }
        })
        .unwrap_or_else(|| vec![first]);
    let ends = starts[1..].iter().map(|start| start - 1).chain([last]);
    starts.iter().copied().zip(ends).collect()
}

/// `first` and the round numbers above it up to `last`.
fn edges(first: u64, last: u64, decade: &[f64]) -> Vec<u64> {
    let mut edges = vec![first];
    for power in 0..20 {
        for factor in decade {
            let edge = (factor * 10f64.powi(power)).round() as u64;
            if edge > edges[edges.len() - 1] && edge <= last {
                edges.push(edge);
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_cover_every_size_once_and_are_few() {
        for first in [0, 1, 5, 7, 100] {
            for width in [0, 1, 23, 24, 100, 5_000, 1_000_000, u64::MAX / 2] {
                let bins = bins(first, first + width);
                assert!(bins.len() as u64 <= MOST_BARS, "{first} {width}");
                assert_eq!(bins[0].0, first);
                assert_eq!(bins[bins.len() - 1].1, first + width);
                assert!(bins.iter().all(|(low, high)| low <= high));
                assert!(bins.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0));
            }
        }
    }

    #[test]
    fn no_class_is_lost_by_binning() {
        let sizes: Vec<SizeCount> = (1..400)
            .map(|size| SizeCount {
                size,
                classes: size % 7,
            })
            .collect();
        let all: u64 = sizes.iter().map(|entry| entry.classes).sum();
        for k in [None, Some(1), Some(5), Some(500)] {
            let slots = slots(&sizes, k, "rows");
            let drawn: f64 = slots.iter().filter_map(|slot| slot.after).sum();
            assert_eq!(drawn as u64, all, "{k:?}");
            assert_eq!(slots[0].alarm, k.is_some());
        }
    }
}

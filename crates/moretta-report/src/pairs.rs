//! Risk and loss over the number of records, and columns before and after.

use super::markup::Markup;
use super::number;
use super::plot::{Around, Curve, CurvePoint, Curves, SLICES, curves};
use moretta::measure::pairs::{PairColumn, PairColumnPoint, PairFacts, PairPoint, PairValue};

/// Columns that are drawn.
const MOST_COLUMNS: usize = 24;

/// Families in the order they are shown.
const FAMILIES: [(&str, &str); 2] = [("risk", "Risk"), ("loss", "Loss")];

pub(super) fn write(facts: &PairFacts, page: &mut Markup) {
    if !facts.measures.is_empty() {
        page.raw(match facts.table {
            true => "<section id=\"pairs\"><h2>Risk and loss</h2>",
            false => "<section id=\"pairs\"><h2>Risk and loss over the records</h2>",
        });
        page.element("p", &[("class", &"note")], |page| note(facts, page));
        for (family, heading) in FAMILIES {
            group(facts, heading, |measure| measure.family == family, page);
        }
        let known = |measure: &PairValue| FAMILIES.iter().any(|(name, _)| *name == measure.family);
        group(facts, "Other", |measure| !known(measure), page);
        page.raw("</section>");
    }
    if !facts.columns.is_empty() {
        columns(facts, page);
    }
}

fn note(facts: &PairFacts, page: &mut Markup) {
    let records = number::hidden_or_count(Some(facts.records));
    if facts.table {
        page.raw("Of ");
        page.text(records);
        page.raw(" records. Whoever links records is taken to know every original and nobody's place; of a large table an even sample is looked for.");
    } else {
        page.raw("Each line tells a measure of all records so far; it ends at ");
        page.text(records);
        page.raw(" records. Whoever links records is taken to know the last b originals.");
    }
    page.raw(" Lower is better, unless it says otherwise. Here b is ");
    page.text(number::count(facts.buffer));
    page.raw(" and p ");
    page.text(number::number(facts.interval));
    page.raw(".");
}

fn group(
    facts: &PairFacts,
    heading: &'static str,
    belongs: impl Fn(&PairValue) -> bool,
    page: &mut Markup,
) {
    let members: Vec<&PairValue> = facts.measures.iter().filter(|one| belongs(one)).collect();
    if members.is_empty() {
        return;
    }
    page.element("h3", &[("class", &"over")], |page| page.raw(heading));
    page.element("div", &[("class", &"multiples")], |page| {
        for measure in members {
            measure_card(facts, measure, page);
        }
    });
}

fn measure_card(facts: &PairFacts, measure: &PairValue, page: &mut Markup) {
    let show = if measure.percent {
        number::percent
    } else {
        number::number
    };
    let shown = |value: Option<f64>| value.map_or(number::NONE.to_owned(), show);
    page.element("figure", &[("class", &"card")], |page| {
        page.element("figcaption", &[], |page| {
            page.element("div", &[("class", &"head")], |page| {
                let name = measure.name.replace('_', " ");
                page.leaf("h3", &[("title", &measure.name)], name);
                page.leaf("span", &[("class", &"end-value")], shown(measure.value));
            });
            page.element("p", &[("class", &"note")], |page| {
                page.text(&measure.meaning);
                if measure.goal == "high" {
                    page.raw("; higher is better");
                }
            });
        });
        if facts.table {
            return;
        }
        let plot = Curves {
            title: measure.name.clone(),
            description: format!("It ends at {}", shown(measure.value)),
            axis: show,
            from_zero: true,
            records: facts.records,
            curves: vec![Curve {
                class: "line",
                points: measure_points(&measure.points),
                around: Around::Nothing,
            }],
            details: details(facts.records, &measure.points, |point| {
                let records = number::count(point.records);
                (
                    point.records,
                    format!("{records} records: {}", shown(point.value)),
                )
            }),
        };
        curves(page, &plot);
    });
}

fn measure_points(points: &[PairPoint]) -> Vec<CurvePoint> {
    let point = |at: u64, value: Option<f64>| CurvePoint {
        at: at as f64,
        value,
        distance: 0.0,
    };
    match points {
        // One value is shown as a line from end to end.
        [only] => vec![point(0, only.value), point(only.records, only.value)],
        _ => points
            .iter()
            .map(|one| point(one.records, one.value))
            .collect(),
    }
}

fn columns(facts: &PairFacts, page: &mut Markup) {
    page.raw(match facts.table {
        true => "<section id=\"pair-columns\"><h2>Columns before and after</h2><p class=\"note\">Mean and standard deviation.</p>",
        false => "<section id=\"pair-columns\"><h2>Columns over the records, before and after</h2><p class=\"note\">Mean and standard deviation of each piece of the stream.</p>",
    });
    page.raw("<p class=\"legend\"><span class=\"swatch before\"></span>before: mean ± deviation ");
    page.raw("<span class=\"swatch curve\"></span>after: mean ");
    page.raw("<span class=\"swatch edge\"></span>after: ± deviation</p>");
    page.element("div", &[("class", &"multiples")], |page| {
        for column in facts.columns.iter().take(MOST_COLUMNS) {
            column_card(facts, column, page);
        }
    });
    let more = facts.columns.len().saturating_sub(MOST_COLUMNS);
    if more > 0 {
        page.element("p", &[("class", &"note foot")], |page| {
            page.text(number::count(more as u64));
            page.raw(" more columns are not drawn.");
        });
    }
    page.raw("</section>");
}

fn column_card(facts: &PairFacts, column: &PairColumn, page: &mut Markup) {
    page.element("figure", &[("class", &"card")], |page| {
        page.element("figcaption", &[], |page| {
            page.element("div", &[("class", &"head")], |page| {
                page.leaf("h3", &[("title", &column.name)], &column.name);
            });
        });
        let plot = Curves {
            title: column.name.clone(),
            description: "Mean and standard deviation before and after".to_owned(),
            axis: number::number,
            from_zero: false,
            records: facts.records,
            curves: vec![
                side("mean", Around::Band, &column.points, |point| point.before),
                side("line", Around::Edges, &column.points, |point| point.after),
            ],
            details: details(facts.records, &column.points, |point| {
                (point.records, column_detail(point))
            }),
        };
        curves(page, &plot);
    });
}

fn column_detail(point: &PairColumnPoint) -> String {
    let shown = |side: Option<(f64, f64)>| match side {
        Some((mean, deviation)) => {
            format!("{} ± {}", number::number(mean), number::number(deviation))
        }
        None => number::NONE.to_owned(),
    };
    format!(
        "up to {} records: before {}, after {}",
        number::count(point.records),
        shown(point.before),
        shown(point.after)
    )
}

/// A side of a column: each piece at its middle, the ends drawn out to those of the stream.
fn side(
    class: &'static str,
    around: Around,
    points: &[PairColumnPoint],
    of: impl Fn(&PairColumnPoint) -> Option<(f64, f64)>,
) -> Curve {
    let mut drawn = Vec::with_capacity(points.len() + 2);
    let mut from = 0;
    for (place, point) in points.iter().enumerate() {
        let (value, distance) = of(point).map_or((None, 0.0), |(mean, sd)| (Some(mean), sd));
        let mut add = |at: f64| {
            drawn.push(CurvePoint {
                at,
                value,
                distance,
            });
        };
        if place == 0 {
            add(0.0);
        }
        add((from as f64 + point.records as f64) / 2.0);
        if place + 1 == points.len() {
            add(point.records as f64);
        }
        from = point.records;
    }
    Curve {
        class,
        points: drawn,
        around,
    }
}

/// For each slice of the records the text of the point at or after its middle.
pub(super) fn details<P>(
    records: u64,
    points: &[P],
    of: impl Fn(&P) -> (u64, String),
) -> Vec<String> {
    let texts: Vec<(u64, String)> = points.iter().map(of).collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let slices = 0..SLICES as u64;
    let text = |slice: u64| {
        let middle = records as u128 * (2 * slice as u128 + 1) / (2 * SLICES as u128);
        let place = texts.partition_point(|(end, _)| u128::from(*end) < middle);
        texts[place.min(texts.len() - 1)].1.clone()
    };
    slices.map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn facts() -> PairFacts {
        fixture::filtered().pairs.expect("the report of a filter")
    }

    fn page(facts: &PairFacts) -> String {
        let mut page = Markup::default();
        write(facts, &mut page);
        page.into_string()
    }

    #[test]
    fn every_measure_and_column_is_drawn_once() {
        let facts = facts();
        let page = page(&facts);
        for measure in &facts.measures {
            let title = format!("<title>{}</title>", measure.name);
            assert_eq!(page.matches(&title).count(), 1, "{title}");
        }
        let drawings = facts.measures.len() + facts.columns.len();
        assert_eq!(page.matches("<svg").count(), drawings);
        assert_eq!(page.matches("class=\"band\"").count(), facts.columns.len());
    }

    #[test]
    fn of_a_table_no_course_is_drawn() {
        let mut facts = facts();
        facts.table = true;
        let page = page(&facts);
        assert_eq!(page.matches("<svg").count(), facts.columns.len());
        assert!(page.contains("every original and nobody's place"));
    }

    #[test]
    fn columns_beyond_the_most_are_counted() {
        let mut facts = facts();
        let column = facts.columns[0].clone();
        facts.columns = vec![column; MOST_COLUMNS + 3];
        let page = page(&facts);
        assert!(page.contains("3 more columns are not drawn"));
    }

    #[test]
    fn nothing_measured_is_nothing_drawn() {
        let none = PairFacts {
            table: false,
            buffer: 100,
            interval: 10.0,
            records: 0,
            measures: Vec::new(),
            columns: Vec::new(),
        };
        assert_eq!(page(&none), "");
        let mut few = facts();
        few.records = 3;
        for measure in &mut few.measures {
            (measure.value, measure.points) = (None, Vec::new());
        }
        few.columns
            .iter_mut()
            .for_each(|column| column.points.clear());
        assert!(page(&few).contains("Nothing to show"));
    }

    #[test]
    fn a_slice_shows_the_point_it_is_part_of() {
        let found = details(100, &[50_u64, 100], |end| (*end, end.to_string()));
        assert_eq!(found.len(), SLICES);
        assert!(found[..10].iter().all(|text| text == "50"));
        assert!(found[10..].iter().all(|text| text == "100"));
    }
}

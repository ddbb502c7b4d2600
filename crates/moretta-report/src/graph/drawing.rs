//! A small released graph as a drawing, and as a table for people who cannot see it.
//!
//! Nodes have the colour and the shape of what they show in the first column. All there is to see
//! stands in the released files.

use super::layout::layout;
use crate::axis::At;
use crate::markup::Markup;
use crate::number;
use moretta::pipeline::report::GraphDrawing;
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 480.0;
/// Around the nodes.
const MARGIN: f64 = 16.0;

/// Classes of the values that most nodes show; others share the last one.
const TONES: [&str; 7] = [
    "tone-0",
    "tone-1",
    "tone-2",
    "tone-3",
    "tone-4",
    "tone-5",
    "tone-other",
];

/// Lines of the table.
const LINES: usize = 40;

const TABLE: &str =
    "<details><summary>The same as a table</summary><div class=\"scroll\"><table><thead><tr>";

pub(super) fn write(drawing: &GraphDrawing, page: &mut Markup) {
    let values = values(drawing);
    page.raw("<figure class=\"panel network\"><figcaption>");
    page.text(sentence(drawing, &values));
    page.raw("</figcaption>");
    legend(drawing, &values, page);
    picture(drawing, &values, page);
    table(drawing, page);
    page.raw("</figure>");
}

/// A value of the first column with the number of nodes that show it, frequent ones first.
type Value<'a> = (&'a str, u64);

fn values(drawing: &GraphDrawing) -> Vec<Value<'_>> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for group in &drawing.groups {
        *counts.entry(first(&group.shown)).or_default() += group.nodes;
    }
    let mut values: Vec<Value<'_>> = counts.into_iter().collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.1));
    values
}

fn first(shown: &[String]) -> &str {
    shown.first().map_or("", String::as_str)
}

fn sentence(drawing: &GraphDrawing, values: &[Value<'_>]) -> String {
    let group = |end: u32| drawing.nodes.get(end as usize);
    let same = drawing
        .edges
        .iter()
        .filter(|(a, b)| group(*a) == group(*b))
        .count();
    let mut text = format!(
        "The released graph: {} and {}; {} link nodes that show the same.",
        counted(drawing.nodes.len() as u64, "node", "nodes"),
        counted(drawing.edges.len() as u64, "edge", "edges"),
        number::count(same as u64)
    );
    let named: Vec<String> = values
        .iter()
        .take(3)
        .map(|(value, nodes)| format!("{value} ({})", number::count(*nodes)))
        .collect();
    if let (false, Some(column)) = (named.is_empty(), drawing.columns.first()) {
        let _ = write!(text, " Most nodes show as {column}: {}.", named.join(", "));
    }
    text
}

fn counted(count: u64, one: &str, several: &str) -> String {
    format!(
        "{} {}",
        number::count(count),
        if count == 1 { one } else { several }
    )
}

/// The place of a value among the tones.
fn tone(values: &[Value<'_>], value: &str) -> usize {
    let place = values.iter().position(|(known, _)| *known == value);
    place.unwrap_or(TONES.len()).min(TONES.len() - 1)
}

fn legend(drawing: &GraphDrawing, values: &[Value<'_>], page: &mut Markup) {
    page.element("p", &[("class", &"legend bands")], |page| {
        let own = values.len().min(TONES.len() - 1);
        let rest = &values[own..];
        let mut entry = |tone: usize, text: String| {
            page.element("span", &[], |page| {
                page.element(
                    "svg",
                    &[
                        ("class", &"plot key"),
                        ("viewBox", &"0 0 12 12"),
                        ("aria-hidden", &"true"),
                    ],
                    |page| mark(page, tone, (6.0, 6.0), 5.0, None),
                );
                page.text(text);
            });
        };
        for (place, (value, nodes)) in values[..own].iter().enumerate() {
            entry(place, format!("{value}: {}", number::count(*nodes)));
        }
        if !rest.is_empty() {
            let nodes = rest.iter().map(|value| value.1).sum();
            let text = format!("{} other values: {}", rest.len(), number::count(nodes));
            entry(TONES.len() - 1, text);
        }
    });
    if drawing.groups.is_empty() {
        page.raw("<p class=\"note\">No node was released.</p>");
    }
}

fn picture(drawing: &GraphDrawing, values: &[Value<'_>], page: &mut Markup) {
    let places: Vec<(f64, f64)> = layout(drawing.nodes.len(), &drawing.edges)
        .into_iter()
        .map(|(x, y)| {
            (
                MARGIN + x * (WIDTH - 2.0 * MARGIN),
                MARGIN + y * (HEIGHT - 2.0 * MARGIN),
            )
        })
        .collect();
    let mut degrees = vec![0u32; places.len()];
    let mut lines = String::new();
    for &(a, b) in &drawing.edges {
        let ends = [a, b].map(|end| places.get(end as usize));
        let [Some(from), Some(to)] = ends else {
            continue;
        };
        degrees[a as usize] += 1;
        degrees[b as usize] += 1;
        let _ = write!(
            lines,
            "M{} {}L{} {}",
            At(from.0),
            At(from.1),
            At(to.0),
            At(to.1)
        );
    }
    let view = format!("0 0 {} {}", At(WIDTH), At(HEIGHT));
    page.element(
        "svg",
        &[("class", &"plot"), ("viewBox", &view), ("role", &"img")],
        |page| {
            page.leaf("title", &[], "The released graph");
            page.leaf("desc", &[], sentence(drawing, values));
            page.shape("path", &[("class", &"link"), ("d", &lines)]);
            let radius = (140.0 / (places.len().max(1) as f64).sqrt()).clamp(4.5, 9.0) / 1.4;
            for (node, (&group, &place)) in drawing.nodes.iter().zip(&places).enumerate() {
                let Some(group) = drawing.groups.get(group as usize) else {
                    continue;
                };
                let neighbours = counted(u64::from(degrees[node]), "neighbour", "neighbours");
                let title = format!(
                    "node {}: {}; {neighbours}",
                    node + 1,
                    group.shown.join(", ")
                );
                let size = radius * (1.0 + f64::from(degrees[node].min(40)) / 40.0);
                mark(
                    page,
                    tone(values, first(&group.shown)),
                    place,
                    size,
                    Some(&title),
                );
            }
        },
    );
}

/// A node: each tone has a shape of its own, so that colours are not all that tells them apart.
fn mark(page: &mut Markup, tone: usize, (x, y): (f64, f64), size: f64, title: Option<&str>) {
    let around = |corners: &[(f64, f64)]| {
        let mut outline = String::new();
        for (place, (dx, dy)) in corners.iter().enumerate() {
            let command = if place == 0 { 'M' } else { 'L' };
            let _ = write!(
                outline,
                "{command}{} {}",
                At(x + dx * size),
                At(y + dy * size)
            );
        }
        outline + "Z"
    };
    let outline = match tone {
        1 => around(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => around(&[(0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)]),
        3 => around(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
        4 => around(&[(0.0, 1.2), (1.15, -0.85), (-1.15, -0.85)]),
        5 => around(&[
            (-0.4, -1.1),
            (0.4, -1.1),
            (1.1, -0.4),
            (1.1, 0.4),
            (0.4, 1.1),
            (-0.4, 1.1),
            (-1.1, 0.4),
            (-1.1, -0.4),
        ]),
        0 => {
            // Rounded once, so that both halves have the same ends.
            let radius = (size * 10.0).round() / 10.0;
            let (half, across) = (At(radius), At(2.0 * radius));
            format!(
                "M{} {}a{half} {half} 0 1 0 {across} 0a{half} {half} 0 1 0 -{across} 0Z",
                At(x - radius),
                At(y)
            )
        }
        _ => around(&[(-0.6, -0.6), (0.6, -0.6), (0.6, 0.6), (-0.6, 0.6)]),
    };
    let class = format!("node {}", TONES[tone.min(TONES.len() - 1)]);
    page.element("path", &[("class", &class), ("d", &outline)], |page| {
        if let Some(title) = title {
            page.leaf("title", &[], title);
        }
    });
}

fn table(drawing: &GraphDrawing, page: &mut Markup) {
    let mut inside = vec![0u64; drawing.groups.len()];
    let mut outside = inside.clone();
    for &(a, b) in &drawing.edges {
        let group = |end: u32| drawing.nodes.get(end as usize).map(|&group| group as usize);
        let (Some(a), Some(b)) = (group(a), group(b)) else {
            continue;
        };
        match a == b {
            true => inside[a] += 1,
            false => [a, b].iter().for_each(|&group| outside[group] += 1),
        }
    }
    page.raw(TABLE);
    for column in &drawing.columns {
        page.leaf("th", &[("scope", &"col")], column);
    }
    for name in ["nodes", "edges among them", "edges to others"] {
        page.leaf("th", &[("scope", &"col"), ("class", &"figure")], name);
    }
    page.raw("</tr></thead><tbody>");
    for (place, group) in drawing.groups.iter().enumerate().take(LINES) {
        page.element("tr", &[], |page| {
            for value in &group.shown {
                page.leaf("td", &[], value);
            }
            for count in [group.nodes, inside[place], outside[place]] {
                page.leaf("td", &[("class", &"figure")], number::count(count));
            }
        });
    }
    page.raw("</tbody></table></div>");
    if drawing.groups.len() > LINES {
        let more = drawing.groups.len() - LINES;
        page.leaf(
            "p",
            &[("class", &"note")],
            format!("{more} more groups are in the files."),
        );
    }
    page.raw("</details>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::assert_balanced;
    use moretta::pipeline::report::GraphGroup;

    fn group(shown: [&str; 2], nodes: u64) -> GraphGroup {
        GraphGroup {
            shown: shown.map(str::to_owned).to_vec(),
            nodes,
        }
    }

    fn drawing() -> GraphDrawing {
        GraphDrawing {
            columns: vec!["place".to_owned(), "<topic>".to_owned()],
            groups: vec![group(["Spain", "<b>sport"], 3), group(["UK", "*"], 2)],
            nodes: vec![0, 0, 1, 1, 0],
            edges: vec![(0, 1), (1, 2), (2, 3), (0, 4)],
        }
    }

    fn page(drawing: &GraphDrawing) -> String {
        let mut page = Markup::default();
        write(drawing, &mut page);
        page.into_string()
    }

    #[test]
    fn a_graph_is_drawn_told_and_tabulated() {
        let page = page(&drawing());
        assert_balanced(&page);
        for part in [
            "5 nodes and 4 edges; 3 link nodes that show the same",
            "Most nodes show as place: Spain (3), UK (2).",
            "node 3: UK, *; 2 neighbours",
            "&lt;b&gt;sport",
            "role=\"img\"",
            "<desc>",
            "edges among them",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(page.matches("class=\"node tone-0\"").count(), 3 + 1);
        assert_eq!(page.matches("class=\"node tone-1\"").count(), 2 + 1);
    }

    #[test]
    fn odd_drawings_break_nothing() {
        let empty = GraphDrawing {
            columns: Vec::new(),
            groups: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        assert_balanced(&page(&empty));
        let strange = GraphDrawing {
            nodes: vec![7, 0],
            edges: vec![(0, 9), (5, 6), (1, 1)],
            ..drawing()
        };
        let page = page(&strange);
        assert_balanced(&page);
        assert!(!page.contains("NaN"), "{page}");
    }

    #[test]
    fn rare_values_share_a_tone() {
        let groups = (0..12).map(|i| group([&format!("v{i:02}"), "*"], 12 - i));
        let many = GraphDrawing {
            groups: groups.collect(),
            nodes: (0..12).collect(),
            ..drawing()
        };
        let page = page(&many);
        assert!(page.contains("6 other values: 21"), "{page}");
        assert_eq!(page.matches("tone-other\"").count(), 6 + 1);
    }
}

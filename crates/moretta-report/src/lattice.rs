//! What a search over recodings found: the best part of the lattice, and its nodes as a table.

use super::axis::At;
use super::markup::Markup;
use super::number;
use moretta::pipeline::report::{NodeFact, SearchFacts};

/// Nodes that keep the promises, in the drawing.
const DRAWN: usize = 16;

/// Nodes that do not, in the drawing.
const DRAWN_BELOW: usize = 10;

/// Nodes in the table.
const LISTED: usize = 10;

pub(super) fn write(search: &SearchFacts, page: &mut Markup) {
    page.raw("<section id=\"search\"><h2>Search</h2>");
    page.element("p", &[("class", &"note")], |page| introduce(search, page));
    if search.of_cuts {
        page.raw("<div class=\"panel\">");
        cuts(search, page);
        page.raw("</div></section>");
        return;
    }
    page.raw("<div class=\"pair\"><figure class=\"panel\"><figcaption><h3>The best part of the lattice</h3><p class=\"note\">One box for each combination of levels, more general ones above. A box tells what is lost; a pale one does not keep the promises. The released one has a frame.</p></figcaption>");
    draw(search, page);
    page.raw("</figure><div class=\"panel\">");
    table(search, page);
    page.raw("</div></div></section>");
}

fn introduce(search: &SearchFacts, page: &mut Markup) {
    page.text(format_args!(
        "Of {} {}, {} were looked at",
        number::number(search.nodes),
        if search.of_cuts {
            "sets of cuts"
        } else {
            "combinations of levels"
        },
        number::count(search.looked_at)
    ));
    match search.gap > 0.0 {
        false => page.raw("; no other loses less, which is proven"),
        true => page.text(format_args!(
            "; another could lose up to {} less",
            number::percent(search.gap)
        )),
    }
    page.text(format_args!(
        " ({}, of the released rows alone).",
        search.metric
    ));
}

/// How often each column is cut.
fn cuts(search: &SearchFacts, page: &mut Markup) {
    page.raw("<h3>Cuts of each column</h3><div class=\"scroll\"><table><thead><tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"figure\">cuts</th><th scope=\"col\" class=\"figure\">places</th></tr></thead><tbody>");
    let made = search.best.first().map(|node| &node.levels);
    let made = made.into_iter().flatten();
    for ((name, made), places) in search.columns.iter().zip(made).zip(&search.heights) {
        page.element("tr", &[], |page| {
            page.leaf("th", &[("scope", &"row")], name);
            for figure in [*made, *places] {
                page.leaf("td", &[("class", &"figure")], number::count(figure as u64));
            }
        });
    }
    page.raw("</tbody></table></div>");
}

/// The levels with their columns, those at 0 left out.
fn levels(search: &SearchFacts, node: &NodeFact) -> String {
    let raised = search.columns.iter().zip(&node.levels);
    let raised = raised.filter(|(_, level)| **level > 0);
    let names: Vec<String> = raised
        .map(|(name, level)| format!("{name} {level}"))
        .collect();
    match names.is_empty() {
        true => "all values as they are".to_owned(),
        false => names.join(", "),
    }
}

fn table(search: &SearchFacts, page: &mut Markup) {
    page.raw("<h3>The best combinations</h3><div class=\"scroll\"><table><thead><tr><th scope=\"col\">Levels</th><th scope=\"col\" class=\"figure\">loss</th></tr></thead><tbody>");
    for node in search.best.iter().take(LISTED) {
        page.element("tr", &[], |page| {
            page.leaf("th", &[("scope", &"row")], levels(search, node));
            let loss = node
                .loss
                .map_or_else(|| number::NONE.to_owned(), number::number);
            page.leaf("td", &[("class", &"figure")], loss);
        });
    }
    page.raw("</tbody></table></div>");
    if search.best.len() > LISTED {
        page.element("p", &[("class", &"note foot")], |page| {
            page.text(format_args!(
                "The {LISTED} best of {} that are listed in the JSON report.",
                search.best.len()
            ));
        });
    }
}

/// A box of the drawing.
struct Shown<'a> {
    node: &'a NodeFact,
    x: f64,
    y: f64,
}

const WIDTH: f64 = 500.0;
const ROW: f64 = 58.0;
const BOX: (f64, f64) = (46.0, 22.0);

fn draw(search: &SearchFacts, page: &mut Markup) {
    let shown = placed(search);
    let height = shown.iter().map(|shown| shown.y).fold(0.0, f64::max) + BOX.1;
    let view = format!("0 0 {} {}", At(WIDTH), At(height));
    let title = "The best part of the lattice";
    page.element(
        "svg",
        &[
            ("class", &"plot wide lattice"),
            ("viewBox", &view),
            ("role", &"img"),
            ("aria-label", &title),
        ],
        |page| {
            for above in &shown {
                for below in shown
                    .iter()
                    .filter(|below| is_just_below(below.node, above.node))
                {
                    let line = format!(
                        "M{} {}L{} {}",
                        At(above.x),
                        At(above.y + BOX.1 / 2.0),
                        At(below.x),
                        At(below.y - BOX.1 / 2.0)
                    );
                    page.shape("path", &[("class", &"grid"), ("d", &line)]);
                }
            }
            for (place, shown) in shown.iter().enumerate() {
                node(search, shown, place == 0, page);
            }
        },
    );
}

fn node(search: &SearchFacts, shown: &Shown<'_>, released: bool, page: &mut Markup) {
    let (class, text) = match shown.node.loss {
        Some(loss) if released => ("kept released", number::number(loss)),
        Some(loss) => ("kept", number::number(loss)),
        None => ("failed", String::new()),
    };
    page.element("g", &[("class", &class)], |page| {
        let told = match shown.node.loss {
            Some(loss) => format!(
                "{}: loses {}",
                levels(search, shown.node),
                number::number(loss)
            ),
            None => format!("{}: does not keep the promises", levels(search, shown.node)),
        };
        page.leaf("title", &[], told);
        page.shape(
            "rect",
            &[
                ("x", &At(shown.x - BOX.0 / 2.0)),
                ("y", &At(shown.y - BOX.1 / 2.0)),
                ("width", &At(BOX.0)),
                ("height", &At(BOX.1)),
                ("rx", &At(4.0)),
            ],
        );
        let place: (At, At) = (At(shown.x), At(shown.y + 4.0));
        page.leaf(
            "text",
            &[("class", &"middle"), ("x", &place.0), ("y", &place.1)],
            text,
        );
    });
}

/// The boxes, the released one first: a row for each sum of levels, the highest above.
fn placed(search: &SearchFacts) -> Vec<Shown<'_>> {
    let best = search.best.iter().take(DRAWN);
    let near = |below: &&NodeFact| {
        search
            .best
            .iter()
            .take(DRAWN)
            .any(|best| is_just_below(below, best))
    };
    let below = search.below.iter().filter(near).take(DRAWN_BELOW);
    let nodes: Vec<&NodeFact> = best.chain(below).collect();
    let mut sums: Vec<usize> = nodes.iter().map(|node| sum(node)).collect();
    sums.sort_unstable_by(|a, b| b.cmp(a));
    sums.dedup();
    let row_of = |node: &NodeFact| sums.iter().position(|&s| s == sum(node)).unwrap_or(0);
    let mut places = vec![0; sums.len()];
    let in_row = |row: usize| nodes.iter().filter(|node| row_of(node) == row).count();
    let counts: Vec<usize> = (0..sums.len()).map(in_row).collect();
    let place = |node: &&'_ NodeFact| {
        let row = row_of(node);
        places[row] += 1;
        let step = WIDTH / counts[row].max(1) as f64;
        // Boxes of a full row stand on two heights, so that they do not cover each other.
        let crowded = step < BOX.0 + 4.0 && places[row] % 2 == 0;
        let down = if crowded { BOX.1 + 4.0 } else { 0.0 };
        (
            (places[row] as f64 - 0.5) * step,
            row as f64 * ROW + BOX.1 + down,
        )
    };
    let places: Vec<(f64, f64)> = nodes.iter().map(place).collect();
    nodes
        .into_iter()
        .zip(places)
        .map(|(node, (x, y))| Shown { node, x, y })
        .collect()
}

fn sum(node: &NodeFact) -> usize {
    node.levels.iter().sum()
}

fn is_just_below(below: &NodeFact, above: &NodeFact) -> bool {
    let mut levels = below.levels.iter().zip(&above.levels);
    sum(below) + 1 == sum(above) && levels.all(|(below, above)| below <= above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::assert_balanced;

    fn node(levels: &[usize], loss: Option<f64>) -> NodeFact {
        NodeFact {
            levels: levels.to_vec(),
            loss,
        }
    }

    fn search() -> SearchFacts {
        SearchFacts {
            metric: "loss".to_owned(),
            columns: vec!["age".to_owned(), "<sex>".to_owned()],
            heights: vec![3, 1],
            of_cuts: false,
            nodes: 8.0,
            looked_at: 5,
            gap: 0.0,
            best: vec![
                node(&[2, 0], Some(0.214)),
                node(&[1, 1], Some(0.556)),
                node(&[2, 1], Some(0.7)),
            ],
            below: vec![node(&[1, 0], None), node(&[0, 1], None)],
        }
    }

    fn text(search: &SearchFacts) -> String {
        let mut page = Markup::default();
        write(search, &mut page);
        page.into_string()
    }

    #[test]
    fn every_node_is_drawn_with_its_loss_and_the_released_one_is_marked() {
        let page = text(&search());
        assert_balanced(&page);
        assert_eq!(page.matches("<rect ").count(), 5);
        assert_eq!(page.matches("class=\"kept released\"").count(), 1);
        assert!(page.contains("<title>age 2: loses 0.214</title>"), "{page}");
        assert!(page.contains("age 1: does not keep the promises"));
        assert!(page.contains("&lt;sex&gt; 1") && !page.contains("<sex>"));
        assert!(
            page.contains("Of 8 combinations of levels, 5 were looked at; no other loses less")
        );
        // From (1, 0) to both above, from (2, 0) and (1, 1) to (2, 1), from (0, 1) to (1, 1).
        assert_eq!(page.matches("class=\"grid\"").count(), 5);
    }

    #[test]
    fn cuts_are_counted_and_not_drawn() {
        let cuts = SearchFacts {
            of_cuts: true,
            ..search()
        };
        let page = text(&cuts);
        assert_balanced(&page);
        assert!(page.contains("sets of cuts") && page.contains("Cuts of each column"));
        assert!(!page.contains("<rect "), "{page}");
    }

    #[test]
    fn a_search_that_stopped_tells_its_gap() {
        let open = SearchFacts {
            gap: 0.125,
            ..search()
        };
        assert!(text(&open).contains("another could lose up to 12.5\u{202f}% less"));
    }
}

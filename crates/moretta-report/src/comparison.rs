//! Methods beside each other: what each would release, as one page.

use super::figure::{Align, Area, Axis, Drawing, Mark, Panel, Scale, Stroke, Tone, brief};
use super::markup::Markup;
use super::number;
use super::page::{MASK, frame};
use moretta::measure;
use moretta::pipeline::{Comparison, TriedMethod};

/// The page of a comparison.
pub fn comparison_html(comparison: &Comparison) -> String {
    let title = format!("{} – methods compared", comparison.name);
    frame(&title, |page| {
        page.element("header", &[], |page| {
            page.raw(MASK);
            page.raw("<div>");
            page.leaf("p", &[("class", &"name")], &title);
            page.element("p", &[("class", &"note")], |page| {
                page.text(format_args!(
                    "{} rows; the same promises, hierarchies and share of suppressed rows for all.",
                    number::count(comparison.rows)
                ));
            });
            page.raw("</div>");
        });
        page.element("main", &[], |page| {
            page.raw("<section><h2>Risk against loss</h2><figure class=\"panel\"><figcaption><p class=\"note\">What is good lies in the lower left. Discs are trade-offs that no other one beats on both sides; rings are beaten.</p></figcaption>");
            scatter(comparison, page);
            page.raw("</figure></section><section><h2>Figures</h2>");
            table(comparison, page);
            page.raw("</section>");
        });
        page.raw("<footer>This page shows no row of the data. Its figures are computed from the originals: keep it to yourself, as they tell a little of rows that are not released.</footer>");
    })
}

/// The value of a measure, as it is read.
fn shown(name: &str, value: Option<f64>) -> String {
    match value {
        None => number::NONE.to_owned(),
        Some(value) if measure::find(name).is_some_and(|info| info.percent) => {
            number::percent(value)
        }
        Some(value) => number::number(value),
    }
}

fn label(tried: &TriedMethod) -> String {
    match tried.k {
        Some(k) => format!("{}, k = {k}", tried.method),
        None => tried.method.clone(),
    }
}

fn scatter(comparison: &Comparison, page: &mut Markup) {
    let at = |tried: &TriedMethod| {
        let value = |place: usize| tried.values.get(place).copied().flatten();
        Some((value(0)?, value(1)?))
    };
    let points = || comparison.tried.iter().filter_map(at);
    let axis = |place: usize, values: Vec<f64>| Axis {
        label: comparison.measures.get(place).cloned().unwrap_or_default(),
        scale: Scale::linear(values.into_iter(), [0.0, f64::MAX]),
        marks: 6,
        write: brief,
    };
    let panel = Panel {
        area: Area {
            left: 70.0,
            right: 700.0,
            top: 70.0,
            bottom: 380.0,
        },
        title: String::new(),
        x: axis(0, points().map(|(risk, _)| risk).collect()),
        y: axis(1, points().map(|(_, loss)| loss).collect()),
    };
    let mut drawing = Drawing::inside(720.0, 430.0, "Risk against loss");
    panel.frame(&mut drawing);
    let mut methods: Vec<&str> = Vec::new();
    for tried in &comparison.tried {
        if !methods.contains(&tried.method.as_str()) {
            methods.push(&tried.method);
        }
    }
    let mut x = 70.0;
    for (place, method) in methods.iter().enumerate() {
        let tone = Tone(place + 1);
        drawing.circle(&tone.class(), (x, 44.0), 4.5, "");
        drawing.text((x + 10.0, 48.0), Align::Start, "muted", method);
        x += 40.0 + 7.5 * method.chars().count() as f64;
        let of_method: Vec<&TriedMethod> = comparison
            .tried
            .iter()
            .filter(|tried| tried.method == **method)
            .collect();
        let line: Vec<(f64, f64)> = of_method.iter().filter_map(|tried| at(tried)).collect();
        if line.len() > 1 {
            let stroke = Stroke {
                tone,
                dashed: false,
            };
            panel.line(&mut drawing, stroke, &line);
        }
        for tried in of_method {
            let Some(point) = at(tried) else { continue };
            let mark = Mark {
                tone,
                radius: 5.0,
                filled: tried.on_front,
            };
            let [risk, loss] = [0, 1].map(|place| {
                let name = &comparison.measures[place];
                format!("{name} {}", shown(name, tried.values[place]))
            });
            let detail = format!("{}: {risk}, {loss}", label(tried));
            panel.mark(&mut drawing, mark, point, &detail);
        }
    }
    page.append(drawing.into_markup());
}

fn table(comparison: &Comparison, page: &mut Markup) {
    page.raw("<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Method</th><th scope=\"col\" class=\"figure\">rows</th>");
    for name in &comparison.measures {
        page.leaf("th", &[("scope", &"col"), ("class", &"figure")], name);
    }
    page.raw("<th scope=\"col\" class=\"figure\">seconds</th></tr></thead><tbody>");
    for tried in &comparison.tried {
        page.element("tr", &[], |page| {
            page.leaf("th", &[("scope", &"row")], label(tried));
            if let Some(why) = &tried.refused {
                let columns = comparison.measures.len() + 2;
                page.leaf("td", &[("colspan", &columns)], why);
                return;
            }
            page.leaf("td", &[("class", &"figure")], number::count(tried.released));
            for (name, value) in comparison.measures.iter().zip(&tried.values) {
                page.leaf("td", &[("class", &"figure")], shown(name, *value));
            }
            page.leaf(
                "td",
                &[("class", &"figure")],
                format!("{:.2}", tried.seconds),
            );
        });
    }
    page.raw("</tbody></table></div>");
    let mut told: Vec<(&str, &str)> = Vec::new();
    for tried in &comparison.tried {
        let less = tried.promises_less.as_deref();
        let note = less.map(|less| (tried.method.as_str(), less));
        if let Some(note) = note.filter(|note| !told.contains(note)) {
            told.push(note);
            page.leaf(
                "p",
                &[("class", &"note")],
                format_args!("{}: {}", note.0, note.1),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::assert_balanced;

    fn tried(method: &str, risk: Option<f64>, on_front: bool) -> TriedMethod {
        TriedMethod {
            method: method.to_owned(),
            k: Some(5),
            values: vec![risk, risk.map(|risk| 1.0 - risk)],
            promises_less: (method == "mu-argus").then(|| "promises <less>".to_owned()),
            released: 100,
            refused: risk.is_none().then(|| "k=5 <not> reachable".to_owned()),
            on_front,
            seconds: 0.5,
        }
    }

    #[test]
    fn every_method_has_a_mark_and_a_line_of_figures() {
        let page = comparison_html(&Comparison {
            name: "ward".to_owned(),
            rows: 1000,
            measures: vec!["marketer_risk".to_owned(), "gcp".to_owned()],
            tried: vec![
                tried("mondrian", Some(0.1), true),
                tried("lattice", Some(0.2), false),
                tried("datafly", None, false),
                tried("mu-argus", Some(0.4), false),
                tried("mu-argus", Some(0.5), false),
            ],
        });
        assert_balanced(&page);
        assert!(
            page.contains("mondrian, k = 5: marketer_risk 10\u{202f}%, gcp 90\u{202f}%"),
            "{page}"
        );
        assert_eq!(page.matches(" ring\"").count(), 3, "lattice is beaten");
        let less = "mu-argus: promises &lt;less&gt;";
        assert_eq!(page.matches(less).count(), 1, "said once");
        assert!(page.contains("k=5 &lt;not&gt; reachable"));
        assert!(
            !page.contains("src=") && !page.contains("href="),
            "nothing is fetched"
        );
    }
}

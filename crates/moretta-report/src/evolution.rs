//! What an evolutionary search has found: losses and risks of the first and the last population,
//! and the scores over the steps.

use super::figure::{Align, Area, Axis, Drawing, Mark, Panel, Scale, Stroke, Tone, brief};
use super::markup::Markup;
use super::number;
use moretta::pipeline::report::{CurveFact, EquationFact, EvolutionFacts, StartFact, TradeOffFact};
use std::fmt::Write;

const START: Tone = Tone(0);
const LAST: Tone = Tone(2);
const RELEASED: Tone = Tone(1);
const DESIGN: Tone = Tone(3);

pub(super) fn write(facts: &EvolutionFacts, page: &mut Markup) {
    page.raw("<section id=\"evolution\"><h2>Search</h2>");
    page.element("p", &[("class", &"note")], |page| {
        page.text(told(facts));
    });
    write_matrices(facts, page);
    page.raw("<figure class=\"panel\"><figcaption><p class=\"note\">Information loss and disclosure risk of whole files, in percent; what is good lies in the lower left. Rings are what the search began with and was held against, discs the last population, and the large disc is what was released.</p></figcaption>");
    page.append(scatter(facts));
    page.raw("</figure>");
    page.raw("<figure class=\"panel\"><figcaption><p class=\"note\">The best score and the mean of the population over the steps; neither ever gets worse.</p></figcaption>");
    page.append(curve(facts));
    page.raw("</figure></section>");
}

/// The equation that was found, and the designs of the literature beside it.
fn write_matrices(facts: &EvolutionFacts, page: &mut Markup) {
    if let Some(equation) = &facts.equation {
        page.raw("<p>A category k becomes another one, l, in proportion to ");
        page.leaf("code", &[], &equation.weights);
        page.raw(", and stays with probability ");
        page.leaf("code", &[], &equation.diagonal);
        page.raw(". Tk and Tl are the rows that have k and l, S all rows, L the categories; what is divided by 0 is 1, and weights below 0 are 0.</p>");
    }
    if facts.designs.is_empty() {
        return;
    }
    page.raw("<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Matrices</th><th scope=\"col\" class=\"figure\">loss</th><th scope=\"col\" class=\"figure\">risk</th><th scope=\"col\" class=\"figure\">score</th></tr></thead><tbody>");
    let designs = facts
        .designs
        .iter()
        .map(|design| (&*design.method, design.of));
    for (name, of) in designs.chain([("found", facts.released)]) {
        page.element("tr", &[], |page| {
            page.leaf("th", &[("scope", &"row")], name);
            for figure in [of.loss, of.risk, score(facts, of)] {
                page.leaf("td", &[("class", &"figure")], one(figure));
            }
        });
    }
    page.raw("</tbody></table></div>");
}

/// The score of a trade-off; of a search for a front the mean.
fn score(facts: &EvolutionFacts, of: TradeOffFact) -> f64 {
    match facts.fitness.as_str() {
        "max" => of.loss.max(of.risk),
        _ => (of.loss + of.risk) / 2.0,
    }
}

/// What a search for matrices tells besides: what was found, and the best design of the literature.
fn told_of_matrices(facts: &EvolutionFacts) -> String {
    let Some(applications) = facts.applications else {
        return String::new();
    };
    let mut text = format!(
        " Loss and risk are means of {applications} applications of pram with the same matrices; this release is another draw and differs from them by chance."
    );
    if let Some(equation) = &facts.equation {
        let EquationFact { weights, diagonal } = equation;
        let _ = write!(text, " Found: weight {weights}, stays {diagonal}.");
    }
    if !facts.guessed.is_empty() {
        let guessed = facts.guessed.iter();
        let guessed = guessed.map(|of| format!("{} % of {}", one(of.guessed), of.column));
        let guessed = guessed.collect::<Vec<_>>().join(", ");
        let _ = write!(text, " Who knows the matrices guesses {guessed} right.");
    }
    let best = facts
        .designs
        .iter()
        .min_by(|a, b| score(facts, a.of).total_cmp(&score(facts, b.of)));
    if let Some(StartFact { method, of }) = best {
        let _ = write!(
            text,
            " The best design of the literature, {method}, has score {}, with loss {} and risk {}.",
            one(score(facts, *of)),
            one(of.loss),
            one(of.risk),
        );
    }
    text
}

/// The search in a few sentences.
pub(super) fn told(facts: &EvolutionFacts) -> String {
    let [first, last] = [facts.curve.first(), facts.curve.last()];
    let score =
        |moment: Option<&CurveFact>| moment.map_or(number::NONE.to_owned(), |m| one(m.best));
    let (start, several, single) = match facts.search.as_str() {
        "matrices" => (
            "designs of transition matrices for",
            "sets of matrices",
            "the matrices",
        ),
        "equations" => (
            "equations of transition matrices for",
            "equations",
            "the equation",
        ),
        _ => ("files that methods made of", "files", "the file"),
    };
    let which = match (facts.fitness.as_str(), facts.picked) {
        (_, Some(place)) => format!("number {place} of a front of {}", facts.front.len()),
        ("max", None) => "the larger of loss and risk".to_owned(),
        _ => "the mean of loss and risk".to_owned(),
    };
    let which = match facts.picked {
        Some(_) => format!("Released: {which}"),
        None => format!("Released: {single} with the least score, {which}"),
    };
    format!(
        "From {} {start} {}: {} steps, {} {several} evaluated, until {}. The best score went from {} to {}. {which}, with loss {} and risk {}.{}",
        number::count(facts.start.len() as u64),
        facts.columns.join(", "),
        number::count(facts.steps),
        number::count(facts.evaluations),
        facts.ended,
        score(first),
        score(last),
        one(facts.released.loss),
        one(facts.released.risk),
        told_of_matrices(facts),
    )
}

/// A percentage with one digit behind the point.
fn one(value: f64) -> String {
    match value.is_finite() {
        true => format!("{value:.1}"),
        false => number::NONE.to_owned(),
    }
}

fn axis(label: &str, values: impl Iterator<Item = f64>, marks: usize) -> Axis {
    Axis {
        label: label.to_owned(),
        scale: Scale::linear(values, [0.0, f64::MAX]),
        marks,
        write: brief,
    }
}

const AREA: Area = Area {
    left: 70.0,
    right: 700.0,
    top: 70.0,
    bottom: 360.0,
};

fn drawing(title: &str) -> Drawing {
    Drawing::inside(720.0, 410.0, title)
}

/// What each tone means, side by side above the drawing.
fn legend(drawing: &mut Drawing, entries: &[(Tone, &str)]) {
    let mut x = AREA.left;
    for (tone, words) in entries {
        drawing.circle(&tone.class(), (x, 44.0), 4.5, "");
        drawing.text((x + 10.0, 48.0), Align::Start, "muted", words);
        x += 40.0 + 7.0 * words.chars().count() as f64;
    }
}

fn scatter(facts: &EvolutionFacts) -> Markup {
    let start = facts.start.iter().map(|start| start.of);
    let all = || {
        start
            .clone()
            .chain(facts.designs.iter().map(|design| design.of))
            .chain(facts.last.iter().copied())
            .chain([facts.released])
    };
    let panel = Panel {
        area: AREA,
        title: String::new(),
        x: axis("information loss", all().map(|of| of.loss), 6),
        y: axis("disclosure risk", all().map(|of| of.risk), 6),
    };
    let mut drawing = drawing("Loss against risk");
    let mut entries = vec![
        (START, "start"),
        (LAST, "last population"),
        (RELEASED, "released"),
    ];
    if !facts.designs.is_empty() {
        entries.push((DESIGN, "designs"));
    }
    legend(&mut drawing, &entries);
    panel.frame(&mut drawing);
    let mut mark = |of: TradeOffFact, (tone, radius, filled): (Tone, f64, bool), name: &str| {
        let mark = Mark {
            tone,
            radius,
            filled,
        };
        let detail = format!("{name}: loss {}, risk {}", one(of.loss), one(of.risk));
        panel.mark(&mut drawing, mark, (of.loss, of.risk), &detail);
    };
    for start in &facts.start {
        mark(start.of, (START, 4.0, false), &start.method);
    }
    for design in &facts.designs {
        mark(design.of, (DESIGN, 4.0, false), &design.method);
    }
    for &of in &facts.last {
        mark(of, (LAST, 3.0, true), "last population");
    }
    mark(facts.released, (RELEASED, 6.0, true), "released");
    drawing.into_markup()
}

fn curve(facts: &EvolutionFacts) -> Markup {
    let scores = facts
        .curve
        .iter()
        .flat_map(|moment| [moment.best, moment.mean]);
    let panel = Panel {
        area: AREA,
        title: String::new(),
        x: axis(
            "steps",
            facts.curve.iter().map(|moment| moment.step as f64),
            6,
        ),
        y: axis("score", scores, 6),
    };
    let mut drawing = drawing("Scores over the steps");
    legend(&mut drawing, &[(LAST, "best"), (START, "mean")]);
    panel.frame(&mut drawing);
    for (tone, score) in [
        (START, (|moment| moment.mean) as fn(&CurveFact) -> f64),
        (LAST, |moment| moment.best),
    ] {
        let points = facts
            .curve
            .iter()
            .map(|moment| (moment.step as f64, score(moment)));
        let stroke = Stroke {
            tone,
            dashed: false,
        };
        panel.line(&mut drawing, stroke, &points.collect::<Vec<_>>());
    }
    drawing.into_markup()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{evolved, evolved_equation};

    #[test]
    fn the_search_is_told_in_sentences() {
        let report = evolved();
        let facts = report.evolution.expect("a search");
        assert_eq!(
            told(&facts),
            "From 3 files that methods made of savings, job: 1,000 steps, 1,480 files evaluated, until all steps were done. The best score went from 30.5 to 24.2. Released: the file with the least score, the mean of loss and risk, with loss 20.1 and risk 28.3."
        );
        let picked = EvolutionFacts {
            picked: Some(2),
            ..facts
        };
        assert!(told(&picked).contains("Released: number 2 of a front of 2, with loss 20.1"));
    }

    #[test]
    fn what_was_found_for_pram_is_told_beside_the_designs() {
        let facts = evolved_equation().evolution.expect("a search");
        let told = told(&facts);
        for words in [
            "From 3 equations of transition matrices for savings, job",
            "Released: the equation with the least score",
            "means of 3 applications",
            "Found: weight S - Tk - Tl, stays 0.71.",
            "Who knows the matrices guesses 74.2 % of savings right.",
            "The best design of the literature, equal-counts theta=0.9, has score 29.0",
        ] {
            assert!(told.contains(words), "{told}");
        }
        let mut page = Markup::default();
        write(&facts, &mut page);
        let page = page.into_string();
        assert!(page.contains("<code>S - Tk - Tl</code>"), "{page}");
        assert_eq!(page.matches("<tr>").count(), 4);
        assert_eq!(scatter(&facts).into_string().matches(" ring\"").count(), 5);
    }

    #[test]
    fn every_file_has_a_mark_and_both_curves_a_line() {
        let facts = evolved().evolution.expect("a search");
        let drawn = scatter(&facts).into_string();
        assert_eq!(drawn.matches(" ring\"").count(), 3);
        assert!(
            drawn.contains("rank-swapping 2%: loss 31.0, risk 30.0"),
            "{drawn}"
        );
        assert_eq!(curve(&facts).into_string().matches("<polyline").count(), 2);
    }
}

//! What an evolutionary search has found: losses and risks of the first and the last population,
//! and the scores over the steps.

use super::figure::{Align, Area, Axis, Drawing, Mark, Panel, Scale, Stroke, Tone, brief};
use super::markup::Markup;
use super::number;
use moretta::pipeline::report::{CurveFact, EvolutionFacts, TradeOffFact};

const START: Tone = Tone(0);
const LAST: Tone = Tone(2);
const RELEASED: Tone = Tone(1);

pub(super) fn write(facts: &EvolutionFacts, page: &mut Markup) {
    page.raw("<section id=\"evolution\"><h2>Search</h2>");
    page.element("p", &[("class", &"note")], |page| {
        page.text(told(facts));
    });
    page.raw("<figure class=\"panel\"><figcaption><p class=\"note\">Information loss and disclosure risk of whole files, in percent; what is good lies in the lower left. Rings are the files that the methods made, discs the last population, and the large disc is what was released.</p></figcaption>");
    page.append(scatter(facts));
    page.raw("</figure>");
    page.raw("<figure class=\"panel\"><figcaption><p class=\"note\">The best score and the mean of the population over the steps; neither ever gets worse.</p></figcaption>");
    page.append(curve(facts));
    page.raw("</figure></section>");
}

/// The search in a few sentences.
pub(super) fn told(facts: &EvolutionFacts) -> String {
    let [first, last] = [facts.curve.first(), facts.curve.last()];
    let score =
        |moment: Option<&CurveFact>| moment.map_or(number::NONE.to_owned(), |m| one(m.best));
    let which = match (facts.fitness.as_str(), facts.picked) {
        (_, Some(place)) => format!("number {place} of a front of {}", facts.front.len()),
        ("max", None) => "the larger of loss and risk".to_owned(),
        _ => "the mean of loss and risk".to_owned(),
    };
    let which = match facts.picked {
        Some(_) => format!("Released: {which}"),
        None => format!("Released: the file with the least score, {which}"),
    };
    format!(
        "From {} files that methods made of {}: {} steps, {} files evaluated, until {}. The best score went from {} to {}. {which}, with loss {} and risk {}.",
        number::count(facts.start.len() as u64),
        facts.columns.join(", "),
        number::count(facts.steps),
        number::count(facts.evaluations),
        facts.ended,
        score(first),
        score(last),
        one(facts.released.loss),
        one(facts.released.risk),
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
    legend(
        &mut drawing,
        &[
            (START, "start"),
            (LAST, "last population"),
            (RELEASED, "released"),
        ],
    );
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
    use crate::fixture::evolved;

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

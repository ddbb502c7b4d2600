//! Critical-difference diagrams: average ranks on an axis, and bars that join methods
//! which do not differ (Demšar 2006).

use super::super::attacks::Attacker;
use super::super::method::{Method, methods};
use super::super::ranking::{ALPHA, Ranking};
use crate::statistics::groups;
use moretta_report::figure::{Align, Drawing};

const WIDTH: f64 = 530.0;
const HEIGHT: f64 = 210.0;
/// From the left of a diagram to its axis, and from the axis to the right.
const MARGIN: f64 = 132.0;
const TOP: f64 = 60.0;

/// A diagram for each attacker who knows so many records, for one ε.
pub(super) fn draw(rankings: &[Ranking], epsilon: f64) -> String {
    let shown: Vec<&Ranking> = rankings
        .iter()
        .filter(|ranking| ranking.epsilon == epsilon)
        .collect();
    let title = format!(
        "Average ranks by error² + breach², breach at ε = {epsilon}; 1 is best, bars join what \
         does not differ (Nemenyi, α = {ALPHA})"
    );
    let columns = Attacker::ALL.len();
    let rows = shown.len().div_ceil(columns);
    let width = columns as f64 * WIDTH;
    let mut drawing = Drawing::new(width, TOP + rows as f64 * HEIGHT, &title);
    for (place, ranking) in shown.into_iter().enumerate() {
        let left = (place % columns) as f64 * WIDTH;
        let top = TOP + (place / columns) as f64 * HEIGHT;
        diagram(&mut drawing, ranking, (left, top));
    }
    drawing.finish()
}

/// The axis of one diagram.
struct Ranks {
    left: f64,
    y: f64,
    most: f64,
}

impl Ranks {
    fn x(&self, rank: f64) -> f64 {
        self.left + (rank - 1.0) / (self.most - 1.0) * (WIDTH - 2.0 * MARGIN)
    }
}

fn diagram(drawing: &mut Drawing, ranking: &Ranking, (left, top): (f64, f64)) {
    let axis = Ranks {
        left: left + MARGIN,
        y: top + 62.0,
        most: ranking.ranks.len() as f64,
    };
    heading(drawing, ranking, (left + 16.0, top));
    let mut ranked: Vec<(f64, Method)> = ranking.ranks.iter().copied().zip(methods()).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    scale(drawing, &axis, ranking.critical_difference);
    let ranks: Vec<f64> = ranked.iter().map(|(rank, _)| *rank).collect();
    let bars = groups(&ranks, ranking.critical_difference);
    for (level, group) in bars.iter().enumerate() {
        let y = axis.y + 9.0 + 7.0 * level as f64;
        let (from, to) = (axis.x(ranks[group.start]), axis.x(ranks[group.end - 1]));
        let outline = format_args!("M{:.1} {y:.1}H{:.1}", from - 3.0, to + 3.0);
        drawing.path("ink thick", outline);
    }
    names(drawing, &axis, &ranked, bars.len());
}

fn heading(drawing: &mut Drawing, ranking: &Ranking, (x, y): (f64, f64)) {
    let attack = match ranking.attacker {
        Attacker::Published => "published attacks",
        Attacker::Ours => "our attacks",
    };
    let chance = ranking.friedman.map_or(String::new(), |test| {
        format!(": Friedman p = {:.1e}", test.f_p)
    });
    let words = format!("{attack}, known records: {}{chance}", ranking.known.name());
    drawing.text((x, y + 6.0), Align::Start, "", &words);
}

/// The axis with its ranks, and the critical difference above it.
fn scale(drawing: &mut Drawing, axis: &Ranks, difference: f64) {
    let y = axis.y;
    let (first, last) = (axis.x(1.0), axis.x(axis.most));
    drawing.path("axis", format_args!("M{first:.1} {y:.1}H{last:.1}"));
    let mut rank = 1.0;
    while rank <= axis.most {
        let x = axis.x(rank);
        drawing.path("axis", format_args!("M{x:.1} {y:.1}v-5"));
        let place = (x, y - 9.0);
        drawing.text(place, Align::Middle, "muted", &format!("{rank}"));
        rank += 1.0;
    }
    let end = axis.x((1.0 + difference).min(axis.most));
    let ruler = y - 30.0;
    let outline = format_args!("M{first:.1} {:.1}v6m0 -3H{end:.1}m0 -3v6", ruler - 3.0);
    drawing.path("ink", outline);
    let place = (end + 6.0, ruler + 4.0);
    let words = format!("CD {difference:.2}");
    drawing.text(place, Align::Start, "muted", &words);
}

/// The better half is named on the left, the other on the right, from the outside inwards.
fn names(drawing: &mut Drawing, axis: &Ranks, ranked: &[(f64, Method)], bars: usize) {
    let half = ranked.len().div_ceil(2);
    let first = axis.y + 22.0 + 7.0 * bars as f64;
    for (place, (rank, method)) in ranked.iter().enumerate() {
        let (x, is_left) = (axis.x(*rank), place < half);
        let level = if is_left {
            place
        } else {
            ranked.len() - 1 - place
        };
        let y = first + 18.0 * level as f64;
        let end = match is_left {
            true => axis.left - 8.0,
            false => axis.x(axis.most) + 8.0,
        };
        let tone = method.family.tone().class();
        let outline = format_args!("M{x:.1} {:.1}V{y:.1}H{end:.1}", axis.y);
        drawing.path(&format!("{tone} line"), outline);
        let align = if is_left { Align::End } else { Align::Start };
        let side = if is_left { -4.0 } else { 4.0 };
        let words = format!("{method} ({rank:.2})");
        drawing.text((end + side, y + 4.0), align, &tone, &words);
    }
}

//! The results as drawings.

mod critical_difference;
mod over_time;
mod trade_off;
mod trend;

use super::attacks::{EPSILONS, Known};
use super::method::SIGMAS;
use super::ranking::Ranking;
use super::results::SetResult;

/// The name and the text of each drawing.
pub(super) fn figures(results: &[SetResult], rankings: &[Ranking]) -> Vec<(String, String)> {
    let mut drawings = Vec::new();
    for epsilon in EPSILONS.into_iter().rev() {
        for known in Known::ALL {
            let name = format!("trade-off-{}-{epsilon}.svg", known.word());
            drawings.push((name, trade_off::draw(results, known, epsilon)));
        }
    }
    for epsilon in EPSILONS.into_iter().rev() {
        let name = format!("critical-difference-{epsilon}.svg");
        drawings.push((name, critical_difference::draw(rankings, epsilon)));
    }
    for known in Known::ALL {
        let name = format!("distance-{}.svg", known.word());
        drawings.push((name, trend::draw(results, known)));
    }
    for sigma in SIGMAS {
        let name = format!("accuracy-over-time-{sigma}.svg");
        drawings.push((name, over_time::draw(results, sigma)));
    }
    drawings
}

#[cfg(test)]
mod tests {
    use super::super::ranking::rankings;
    use super::super::results::tests::small;
    use super::*;

    #[test]
    fn drawings_hold_only_numbers_and_what_was_asked_for() {
        let results = small();
        let drawings = figures(&results, &rankings(&results));
        assert_eq!(drawings.len(), 14);
        for (name, svg) in &drawings {
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
            assert!(svg.contains("RPCN"), "{name}");
        }
        let find = |name: &str| {
            let found = drawings.iter().find(|(found, _)| found == name);
            found.map(|(_, svg)| svg.as_str()).expect("drawn")
        };
        // A disc and a ring for each method on each stream, and for each word of the key.
        let circles = find("trade-off-most-0.2.svg").matches("<circle").count();
        assert_eq!(circles, 2 * 7 * 2 + 4);
        let lines = find("accuracy-over-time-0.1.svg")
            .matches("<polyline")
            .count();
        assert_eq!(lines, 2 * 4);
    }
}

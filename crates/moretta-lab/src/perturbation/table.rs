//! The results as a table on the terminal.

use super::attacks::{Attacker, EPSILONS, Known};
use super::claim::{self, Sizes, Tally};
use super::method::methods;
use super::ranking::{ALPHA, Ranking};
use super::results::{MethodResult, SetResult};
use std::fmt::Write;

const LEGEND: &str = "\
breaches: records that were found with a relative error below 0.1 or 0.2, by the best of the
published attacks and, beside it, by the best of ours; PAM: error² + breach², less is better

";

/// Streams with their methods, ranks, and what became of the claim.
pub(super) fn table(results: &[SetResult], rankings: &[Ranking]) -> String {
    let mut text = LEGEND.to_owned();
    for set in results {
        add_set(&mut text, set);
    }
    add_rankings(&mut text, rankings, results.len());
    add_claim(&mut text, results);
    text
}

fn add(text: &mut String, line: std::fmt::Arguments<'_>) {
    let line = line.to_string();
    text.push_str(line.trim_end());
    text.push('\n');
}

fn add_set(text: &mut String, set: &SetResult) {
    let (records, m, classes) = (set.records, set.features, set.classes);
    add(
        text,
        format_args!(
            "{}: {records} records, {m} features, {classes} classes; accuracy {:.2} % unprotected",
            set.name,
            100.0 * set.original.accuracy
        ),
    );
    let mut head = format!("{:10} {:>8} |", "", "accuracy");
    let mut names = format!("{:10} {:>8} |", "", "%");
    for known in Known::ALL {
        let knows = format!("breaches %, {} known", known.count(m));
        let _ = write!(head, " {knows:^27} |");
        for epsilon in EPSILONS {
            let _ = write!(names, " {:>6} {:>6}", format!("<{epsilon}"), "ours");
        }
        names += " |";
    }
    let widest = format!("PAM, {} known", Known::AllButOne.count(m));
    add(text, format_args!("{head} {widest:^13}"));
    add(text, format_args!("{names} {:>6} {:>6}", "<0.2", "ours"));
    for method in &set.methods {
        add_method(text, method);
    }
    text.push('\n');
}

fn add_method(text: &mut String, method: &MethodResult) {
    let accuracy = 100.0 * method.learnt.accuracy;
    let mut line = format!("{:10} {accuracy:>8.2} |", method.method);
    for known in Known::ALL {
        for epsilon in EPSILONS {
            for attacker in Attacker::ALL {
                let breach = 100.0 * method.by(known).breach(attacker, epsilon);
                let _ = write!(line, " {breach:>6.1}");
            }
        }
        line += " |";
    }
    for attacker in Attacker::ALL {
        let magnitude = method.magnitude(Known::AllButOne, EPSILONS[1], attacker);
        let _ = write!(line, " {magnitude:>6.3}");
    }
    add(text, format_args!("{line}"));
}

fn add_rankings(text: &mut String, rankings: &[Ranking], sets: usize) {
    let difference = rankings.first().map_or(f64::NAN, |r| r.critical_difference);
    add(
        text,
        format_args!(
            "average ranks by PAM over {sets} data sets (1 is best); two methods differ from \
             {difference:.2} on (Nemenyi, α = {ALPHA})"
        ),
    );
    let mut head = format!("{:4} {:5} {:9}", "ε", "known", "attack");
    for method in methods() {
        let _ = write!(head, " {method:>9}");
    }
    add(
        text,
        format_args!("{head} {:>7} {:>8} {:>7} {:>8}", "χ²", "p", "F", "p"),
    );
    for ranking in rankings {
        let (known, attacker) = (ranking.known.name(), ranking.attacker.name());
        let mut line = format!("{:<4} {known:5} {attacker:9}", ranking.epsilon);
        for rank in &ranking.ranks {
            let _ = write!(line, " {rank:>9.2}");
        }
        if let Some(test) = &ranking.friedman {
            let _ = write!(
                line,
                " {:>7.2} {:>8.1e} {:>7.2} {:>8.1e}",
                test.chi_square, test.chi_square_p, test.f, test.f_p
            );
        }
        add(text, format_args!("{line}"));
    }
    text.push('\n');
}

/// Whether cumulative noise beats independent noise.
fn add_claim(text: &mut String, results: &[SetResult]) {
    const EPSILON: f64 = EPSILONS[1];
    for sizes in Sizes::ALL {
        let words = sizes.words();
        add(
            text,
            format_args!("cumulative against independent noise, {words}: cases"),
        );
        let [better, equal, worse] = ["better", "equal", "worse"];
        add(
            text,
            format_args!("{:36} {better:>6} {equal:>6} {worse:>6}", ""),
        );
        add_tally(text, "accuracy", claim::accuracy(results, sizes));
        for attacker in Attacker::ALL {
            for known in Known::ALL {
                let (knows, whose) = (known.name(), attacker.name());
                let name = |what: &str| format!("{what} <{EPSILON}, {knows} known, {whose}");
                let breach = claim::breach(results, sizes, known, EPSILON, attacker);
                add_tally(text, &name("breach"), breach);
                let magnitude = claim::magnitude(results, sizes, known, EPSILON, attacker);
                add_tally(text, &name("PAM"), magnitude);
            }
        }
        text.push('\n');
    }
}

fn add_tally(text: &mut String, name: &str, tally: Tally) {
    let Tally {
        better,
        equal,
        worse,
    } = tally;
    add(
        text,
        format_args!("{name:36} {better:>6} {equal:>6} {worse:>6}"),
    );
}

#[cfg(test)]
mod tests {
    use super::super::ranking::rankings;
    use super::super::results::tests::small;
    use super::*;

    #[test]
    fn every_stream_method_and_ranking_has_a_line() {
        let results = small();
        let text = table(&results, &rankings(&results));
        assert_eq!(text.matches(" unprotected").count(), 2);
        let lines = |start: &str| text.lines().filter(|l| l.starts_with(start)).count();
        assert_eq!(lines("RP "), 2, "{text}");
        assert_eq!(lines("RPCN 0.25"), 2, "{text}");
        assert_eq!(lines("0.1  ") + lines("0.2  "), 12, "{text}");
        assert_eq!(lines("breach "), 12, "{text}");
        // Columns of one stream end at one place, however many characters have marks.
        let bars = |line: &str| -> Vec<usize> {
            let places = line.chars().enumerate();
            places
                .filter(|(_, c)| *c == '|')
                .map(|(at, _)| at)
                .collect()
        };
        let first: Vec<Vec<usize>> = text.lines().skip(4).take(9).map(bars).collect();
        assert!(first.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }
}

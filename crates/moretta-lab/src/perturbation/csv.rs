//! All figures as files of comma-separated values.

use super::attacks::{Attacked, Attacker, EPSILONS};
use super::method::{Method, methods};
use super::ranking::Ranking;
use super::results::{MethodResult, SetResult};
use moretta::attack::reconstruction::{Success, magnitude};

/// The name and the text of each file.
pub(super) fn files(results: &[SetResult], rankings: &[Ranking]) -> Vec<(String, String)> {
    [
        ("attacks.csv", attacks(results)),
        ("accuracy.csv", accuracy(results)),
        ("accuracy-over-time.csv", over_time(results)),
        ("distance.csv", distance(results)),
        ("ranks.csv", ranks(rankings)),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .to_vec()
}

/// One line for each of `rows`, each of which ends with a line end, under a header.
fn lines(header: &str, rows: impl Iterator<Item = String>) -> String {
    let header = format!("{header}\n");
    std::iter::once(header).chain(rows).collect()
}

fn method_cells(method: Method) -> String {
    format!("{},{}", method.family.name(), method.sigma)
}

fn accuracy(results: &[SetResult]) -> String {
    let header = "set,records,features,classes,method,sigma,accuracy";
    let rows = results.iter().flat_map(|set| {
        let SetResult {
            name,
            records,
            features,
            classes,
            ..
        } = set;
        let start = format!("{name},{records},{features},{classes}");
        let original = format!("{start},original,0,{}\n", set.original.accuracy);
        let methods = set.methods.iter().map(move |result| {
            let method = method_cells(result.method);
            format!("{start},{method},{}\n", result.learnt.accuracy)
        });
        std::iter::once(original).chain(methods)
    });
    lines(header, rows)
}

fn over_time(results: &[SetResult]) -> String {
    let rows = results.iter().flat_map(|set| {
        let original = ("original,0".to_owned(), &set.original);
        let methods = set.methods.iter();
        let methods = methods.map(|result| (method_cells(result.method), &result.learnt));
        let all = std::iter::once(original).chain(methods);
        all.flat_map(move |(method, learnt)| {
            let points = learnt.over_time.iter();
            points.map(move |(records, accuracy)| {
                format!("{},{method},{records},{accuracy}\n", set.name)
            })
        })
    });
    lines("set,method,sigma,records,accuracy", rows)
}

/// Every attack on every method on every stream.
fn each_attack(
    results: &[SetResult],
) -> impl Iterator<Item = (&SetResult, &MethodResult, &Attacked, &(Attacker, Success))> {
    results.iter().flat_map(|set| {
        set.methods.iter().flat_map(move |method| {
            method.attacked.iter().flat_map(move |attacked| {
                let attacks = attacked.attacks.iter();
                attacks.map(move |attack| (set, method, attacked, attack))
            })
        })
    })
}

/// The first cells of an attack; some names have commas.
fn attack_cells(
    set: &SetResult,
    result: &MethodResult,
    attacked: &Attacked,
    (attacker, success): &(Attacker, Success),
) -> String {
    format!(
        "{},{},{},{},{},\"{}\"",
        set.name,
        method_cells(result.method),
        attacked.known.name(),
        attacked.count,
        attacker.name(),
        success.attack
    )
}

fn attacks(results: &[SetResult]) -> String {
    let header = "set,method,sigma,known,known_records,attacker,attack,attacks,median_error,\
                  epsilon,breach,breach_low,breach_high,accuracy,pam";
    let rows = each_attack(results).flat_map(|(set, result, attacked, attack)| {
        let success = &attack.1;
        EPSILONS.map(|epsilon| {
            let start = attack_cells(set, result, attacked, attack);
            let (breach, [low, high]) = success.breach_at(epsilon);
            let accuracy = result.learnt.accuracy;
            let pam = magnitude(1.0 - accuracy, breach);
            let (records, error) = (success.records, success.median_error);
            format!("{start},{records},{error},{epsilon},{breach},{low},{high},{accuracy},{pam}\n")
        })
    });
    lines(header, rows)
}

fn distance(results: &[SetResult]) -> String {
    let header = "set,method,sigma,known,known_records,attacker,attack,from_rows,to_rows,attacks,\
                  median_error";
    let rows = each_attack(results).flat_map(|(set, result, attacked, attack)| {
        let start = attack_cells(set, result, attacked, attack);
        let parts = attack.1.by_distance.iter();
        parts.map(move |part| {
            let (from, to, records) = (part.from, part.to, part.records);
            format!("{start},{from},{to},{records},{}\n", part.median_error)
        })
    });
    lines(header, rows)
}

fn ranks(rankings: &[Ranking]) -> String {
    let header = "epsilon,known,attacker,method,sigma,average_rank,critical_difference,chi_square,\
                  chi_square_p,f,f_p";
    let rows = rankings.iter().flat_map(|ranking| {
        let test = ranking.friedman.map_or(",,,".to_owned(), |test| {
            let (chi_square, chi_square_p) = (test.chi_square, test.chi_square_p);
            format!("{chi_square},{chi_square_p},{},{}", test.f, test.f_p)
        });
        let ranks = ranking.ranks.iter().zip(methods());
        ranks.map(move |(rank, method)| {
            format!(
                "{},{},{},{},{rank},{},{test}\n",
                ranking.epsilon,
                ranking.known.name(),
                ranking.attacker.name(),
                method_cells(method),
                ranking.critical_difference
            )
        })
    });
    lines(header, rows)
}

#[cfg(test)]
mod tests {
    use super::super::ranking::rankings;
    use super::super::results::tests::small;
    use super::*;

    /// Cells of a line, where a comma between quotes is none.
    fn cells(line: &str) -> usize {
        let outside = line
            .split('"')
            .step_by(2)
            .map(|part| part.matches(',').count());
        outside.sum::<usize>() + 1
    }

    #[test]
    fn every_line_has_the_cells_of_its_header() {
        let results = small();
        for (name, text) in files(&results, &rankings(&results)) {
            let header = text.lines().next().map_or(0, cells);
            assert!(text.lines().count() > 10, "{name}");
            for line in text.lines() {
                assert_eq!(cells(line), header, "{name}: {line}");
            }
        }
    }

    #[test]
    fn every_attack_is_there() {
        let text = attacks(&small());
        // RP has A-RP, -1 and MAX, with noise there is one more, and ours has the marginal
        // attack; -1 and MAX need more than one record. Two streams, two ε.
        let rp = (3 + 3 + 1) + (4 + 4 + 2);
        let noisy = (4 + 4 + 2) + (5 + 5 + 3);
        assert_eq!(text.lines().count() - 1, 2 * 2 * (rp + 6 * noisy));
    }
}

//! Hierarchies made from the data, as chains that can be written to a file and improved by hand.
//!
//! The chains hold the values of the data: a file of them is as confidential as
//! the data itself. Labels that follow the data (quantiles) also tell where its
//! values lie; fixed intervals tell less.

use super::{Hierarchy, HierarchySpec, TOP, Texts, propose::date_units};
use crate::data::DateFormat;
use crate::data::levels::Levels;
use crate::error::Result;
use foldhash::HashSet;
use std::io::{self, Write};

/// Groups of about equally many of `numbers`, at most `groups[0]` of them, then
/// merged to `groups[1]`, and so on, for example 16, 8, 4, 2.
///
/// A group is called by its least and largest number, `17..22`. Equal numbers
/// stay together, so there are fewer groups when some number is very frequent. A
/// count that does not merge anything makes no level.
pub fn quantiles(numbers: &[f64], groups: &[usize]) -> Vec<Vec<String>> {
    let mut sorted: Vec<f64> = numbers.iter().copied().filter(|n| n.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let runs: Vec<&[f64]> = sorted.chunk_by(|a, b| a == b).collect();
    let mut chains: Vec<Vec<String>> = runs.iter().map(|run| vec![run[0].to_string()]).collect();
    let mut group_of: Vec<usize> = (0..runs.len()).collect();
    for (level, &wanted) in groups.iter().enumerate() {
        let present = group_of.last().map_or(0, |last| last + 1);
        if wanted == 0 || wanted >= present {
            continue;
        }
        match level {
            0 => group_of = by_weight(&runs, sorted.len(), wanted),
            _ => group_of
                .iter_mut()
                .for_each(|group| *group = *group * wanted / present),
        }
        let mut start = 0;
        for same in group_of.chunk_by(|a, b| a == b) {
            let (low, high) = (runs[start][0], runs[start + same.len() - 1][0]);
            let label = match low == high {
                true => low.to_string(),
                false => format!("{low}..{high}"),
            };
            for chain in &mut chains[start..start + same.len()] {
                chain.push(label.clone());
            }
            start += same.len();
        }
    }
    under_top(chains)
}

/// Puts each run of equal numbers where its middle lies among all numbers; groups are numbered without gaps.
fn by_weight(runs: &[&[f64]], total: usize, groups: usize) -> Vec<usize> {
    let mut before = 0;
    let mut last = None;
    let mut group = 0;
    runs.iter()
        .map(|run| {
            let place = (2 * before + run.len()) * groups / (2 * total);
            before += run.len();
            if last.replace(place).is_some_and(|last| last != place) {
                group += 1;
            }
            group
        })
        .collect()
}

/// Ever shorter beginnings, `Lau*` then `L*`, where the star stands for any text
/// or none. Only lengths are kept at which there are at most half as many
/// beginnings as on the level below.
pub fn prefixes(values: &Levels) -> Vec<Vec<String>> {
    let longest = values.iter().map(|text| text.chars().count()).max();
    let mut chains: Vec<Vec<String>> = values.iter().map(|text| vec![text.to_owned()]).collect();
    let mut present = values.len();
    for length in (1..longest.unwrap_or(0).min(super::MAX_LEVELS)).rev() {
        let distinct: HashSet<&str> = values.iter().map(|text| beginning(text, length)).collect();
        if distinct.len() < 2 || distinct.len() * 2 > present {
            continue;
        }
        present = distinct.len();
        for (chain, text) in chains.iter_mut().zip(values.iter()) {
            let kept = beginning(text, length);
            let whole = !kept.is_empty() && kept.chars().count() < length;
            chain.push(format!("{kept}{}", if whole { "" } else { TOP }));
        }
    }
    under_top(chains)
}

fn beginning(text: &str, length: usize) -> &str {
    let end = text.char_indices().nth(length);
    &text[..end.map_or(text.len(), |(end, _)| end)]
}

/// Months, quarters, years and decades, as the span of the dates warrants.
///
/// # Errors
/// When a value is no date of the format.
pub fn dates(values: &Levels, format: DateFormat) -> Result<Vec<Vec<String>>> {
    let days = || values.iter().filter_map(|text| format.parse(text));
    let units = match (days().min(), days().max()) {
        (Some(first), Some(last)) => date_units(first, last),
        _ => Vec::new(),
    };
    if units.is_empty() {
        return Ok(under_top(
            values.iter().map(|v| vec![v.to_owned()]).collect(),
        ));
    }
    let spec = HierarchySpec::Dates(units);
    Ok(chains(&spec.build("date", values, Texts::Date(format))?))
}

/// The chains of any hierarchy, in tree order.
pub fn chains(hierarchy: &Hierarchy) -> Vec<Vec<String>> {
    (0..hierarchy.leaf_count() as u32)
        .map(|leaf| hierarchy.chain(leaf).map(str::to_owned).collect())
        .collect()
}

fn under_top(mut chains: Vec<Vec<String>>) -> Vec<Vec<String>> {
    chains
        .iter_mut()
        .for_each(|chain| chain.push(TOP.to_owned()));
    chains
}

/// Writes chains as a hierarchy file with `;`, `,` or a tab as the delimiter.
///
/// # Errors
/// Those of `out`.
pub fn write<S: AsRef<str>>(
    chains: &[Vec<S>],
    out: &mut impl Write,
    delimiter: char,
) -> io::Result<()> {
    for chain in chains {
        for (place, label) in chain.iter().enumerate() {
            if place > 0 {
                write!(out, "{delimiter}")?;
            }
            write_cell(label.as_ref(), out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Every delimiter is quoted, not only the one in use, so that a reader who
/// guesses it guesses right.
fn write_cell(label: &str, out: &mut impl Write) -> io::Result<()> {
    match label.contains([';', ',', '\t', '"', '\r', '\n', '\u{feff}']) {
        true => write!(out, "\"{}\"", label.replace('"', "\"\"")),
        false => out.write_all(label.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::read_file;
    use proptest::prelude::*;

    fn lines(chains: &[Vec<String>]) -> Vec<String> {
        chains.iter().map(|chain| chain.join(" ")).collect()
    }

    #[test]
    fn quantiles_hold_about_equally_many() {
        let numbers = [1.0, 1.0, 1.0, 2.0, 5.5, 7.0, 8.0, 9.0];
        assert_eq!(
            lines(&quantiles(&numbers, &[4, 2, 2])),
            [
                "1 1 1..2 *",
                "2 2 1..2 *",
                "5.5 5.5..7 5.5..9 *",
                "7 5.5..7 5.5..9 *",
                "8 8..9 5.5..9 *",
                "9 8..9 5.5..9 *"
            ]
        );
        assert_eq!(lines(&quantiles(&[3.0, 3.0], &[16, 2])), ["3 *"]);
        assert!(quantiles(&[f64::NAN], &[2]).is_empty());
    }

    #[test]
    fn prefixes_halve() {
        let values: Levels = ["Lausanne", "Laupen", "Lugano", "Bern", "Basel", "B"]
            .iter()
            .collect();
        assert_eq!(
            lines(&prefixes(&values)),
            [
                "Lausanne L* *",
                "Laupen L* *",
                "Lugano L* *",
                "Bern B* *",
                "Basel B* *",
                "B B* *"
            ]
            .map(|line| line.to_owned())
        );
    }

    #[test]
    fn dates_get_the_units_of_their_span() {
        let values: Levels = ["2023-05-01", "2024-05-01"].iter().collect();
        let chains = dates(&values, DateFormat::ISO).expect("dates");
        assert_eq!(
            lines(&chains),
            [
                "2023-05-01 2023-05 2023-Q2 2023 *",
                "2024-05-01 2024-05 2024-Q2 2024 *"
            ]
        );
        assert!(
            dates(&Levels::default(), DateFormat::ISO)
                .expect("none")
                .is_empty()
        );
    }

    proptest! {
        #[test]
        fn automatic_chains_are_trees(
            tenths in proptest::collection::vec(-50..50_i32, 0..80),
            groups in proptest::collection::vec(0..20_usize, 0..5),
            words in proptest::collection::hash_set("[ab*é]{0,6}", 0..40),
        ) {
            let numbers: Vec<f64> = tenths.iter().map(|&t| f64::from(t) / 10.0).collect();
            prop_assert!(Hierarchy::from_chains(&quantiles(&numbers, &groups)).is_ok());
            // A word that itself ends in a star makes labels ambiguous, so only plain words are promised.
            let plain: Levels = words.iter().filter(|w| !w.contains('*')).collect();
            prop_assert!(Hierarchy::from_chains(&prefixes(&plain)).is_ok());
        }

        #[test]
        fn written_chains_are_read_back(
            rows in proptest::collection::vec(("[a;,\t\"\r\n\u{feff}é ]{0,5}", "[a;,\t\"\r\n ]{0,5}"), 0..20),
            delimiter in proptest::sample::select(vec![';', ',', '\t']),
        ) {
            let chains: Vec<Vec<String>> =
                rows.into_iter().map(|(value, label)| vec![value, label, "*".into()]).collect();
            let mut file = tempfile::NamedTempFile::new().expect("a file");
            write(&chains, &mut file, delimiter).expect("written");
            prop_assert_eq!(read_file(file.path()).expect("reads"), chains);
        }
    }
}

//! What changed between two texts, line by line.

use schemars::JsonSchema;
use serde::Serialize;

/// A line of two texts laid side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase", tag = "change", content = "line")]
pub(super) enum Line {
    /// In both.
    Same(String),
    /// In the earlier one alone.
    Gone(String),
    /// In the later one alone.
    New(String),
}

/// How many pairs of lines are compared; longer texts are told as replaced.
const PAIRS: usize = 4_000_000;

/// Lays two texts side by side so that as many lines as can be are in both.
pub(super) fn difference(before: &str, after: &str) -> Vec<Line> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old
        .iter()
        .zip(&new)
        .take_while(|(old, new)| old == new)
        .count();
    let rest = (&old[same..], &new[same..]);
    let ends = rest.0.iter().rev().zip(rest.1.iter().rev());
    let tail = ends.take_while(|(old, new)| old == new).count();
    let (gone, come) = (
        &rest.0[..rest.0.len() - tail],
        &rest.1[..rest.1.len() - tail],
    );
    let mut lines: Vec<Line> = old[..same].iter().map(|line| kept(line)).collect();
    lines.extend(middle(gone, come));
    lines.extend(old[old.len() - tail..].iter().map(|line| kept(line)));
    lines
}

fn middle(old: &[&str], new: &[&str]) -> Vec<Line> {
    let gone = |line: &&str| Line::Gone((*line).to_owned());
    let come = |line: &&str| Line::New((*line).to_owned());
    if old.len().saturating_mul(new.len()) > PAIRS {
        return old.iter().map(gone).chain(new.iter().map(come)).collect();
    }
    // How many lines can be in both from each pair of places on.
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            common[i * width + j] = match line == other {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(kept(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]
        {
            lines.push(gone(&old[i]));
            i += 1;
        } else {
            lines.push(come(&new[j]));
            j += 1;
        }
    }
    lines
}

fn kept(line: &str) -> Line {
    Line::Same(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_changed_line_is_gone_and_new() {
        let line = |text: &str| text.to_owned();
        assert_eq!(
            difference("a\nk = 5\nb\n", "a\nk = 3\nb\nc\n"),
            [
                Line::Same(line("a")),
                Line::Gone(line("k = 5")),
                Line::New(line("k = 3")),
                Line::Same(line("b")),
                Line::New(line("c")),
            ]
        );
    }

    proptest! {
        #[test]
        fn both_texts_can_be_had_back(before in "[ab\n]{0,20}", after in "[ab\n]{0,20}") {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            for line in difference(&before, &after) {
                match line {
                    Line::Same(line) => { old.push(line.clone()); new.push(line); }
                    Line::Gone(line) => old.push(line),
                    Line::New(line) => new.push(line),
                }
            }
            prop_assert_eq!(old, before.lines().map(str::to_owned).collect::<Vec<_>>());
            prop_assert_eq!(new, after.lines().map(str::to_owned).collect::<Vec<_>>());
        }
    }
}

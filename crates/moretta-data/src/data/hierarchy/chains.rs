//! Whether rows of labels, most special first, make a tree.
//!
//! A label names one node of the tree wherever it stands, so besides the levels
//! themselves the labels of all levels are checked together: a label that is an
//! ancestor of itself, or that has one parent here and another there, could not
//! be read back from a release.

use super::labels::Labels;
use super::{MAX_LEVELS, TOP};
use crate::data::levels::LevelsBuilder;

/// Why rows of labels are no tree: the rows at fault and what they do.
#[derive(Debug)]
pub(super) struct Fault {
    rows: Vec<usize>,
    one: &'static str,
    many: &'static str,
}

impl Fault {
    /// The sentence, with the count and the first line; `line` gives the line of a row.
    pub(super) fn at(&self, line: impl Fn(usize) -> usize) -> String {
        let first = line(self.rows.first().copied().unwrap_or(0));
        match self.rows.len() {
            1 => format!("1 {}, on line {first}", self.one),
            n => format!("{n} {}, first on line {first}", self.many),
        }
    }

    fn check(rows: Vec<usize>, one: &'static str, many: &'static str) -> Result<(), Fault> {
        match rows.is_empty() {
            true => Ok(()),
            false => Err(Fault { rows, one, many }),
        }
    }
}

/// The labels level by level, when the rows make a tree.
pub(super) fn check<S: AsRef<str>>(rows: &[Vec<S>]) -> Result<Vec<Labels>, Fault> {
    let height = rows.first().map_or(1, Vec::len);
    Fault::check(
        (0..rows.len())
            .filter(|&row| rows[row].len() != height || height == 0)
            .collect(),
        "row has another number of levels than the first",
        "rows have another number of levels than the first",
    )?;
    Fault::check(
        if height > MAX_LEVELS { vec![0] } else { vec![] },
        "row has more than 64 levels",
        "",
    )?;
    let mut levels: Vec<Labels> = (0..height)
        .map(|level| rows.iter().map(|row| row[level].as_ref()).collect())
        .collect();
    if height < 2 || levels[height - 1].node_count() != 1 {
        levels.push(Labels::constant(TOP, rows.len()));
    }
    check_levels(&levels)?;
    Ok(levels)
}

fn check_levels(levels: &[Labels]) -> Result<(), Fault> {
    Fault::check(
        repeated_rows(&levels[0]),
        "value stands there twice",
        "values stand there twice",
    )?;
    Fault::check(
        unnamed_rows(&levels[1..]),
        "value generalises to an empty label",
        "values generalise to an empty label",
    )?;
    let parents = Parents::of(levels);
    Fault::check(
        parents.circular_rows(levels),
        "row makes a label its own ancestor",
        "rows make a label its own ancestor",
    )?;
    let mut torn = torn_rows(levels);
    torn.extend(parents.torn_rows);
    torn.sort_unstable();
    torn.dedup();
    Fault::check(
        torn,
        "row gives a label a second parent",
        "rows give a label a second parent",
    )
}

fn repeated_rows(leaves: &Labels) -> Vec<usize> {
    let mut seen = 0;
    let mut repeated = Vec::new();
    for (row, &code) in leaves.codes.iter().enumerate() {
        match code == seen {
            true => seen += 1,
            false => repeated.push(row),
        }
    }
    repeated
}

fn unnamed_rows(levels: &[Labels]) -> Vec<usize> {
    let mut rows: Vec<usize> = Vec::new();
    for level in levels {
        if let Some(empty) = level.names.find("") {
            rows.extend((0..level.len()).filter(|&row| level.codes[row] == empty));
        }
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The rows in which a node has another parent on the next level than before.
pub(super) fn torn_rows(levels: &[Labels]) -> Vec<usize> {
    let mut torn = Vec::new();
    for pair in levels.windows(2) {
        let mut parent_of = vec![u32::MAX; pair[0].node_count()];
        for (row, (&node, &parent)) in pair[0].codes.iter().zip(&pair[1].codes).enumerate() {
            let known = &mut parent_of[node as usize];
            match *known {
                u32::MAX => *known = parent,
                same if same == parent => {}
                _ => torn.push(row),
            }
        }
    }
    torn
}

/// Who is whose parent, whatever the level. A repeated label is not its own parent.
struct Parents {
    /// The codes of each level's labels among all labels.
    label_of: Vec<Vec<u32>>,
    label_count: usize,
    /// (label, parent), hardly ever twice.
    links: Vec<(u32, u32)>,
    torn_rows: Vec<usize>,
}

impl Parents {
    fn of(levels: &[Labels]) -> Self {
        let mut all = LevelsBuilder::default();
        let mut label_of = Vec::with_capacity(levels.len());
        for level in levels {
            let names = level.names.levels().iter();
            label_of.push(names.map(|name| all.intern(name)).collect());
        }
        let mut parent_of = vec![u32::MAX; all.len()];
        let (mut links, mut torn_rows) = (Vec::new(), Vec::new());
        for (row, label, parent) in steps(&label_of, levels) {
            let known = &mut parent_of[label as usize];
            if *known == parent {
                continue;
            }
            match *known {
                u32::MAX => *known = parent,
                _ => torn_rows.push(row),
            }
            links.push((label, parent));
        }
        Parents {
            label_of,
            label_count: all.len(),
            links,
            torn_rows,
        }
    }

    /// The rows with a step between two labels that lie on a circle.
    fn circular_rows(&self, levels: &[Labels]) -> Vec<usize> {
        let mut circular = vec![true; self.label_count];
        self.strip(&mut circular, |&(label, parent)| (label, parent));
        self.strip(&mut circular, |&(label, parent)| (parent, label));
        if !circular.contains(&true) {
            return Vec::new();
        }
        let mut rows: Vec<usize> = steps(&self.label_of, levels)
            .filter(|&(_, label, parent)| circular[label as usize] && circular[parent as usize])
            .map(|(row, _, _)| row)
            .collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Takes away, again and again, the labels to which no link from a remaining label leads.
    fn strip(&self, remaining: &mut [bool], ends: impl Fn(&(u32, u32)) -> (u32, u32)) {
        let mut links: Vec<(u32, u32)> = self.links.iter().map(ends).collect();
        links.retain(|&(from, to)| remaining[from as usize] && remaining[to as usize]);
        links.sort_unstable();
        let mut incoming = vec![0_u32; remaining.len()];
        for &(_, to) in &links {
            incoming[to as usize] += 1;
        }
        let mut free: Vec<u32> = (0..remaining.len() as u32)
            .filter(|&label| remaining[label as usize] && incoming[label as usize] == 0)
            .collect();
        while let Some(label) = free.pop() {
            remaining[label as usize] = false;
            let start = links.partition_point(|&(from, _)| from < label);
            for &(_, to) in links[start..]
                .iter()
                .take_while(|&&(from, _)| from == label)
            {
                incoming[to as usize] -= 1;
                if incoming[to as usize] == 0 {
                    free.push(to);
                }
            }
        }
    }
}

/// (row, label, parent) for each step of each row that changes the label.
fn steps(label_of: &[Vec<u32>], levels: &[Labels]) -> impl Iterator<Item = (usize, u32, u32)> {
    (1..levels.len())
        .flat_map(move |level| {
            let (low, high) = (&levels[level - 1].codes, &levels[level].codes);
            let (label, parent) = (&label_of[level - 1], &label_of[level]);
            let pairs = low.iter().zip(high).enumerate();
            pairs.map(move |(row, (&a, &b))| (row, label[a as usize], parent[b as usize]))
        })
        .filter(|(_, label, parent)| label != parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(rows: &[&str]) -> Option<String> {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split(';').collect()).collect();
        check(&rows).err().map(|fault| fault.at(|row| row + 1))
    }

    #[test]
    fn what_is_no_tree_is_told_with_count_and_line() {
        for (rows, message) in [
            (
                &["a;1;x;*", "b;1;y;*", "c;1;y;*"][..],
                "2 rows give a label a second parent, first on line 2",
            ),
            (&["a;1", "a;1"][..], "1 value stands there twice, on line 2"),
            (
                &["a;1", "b", "c"][..],
                "2 rows have another number of levels than the first, first on line 2",
            ),
            (
                &["c;d;*", "a;b;*", "b;a;*"][..],
                "2 rows make a label its own ancestor, first on line 2",
            ),
            (
                &["a;b;a;*"][..],
                "1 row makes a label its own ancestor, on line 1",
            ),
            (
                &["a;b;*", "b;c;*", "c;a;*", "d;c;*"][..],
                "3 rows make a label its own ancestor, first on line 1",
            ),
            (
                &["Georgia;USA;*", "Tbilisi;Georgia;*"][..],
                "1 row gives a label a second parent, on line 2",
            ),
            (
                &["a;x;x;*", "b;x;*;*"][..],
                "1 row gives a label a second parent, on line 2",
            ),
            (
                &["a;;*", "b;1;*"][..],
                "1 value generalises to an empty label, on line 1",
            ),
        ] {
            assert_eq!(fault(rows).as_deref(), Some(message), "{rows:?}");
        }
    }

    #[test]
    fn a_row_has_at_most_so_many_levels() {
        let row = vec!["a"; MAX_LEVELS];
        assert_eq!(fault(&[&row.join(";")]), None);
        let message = format!("1 row has more than {MAX_LEVELS} levels, on line 1");
        assert_eq!(fault(&[&(row.join(";") + ";a")]), Some(message));
    }

    #[test]
    fn a_label_may_be_repeated_on_consecutive_levels() {
        for rows in [
            &["a;a;*", "b;c;*"][..],
            &["a;x;x;*", "b;y;x;*"][..],
            &["a;*;*", "b;x;*"][..],
            &["*;*;*", "b;x;*"][..],
            &[][..],
        ] {
            assert_eq!(fault(rows), None, "{rows:?}");
        }
    }
}

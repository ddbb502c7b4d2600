//! A hierarchy as a tree of text, for people.
//!
//! ```text
//! * (4)
//! ├── school (3)
//! │   ├── primary
//! │   ├── lower
//! │   └── upper
//! └── university
//! ```

use super::Hierarchy;
use std::fmt::Write;

/// The tree from the top down; a node tells in brackets how many leaves it has.
/// Of more than `max_children` children the rest is only counted, and a node
/// that merely repeats the label of its only child is left out.
pub fn draw(hierarchy: &Hierarchy, max_children: usize) -> String {
    let mut drawing = Drawing {
        hierarchy,
        max_children: max_children.max(1),
        text: String::new(),
        margin: String::new(),
    };
    drawing.node(hierarchy.level_count() - 1, 0);
    drawing.text
}

struct Drawing<'a> {
    hierarchy: &'a Hierarchy,
    max_children: usize,
    text: String,
    /// What stands before the children of the current node.
    margin: String,
}

impl Drawing<'_> {
    /// Ends the current line with a node and draws its children below. The
    /// depth is bounded by the number of levels.
    fn node(&mut self, level: usize, node: u32) {
        let h = self.hierarchy;
        let (level, node) = lowest_alike(h, level, node);
        let label = h.label(level, node).chars();
        // A control character could move the cursor of a terminal.
        self.text
            .extend(label.map(|c| if c.is_control() { '\u{fffd}' } else { c }));
        if level == 0 {
            self.text.push('\n');
            return;
        }
        let _ = writeln!(self.text, " ({})", h.leaves_under(level, node).len());
        let children = h.children(level, node);
        let hidden = children.len().saturating_sub(self.max_children);
        let shown = children.start..children.end - hidden as u32;
        for child in shown.clone() {
            let last = hidden == 0 && child + 1 == shown.end;
            self.child(last, |drawing| drawing.node(level - 1, child));
        }
        if hidden > 0 {
            self.child(true, |drawing| {
                let _ = writeln!(drawing.text, "… {hidden} more");
            });
        }
    }

    fn child(&mut self, last: bool, draw: impl FnOnce(&mut Self)) {
        let (branch, margin) = if last {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        self.text.push_str(&self.margin);
        self.text.push_str(branch);
        let length = self.margin.len();
        self.margin.push_str(margin);
        draw(self);
        self.margin.truncate(length);
    }
}

/// The lowest node with the same label and leaves.
fn lowest_alike(h: &Hierarchy, mut level: usize, mut node: u32) -> (usize, u32) {
    while level > 0 {
        let children = h.children(level, node);
        if children.len() != 1 || h.label(level - 1, children.start) != h.label(level, node) {
            break;
        }
        (level, node) = (level - 1, children.start);
    }
    (level, node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rows: &[&str]) -> Hierarchy {
        let chains: Vec<Vec<&str>> = rows.iter().map(|row| row.split(';').collect()).collect();
        Hierarchy::from_chains(&chains).expect("a tree")
    }

    #[test]
    fn a_tree_is_drawn_with_counts_and_without_repetitions() {
        let h = tree(&[
            "a;x;X;*",
            "b;x;X;*",
            "c;y;X;*",
            "d\x1b[;d\x1b[;Y;*",
            "e;e;e;*",
        ]);
        let expected = "\
* (5)
├── X (3)
│   ├── x (2)
│   │   ├── a
│   │   └── b
│   └── y (1)
│       └── c
├── Y (1)
│   └── d\u{fffd}[
└── e
";
        assert_eq!(draw(&h, 5), expected);
    }

    #[test]
    fn long_lists_are_cut() {
        let rows: Vec<String> = (0..40).map(|i| format!("{i};*")).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let expected = "* (40)\n├── 0\n├── 1\n├── 2\n└── … 37 more\n";
        assert_eq!(draw(&tree(&rows), 3), expected);
        assert_eq!(draw(&tree(&[]), 3), "* (0)\n");
    }
}

//! How the lines of a text end: mixed ends are read, and noted, since they often mean glued files.

/// The line ends seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineEnds {
    cr: bool,
    lf: bool,
    cr_lf: bool,
}

impl LineEnds {
    /// Takes note of the bytes that end a line.
    #[inline]
    pub(super) fn see(&mut self, end: &[u8]) {
        match end {
            b"\n" => self.lf = true,
            b"\r\n" => self.cr_lf = true,
            b"\r" => self.cr = true,
            _ => {}
        }
    }

    /// Adds what was seen elsewhere in the same text.
    pub(super) fn merge(&mut self, other: LineEnds) {
        self.cr |= other.cr;
        self.lf |= other.lf;
        self.cr_lf |= other.cr_lf;
    }

    /// What a steward should know of them.
    pub(super) fn notes(self) -> Vec<String> {
        self.note().map(str::to_owned).into_iter().collect()
    }

    fn note(self) -> Option<&'static str> {
        match (self.cr, self.lf, self.cr_lf) {
            (false, false, _) | (false, true, false) => None,
            (true, false, false) => Some("the lines end with CR, as on old computers"),
            (true, true, false) => Some("the lines end in different ways: CR and LF"),
            (true, false, true) => Some("the lines end in different ways: CR and CR LF"),
            (false, true, true) => Some("the lines end in different ways: LF and CR LF"),
            (true, true, true) => Some("the lines end in different ways: CR, LF and CR LF"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unusual_line_ends_are_noted() {
        for (ends, noted) in [
            (&[][..], false),
            (&["\n", "\n"], false),
            (&["\r\n", ""], false),
            (&["\r"], true),
            (&["\n", "\r\n"], true),
            (&["\r", "\n"], true),
            (&["\r", "\r\n"], true),
            (&["\r", "\n", "\r\n"], true),
        ] {
            let mut seen = LineEnds::default();
            for end in ends {
                let mut one = LineEnds::default();
                one.see(end.as_bytes());
                seen.merge(one);
            }
            assert_eq!(seen.note().is_some(), noted, "{ends:?}");
        }
    }
}

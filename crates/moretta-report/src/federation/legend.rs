//! What the lines of a drawing are, in as many rows above it as they need.

use crate::figure::{Align, Drawing, Stroke};

const ROW: f64 = 20.0;
const SAMPLE: f64 = 18.0;
/// The width of a letter, about.
const LETTER: f64 = 6.8;
/// Letters of an entry at most.
const MOST: usize = 60;

/// Samples of lines with words, each at its place.
pub(super) struct Legend {
    entries: Vec<(Stroke, String, (f64, f64))>,
    /// Where the drawing below it may begin.
    pub(super) bottom: f64,
}

impl Legend {
    /// Places entries between two edges from `top` down.
    pub(super) fn new(
        entries: impl IntoIterator<Item = (Stroke, String)>,
        [left, right]: [f64; 2],
        top: f64,
    ) -> Self {
        let (mut x, mut y) = (left, top);
        let place = |(stroke, words): (Stroke, String)| {
            let words = super::short(&words, MOST);
            let width = SAMPLE + 6.0 + LETTER * words.chars().count() as f64;
            if x > left && x + width > right {
                (x, y) = (left, y + ROW);
            }
            let at = (x, y);
            x += width + 18.0;
            (stroke, words, at)
        };
        let entries: Vec<_> = entries.into_iter().map(place).collect();
        let bottom = entries.last().map_or(top, |(.., (_, y))| *y) + ROW;
        Legend { entries, bottom }
    }

    pub(super) fn draw(&self, drawing: &mut Drawing) {
        for (stroke, words, (x, y)) in &self.entries {
            let dashed = if stroke.dashed { " dashed" } else { "" };
            let class = format!("{} line{dashed}", stroke.tone.class());
            let end = x + SAMPLE;
            drawing.path(&class, format_args!("M{x:.1} {y:.1}H{end:.1}"));
            drawing.text((end + 6.0, y + 4.0), Align::Start, "muted", words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Tone;

    #[test]
    fn entries_go_to_another_row_where_there_is_no_room() {
        let stroke = Stroke {
            tone: Tone(1),
            dashed: false,
        };
        let check = |entries: usize, letters: usize, rows: usize| {
            let entries = (0..entries).map(|_| (stroke, "x".repeat(letters)));
            let legend = Legend::new(entries, [70.0, 1020.0], 40.0);
            assert_eq!(legend.bottom, 40.0 + ROW * rows as f64);
            for (_, words, (x, _)) in &legend.entries {
                assert!(x + SAMPLE + LETTER * words.chars().count() as f64 <= 1020.0);
            }
        };
        check(0, 0, 1);
        check(4, 12, 1);
        check(6, 40, 2);
        check(6, 200, 3);
    }
}

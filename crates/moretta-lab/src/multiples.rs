//! Small panels side by side under one title and one key.

use moretta_report::figure::{Align, Area, Drawing, Tone};

const COLUMNS: usize = 4;
const PANEL: (f64, f64) = (210.0, 165.0);
const GAP: (f64, f64) = (66.0, 88.0);
const LEFT: f64 = 70.0;
const TOP: f64 = 118.0;

/// A word of the key.
pub(crate) struct Key {
    pub(crate) tone: Tone,
    pub(crate) words: String,
}

/// A drawing for so many panels, with its key, and where the panels are.
pub(crate) fn multiples(title: &str, keys: &[Key], panels: usize) -> (Drawing, Vec<Area>) {
    let columns = panels.clamp(1, COLUMNS);
    let rows = panels.div_ceil(columns).max(1);
    let ((width, height), (across, down)) = (PANEL, GAP);
    // Never narrower than titles and keys are.
    let whole = (LEFT + columns as f64 * (width + across) - 40.0).max(800.0);
    let mut drawing = Drawing::new(whole, TOP + rows as f64 * (height + down), title);
    let (mut x, mut y) = (16.0, 52.0);
    for key in keys {
        let class = key.tone.class();
        let long = 6.2 * key.words.chars().count() as f64;
        if x > 16.0 && x + long > whole {
            (x, y) = (16.0, y + 18.0);
        }
        drawing.text((x, y), Align::Start, &class, &key.words);
        x += long + 22.0;
    }
    let area = |panel: usize| {
        let left = LEFT + (panel % columns) as f64 * (width + across);
        let top = TOP + (panel / columns) as f64 * (height + down);
        Area {
            left,
            right: left + width,
            top,
            bottom: top + height,
        }
    };
    (drawing, (0..panels).map(area).collect())
}

/// Whether a panel is the first of its row, which alone names the upright axis.
pub(crate) fn is_first(panel: usize) -> bool {
    panel.is_multiple_of(COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_do_not_overlap() {
        for count in [1, 3, 4, 8, 9] {
            let (_, areas) = multiples("title", &[], count);
            assert_eq!(areas.len(), count);
            for (place, one) in areas.iter().enumerate() {
                for other in &areas[place + 1..] {
                    let apart =
                        one.right < other.left || one.bottom < other.top || other.right < one.left;
                    assert!(apart, "{one:?} {other:?}");
                }
            }
        }
    }
}

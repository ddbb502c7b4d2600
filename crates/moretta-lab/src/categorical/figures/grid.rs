//! Loss against risk of every method over its grid.

use super::super::grid::{Grid, method};
use super::trade_off;
use crate::multiples::{Key, multiples};
use moretta_report::figure::{Mark, Tone};

/// A panel for each table.
pub(super) fn drawing(grids: &[Grid]) -> (String, String) {
    let mut methods: Vec<String> = Vec::new();
    for name in grids.iter().flat_map(Grid::methods) {
        if !methods.contains(&name) {
            methods.push(name);
        }
    }
    // Tones are fewer than methods: those beyond are rings.
    let mark = |place: usize| Mark {
        tone: Tone(1 + place % TONES),
        radius: 2.5,
        filled: place < TONES,
    };
    let keys: Vec<Key> = methods
        .iter()
        .enumerate()
        .map(|(place, name)| Key {
            tone: mark(place).tone,
            words: match mark(place).filled {
                true => name.clone(),
                false => format!("{name} (rings)"),
            },
        })
        .collect();
    let title = "Loss against risk of every method over its grid";
    let (mut drawing, areas) = multiples(title, &keys, grids.len());
    for (grid, area) in grids.iter().zip(areas) {
        let points: Vec<(f64, f64)> = grid
            .files
            .iter()
            .map(|file| (file.of.loss, file.of.risk))
            .collect();
        let panel = trade_off(area, grid.data.to_owned(), &points);
        panel.frame(&mut drawing);
        for (file, at) in grid.files.iter().zip(points) {
            let name = method(&file.label);
            let place = methods.iter().position(|other| *other == name);
            let detail = format!("{}: IL {:.2}, DR {:.2}", file.label, at.0, at.1);
            panel.mark(&mut drawing, mark(place.unwrap_or(0)), at, &detail);
        }
    }
    ("grid.svg".to_owned(), drawing.finish())
}

/// Tones that are not grey.
const TONES: usize = Tone::COUNT - 1;

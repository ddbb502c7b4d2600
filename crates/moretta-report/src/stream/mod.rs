//! What a page tells of a stream: how it went over time, how specific what was
//! released is, and whom it leaves recognisable.

mod intervals;
mod levels;
mod privacy;
mod timeline;

use super::markup::Markup;
use super::plot::BANDS;
use super::suppression;
use moretta::pipeline::report::{Report, StreamFacts};

pub(super) fn write(report: &Report, facts: &StreamFacts, page: &mut Markup) {
    timeline::write(facts, page);
    page.raw("<div class=\"pair\">");
    levels::write(report, facts, page);
    suppression::write(report, page);
    page.raw("</div>");
    privacy::write(facts, page);
}

/// What a level is called, of as many as there are.
fn level_name(level: usize, levels: usize) -> String {
    match level {
        0 => "whole value".to_owned(),
        1 => "1 step more general".to_owned(),
        _ if level + 1 == BANDS.len() && levels > BANDS.len() => {
            format!("{level}+ steps more general")
        }
        _ => format!("{level} steps more general"),
    }
}

/// Counts by level, with the levels that have no colour of their own in one: what
/// is known of each, and whether anything is hidden.
fn by_colour(levels: &[Option<u64>]) -> Vec<(u64, bool)> {
    let mut bands = vec![(0, false); levels.len().min(BANDS.len())];
    for (level, count) in levels.iter().enumerate() {
        let (known, hidden) = &mut bands[level.min(BANDS.len() - 1)];
        match super::number::told(*count) {
            Some(count) => *known = count.saturating_add(*known),
            None => *hidden = true,
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_without_a_colour_share_the_last_one() {
        let mut levels = vec![Some(100); 9];
        levels[1] = None;
        levels[7] = Some(3);
        let bands = by_colour(&levels);
        assert_eq!(bands.len(), BANDS.len());
        assert_eq!(bands[..3], [(100, false), (0, true), (100, false)]);
        assert_eq!(bands[5], (300, true));
        assert_eq!(by_colour(&[]), []);
    }
}

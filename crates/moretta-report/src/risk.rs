//! How likely an attacker who knows a person is in the table finds the row.

use super::markup::Markup;
use super::plot::{Plot, Side, Size, Slot, Threshold, upright};
use super::promises::promised_k;
use super::{columns, number};
use moretta::pipeline::report::{Report, RiskBand};

pub(super) fn write(report: &Report, page: &mut Markup) {
    let plot = Plot {
        title: "Rows by risk of re-identification".to_owned(),
        description: describe(report),
        size: Size::Wide,
        slots: report.risk.iter().map(slot).collect(),
        edges: edges(&report.risk),
        axis: number::percent,
        threshold: threshold(report),
    };
    page.raw("<figure class=\"panel\"><figcaption><h3>How likely a row is re-identified</h3>");
    page.leaf("p", &[("class", &"note")], &plot.description);
    page.raw("</figcaption>");
    columns::legend(page);
    page.raw("<p class=\"axis up\">share of rows, in percent</p>");
    upright(page, &plot);
    page.raw("<p class=\"axis\">risk of a row, in percent: one over the size of its class (prosecutor)</p></figure>");
}

/// Where bands begin and the last one ends, in percent without the sign.
fn edges(bands: &[RiskBand]) -> Vec<String> {
    let ends = bands.iter().map(|band| band.from);
    ends.chain(bands.last().map(|band| band.to))
        .map(bare)
        .collect()
}

fn bare(share: f64) -> String {
    number::percent(share).replace("\u{202f}%", "")
}

/// Risk of the smallest class.
pub(super) fn highest(report: &Report) -> Option<f64> {
    let sizes = report.class_sizes.iter().filter(|entry| entry.classes > 0);
    let smallest = sizes.map(|entry| entry.size).min()?;
    Some(1.0 / smallest.max(1) as f64)
}

fn slot(band: &RiskBand) -> Slot {
    let label = format!("{}–{}", bare(band.from), bare(band.to));
    Slot {
        detail: format!(
            "Risk {label}\u{202f}%: {} of the rows before, {} after",
            number::percent(band.before),
            number::percent(band.after)
        ),
        label,
        before: Some(band.before),
        after: Some(band.after),
        ..Slot::default()
    }
}

/// No released row may lie in a band that begins at 1/k or above.
fn threshold(report: &Report) -> Option<Threshold> {
    let k = promised_k(report)?;
    let limit = 1.0 / k.max(1) as f64;
    let forbidden = |band: &RiskBand| band.from >= limit - 1e-9;
    let slot = report.risk.iter().position(forbidden)?;
    Some(Threshold {
        slot,
        label: format!("1/k = {}", number::percent(limit)),
        forbidden: Side::Right,
    })
}

fn describe(report: &Report) -> String {
    let worst = |share: fn(&RiskBand) -> f64| {
        let bands = report.risk.iter().filter(|band| share(band) > 0.0);
        bands.map(|band| band.to).fold(f64::NAN, f64::max)
    };
    let (before, after) = (worst(|band| band.before), worst(|band| band.after));
    match (before.is_finite(), after.is_finite()) {
        (true, true) => format!(
            "Before, rows had a risk of up to {}; in the release of up to {}.",
            number::percent(before),
            number::percent(highest(report).unwrap_or(after))
        ),
        (true, false) => format!(
            "Before, rows had a risk of up to {}; nothing was released.",
            number::percent(before)
        ),
        _ => "The risk of rows was not measured.".to_owned(),
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_line_stands_where_risk_exceeds_one_in_k() {
        let report = fixture::admissions();
        let threshold = threshold(&report).expect("k is promised");
        assert!((report.risk[threshold.slot].from - 0.2).abs() < 1e-9);
        assert_eq!(threshold.label, "1/k = 20\u{202f}%");
        assert_eq!(highest(&report), Some(0.2));
    }

    #[test]
    fn bands_are_labelled_by_their_ends() {
        let band = RiskBand {
            from: 0.05,
            to: 0.1,
            before: 0.0,
            after: 0.0,
        };
        assert_eq!(slot(&band).label, "5–10");
        assert_eq!(edges(&[band.clone(), band]), ["5", "5", "10"]);
        assert!(edges(&[]).is_empty());
    }

    /// Every border of a band can be read, and both axes say what they count.
    #[test]
    fn the_axes_are_named_and_no_border_is_left_out() {
        let report = fixture::admissions();
        let mut page = Markup::default();
        write(&report, &mut page);
        let page = page.into_string();
        for edge in edges(&report.risk) {
            assert!(page.contains(&format!(">{edge}</text>")), "{edge}");
        }
        assert!(page.contains(">share of rows, in percent<"));
        assert!(page.contains(">risk of a row, in percent"));
    }
}

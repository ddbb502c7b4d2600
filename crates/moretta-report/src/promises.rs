//! What several sections ask of a report.

use moretta::pipeline::report::{Claim, Report};

/// The promised k, if the policy promises one.
pub(super) fn promised_k(report: &Report) -> Option<u64> {
    whole(k_anonymity(report)?.promised_value).filter(|k| *k > 0)
}

/// A figure that is a count.
pub(super) fn whole(figure: Option<f64>) -> Option<u64> {
    figure
        .filter(|figure| *figure >= 0.0)
        .map(|figure| figure as u64)
}

/// Whether values were replaced, record by record.
pub(super) fn is_masked(report: &Report) -> bool {
    report.pairs.is_some() || report.columns.iter().any(|c| c.treatment == "masked")
}

pub(super) fn k_anonymity(report: &Report) -> Option<&Claim> {
    let mut claims = report.verdict.claims.iter();
    claims.find(|claim| claim.name.starts_with("k-anonymity"))
}

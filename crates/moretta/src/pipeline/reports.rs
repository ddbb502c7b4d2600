//! Reports as files.

use super::options::Options;
use super::place::Pending;
use super::places::report_places;
use crate::engine::report::Report;
use crate::error::{Error, Result};
use crate::policy::Policy;

/// The report as HTML and as JSON, aside.
pub(super) fn write_reports(
    policy: &Policy,
    report: &Report,
    options: &Options<'_>,
) -> Result<Vec<Pending>> {
    // How long a run took tells how much it read.
    let told = Report {
        date: options.date.clone(),
        stages: Vec::new(),
        ..report.clone()
    };
    let mut written = Vec::new();
    for place in report_places(policy) {
        let text = match place.extension().is_some_and(|ending| ending == "json") {
            true => serde_json::to_string_pretty(&told)
                .map_err(|e| Error::bug(format!("a report that is no JSON: {e}")))?,
            false => (options.render)(&told),
        };
        let pending = Pending::new(&place, &policy.files)?;
        pending.write(text.as_bytes())?;
        written.push(pending);
    }
    Ok(written)
}

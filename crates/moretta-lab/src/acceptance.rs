//! What must hold for the study to be accepted.

use crate::sheet::{Place, Sheet, row};

/// Something that must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) what: String,
    pub(crate) holds: bool,
}

/// How many hold, and those that do not; all of them in the file.
pub(crate) fn sheets(checks: &[Check]) -> Vec<Sheet> {
    let word = |check: &Check| if check.holds { "holds" } else { "fails" };
    let mut all = Sheet::new(
        "acceptance",
        "Acceptance",
        Place::File,
        &["property", "verdict"],
    );
    let failed = checks.iter().filter(|check| !check.holds).count();
    let title = format!(
        "Acceptance: {} of {} properties hold",
        checks.len() - failed,
        checks.len()
    );
    let mut shown = Sheet::new(
        "acceptance",
        &title,
        Place::Terminal,
        &["property", "verdict"],
    );
    for check in checks {
        let row = row![&*check.what, word(check)];
        // Of what holds everywhere, one line of each search is enough to read.
        if !check.holds || !check.what.contains("ever gets worse") {
            shown.rows.push(row.clone());
        }
        all.rows.push(row);
    }
    vec![shown, all]
}

//! How a policy is run.

use crate::engine::Progress;
use crate::engine::report::Report;

/// How to run a policy.
pub struct Options<'a> {
    /// Shown in the report: the command that makes the same release again.
    pub command: String,
    /// Shown in the report: the day of the run. The library has no clock.
    pub date: Option<String>,
    /// Whether files that are already there may be replaced.
    pub force: bool,
    /// Whether warnings are errors.
    pub strict: bool,
    /// Makes the HTML of a report.
    pub render: &'a dyn Fn(&Report) -> String,
    /// Where the run says how far it is.
    pub progress: &'a Progress,
}

#[cfg(test)]
impl<'a> Options<'a> {
    /// With an empty page for a report, and nothing replaced.
    pub(crate) fn plain(progress: &'a Progress) -> Self {
        Options {
            command: String::new(),
            date: None,
            force: false,
            strict: false,
            render: &|_| String::new(),
            progress,
        }
    }
}

//! A release that is there, to be held against its policy again.

use super::manifest;
use super::record::Release;
use super::state::State;
use super::task::{FileSum, Part, ToVerify};
use crate::app::App;
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::secret::hex;
use crate::zone::{Placed, ReleaseZone, StagingZone};

/// What a job needs that verifies a release.
pub(crate) struct Again {
    /// The version of the data that it was made of.
    pub(crate) data: Id,
    /// The version of the policy.
    pub(crate) policy: Id,
    /// The rows of its levels, by the names that the options have.
    pub(crate) files: Vec<(String, Placed)>,
    /// The names and the sums that were approved.
    pub(crate) options: ToVerify,
}

/// The files of a release and what they were made of.
///
/// # Errors
/// 404 when there is none, 409 when it has no files or they are not recorded as they were approved.
pub(crate) fn again(app: &App, sql: &mut dyn Sql, project: Id, id: Id) -> Result<Again> {
    let release = Release::find(sql, project, id)?;
    let is_there = matches!(
        release.state,
        State::Ready | State::Approved | State::Published
    );
    if !is_there {
        let what = "the release has no files: it does not wait for approval and is not published";
        return Err(Problem::conflict("state", what));
    }
    if !manifest::is_recorded(sql, &release)? {
        let what = "the files of the release are not recorded as its manifest names them";
        return Err(Problem::conflict("changed-bytes", what)
            .help("revoke it, and find out who writes to the store of the server"));
    }
    let (staging, published) = (StagingZone::of(app)?, ReleaseZone::of(app)?);
    let (mut files, mut options) = (Vec::new(), ToVerify::default());
    for level in &release.levels {
        let object = release.part(sql, *level, Part::Rows)?;
        let object = object.ok_or_else(|| Problem::not_found("level"))?;
        let placed = match release.state.is_staged() {
            true => staging.place(sql, object)?,
            false => published.place(sql, object)?,
        };
        let name = Part::Rows.file(*level);
        options.files.push(FileSum {
            name: name.clone(),
            sha256: hex(&placed.sha256),
        });
        files.push((name, placed));
    }
    Ok(Again {
        data: release.data,
        policy: release.policy,
        files,
        options,
    })
}

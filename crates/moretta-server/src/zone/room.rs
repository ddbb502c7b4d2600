//! How much may be kept: of the disk, and by a project.

use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal::disk_full;
use std::path::Path;

/// Fails when `more` bytes would take what is kept free of the disk of a folder, with which
/// deleting goes on working when all else has stopped.
///
/// # Errors
/// 507
pub fn check_room(folder: &Path, more: u64, reserve: u64) -> Result<()> {
    match free(folder) {
        Some(free) if free < reserve.saturating_add(more) => Err(disk_full()),
        _ => Ok(()),
    }
}

/// The free bytes of the disk of a folder; `None` where the system does not tell.
pub fn free(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    return rustix::fs::statvfs(folder)
        .ok()
        .map(|told| told.f_bavail.saturating_mul(told.f_frsize));
    #[cfg(not(unix))]
    return None;
}

/// Fails when a project would have more than `most` bytes with `more` of them: its objects of all
/// zones, and what was uploaded so far.
///
/// # Errors
/// 413
pub fn check_quota(sql: &mut dyn Sql, project: Id, more: u64, most: u64) -> Result<()> {
    let mut kept = 0;
    for sum in [
        "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM objects WHERE project_id = $1",
        "SELECT CAST(COALESCE(SUM(received), 0) AS BIGINT) FROM uploads WHERE project_id = $1",
    ] {
        kept += sql.number(sum, values![project])? as u64;
    }
    match kept.saturating_add(more) > most {
        true => Err(Problem::new(
            413,
            "project-full",
            format!("the project would have more than {most} bytes"),
        )
        .help("delete data versions or releases that are not needed any more")),
        false => Ok(()),
    }
}

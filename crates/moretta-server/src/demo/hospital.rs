//! A table of a hospital, uploaded, protected, reviewed and published.

use super::Team;
use super::actor::text;
use crate::problem::{Problem, Result};
use serde_json::json;
use std::time::Duration;

/// How often is asked whether a job has ended, and how many times.
const ASK: (Duration, u32) = (Duration::from_millis(250), 1200);

/// What the steward of the hospital uploads and writes.
#[derive(Clone, Copy, Debug)]
pub struct Hospital {
    /// The table, as CSV.
    pub table: &'static str,
    /// The name and the content of its hierarchy.
    pub hierarchy: (&'static str, &'static str),
    /// The policy, with or without places.
    pub policy: &'static str,
}

impl Hospital {
    pub(super) fn show(self, team: &Team) -> Result<()> {
        let steward = team.actor("steward", "hospital")?;
        let new = json!({ "name": "admissions.csv", "bytes": self.table.len() });
        let upload = text(&steward.post("/uploads", &new)?["id"])?;
        let path = format!("/uploads/{upload}");
        steward.part(&format!("{path}?offset=0"), self.table.as_bytes())?;
        let into = json!({ "into": { "new": { "name": "admissions", "identifiers": ["name"] } } });
        let data = steward.post(&format!("{path}/finish"), &into)?;
        let (name, content) = self.hierarchy;
        steward.post("/hierarchies", &json!({ "name": name, "content": content }))?;
        let policy = json!({ "name": "admissions", "content": without_places(self.policy) });
        let policy = steward.post("/policies", &policy)?;
        let request = json!({
            "name": "Admissions", "purpose": "to look around", "policy": policy["id"],
            "data": data["id"], "levels": [2], "ends_at": null,
        });
        let release = text(&steward.post("/requests", &request)?["id"])?;
        let path = format!("/requests/{release}");
        let officer = team.actor("officer", "hospital")?;
        for _ in 0..ASK.1 {
            if team.stopper.is_stopped() {
                return Ok(());
            }
            let review = officer.see(&path)?;
            match review["state"].as_str() {
                Some("running") => std::thread::sleep(ASK.0),
                Some("ready") => {
                    let approval = json!({ "manifest": review["manifest"] });
                    return officer
                        .post(&format!("{path}/approval"), &approval)
                        .map(drop);
                }
                _ => break,
            }
        }
        Err(Problem::unavailable("its release was not made"))
    }
}

/// A policy without the sections that name files: the server gives places itself.
fn without_places(policy: &str) -> String {
    let mut is_place = false;
    let kept = policy.lines().filter(|line| {
        if line.starts_with('[') {
            is_place = ["[source]", "[sink]", "[report]"].contains(line);
        }
        !is_place
    });
    kept.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_places_are_left_out() {
        let policy = "version = 1\n[source]\npath = \"a\"\n[columns]\n[sink]\npath = \"b\"\n";
        assert_eq!(without_places(policy), "version = 1\n[columns]\n");
    }
}

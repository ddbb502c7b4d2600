//! A stream of visits to a shop, for as long as the demonstration runs.

use super::Team;
use super::actor::text;
use crate::clock::{DAY, SECOND};
use crate::problem::Result;
use serde_json::json;
use std::time::Duration;

const POLICY: &str = "version = 1
name = \"visits\"

[columns]
t = { role = \"time\", unit = \"s\" }
user = { role = \"subject\", action = \"keep\" }
page = { role = \"quasi\", hierarchy = { path = \"/\" } }

[[protect]]
method = \"z-anonymity\"
z = 3
window = \"60s\"
tune = { goal = 0.8, every = \"20s\", at_least = 3 }
";

/// How often visits come, and how many.
const COME: (Duration, u64) = (Duration::from_secs(1), 12);

const PAGES: [&str; 6] = [
    "books/crime",
    "books/travel",
    "garden/seeds",
    "garden/tools",
    "toys/trains",
    "music/records",
];

pub(super) fn show(team: &Team) -> Result<()> {
    let steward = team.actor("steward", "shop")?;
    let policy = steward.post("/policies", &json!({ "name": "visits", "content": POLICY }))?;
    let new = json!({ "name": "visits", "policy_version": policy["id"], "level": 2 });
    let stream = steward.post("/streams", &new)?;
    let id = text(&stream["id"])?;
    let path = format!("/streams/{id}");
    let decision = json!({ "approve": true, "reason": "to look around" });
    let officer = team.actor("officer", "shop")?;
    officer.edit(&format!("{path}/decision"), &stream["version"], &decision)?;
    let ends_at = team.app.clock.now() + 30 * DAY;
    let token = json!({ "name": "shop", "ends_at": ends_at });
    let token = text(&steward.post(&format!("{path}/tokens"), &token)?["token"])?;
    let operator = team.actor("operator", "shop")?;
    operator.post(&format!("{path}/wanted"), &json!({ "wanted": "start" }))?;
    let mut visit = 0_u64;
    while !team.stopper.is_stopped() {
        let second = team.app.clock.now() / SECOND;
        let mut events = String::new();
        for _ in 0..COME.1 {
            // Forty visitors in an order that does not repeat soon.
            let (user, page) = (visit * 17 % 40, visit * visit % 41 % 6);
            let page = PAGES[page as usize];
            events += &json!({ "t": second.to_string(), "user": format!("u{user}"), "page": page })
                .to_string();
            events.push('\n');
            visit += 1;
        }
        // One that is full or away for a while gets the next ones.
        let _ = steward.events(&id, &token, events);
        std::thread::sleep(COME.0);
    }
    Ok(())
}

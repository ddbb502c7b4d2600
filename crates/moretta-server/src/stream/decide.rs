//! Streams approved or refused by officers: a policy version for an audience, before its first event,
//! by the rules of that day.

use super::define;
use super::row::{self, Stream};
use crate::app::App;
use crate::db::Sql;
use crate::events::tell_inbox;
use crate::http::{Call, Json, Route, Tagged, outdated, post};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::project::{Rules, check_open};
use crate::rights::{DecideRelease, Permit};
use crate::wish;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/projects/{project}/streams/{stream}/decision",
            "Approves or refuses a stream, with this policy for this audience",
            decide,
        )
        .of_version(),
    ]
}

/// A decision.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// Whether it is approved.
    approve: bool,
    /// Why.
    reason: String,
}

fn decide(
    app: &App,
    permit: Permit<DecideRelease>,
    call: Call<crate::http::Nothing, Json<Decision>>,
) -> Result<Tagged<Json<Stream>>> {
    let (project, id, seen) = (permit.project()?, call.id("stream")?, call.seen_version()?);
    let (by, at) = (permit.user()?, permit.at());
    let Decision { approve, reason } = &call.body.0;
    if reason.trim().is_empty() || reason.chars().count() > 1000 {
        return Err(Problem::unusable("say why, in at most 1,000 characters"));
    }
    let stream = app.store.act(|act| {
        let stream = row::find(&mut **act, project, id)?;
        let alone = is_author(&mut **act, &stream, by)?;
        if *approve && alone && app.settings.four_eyes {
            let what = "a second person has to approve this: you defined it, or wrote its policy or a hierarchy";
            return Err(Problem::new(403, "second-person", what).help("ask another officer"));
        }
        if *approve {
            check_open(&mut **act, project)?;
            if app.settings.four_eyes {
                wish::check_confirmed(&mut **act, project, by)?;
            }
            let (rules, _) = Rules::of(&mut **act, project)?;
            let of = (stream.policy_version, stream.level);
            define::check(app, &mut **act, (project, &rules), of)?;
        }
        let (state, name) = match approve {
            true => ("approved", "stream.approve"),
            false => ("refused", "stream.refuse"),
        };
        let changed = act.execute(
            "UPDATE streams SET decision = $1, reason = $2, decided_by = $3, decided_at = $4, \
             version = version + 1 WHERE id = $5 AND version = $6 AND decision = 'waiting'",
            values![state, reason, by, at, id, seen],
        )?;
        if changed == 0 {
            return Err(match stream.decision == "waiting" {
                true => outdated(),
                false => Problem::conflict("decided", "this was decided already"),
            });
        }
        let mut entry = permit.entry(name);
        entry.subject = Some(id);
        entry.facts = vec![
            ("policy_version", stream.policy_version.to_string()),
            ("level", stream.level.to_string()),
        ];
        if alone {
            entry.facts.push(("alone", "four_eyes is off".to_owned()));
        }
        act.log(&entry)?;
        tell_inbox(&mut **act, Some(project), at)?;
        row::find(&mut **act, project, id)
    })?;
    app.intakes.close(id);
    Ok(Tagged(stream.version, Json(stream)))
}

/// Whether somebody defined the stream, or wrote a version of its policy or of a hierarchy of the
/// project.
fn is_author(sql: &mut dyn Sql, stream: &Stream, by: Id) -> Result<bool> {
    if stream.made_by == by {
        return Ok(true);
    }
    let written = "SELECT count(*) FROM text_versions v JOIN texts t ON t.id = v.text_id \
                   WHERE v.author = $1 AND (v.text_id IN (SELECT text_id FROM text_versions WHERE id = $2) \
                   OR t.kind = 'hierarchy' AND t.project_id IN \
                   (SELECT p.project_id FROM texts p JOIN text_versions w ON w.text_id = p.id WHERE w.id = $2))";
    Ok(sql.number(written, values![by, stream.policy_version])? > 0)
}

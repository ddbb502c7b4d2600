//! How much the jobs of a day tell of raw data: one preview tells little, a search tells as much as the
//! previews of all settings that it tries.

use super::kind::Kind;
use super::options::{Explore, Learn, Tune};
use super::spec::Spec;
use crate::clock::{DAY, Millis};
use crate::db::Sql;
use crate::id::Id;
use crate::problem::Result;
use moretta::protect::METHODS;
use serde::de::DeserializeOwned;

/// Settings that a job tries on raw data, each of which counts as a preview; a release is approved, and
/// what verifies one tells whether it holds.
pub(super) fn weight(kind: Kind, spec: &Spec) -> i64 {
    let many = |number: usize| i64::try_from(number.max(1)).unwrap_or(i64::MAX);
    match kind {
        Kind::Release | Kind::Verify => 0,
        Kind::Profile | Kind::Preview | Kind::Plan | Kind::Attack => 1,
        Kind::Learn => options::<Learn>(spec).map_or(1, |of| many(of.learners.len())),
        Kind::Explore => options::<Explore>(spec)
            .map_or(1, |of| many(of.k.len()).saturating_mul(many(METHODS.len()))),
        Kind::Tune => options::<Tune>(spec).map_or(1, |of| {
            let values = i64::from(of.steps) + i64::from(of.bisections);
            values.max(1).saturating_mul(i64::from(of.draws.max(1)))
        }),
    }
}

fn options<T: DeserializeOwned>(spec: &Spec) -> Option<T> {
    serde_json::from_value(spec.options.clone()).ok()
}

/// What was asked for in a project within a day.
pub(super) fn of_a_day(sql: &mut dyn Sql, project: Id, at: Millis) -> Result<i64> {
    let since = at - DAY;
    let single = "SELECT count(*) FROM jobs WHERE project_id = $1 AND made_at > $2 \
                  AND kind IN ('profile', 'preview', 'plan', 'attack')";
    let several = "SELECT kind, spec FROM jobs WHERE project_id = $1 AND made_at > $2 \
                   AND kind IN ('explore', 'tune', 'learn')";
    let mut sum = sql.number(single, values![project, since])?;
    for row in sql.query(several, values![project, since])? {
        let spec = Spec::parse(row.text(1)?)?;
        sum = sum.saturating_add(weight(Kind::parse(row.text(0)?)?, &spec));
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_search_weighs_as_much_as_the_settings_that_it_tries() {
        let methods = METHODS.len() as i64;
        let tune = |steps: u32, draws: u32| {
            json!({ "parameter": "k", "between": [2.0, 9.0], "goals": [], "steps": steps,
                    "bisections": 3, "draws": draws })
        };
        for (kind, options, expected) in [
            (Kind::Preview, json!({}), 1),
            (Kind::Attack, json!({}), 1),
            (Kind::Learn, json!({ "learners": ["nb", "ht", "arf"] }), 3),
            (Kind::Explore, json!({}), methods),
            (Kind::Explore, json!({ "k": [2, 3, 5] }), 3 * methods),
            (Kind::Tune, tune(7, 10), 100),
            (Kind::Tune, tune(u32::MAX, u32::MAX), i64::MAX),
            (Kind::Verify, json!({}), 0),
            (Kind::Release, json!({}), 0),
        ] {
            let spec = Spec {
                options,
                ..Spec::default()
            };
            let found = weight(kind, &spec);
            assert!(
                found == expected || expected == i64::MAX && found > 1_000_000_000,
                "{kind:?} {found}"
            );
        }
    }
}

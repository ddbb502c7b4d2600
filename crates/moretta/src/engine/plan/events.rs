//! What may follow z-anonymity: it decides events as they come, and masks get those that leave.

use super::{ColumnPolicy, Plan};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::protect::{Effect, Method};

/// The first method that does not go with z-anonymity, why, and what to do.
pub(super) fn misfit(methods: &[Method]) -> Option<(usize, String, &'static str)> {
    let decides = methods.iter().position(|m| m.as_stream().is_some())?;
    let before = &methods[..decides];
    if !before.iter().all(Method::recodes_stream) {
        let what = "z-anonymity counts events as they were and stands first".to_owned();
        return Some((decides, what, "put its [[protect]] before the others"));
    }
    let goes_with = |method: &Method| method.as_masking().is_some() || method.is_recoding();
    let mut others = (0..methods.len()).filter(|&step| step != decides);
    let other = others.find(|&step| !goes_with(&methods[step]))?;
    let what = format!("{} does not go with events", methods[other].name());
    let help = "keep z-anonymity, and masks and recoding of other columns";
    Some((other, what, help))
}

/// Masks change what events carry, never what z-anonymity has counted or promised.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let Some(config) = plan.stream() else {
        return Ok(());
    };
    let schema = plan.declared_schema()?;
    let counted = |column: &ColumnPolicy| {
        let group = config.group.as_ref();
        let is_group = group.is_some_and(|group| group.column == column.name);
        is_group || !matches!(column.role, Role::Plain | Role::Sensitive | Role::Class)
    };
    for masking in plan.maskings() {
        let groups = masking.k().is_some() || masking.loss().is_some() && !masking.is_row_local();
        if groups {
            return Err(Error::policy(
                "a mask that makes groups may hold the last events back for good, which were \
                 counted and told as released",
            )
            .help("use noise, rank-swapping or local-dp behind z-anonymity"));
        }
    }
    for method in plan.protect.iter().filter(|m| m.as_stream().is_none()) {
        let names = schema.fields().iter().map(|field| &*field.name);
        let effects = names.zip(method.effects(&schema)?);
        let changed = effects.filter(|(_, effect)| *effect != Effect::Kept);
        let mut columns = changed.filter_map(|(name, _)| plan.column(name));
        if let Some(column) = columns.find(|column| counted(column)) {
            return Err(Error::policy(format!(
                "what z-anonymity promises of `{}` does not survive {}",
                column.name,
                method.name()
            ))
            .at(column.span.clone())
            .help("name what events carry besides: numbers with the role plain or sensitive"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const Z: &str = "[[protect]]\nmethod = \"z-anonymity\"\nz = 5\nwindow = \"1h\"\n";
    const NOISE: &str = "[[protect]]\nmethod = \"noise\"\nbuffer = 10\ncolumns = [\"load\"]\n";

    const RECODING: &str = "[[protect]]\nmethod = \"recoding\"\nbuffer = 1\nround = { load = 5 }\n";

    /// What a plan with these methods is refused for; none when it is not.
    fn refused(methods: &str) -> Option<String> {
        let text = format!(
            "[columns]\nt = {{ role = \"time\" }}\nuser = {{ role = \"subject\" }}\n\
             page = {{ role = \"quasi\" }}\nhouse = {{ role = \"plain\" }}\n\
             load = {{ role = \"plain\", type = \"number\" }}\n{methods}"
        );
        Plan::parse(&text).err().map(|error| error.to_string())
    }

    #[test]
    fn masks_follow_z_anonymity_on_what_it_does_not_count() {
        let masks = |columns: &str| format!("{Z}{}", NOISE.replace("\"load\"", columns));
        let group = Z.replace("z = 5", "z = 5\ngroup = { column = \"load\" }");
        for (methods, why) in [
            (Z.to_owned(), None),
            (format!("{Z}{NOISE}"), None),
            (format!("{Z}{NOISE}{NOISE}"), None),
            (format!("{NOISE}{Z}"), Some("stands first")),
            (format!("{Z}{RECODING}"), None),
            (format!("{RECODING}{Z}{NOISE}"), None),
            (
                format!("{Z}{}", RECODING.replace("buffer = 1\n", "")),
                Some("waits for the whole table"),
            ),
            (
                format!("{Z}{RECODING}").replace("load = 5", "page = 5"),
                Some("promises of `page`"),
            ),
            (
                format!("{RECODING}{Z}").replace("load = 5", "page = 5"),
                Some("shows `page` as text"),
            ),
            (format!("{Z}{Z}"), Some("does not go with events")),
            (
                format!("{Z}[[protect]]\nmethod = \"mondrian\"\n"),
                Some("does not go with events"),
            ),
            (
                format!("{Z}{}", NOISE.replace("buffer = 10\n", "")),
                Some("waits for the whole table"),
            ),
            (
                format!(
                    "{Z}[[protect]]\nmethod = \"microaggregation\"\nk = 3\nbuffer = 9\ncolumns = [\"load\"]\n"
                ),
                Some("may hold the last events back"),
            ),
            (masks("\"page\""), Some("promises of `page`")),
            (masks("\"user\""), Some("promises of `user`")),
            (masks("\"load\", \"t\""), Some("promises of `t`")),
            (format!("{group}{NOISE}"), Some("promises of `load`")),
            (
                format!("{Z}{}", NOISE.replace("columns = [\"load\"]\n", "")),
                Some("promises of `page`"),
            ),
        ] {
            let found = refused(&methods);
            match (why, &found) {
                (None, None) => {}
                (Some(why), Some(found)) => assert!(found.contains(why), "{found}\n{methods}"),
                _ => panic!("{found:?}\n{methods}"),
            }
        }
    }
}

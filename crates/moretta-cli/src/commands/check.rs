//! `moretta check`: everything that can be known without reading the rows.

use super::load;
use crate::args::PolicyArgs;
use crate::console::Console;
use crate::failure::Failure;
use moretta::pipeline;
use moretta::policy::is_federation;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct Checked {
    policy: String,
    columns: usize,
    roles: Vec<(String, usize)>,
    methods: Vec<String>,
    privacy: Vec<String>,
    warnings: Vec<String>,
}

pub(crate) fn run(args: &PolicyArgs, console: &Console) -> Result<ExitCode, Failure> {
    if std::fs::read_to_string(&args.policy).is_ok_and(|text| is_federation(&text)) {
        return super::federation::check::run_one(args, console);
    }
    let policy = load(args)?;
    pipeline::check(&policy).map_err(|error| Failure::of_policy(error, &args.policy))?;
    let warnings = pipeline::check_warnings(&policy)?;
    console.warnings(&warnings);
    let mut roles: Vec<(String, usize)> = Vec::new();
    for column in &policy.plan.columns {
        match roles
            .iter_mut()
            .find(|(role, _)| *role == column.role.word())
        {
            Some((_, count)) => *count += 1,
            None => roles.push((column.role.word().to_owned(), 1)),
        }
    }
    let checked = Checked {
        policy: args.policy.display().to_string(),
        columns: policy.plan.columns.len(),
        roles,
        methods: policy
            .plan
            .protect
            .iter()
            .map(|method| method.name().to_owned())
            .collect(),
        privacy: pipeline::privacy(&policy, None),
        warnings,
    };
    console.result(&checked, || {
        let roles: Vec<String> = checked
            .roles
            .iter()
            .map(|(role, count)| format!("{count} {role}"))
            .collect();
        let privacy: String = (checked.privacy.iter())
            .map(|sentence| format!("\n{sentence}"))
            .collect();
        format!(
            "{}: ok; {} columns ({}), {}{privacy}",
            checked.policy,
            checked.columns,
            roles.join(", "),
            checked.methods.join(" then ")
        )
    })
}

//! `moretta schema`: the JSON Schema of a policy.

use crate::console::Console;
use crate::failure::Failure;
use std::process::ExitCode;

pub(crate) fn run(console: &Console) -> Result<ExitCode, Failure> {
    let schema = moretta::policy::schema();
    console.result(&schema, || format!("{schema:#}"))
}

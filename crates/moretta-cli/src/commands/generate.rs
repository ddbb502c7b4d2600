//! `moretta generate`

use super::may_write;
use crate::args::{GenerateArgs, Generator};
use crate::console::Console;
use crate::failure::Failure;
use moretta::io::{self, WriteOptions, generate};
use std::process::ExitCode;

pub(crate) fn run(args: &GenerateArgs, console: &Console) -> Result<ExitCode, Failure> {
    may_write(&args.output, args.force)?;
    let source = match args.kind {
        Generator::Hospital => generate::hospital(args.rows, args.seed),
    };
    let options = WriteOptions {
        guard_formulas: false,
        ..WriteOptions::default()
    };
    let mut sink = io::create(&args.output, &options, moretta::io::Source::schema(&source))?;
    for batch in source {
        sink.write(&batch?)?;
    }
    sink.close()?;
    if args.output.as_os_str() != "-" {
        console.hint(&format!(
            "wrote {} rows to {}",
            args.rows,
            args.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

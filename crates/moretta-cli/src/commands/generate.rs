//! `moretta generate`

use super::may_write;
use crate::args::{GenerateArgs, Generator};
use crate::console::Console;
use crate::failure::Failure;
use moretta::io::{self, Source, WriteOptions, generate};
use std::process::ExitCode;

pub(crate) fn run(args: &GenerateArgs, console: &Console) -> Result<ExitCode, Failure> {
    may_write(&args.output, args.force)?;
    let source = source(args);
    let options = WriteOptions {
        guard_formulas: false,
        ..WriteOptions::default()
    };
    let mut sink = io::create(&args.output, &options, source.schema())?;
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

fn source(args: &GenerateArgs) -> Box<dyn Source> {
    let (rows, seed) = (args.rows, args.seed);
    match args.kind {
        Generator::Hospital => Box::new(generate::hospital(rows, seed)),
        Generator::Ecommerce => Box::new(generate::ecommerce(rows, seed)),
        Generator::Domains => Box::new(generate::domains(rows, seed)),
        Generator::Positions => Box::new(generate::positions(rows, seed)),
    }
}

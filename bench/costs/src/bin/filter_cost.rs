//! What a filter costs on records in memory: CPU seconds, on one thread.
//!
//! Makes records of a MOA stream, puts them through a filter again and again, with
//! or without measures of the pairs, and prints one line of JSON. Reading, writing
//! and encoding are not counted.
//!
//! ```text
//! cargo run --release --workspace --bin filter_cost -- rbf 'method = "noise"' 'buffer = 2'
//! cargo run --release --workspace --bin filter_cost -- waveform 'method = "noise"' --measure sse
//! ```

use moretta::data::{Attribute, Records};
use moretta::measure::{PairSettings, build};
use moretta::policy::{Policy, Root};
use moretta::protect::{Masked, MaskedColumn, Masking, Method};
use moretta_costs::{Outcome, cpu_seconds};
use moretta_generate::moa::{Generator, RandomRbf, Waveform};
use std::path::Path;
use std::time::{Duration, Instant};

/// The allocator of the program `moretta`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: usize = 100_000;
const SECONDS: f64 = 2.0;

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let stream = arguments.next().ok_or("name a stream: rbf or waveform")?;
    let (mut lines, mut measures) = (Vec::new(), Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--measure" => measures.push(arguments.next().ok_or("--measure needs a name")?),
            _ => lines.push(argument),
        }
    }
    let records = records(&stream)?;
    let method = method(&lines.join("\n"))?;
    let masking = method.as_masking().ok_or("not a filter")?;
    let (started, cpu) = (Instant::now(), cpu_seconds()?);
    let mut runs = 0;
    while runs == 0 || started.elapsed() < Duration::from_secs_f64(SECONDS) {
        mask(masking, &records, &measures)?;
        runs += 1;
    }
    let seconds = (cpu_seconds()? - cpu) / f64::from(runs);
    println!(
        "{{\"stream\":\"{stream}\",\"rows\":{ROWS},\"cpu_seconds\":{seconds:.6},\"records_per_second\":{:.0}}}",
        ROWS as f64 / seconds
    );
    Ok(())
}

fn records(stream: &str) -> Outcome<Records> {
    let mut generator: Box<dyn Generator> = match stream {
        "rbf" => Box::new(RandomRbf::default().generator()?),
        "waveform" => Box::new(Waveform::default().generator()?),
        _ => return Err("the streams are rbf and waveform".into()),
    };
    let mut record = vec![0.0; generator.header().attributes.len()];
    let mut records = Records::new(record.len());
    for _ in 0..ROWS {
        generator.next(&mut record);
        records.push(&record);
    }
    Ok(records)
}

fn method(lines: &str) -> Outcome<Method> {
    let text = format!(
        "version = 1\n[source]\npath = \"a.csv\"\n[columns]\nx = {{ role = \"quasi\" }}\n[[protect]]\n{lines}\n"
    );
    let root = Root::of_policy(Path::new("policy.toml"), None)?;
    Ok(Policy::parse(&text, &root)?.plan.protect.remove(0))
}

/// Puts the records through the filter, and the pairs to the measures.
fn mask(masking: &dyn Masking, records: &Records, measures: &[String]) -> Outcome<()> {
    let names: Vec<String> = (1..=records.width()).map(|n| format!("att{n}")).collect();
    let columns = MaskedColumn::numbers(&names);
    let mut filter = masking.filter(&columns, 1)?;
    let settings = PairSettings::new(vec![Attribute::Number; records.width()]);
    let mut measures = measures
        .iter()
        .map(|name| build(name, &settings))
        .collect::<Result<Vec<_>, _>>()?;
    let mut out = Masked::new(records.width());
    let mut left = 0;
    let mut look = |out: &mut Masked| {
        let mut released = out.records().iter();
        for &kept in out.decided() {
            if let Some(released) = released.by_ref().next().filter(|_| kept) {
                let original = records.record(left);
                for measure in &mut measures {
                    measure.observe_record(original, released);
                }
            }
            left += 1;
        }
        out.clear();
    };
    for record in records.iter() {
        filter.push(record, &mut out)?;
        look(&mut out);
    }
    filter.finish(&mut out)?;
    look(&mut out);
    match left == records.len() {
        true => Ok(()),
        false => Err("the filter kept records back".into()),
    }
}

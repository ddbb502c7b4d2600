//! `moretta verify`

use super::load_against;
use crate::args::VerifyArgs;
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::error::Error;
use moretta::guarantee::FileNesting;
use moretta::io::{Format, ReadOptions};
use moretta::pipeline::report::Claim;
use moretta::pipeline::{self, Progress, PublicKey, Signed, Verification};
use moretta::policy::Policy;
use moretta_report::count;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

#[derive(Serialize)]
struct Verified {
    file: String,
    passed: bool,
    unit: String,
    rows: u64,
    classes: u64,
    smallest_class: Option<u64>,
    claims: Vec<Claim>,
    faults: Vec<String>,
    /// What cannot be seen in a file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Whether promises of persons are judged as such; else rows are counted in their place.
    judges_persons: bool,
}

impl Verified {
    fn new(file: &Path, policy: &Policy, found: Verification) -> Self {
        let faults = found.findings.faults.iter();
        Verified {
            file: file.display().to_string(),
            passed: found.verdict.passed,
            unit: found.verdict.unit,
            rows: found.findings.rows,
            classes: found.findings.classes,
            smallest_class: found.findings.smallest_class,
            claims: found.verdict.claims,
            faults: faults.map(ToString::to_string).collect(),
            notes: unseen(policy),
            judges_persons: judges_persons(policy),
        }
    }
}

#[derive(Serialize)]
struct VerifiedLevels {
    passed: bool,
    levels: Vec<Verified>,
    /// Each level beside the next stricter one; none where the files cannot show it.
    nested: Option<Vec<NestedPair>>,
    same_rows: bool,
}

#[derive(Serialize)]
struct NestedPair {
    finer: String,
    coarser: String,
    proven: bool,
    /// Classes of the finer file that lie in no class of the coarser one, that fit several, and
    /// classes of the coarser one whose rows are not those of finer ones.
    nowhere: u64,
    open: u64,
    unequal: u64,
}

#[derive(Serialize)]
struct VerifiedStream {
    file: String,
    passed: bool,
    unit: String,
    rows: u64,
    matched: u64,
    made_up: u64,
    lines: u64,
    smallest_count: Option<u64>,
    claims: Vec<Claim>,
    faults: Vec<String>,
    notes: Vec<String>,
}

pub(crate) fn run(args: &VerifyArgs, console: &Console) -> Result<ExitCode, Failure> {
    if let Some(manifest) = &args.manifest {
        return run_manifest(args, manifest, console);
    }
    let (mut policy, options) = load_against(args.policy(), args.root.as_deref(), &args.reading)?;
    if let Some(level) = &args.level {
        policy = policy.at_level(level)?;
    }
    if !policy.plan.levels.is_empty() {
        return run_levels(args, &policy, &options, console);
    }
    args.file()?;
    match policy.plan.stream().is_some() || args.certificate.is_some() {
        true => run_stream(args, &policy, &options, console),
        false => run_table(args, &policy, &options, console),
    }
}

impl VerifyArgs {
    fn policy(&self) -> &Path {
        self.policy.as_deref().unwrap_or(Path::new(""))
    }

    /// The one file.
    fn file(&self) -> Result<&Path, Failure> {
        match &self.files[..] {
            [file] => Ok(file),
            _ => Err(Error::usage("one release is verified at a time")
                .help("give one file; several are of a policy with [levels]")
                .into()),
        }
    }
}

fn run_manifest(
    args: &VerifyArgs,
    manifest: &Path,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let key = args
        .public_key
        .as_deref()
        .map(PublicKey::read)
        .transpose()?;
    let found = pipeline::verify_manifest(args.file()?, manifest, key.as_ref())?;
    console.result(&found, || signed_text(&found))?;
    Ok(exit_code(found.passed))
}

fn signed_text(found: &Signed) -> String {
    let mut text = match found.signature {
        true => format!("signed by the key {}", found.key_id),
        false => format!("NOT signed by the key {} that it names", found.key_id),
    };
    text.push_str(match found.expected_key {
        Some(true) => ", which is yours to trust\n\n",
        Some(false) => ", which is NOT the key that you gave\n\n",
        None => "; is it the publisher's? --public-key compares it\n\n",
    });
    for file in &found.files {
        let same = match file.same {
            Some(true) => "as it was signed",
            Some(false) => "CHANGED",
            None => "not beside the manifest, not looked at",
        };
        text.push_str(&format!("{} {}: {same}\n", file.kind, file.name));
    }
    let mut rows = vec![
        ["promise", "promised", "found kept"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for (name, promised, kept) in &found.promises {
        let kept = if *kept { "yes" } else { "NO" };
        rows.push(vec![name.clone(), promised.clone(), kept.to_owned()]);
    }
    if rows.len() > 1 {
        text.push('\n');
        text.push_str(&table(&rows));
    }
    text + &conclusion(
        [
            "the release is what was signed",
            match (found.signature, found.expected_key) {
                (false, _) => "the manifest is NOT what was signed",
                (true, Some(false)) => "NOT signed by the key that you gave",
                _ => "the release is NOT what was signed",
            },
        ],
        found.passed,
        &[],
    )
}

fn run_stream(
    args: &VerifyArgs,
    policy: &Policy,
    options: &ReadOptions,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let (file, progress) = (args.file()?, Progress::default());
    let certificate = args.certificate.as_deref();
    if policy.source.path.as_os_str() == "-" {
        console.hint("reads the source from standard input: send the rows that were released, again from the first");
    }
    let found = console
        .watch(&progress, || {
            pipeline::verify_stream(policy, file, certificate, options, &progress)
        })
        .map_err(|error| Failure::of_policy(error, args.policy()))?;
    let verified = VerifiedStream {
        file: file.display().to_string(),
        passed: found.verdict.passed,
        unit: found.verdict.unit,
        rows: found.rows,
        matched: found.matched,
        made_up: found.made_up,
        lines: found.lines,
        smallest_count: found.smallest_count,
        claims: found.verdict.claims,
        faults: found.faults,
        notes: found.notes,
    };
    console.result(&verified, || {
        let (file, rows) = (&verified.file, count(verified.rows));
        let mut text = format!("{file}: {rows} rows, held against the source\n\n");
        text.push_str(&claims_table(&verified.claims));
        for note in &verified.notes {
            text.push_str(&format!("note: {note}\n"));
        }
        let held = match policy.plan.stream() {
            Some(_) => KEPT,
            // Noise promises nothing that rows could show.
            None => [
                "release, source and certificate agree",
                "release, source and certificate do NOT agree",
            ],
        };
        text + &conclusion(held, verified.passed, &verified.faults)
    })?;
    Ok(exit_code(verified.passed))
}

fn run_table(
    args: &VerifyArgs,
    policy: &Policy,
    options: &ReadOptions,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let (file, progress) = (args.file()?, Progress::default());
    let found = console
        .watch(&progress, || match edges(args, policy, file) {
            Some(edges) => pipeline::verify_graph(policy, file, edges, options, &progress),
            None => pipeline::verify(policy, file, options, &progress),
        })
        .map_err(|error| Failure::of_policy(error, args.policy()).of_options())?;
    let verified = Verified::new(file, policy, found);
    console.result(&verified, || text(&verified))?;
    Ok(exit_code(verified.passed))
}

/// The edges of a graph: GraphML holds them itself.
fn edges<'a>(args: &'a VerifyArgs, policy: &'a Policy, file: &'a Path) -> Option<&'a Path> {
    let sink = policy.sink.as_ref().filter(|_| policy.graph.is_some());
    let within = || Format::from_path(file) == Some(Format::GraphMl);
    let written = sink.and_then(|sink| match sink.holds_edges() || within() {
        true => Some(file),
        false => sink.edges.as_deref(),
    });
    args.edges.as_deref().or(written)
}

fn run_levels(
    args: &VerifyArgs,
    policy: &Policy,
    options: &ReadOptions,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let progress = Progress::default();
    let found = console
        .watch(&progress, || {
            pipeline::verify_levels(policy, &args.files, options, &progress)
        })
        .map_err(|error| Failure::of_policy(error, args.policy()).of_options())?;
    let (passed, same_rows) = (found.passed(), found.same_rows);
    let names: Vec<&str> = policy.plan.levels.iter().map(|l| &*l.name).collect();
    let nested = found.nested.map(|pairs| {
        let pairs = pairs.iter().zip(names.windows(2));
        let pair = |(found, names): (&FileNesting, &[&str])| NestedPair {
            finer: names[0].to_owned(),
            coarser: names[1].to_owned(),
            proven: found.is_proven(),
            nowhere: found.nowhere,
            open: found.open,
            unequal: found.unequal,
        };
        pairs.map(pair).collect()
    });
    let levels = args.files.iter().zip(policy.of_levels()).zip(found.levels);
    let verified = VerifiedLevels {
        passed,
        levels: levels
            .map(|((file, policy), found)| Verified::new(file, &policy, found))
            .collect(),
        nested,
        same_rows,
    };
    console.result(&verified, || {
        let levels: Vec<String> = verified.levels.iter().map(text).collect();
        levels.join("\n\n") + "\n\n" + &nested_text(&verified)
    })?;
    Ok(exit_code(passed))
}

/// What the files say of each other.
fn nested_text(verified: &VerifiedLevels) -> String {
    let mut text = String::new();
    if !verified.same_rows {
        text.push_str("fault: the files do not have the same rows\n");
    }
    for pair in verified.nested.iter().flatten() {
        let NestedPair { finer, coarser, .. } = pair;
        text.push_str(&match pair {
            NestedPair { proven: true, .. } => {
                format!("each class of {coarser} is a union of classes of {finer}\n")
            }
            NestedPair { nowhere: 0, unequal: 0, open, .. } => format!(
                "note: {} classes of {finer} fit several of {coarser}, too many to try: nothing speaks against nesting, and nothing proves it\n",
                count(*open)
            ),
            NestedPair { nowhere, unequal, .. } => format!(
                "fault: {} classes of {finer} lie in none of {coarser}, and {} of {coarser} are no union of classes of {finer}\n",
                count(*nowhere),
                count(*unequal)
            ),
        });
    }
    let mut pairs = verified.nested.iter().flatten();
    if pairs.any(|pair| pair.nowhere + pair.unequal > 0) {
        let names: Vec<&str> = { verified.nested.iter().flatten() }
            .map(|pair| &*pair.finer)
            .chain(
                verified
                    .nested
                    .iter()
                    .flatten()
                    .last()
                    .map(|pair| &*pair.coarser),
            )
            .collect();
        text.push_str(&format!(
            "are the files in the order {}?\n",
            names.join(", ")
        ));
    }
    if verified.nested.is_none() {
        text.push_str("note: values that stand for classes do not show which class lies in which. A run compares its levels row by row before it writes them; of other files nobody can tell\n");
    }
    let held = [
        match &verified.nested {
            Some(pairs) if pairs.iter().all(|pair| pair.proven) => {
                "all levels keep their guarantee, and together that of the finest"
            }
            _ => "each level keeps its own guarantee; these files cannot show that they are nested",
        },
        "the levels do NOT keep what they promise together",
    ];
    text + &conclusion(held, verified.passed, &[])
}

fn exit_code(passed: bool) -> ExitCode {
    match passed {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}

const NO_PERSONS: &str = "the promises are of persons, and the file does not tell whose its rows are: rows are counted here, several of which may be of one person, so this neither proves nor refutes what the run has counted in persons; fewer rows than k are fewer persons, too";

/// Whether a file shows whose its rows are, or there are no persons but its rows: each node of a
/// graph is one.
fn judges_persons(policy: &Policy) -> bool {
    policy.graph.is_some() || !policy.plan.hides_persons_of_rows()
}

/// Promises that no file shows.
fn unseen(policy: &Policy) -> Vec<String> {
    let losses = policy.plan.maskings().filter_map(|masking| masking.loss());
    let losses =
        losses.map(|loss| format!("{loss}: kept by how the noise is made, which no file shows"));
    let persons = !judges_persons(policy);
    losses
        .chain(persons.then(|| NO_PERSONS.to_owned()))
        .collect()
}

fn text(verified: &Verified) -> String {
    let notes = verified.notes.iter();
    let notes: String = notes.map(|note| format!("note: {note}\n")).collect();
    format!(
        "{}: {} rows, {} classes, counted in {}\n\n{}{notes}{}",
        verified.file,
        count(verified.rows),
        count(verified.classes),
        verified.unit,
        claims_table(&verified.claims),
        conclusion(
            if verified.judges_persons {
                KEPT
            } else {
                KEPT_BY_ROWS
            },
            verified.passed,
            &verified.faults
        )
    )
}

fn claims_table(claims: &[Claim]) -> String {
    let mut rows = vec![vec![
        "claim".to_owned(),
        "promised".to_owned(),
        "found".to_owned(),
        "holds".to_owned(),
    ]];
    for claim in claims {
        let holds = if claim.holds { "yes" } else { "NO" };
        rows.push(vec![
            claim.name.clone(),
            claim.promised.clone(),
            claim.found.clone(),
            holds.to_owned(),
        ]);
    }
    table(&rows)
}

/// What is said of a promise that holds, and of one that does not.
const KEPT: [&str; 2] = ["the guarantee is kept", "the guarantee is NOT kept"];

const KEPT_BY_ROWS: [&str; 2] = [
    "the guarantee is kept by rows; persons cannot be judged from this file",
    "the guarantee is NOT kept by rows; persons cannot be judged from this file",
];

fn conclusion([held, broken]: [&str; 2], passed: bool, faults: &[String]) -> String {
    let mut text = String::new();
    for fault in faults {
        text.push_str(&format!("fault: {fault}\n"));
    }
    text + "\n" + if passed { held } else { broken }
}

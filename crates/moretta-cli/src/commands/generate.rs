//! `moretta generate`

use crate::args::{CrossTermsArgs, DriftArgs, GenerateArgs, Generator, Moa, RbfArgs, SocialArgs};
use crate::console::{Console, counted};
use crate::failure::Failure;
use moretta::Error;
use moretta::io::{self, Source, WriteOptions};
use moretta::pipeline::check_outputs;
use moretta_generate::{self as generate, moa};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(args: &GenerateArgs, console: &Console) -> Result<ExitCode, Failure> {
    if let Generator::Social(graph) = &args.kind {
        return social(args, graph, console);
    }
    // Rows are written as they are made, so that a pipe or a device can take them.
    if !is_pipe_or_device(&args.output) {
        check_outputs(&[&args.output], &[], args.force)?;
    }
    let source = source(args)?;
    let options = WriteOptions {
        guard_formulas: false,
        ..WriteOptions::default()
    };
    let standard = args.output.as_os_str() == "-";
    match write(source, &args.output, &options) {
        // A reader such as `head` has read enough: nothing is lost that was not made up.
        Err(error) if standard && error.is_broken_pipe() => return Ok(ExitCode::SUCCESS),
        written => written?,
    }
    if !standard {
        console.hint(&format!(
            "wrote {} to {}",
            counted(args.rows() as u64, "row"),
            args.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Users go to the output, edges and taxonomies to files of their own.
fn social(args: &GenerateArgs, graph: &SocialArgs, console: &Console) -> Result<ExitCode, Failure> {
    let taxonomies = [
        (&graph.locations, generate::locations as fn() -> String),
        (&graph.topics, generate::topics),
    ];
    let named = taxonomies.iter().filter_map(|(path, _)| path.as_deref());
    let raw: Vec<PathBuf> = match &graph.raw {
        None => Vec::new(),
        Some(folder) => generate::RAW_FILES.map(|name| folder.join(name)).to_vec(),
    };
    let files: Vec<&Path> = [&*args.output, &*graph.edges]
        .into_iter()
        .chain(named)
        .chain(raw.iter().map(PathBuf::as_path))
        .collect();
    check_outputs(&files, &[], args.force)?;
    let links = graph.links.unwrap_or(args.rows().saturating_mul(10));
    let follows = generate::follows(args.rows(), links, args.seed)?;
    let options = WriteOptions {
        guard_formulas: false,
        ..WriteOptions::default()
    };
    write(source(args)?, &args.output, &options)?;
    write(Box::new(follows), &graph.edges, &options)?;
    for (path, text) in taxonomies {
        if let Some(path) = path {
            std::fs::write(path, text()).map_err(|e| Error::io("write", path, e))?;
        }
    }
    if let Some(folder) = &graph.raw {
        let failed = |e| Error::io("write", folder, e);
        std::fs::create_dir_all(folder).map_err(failed)?;
        for path in &raw {
            let file = File::create(path).map_err(|e| Error::io("write", path, e))?;
            let name = path.file_name().and_then(|name| name.to_str());
            let mut file = BufWriter::new(file);
            generate::write_raw(
                name.unwrap_or_default(),
                (args.rows(), links, args.seed),
                &mut file,
            )?;
            file.flush().map_err(failed)?;
        }
    }
    console.hint(&format!(
        "wrote {} to {} and {} to {}",
        counted(args.rows() as u64, "user"),
        args.output.display(),
        counted(links as u64, "edge"),
        graph.edges.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn write(source: Box<dyn Source>, path: &Path, options: &WriteOptions) -> moretta::Result<()> {
    let mut sink = io::create(path, options, source.schema())?;
    for batch in source {
        sink.write(&batch?)?;
    }
    sink.close()
}

fn is_pipe_or_device(path: &Path) -> bool {
    path.exists() && !path.is_file() && !path.is_dir()
}

fn source(args: &GenerateArgs) -> Result<Box<dyn Source>, Failure> {
    let (rows, seed) = (args.rows(), args.seed);
    Ok(match &args.kind {
        Generator::Hospital => Box::new(generate::hospital(rows, seed)),
        Generator::Ecommerce => Box::new(generate::ecommerce(rows, seed)),
        Generator::Domains => Box::new(generate::domains(rows, seed)),
        Generator::Positions => Box::new(generate::positions(rows, seed)),
        Generator::Social(_) => Box::new(generate::users(rows, seed)?),
        Generator::CrossTerms(args) => {
            let coins = cross_terms(args, seed).generator()?;
            Box::new(moa::Instances::new(Box::new(coins), rows)?)
        }
        Generator::Moa(stream) => Box::new(moa::Instances::new(records(stream, seed)?, rows)?),
    })
}

fn cross_terms(args: &CrossTermsArgs, seed: u64) -> generate::CrossTerms {
    let mut options = generate::CrossTerms::default().seeded(seed);
    if let Some(seeds) = &args.seeds {
        options.seeds.clone_from(seeds);
    }
    generate::CrossTerms {
        part: args.part,
        noise: args.noise,
        coins: args.coins,
        ..options
    }
}

/// A generator of MOA, whose seeds are signed.
fn records(stream: &Moa, seed: u64) -> moretta::Result<Box<dyn moa::Generator>> {
    let seed = seed.cast_signed();
    Ok(match stream {
        Moa::Rbf(args) => Box::new(rbf(args, seed).generator()?),
        Moa::RbfDrift(args) => {
            let options = moa::RandomRbfDrift {
                rbf: rbf(&args.rbf, seed),
                speed: args.speed,
                drift_centroids: args.drift_centroids,
            };
            Box::new(options.generator()?)
        }
        Moa::Waveform(args) => {
            let options = moa::Waveform {
                seed,
                noise: args.noise,
                drift_attributes: args.drift_attributes,
            };
            Box::new(options.generator()?)
        }
        Moa::Sea(args) => {
            let options = moa::Sea {
                function: args.function,
                seed,
                balanced: args.balanced,
                noise: args.noise,
            };
            Box::new(options.generator()?)
        }
        Moa::Led(args) => {
            let options = moa::Led {
                seed,
                noise: args.noise,
                only_relevant: args.only_relevant,
                drift_attributes: args.drift_attributes,
            };
            Box::new(options.generator()?)
        }
        Moa::Agrawal(args) => {
            let options = moa::Agrawal {
                function: args.function,
                seed,
                perturbation: args.perturbation,
                balanced: args.balanced,
            };
            Box::new(options.generator()?)
        }
        Moa::Hyperplane(args) => {
            let options = moa::Hyperplane {
                seed,
                attributes: args.attributes,
                drift_attributes: args.drift_attributes,
                magnitude: args.magnitude,
                noise: args.noise,
                turning: args.turning,
            };
            Box::new(options.generator()?)
        }
        Moa::RandomTree(args) => {
            let options = moa::RandomTree {
                model_seed: args.model_seed.cast_signed(),
                seed,
                classes: args.classes,
                nominals: args.nominals,
                numbers: args.numbers,
                values: args.values,
                depth: args.depth,
                first_leaf: args.first_leaf,
                leaves: args.leaves,
            };
            Box::new(options.generator()?)
        }
        Moa::Sine(args) => {
            let options = moa::Sine {
                function: args.function,
                seed,
                balanced: args.balanced,
                only_relevant: args.only_relevant,
            };
            Box::new(options.generator()?)
        }
        Moa::Mixed(args) => {
            let options = moa::Mixed {
                function: args.function,
                seed,
                balanced: args.balanced,
            };
            Box::new(options.generator()?)
        }
        Moa::Stagger(args) => {
            let options = moa::Stagger {
                function: args.function,
                seed,
                balanced: args.balanced,
            };
            Box::new(options.generator()?)
        }
        Moa::Drift(args) => drift(args, seed, None)?,
        Moa::RecurrentDrift(args) => {
            let recurrence = moa::Recurrence {
                duration: args.duration,
                pause: args.pause,
                times: args.times,
            };
            drift(&args.drift, seed, Some(recurrence))?
        }
        Moa::Imbalanced(args) => {
            let options = moa::Imbalanced {
                shares: args.shares.clone(),
                seed,
            };
            Box::new(options.generator(|| records(&args.of.stream, args.of.seed))?)
        }
    })
}

fn drift(
    args: &DriftArgs,
    seed: i64,
    recurrence: Option<moa::Recurrence>,
) -> moretta::Result<Box<dyn moa::Generator>> {
    let options = moa::ConceptDrift {
        position: args.position,
        width: args.width,
        seed,
        recurrence,
    };
    let from = records(&args.from.stream, args.from.seed)?;
    let to = records(&args.to.stream, args.to.seed)?;
    Ok(Box::new(options.generator(from, to)?))
}

fn rbf(args: &RbfArgs, seed: i64) -> moa::RandomRbf {
    moa::RandomRbf {
        model_seed: args.model_seed.cast_signed(),
        seed,
        classes: args.classes,
        attributes: args.attributes,
        centroids: args.centroids,
    }
}

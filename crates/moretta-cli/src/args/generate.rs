//! What `moretta generate` can make up, with the options of each generator.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  moretta generate hospital --rows 5000 --seed 7 --output admissions.csv
  moretta generate ecommerce --rows 1000000 --output visits.csv
  moretta generate domains --rows 100000 --seed 2 --output lookups.csv.gz
  moretta generate positions --rows 100000 --output positions.parquet
  moretta generate cross-terms --noise 0.05 --coins 8 --output coins.csv
  moretta generate rbf --rows 100000 --classes 5 --output rbf.arff
  moretta generate rbf-drift --speed 0.001 --rows 100000 --output moving.csv
  moretta generate waveform --rows 100000 --output waveform.csv
  moretta generate sea --function 2 --rows 100000 --output sea.csv
  moretta generate led --noise 5 --rows 10000 --output led.csv
  moretta generate agrawal --function 7 --rows 10000 --output loans.jsonl
  moretta generate hyperplane --magnitude 0.001 --rows 10000 --output turning.csv
  moretta generate random-tree --classes 5 --rows 10000 --output tree.arff
  moretta generate sine --function 3 --rows 10000 --output sine.csv
  moretta generate mixed --rows 10000 --output mixed.csv
  moretta generate stagger --function 2 --rows 10000 --output things.csv
  moretta generate drift --from 'sea --function 1' --to 'sea --function 2 --seed 2' --position 500 --width 1
  moretta generate recurrent-drift --from 'sine' --to 'sine --function 2 --seed 2' --position 1000 --width 50
  moretta generate imbalanced --of 'random-tree' --shares 0.95,0.05")]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) kind: Generator,
    /// How many rows [default: 5000, of cross-terms 3 parts]
    #[arg(long, global = true)]
    pub(crate) rows: Option<usize>,
    /// The same seed gives the same rows
    #[arg(long, global = true, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where to write; the ending tells the format
    #[arg(long, short, global = true, default_value = "-")]
    pub(crate) output: PathBuf,
    /// Replace a file that is there
    #[arg(long, global = true)]
    pub(crate) force: bool,
}

impl GenerateArgs {
    /// How many rows are made.
    pub(crate) fn rows(&self) -> usize {
        let usual = match &self.kind {
            Generator::CrossTerms(args) => args.part.saturating_mul(3),
            _ => 5000,
        };
        self.rows.unwrap_or(usual)
    }
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Generator {
    /// A table of hospital admissions
    #[command(
        after_help = "Example:\n  moretta generate hospital --rows 5000 --output admissions.csv"
    )]
    Hospital,
    /// A stream of visits to a web shop: many users, paths of varying depth, two days
    #[command(
        after_help = "Example:\n  moretta generate ecommerce --rows 1000000 --output visits.csv"
    )]
    Ecommerce,
    /// A stream of domain look-ups: few users, in milliseconds, 26 hours
    #[command(
        after_help = "Example:\n  moretta generate domains --rows 100000 --output lookups.csv.gz"
    )]
    Domains,
    /// A stream of vehicle positions: country to street, two days
    #[command(
        after_help = "Example:\n  moretta generate positions --rows 100000 --output positions.parquet"
    )]
    Positions,
    /// A social graph: users with places and topics (--rows), and who follows whom
    #[command(
        after_help = "Example:\n  moretta generate social --rows 2000 --output users.csv --edges follows.csv \\\n    --locations locations.csv --topics topics.csv"
    )]
    Social(SocialArgs),
    /// Coins whose class follows pairs of them, other pairs in every second part
    #[command(
        after_help = "Example:\n  moretta generate cross-terms --noise 0.05 --coins 8 --output coins.csv"
    )]
    CrossTerms(CrossTermsArgs),
    #[command(flatten)]
    Moa(Moa),
}

#[derive(Args, Clone, Debug)]
pub(crate) struct CrossTermsArgs {
    /// How many rows a part has
    #[arg(long, value_name = "ROWS", default_value_t = 10_000)]
    pub(crate) part: usize,
    /// A seed for each part, in place of those that follow from --seed
    #[arg(long, value_name = "SEEDS", value_delimiter = ',')]
    pub(crate) seeds: Option<Vec<i64>>,
    /// The share of rows whose class is the other one
    #[arg(long, default_value_t = 0.0)]
    pub(crate) noise: f64,
    /// How many coins; those after the sixth decide nothing
    #[arg(long, default_value_t = 6)]
    pub(crate) coins: usize,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct SocialArgs {
    /// Where the edge list goes; the ending tells the format
    #[arg(long, value_name = "FILE")]
    pub(crate) edges: PathBuf,
    /// How many edges [default: ten times as many as users]
    #[arg(long, value_name = "EDGES")]
    pub(crate) links: Option<usize>,
    /// Where the taxonomy of locations goes
    #[arg(long, value_name = "FILE")]
    pub(crate) locations: Option<PathBuf>,
    /// Where the taxonomy of topics goes
    #[arg(long, value_name = "FILE")]
    pub(crate) topics: Option<PathBuf>,
    /// A folder for what the same users write: profiles, posts and connections as JSON lines, other
    /// names of places, and a lexicon of topics, as `moretta graph extract` reads them
    #[arg(long, value_name = "FOLDER")]
    pub(crate) raw: Option<PathBuf>,
}

/// The generators of MOA; options and defaults are MOA's.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Moa {
    /// Numbers around centroids that have a class each (RandomRBF of MOA)
    #[command(
        after_help = "Example:\n  moretta generate rbf --rows 100000 --classes 5 --output rbf.arff"
    )]
    Rbf(RbfArgs),
    /// The same with centroids that move (RandomRBFDrift of MOA)
    #[command(
        after_help = "Example:\n  moretta generate rbf-drift --speed 0.001 --rows 100000 --output moving.csv"
    )]
    RbfDrift(RbfDriftArgs),
    /// Mixtures of triangular waves with noise (Waveform of MOA)
    #[command(
        after_help = "Example:\n  moretta generate waveform --rows 100000 --output waveform.csv"
    )]
    Waveform(WaveformArgs),
    /// Three numbers, of which the sum of two decides the class (SEA of MOA)
    #[command(
        after_help = "Example:\n  moretta generate sea --function 2 --rows 100000 --output sea.csv"
    )]
    Sea(SeaArgs),
    /// The segments of a digit's display, some of them wrong (LED of MOA)
    #[command(
        after_help = "Example:\n  moretta generate led --noise 5 --rows 10000 --output led.csv"
    )]
    Led(LedArgs),
    /// People who ask for a loan (Agrawal of MOA)
    #[command(
        after_help = "Example:\n  moretta generate agrawal --function 7 --rows 10000 --output loans.jsonl"
    )]
    Agrawal(AgrawalArgs),
    /// Points on either side of a plane that may turn (Hyperplane of MOA)
    #[command(
        after_help = "Example:\n  moretta generate hyperplane --magnitude 0.001 --rows 10000 --output turning.csv"
    )]
    Hyperplane(HyperplaneArgs),
    /// Nominal values and numbers, classified by a random decision tree (RandomTree of MOA)
    #[command(
        after_help = "Example:\n  moretta generate random-tree --classes 5 --rows 10000 --output tree.arff"
    )]
    RandomTree(RandomTreeArgs),
    /// Points below or above a sine curve (Sine of MOA)
    #[command(
        after_help = "Example:\n  moretta generate sine --function 3 --rows 10000 --output sine.csv"
    )]
    Sine(SineArgs),
    /// Two bits and two numbers, of which conditions two must hold (Mixed of MOA)
    #[command(after_help = "Example:\n  moretta generate mixed --rows 10000 --output mixed.csv")]
    Mixed(MixedArgs),
    /// Things of a size, a colour and a shape (STAGGER of MOA)
    #[command(
        after_help = "Example:\n  moretta generate stagger --function 2 --rows 10000 --output things.csv"
    )]
    Stagger(StaggerArgs),
    /// One of these streams that gives way to another (ConceptDriftStream of MOA)
    #[command(after_help = "\
Examples:
  moretta generate drift --from 'sea --function 1' --to 'sea --function 2 --seed 2' --position 500 --width 1
  moretta generate drift --from sea --to 'drift --from (sea --function 2) --to (sea --function 3) --position 200' --position 500

A stream inside a stream stands in parentheses; each has a seed of its own.")]
    Drift(DriftArgs),
    /// The same with a second stream that comes and goes (RecurrentConceptDriftStream of MOA)
    #[command(after_help = "\
Example:
  moretta generate recurrent-drift --from sine --to 'sine --function 2 --seed 2' --position 1000 --width 50")]
    RecurrentDrift(RecurrentDriftArgs),
    /// One of these streams with its classes in other shares (ImbalancedStream of MOA)
    #[command(
        after_help = "Example:\n  moretta generate imbalanced --of random-tree --shares 0.95,0.05"
    )]
    Imbalanced(ImbalancedArgs),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RbfArgs {
    /// How many classes the centroids share
    #[arg(long, default_value_t = 2)]
    pub(crate) classes: u32,
    /// How many numbers a record has
    #[arg(long, default_value_t = 10)]
    pub(crate) attributes: usize,
    /// How many centroids there are
    #[arg(long, default_value_t = 50)]
    pub(crate) centroids: usize,
    /// Decides the centroids; --seed decides the records
    #[arg(long, default_value_t = 1)]
    pub(crate) model_seed: u64,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RbfDriftArgs {
    #[command(flatten)]
    pub(crate) rbf: RbfArgs,
    /// How far a centroid moves for each record
    #[arg(long, default_value_t = 0.0)]
    pub(crate) speed: f64,
    /// How many centroids move
    #[arg(long, default_value_t = 50)]
    pub(crate) drift_centroids: usize,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct WaveformArgs {
    /// Add 19 attributes of mere noise
    #[arg(long)]
    pub(crate) noise: bool,
    /// How many attributes change places (WaveformGeneratorDrift of MOA)
    #[arg(long)]
    pub(crate) drift_attributes: Option<usize>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct SeaArgs {
    /// The concept, 1 to 4
    #[arg(long, default_value_t = 1)]
    pub(crate) function: u32,
    /// How many percent of the classes are wrong
    #[arg(long, default_value_t = 10)]
    pub(crate) noise: u32,
    /// Let the classes take turns
    #[arg(long)]
    pub(crate) balanced: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct LedArgs {
    /// How many percent of the segments are wrong
    #[arg(long, default_value_t = 10)]
    pub(crate) noise: u32,
    /// Leave out the 17 attributes that mean nothing
    #[arg(long)]
    pub(crate) only_relevant: bool,
    /// How many segments change places with attributes that mean nothing (LEDGeneratorDrift of MOA)
    #[arg(long, default_value_t = 0)]
    pub(crate) drift_attributes: usize,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct AgrawalArgs {
    /// The concept, 1 to 10
    #[arg(long, default_value_t = 1)]
    pub(crate) function: u32,
    /// How far numbers stray, as a part of their range
    #[arg(long, default_value_t = 0.05)]
    pub(crate) perturbation: f64,
    /// Let the classes take turns
    #[arg(long)]
    pub(crate) balanced: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct HyperplaneArgs {
    /// How many numbers a record has
    #[arg(long, default_value_t = 10)]
    pub(crate) attributes: usize,
    /// How many of them change their weight
    #[arg(long, default_value_t = 2)]
    pub(crate) drift_attributes: usize,
    /// By how much a weight changes with each record
    #[arg(long, default_value_t = 0.0)]
    pub(crate) magnitude: f64,
    /// How many percent of the classes are wrong
    #[arg(long, default_value_t = 5)]
    pub(crate) noise: u32,
    /// How often, in percent, a change turns round
    #[arg(long, default_value_t = 10)]
    pub(crate) turning: u32,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RandomTreeArgs {
    /// How many classes the leaves share
    #[arg(long, default_value_t = 2)]
    pub(crate) classes: u32,
    /// How many attributes are nominal
    #[arg(long, default_value_t = 5)]
    pub(crate) nominals: usize,
    /// How many attributes are numbers
    #[arg(long, default_value_t = 5)]
    pub(crate) numbers: usize,
    /// How many values a nominal attribute has
    #[arg(long, default_value_t = 5)]
    pub(crate) values: u32,
    /// The depth at which every node is a leaf
    #[arg(long, default_value_t = 5)]
    pub(crate) depth: u32,
    /// The depth from which on nodes can be leaves
    #[arg(long, default_value_t = 3)]
    pub(crate) first_leaf: u32,
    /// The share of leaves from there on
    #[arg(long, default_value_t = 0.15)]
    pub(crate) leaves: f64,
    /// Decides the tree; --seed decides the records
    #[arg(long, default_value_t = 1)]
    pub(crate) model_seed: u64,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct SineArgs {
    /// The concept, 1 to 4
    #[arg(long, default_value_t = 1)]
    pub(crate) function: u32,
    /// Leave out the 2 attributes that mean nothing
    #[arg(long)]
    pub(crate) only_relevant: bool,
    /// Let the classes take turns
    #[arg(long)]
    pub(crate) balanced: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct MixedArgs {
    /// The concept, 1 or 2
    #[arg(long, default_value_t = 1)]
    pub(crate) function: u32,
    /// Let the classes take turns
    #[arg(long)]
    pub(crate) balanced: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct StaggerArgs {
    /// The concept, 1 to 3
    #[arg(long, default_value_t = 1)]
    pub(crate) function: u32,
    /// Let the classes take turns
    #[arg(long)]
    pub(crate) balanced: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RecurrentDriftArgs {
    #[command(flatten)]
    pub(crate) drift: DriftArgs,
    /// How many records the second stream lasts each time
    #[arg(long, default_value_t = 100)]
    pub(crate) duration: u32,
    /// How many records lie between two times
    #[arg(long, default_value_t = 200)]
    pub(crate) pause: u32,
    /// How many times it comes
    #[arg(long, default_value_t = 4)]
    pub(crate) times: u32,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ImbalancedArgs {
    /// The stream, with its options
    #[arg(long, value_name = "STREAM", value_parser = part)]
    pub(crate) of: Box<Part>,
    /// The share of each class, the first class first
    #[arg(long, value_delimiter = ',', default_values_t = [0.9, 0.1])]
    pub(crate) shares: Vec<f64>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DriftArgs {
    /// The first stream, with its options
    #[arg(long, value_name = "STREAM", value_parser = part)]
    pub(crate) from: Box<Part>,
    /// The stream that follows
    #[arg(long, value_name = "STREAM", value_parser = part)]
    pub(crate) to: Box<Part>,
    /// The record around which the change happens
    #[arg(long, default_value_t = 0.0)]
    pub(crate) position: f64,
    /// How many records the change takes
    #[arg(long, default_value_t = 1000.0)]
    pub(crate) width: f64,
}

/// A stream that is part of another.
#[derive(Clone, Debug, Parser)]
#[command(
    no_binary_name = true,
    disable_help_flag = true,
    disable_help_subcommand = true
)]
pub(crate) struct Part {
    #[command(subcommand)]
    pub(crate) stream: Moa,
    /// Decides its records
    #[arg(long, global = true, default_value_t = 1)]
    pub(crate) seed: u64,
}

fn part(text: &str) -> Result<Box<Part>, String> {
    let words = words(text)?;
    Part::try_parse_from(words).map(Box::new).map_err(|error| {
        let told = error.to_string();
        let first = told.lines().next().unwrap_or_default();
        first.trim_start_matches("error: ").to_owned()
    })
}

/// Words between spaces; parentheses hold words together and are taken off.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        let outside = depth == 0;
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1).ok_or("a parenthesis closes nothing")?,
            _ => {}
        }
        let held = !outside && depth > 0;
        match c {
            _ if held => word.push(c),
            '(' | ')' => {}
            c if outside && c.is_whitespace() => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    if depth > 0 {
        return Err("a parenthesis is not closed".to_owned());
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_hold_words_together() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(words(text).expect(text), expected, "{text}");
        };
        check("sea", &["sea"]);
        check("  sea  --function 2 ", &["sea", "--function", "2"]);
        check(
            "drift --from (sea --seed 2)",
            &["drift", "--from", "sea --seed 2"],
        );
        check("a (b (c d) e) f", &["a", "b (c d) e", "f"]);
        check("", &[]);
        words("sea)").expect_err("closes nothing");
        words("(sea").expect_err("not closed");
    }

    #[test]
    fn a_part_says_what_is_wrong_with_it() {
        let told = part("sea --fnction 2").expect_err("a slip");
        assert!(told.contains("--fnction"), "{told}");
        part("hospital").expect_err("not a stream of records");
        part("sea --rows 5").expect_err("the whole has the rows");
        assert_eq!(part("sea --seed 9").expect("a stream").seed, 9);
    }
}

//! What `moretta learn` compares, and how.

use super::ReadingArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Figures, in percent:
  accuracy, F1 (mean over the classes), recall    over all results but --warm-up
  kappa, kappa-M, kappa-T    what is better than chance, than always saying the most
                             frequent class, than saying the last class again
  \u{b1} SD                       sample deviation of accuracy over blocks of 100 results
  tested on                  what learnt from protected rows is tested on both: on original
                             rows, as who applies it to persons does, and on protected ones
  lost                       accuracy of the learner of originals less that of this one
  faded                      accuracy with each older result counting --fading of the next

Nothing is written but the page and the model. Rows are protected in memory, so the
table must fit. The figures come from the originals: they are yours, not for publication.

A saved model holds the names of columns, categories and classes and what was learnt,
`knn` even whole records: it is as confidential as the data it learnt from, also where
it learnt from protected rows. Only its owner can read the file. A model goes on with
columns of the same names and types; categories it does not know count as missing,
classes it does not know are an error.

Examples:
  moretta learn noise.toml --learner nb,ht,arf
  moretta learn noise.toml swapping.toml --learner ht --output learning.html
  moretta learn electricity.csv --class class --learner knn --warm-up 1000
  moretta learn monday.csv --class kind --learner ht --save-model tree.model
  moretta learn tuesday.csv --model tree.model --save-model tree.model --force
  moretta learn tuesday.csv --model tree.model --hold-out 1 0    (test only)")]
pub(crate) struct LearnArgs {
    /// Policies, or files that no policy describes (with --class)
    #[arg(required = true, value_name = "POLICY|FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The learners: majority, nb, perceptron, logistic, knn, ht, hat, bagging, arf
    /// [default: nb,ht, or that of --model]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) learner: Vec<String>,
    /// Begin with a model that was saved
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    /// Save the model in the end; of one input, one learner and one side
    #[arg(long, value_name = "FILE")]
    pub(crate) save_model: Option<PathBuf>,
    /// What they learn from [default: both with a policy, `original` with a file]
    #[arg(long, value_delimiter = ',', value_name = "SIDES")]
    pub(crate) compare: Vec<Compare>,
    /// The column to predict [default: that of --model, or the one with the role class]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) class: Option<String>,
    /// Leave the first results out of every figure
    #[arg(long, value_name = "RESULTS", default_value_t = 0)]
    pub(crate) warm_up: u64,
    /// Results that the curves are drawn over
    #[arg(long, value_name = "RESULTS", default_value_t = 1000)]
    pub(crate) window: usize,
    /// What an older result counts beside the next one, where results fade
    #[arg(long, value_name = "FACTOR", default_value_t = 0.999)]
    pub(crate) fading: f64,
    /// Test with a whole chunk of records before it is learnt
    #[arg(long, value_name = "RECORDS", conflicts_with = "hold_out")]
    pub(crate) chunks: Option<usize>,
    /// Test with some records only and learn from the next ones only, in turn
    #[arg(long, num_args = 2, value_names = ["TEST", "TRAIN"])]
    pub(crate) hold_out: Vec<u64>,
    /// For learners that draw random numbers
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where to write the page with the curves
    #[arg(long, short, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a page or a model that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// The folder that no path of a policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// What a learner learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compare {
    /// What would be released
    Protected,
    /// The rows as they are
    Original,
}

//! Options of `moretta attack`.

use super::ReadingArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta attack examples/projection/policy.toml --known 4 --attacks 500
  moretta attack policy.toml --known 9 --epsilon 0.1 --accuracy 0.85 --json
  moretta attack examples/sensors/policy.toml --learner nb
  moretta attack policy.toml
  moretta attack march.csv april.csv --policy policy.toml
  moretta attack out/users.csv --edges out/follows.csv --policy social.toml
  moretta attack examples/federation

What is tried depends on the method of the policy:
  random-projection  reconstruction from known records (--known), from others of the
                     same population (--sample) with the released classes, and from both
  noise              filters that take the noise off, over neighbours where rows leave in
                     their order, and intervals
  rank-swapping      records that are found again, and intervals
  other masks        the release as it is, and intervals round each number, beside what
                     chance gives
  mondrian, generalization, lattice and others that make values coarser
                     homogeneity: one sensitive value in a class; background knowledge:
                     one left when others can be excluded; exact bounds: ends of intervals
                     that are somebody's value; of several files together, intersection:
                     persons who are in the same classes everywhere, and what all their
                     classes have in common. The attacker knows the quasi-identifiers of
                     everybody in the source
  any, with [graph]  on the written files of nodes and edges: how many nodes look alike by
                     attributes, degree, both, and the degrees of neighbours, and how many
                     fit each person of the source by values and degree
  policies with [federation], or a folder of them
                     what the host of a trouble node gets of the sites' cells, alone and with
                     sites that collude, with 1, --known and more known records, for raw,
                     projected and masked fragments, beside who guesses without seeing any;
                     and what the aggregator reads from confidences, and from
                     the bits with them
An attacker knows the method and its parameters, but not its seed. Nothing is written,
and no value is shown. The figures come from the originals: they are yours, not for
publication. Without a `seed` in the policy each call attacks another draw.

Error and breach:
  The error is |guess - original| / |original|, over all numbers of a record: of a
  projection as features from 0 to 1, of other masks in standard deviations from the
  mean of each column. So errors of a projection and of a mask do not compare. A breach is
  an error below --epsilon. The interval of 95 % is about the records of this release; an
  attack that makes one estimate for all records has none, and another draw or sample
  may do much better or worse: try several --seed.
Attacks on projections:
  A-RP, A-RPIN, A-RPCN    the published most probable record, without noise, with
                          independent and with cumulative noise
  ...-1, MAX(..., ...)    with the nearest known record only; whichever of the two has
                          the higher score, which need not be the better one
  marginal                ours: noise is integrated out
  known matrix            with as many known records as features: least squares
  known sample, ...       from other records of the same population, by independent,
                          principal or (ours) fitted components; the mean is what they
                          must beat
  fitted matrix           ours: the matrix that takes the sample to the release, class by
                          class, and known records to what they became; with noise taken
                          off over neighbours where the order of the rows is released;
                          without any known record (known by sample); and with records
                          whose rows are not known (linked first); mean of the class is
                          what they must beat
Attacks on noise:
  spectral filter, principal components, linear Bayes    each takes noise off; release as
                          it is takes none
  linear Bayes over neighbours    the same from the rows around each one, near by and
                          where the release repeats itself; tried where the order of the
                          rows is released (a `buffer`, or order = \"input\")
Links of rank swapping:
  nearest record          the released record nearest to a known original
  rank intersection       what is within the public `within` ranks on every column; one of
                          several candidates is taken by lot
Links by some columns, of every method whose columns are those of the originals:
  known columns           the released record nearest on the columns that somebody knows,
                          for every set of them; --json has all sets")]
pub(crate) struct AttackArgs {
    /// A policy, what it would release is attacked; or, with --policy, released files
    #[arg(required = true, value_name = "POLICY|RELEASE")]
    pub(crate) files: Vec<PathBuf>,
    /// The policy of the released files
    #[arg(long, value_name = "POLICY")]
    pub(crate) policy: Option<PathBuf>,
    /// The released edges of a graph [default: where the policy writes them]
    #[arg(long, value_name = "FILE")]
    pub(crate) edges: Option<PathBuf>,
    /// The folder that no path of the policy may leave [default: the policy's own]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// Refuse a table that needs more memory, such as 4GB [default: the policy's limit, or three quarters of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::parse)]
    pub(crate) memory: Option<u64>,
    /// Records of a projection that the attacker knows, with what they became
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) known: u32,
    /// Records that are attacked one by one; other attacks are on all at once
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) attacks: u32,
    /// A relative error below this is a breach
    #[arg(long, default_value_t = 0.2, value_parser = share)]
    pub(crate) epsilon: f64,
    /// Records of the same population, none of them released, that attackers of a
    /// projection have [default: 1000, at most half of the rows]
    #[arg(long, value_name = "RECORDS", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) sample: Option<u32>,
    /// How the most probable record is searched for
    #[arg(long, value_enum, default_value_t = OptimizerArg::Lbfgs)]
    pub(crate) optimizer: OptimizerArg,
    /// Points that each search starts from
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) starts: u32,
    /// Accuracy of a learner on the release; adds the privacy-accuracy magnitude
    #[arg(long, value_parser = share, conflicts_with = "learner")]
    pub(crate) accuracy: Option<f64>,
    /// Measure that accuracy with majority, nb, perceptron, logistic, knn, ht, hat,
    /// bagging, arf or drift, with options in parentheses
    #[arg(long, value_name = "NAME")]
    pub(crate) learner: Option<String>,
    /// The column to predict [default: the one with the role class]
    #[arg(long, value_name = "COLUMN", requires = "learner")]
    pub(crate) class: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Chooses records and starts
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum OptimizerArg {
    /// Along gradients: fast
    Lbfgs,
    /// By values alone: as published
    NelderMead,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n| (0.0..=1.0).contains(n));
    number.ok_or_else(|| "a number from 0 to 1 is needed".to_owned())
}

//! Options of `moretta tune`.

use super::PolicyArgs;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  moretta tune policy.toml --vary sigma=0.01..1 --goal accuracy_loss=0.02
  moretta tune examples/hospital/policy.toml --vary k=2..50 --goal gcp=0.3 --goal marketer_risk=0.2

The policy is tried with other values of one number: a parameter of its method, or k of
its guarantee. The value that protects most and keeps every goal (a measure of the
report, at most the limit) is printed as a line for the policy. Nothing is written, and
private methods are refused: each look at the data would cost budget. Where a method draws
by chance, --draws takes the mean over several seeds. `accuracy_loss` is tested on original
rows, of projections on released ones, and `accuracy_loss_masked` always on released ones.

Exit code 6: no value that was tried meets all goals; the nearest is told.")]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// The number to vary, with its smallest and greatest value; `noise.amount` where several methods have an `amount`
    #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = vary)]
    pub(crate) vary: Vary,
    /// A measure and what it may be at most; may be given several times
    #[arg(long = "goal", value_name = "MEASURE=LIMIT", required = true, value_parser = goal)]
    pub(crate) goals: Vec<(String, f64)>,
    /// Values that are tried first, from end to end
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) steps: u32,
    /// Values that are tried between the best of these and the next
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) bisections: u32,
    /// How the first values lie apart [default: log where they grow tenfold or more]
    #[arg(long, value_enum)]
    pub(crate) scale: Option<ScaleArg>,
    /// Which end protects more [default: what is known of the number]
    #[arg(long, value_enum)]
    pub(crate) prefer: Option<PreferArg>,
    /// For random numbers, where the policy has no seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Releases whose mean is measured, each of another seed, where a method draws by chance
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) draws: u32,
}

/// A number of the policy and its ends.
#[derive(Clone, Debug)]
pub(crate) struct Vary {
    pub(crate) name: String,
    pub(crate) between: [f64; 2],
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScaleArg {
    /// By equal differences
    Linear,
    /// By equal ratios
    Log,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PreferArg {
    /// The greater value
    High,
    /// The smaller value
    Low,
}

fn vary(text: &str) -> Result<Vary, String> {
    let parts = text.split_once('=').and_then(|(name, ends)| {
        let (low, high) = ends.split_once("..")?;
        let number = |text: &str| text.trim().parse::<f64>().ok();
        Some(Vary {
            name: name.trim().to_owned(),
            between: [number(low)?, number(high)?],
        })
    });
    parts.ok_or_else(|| "a name and two numbers are needed, as in sigma=0.01..1".to_owned())
}

fn goal(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=').and_then(|(name, limit)| {
        let limit: f64 = limit.trim().parse().ok()?;
        let name = name.trim().trim_end_matches('<').trim();
        limit.is_finite().then(|| (name.to_owned(), limit))
    });
    parts.ok_or_else(|| "a measure and a number are needed, as in accuracy_loss=0.02".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_goals_are_read_and_nonsense_is_not() {
        let found = vary("sigma=0.01..1e1").expect("a range");
        assert_eq!(
            (found.name.as_str(), found.between),
            ("sigma", [0.01, 10.0])
        );
        for odd in ["sigma", "sigma=1", "sigma=1..", "sigma=..2", "sigma=a..b"] {
            assert!(vary(odd).is_err(), "{odd}");
        }
        let expected = ("gcp".to_owned(), 0.3);
        assert_eq!(goal("gcp=0.3"), Ok(expected.clone()));
        assert_eq!(goal("gcp <= 0.3"), Ok(expected));
        for odd in ["gcp", "gcp=", "gcp=inf", "gcp=low"] {
            assert!(goal(odd).is_err(), "{odd}");
        }
    }
}

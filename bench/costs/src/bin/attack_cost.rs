//! What a MAP attack on a projection costs: one evaluation of the density and one attack.
//!
//! m = k = 10 features and p = 9 known records. The density is evaluated with the
//! covariance of all k·p numbers, and by the block that it consists of. The attack of
//! the paper searches with a simplex; ours goes along gradients. All attack the same
//! records, from one start where the known ones lie. Prints JSON; bench/attacks makes a table of it.
//!
//! ```text
//! cargo run --release --workspace --bin attack_cost
//! ```

// The files below say `crate::attack` and `crate::math`.
use moretta::{attack, math};
use moretta_costs::{Outcome, cpu_seconds};

// Private parts of the library, compiled once more: no policy should reach them.
#[path = "../../../../crates/moretta/src/attack/reconstruction/likelihood.rs"]
mod likelihood;
#[path = "../../../../crates/moretta/src/attack/reconstruction/naive.rs"]
mod naive;

use attack::reconstruction::{Attack, Blur, Evidence, Optimizer, Search, reconstruct};
use likelihood::Likelihood;
use math::optimize::{Objective, nelder_mead};
use math::uniform::Uniform;
use naive::{FullCovariance, Projected, relative};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::hint::black_box;

const M: usize = 10;
const K: usize = 10;
const KNOWN: usize = 9;
/// Records that are attacked, and how often each with the fast forms.
const ATTACKED: usize = 40;
const AGAIN: usize = 100;

#[expect(clippy::print_stdout, reason = "the result is for the caller")]
fn main() -> Outcome<()> {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(1);
    let projected: Vec<Projected> = (0..ATTACKED)
        .map(|_| Projected::draw(M, K, KNOWN + 1, &mut generator))
        .collect();
    let cases: Vec<Evidence<'_>> = projected.iter().map(Projected::evidence).collect();
    let full = mean_seconds(&cases, AGAIN / 10, |case| {
        black_box(FullCovariance(case).value(&[0.5; M]));
    })?;
    let [block, gradients] = evaluation_by_block(&cases)?;
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(2);
    let published = mean_seconds(&cases, 1, |case| {
        let start: Vec<f64> = (0..M).map(|_| generator.draw()).collect();
        black_box(nelder_mead(
            &mut FullCovariance(case),
            &start,
            1e-4,
            200 * M,
        ));
    })?;
    let mut attack = |optimizer, again| {
        let search = Search {
            optimizer,
            starts: 1,
        };
        mean_seconds(&cases, again, |case| {
            let (attack, generator) = (Attack::Projection, &mut generator);
            black_box(reconstruct(
                attack,
                case,
                Blur::None,
                false,
                search,
                generator,
            ));
        })
    };
    let simplex = attack(Optimizer::NelderMead, AGAIN / 10)?;
    let lbfgs = attack(Optimizer::Lbfgs, AGAIN)?;
    println!(
        "{{\"evaluation\":{{\"full\":{full:e},\"block\":{block:e},\"gradients\":{gradients:e}}},\
         \"attack\":{{\"full\":{published:e},\"simplex\":{simplex:e},\"lbfgs\":{lbfgs:e}}}}}"
    );
    Ok(())
}

/// Seconds of a value, and of a value with its gradients, the known records being
/// factored as they are once an attack.
fn evaluation_by_block(cases: &[Evidence<'_>]) -> Outcome<[f64; 2]> {
    let mut seconds = [0.0; 2];
    for case in cases {
        let mut inputs = relative(&case.inputs, &[0.5; M]);
        let mut outputs = relative(&case.outputs, case.output);
        // One known record is what all are relative to.
        let known = KNOWN - 1;
        let (input, output) = (inputs.split_off(known * M), outputs.split_off(known * K));
        let mut density = Likelihood::new(M, K, inputs, outputs, &[0.0; KNOWN * KNOWN]);
        let (mut by_input, mut by_output) = ([0.0; M], [0.0; K]);
        let one = std::slice::from_ref(case);
        seconds[0] += mean_seconds(one, AGAIN * AGAIN, |_| {
            black_box(density.value(black_box(&input), &output));
        })?;
        seconds[1] += mean_seconds(one, AGAIN * AGAIN, |_| {
            let (x, y) = (black_box(&input), &output);
            black_box(density.gradients(x, y, &mut by_input, &mut by_output));
        })?;
    }
    Ok(seconds.map(|sum| sum / cases.len() as f64))
}

/// CPU seconds of a run on a case.
fn mean_seconds(
    cases: &[Evidence<'_>],
    again: usize,
    mut run: impl FnMut(&Evidence<'_>),
) -> Outcome<f64> {
    let started = cpu_seconds()?;
    for _ in 0..again {
        cases.iter().for_each(&mut run);
    }
    Ok((cpu_seconds()? - started) / (again * cases.len()) as f64)
}

//! The slide negative binomial model (Chen and McNulty 1998): a class of the population has one
//! person and as many more as a negative binomial number says.
//!
//! With K classes, f the sampling fraction, q = 1 - b, z = 1 - f and x = 1 - qz, a sample has
//! c₁ = K f (b/x)^a (1 + aqz/x) classes of one person and
//! c₂ = K f² a q b^a (2 - (1 - a)qz) / (2 x^(a+2)) of two; K bᵃ persons are unique. K is
//! estimated by Shlosser's third form, a and b are solved for.

use super::Sample;

/// Both logarithms agree to this.
const RESIDUAL: f64 = 1e-10;

/// Steps from one start.
const STEPS: usize = 200;

/// How many persons of the population are alone; none where the model does not fit.
pub(super) fn uniques(sample: &Sample) -> Option<f64> {
    let wanted = [sample.of_size(1.0).ln(), sample.of_size(2.0).ln()];
    if !wanted.iter().all(|log| log.is_finite()) {
        return None;
    }
    let model = Snb {
        classes: shlosser(sample),
        fraction: sample.fraction(),
        wanted,
    };
    let starts = [0.5f64, 0.1, 0.02, 2.0, 0.004, 8.0].into_iter();
    let starts = starts.flat_map(|a| {
        let shares = [0.1f64, 0.01, 0.5, 0.001, 0.9].into_iter();
        shares.map(move |b| [a.ln(), (b / (1.0 - b)).ln()])
    });
    let solved = starts.filter(|_| model.classes.is_finite());
    let [a, b] = solved.into_iter().find_map(|start| model.newton(start))?;
    let (a, b) = (a.exp(), logistic(b));
    let uniques = model.classes * b.powf(a);
    (0.0..=sample.population)
        .contains(&uniques)
        .then_some(uniques)
}

/// Classes of the population, by Shlosser's estimator in its third form.
fn shlosser(sample: &Sample) -> f64 {
    let f = sample.fraction();
    let sum = |term: &dyn Fn(f64) -> f64| -> f64 {
        let classes = sample.classes.iter();
        classes.map(|&(size, count)| count * term(size)).sum()
    };
    let rest = 1.0 - f;
    let square = f * f;
    let first = sum(&|i| i * square * (1.0 - square).powf(i - 1.0))
        / sum(&|i| rest.powf(i) * ((1.0 + f).powf(i) - 1.0));
    let second = sum(&|i| rest.powf(i)) / sum(&|i| i * f * rest.powf(i - 1.0));
    sample.count() + sample.of_size(1.0) * first * second * second
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

struct Snb {
    classes: f64,
    fraction: f64,
    /// Logarithms of c₁ and c₂.
    wanted: [f64; 2],
}

impl Snb {
    /// By how much the logarithms of c₁ and c₂ are missed at log a and logit b.
    fn missed(&self, [a, b]: [f64; 2]) -> [f64; 2] {
        let (log_a, a, b) = (a, a.exp(), logistic(b));
        let f = self.fraction;
        let (q, z) = (1.0 - b, 1.0 - f);
        let x = 1.0 - q * z;
        let base = self.classes.ln() + f.ln() + a * (b / x).ln();
        let one = base + (1.0 + a * q * z / x).ln();
        let two =
            base + f.ln() + log_a + q.ln() + (2.0 - (1.0 - a) * q * z).ln() - (2.0 * x * x).ln();
        [one - self.wanted[0], two - self.wanted[1]]
    }

    /// Newton's steps with slopes by differences, halved while they lead further away.
    fn newton(&self, start: [f64; 2]) -> Option<[f64; 2]> {
        let (mut here, mut missed) = (start, self.missed(start));
        let distance = |missed: [f64; 2]| missed[0].hypot(missed[1]);
        for _ in 0..STEPS {
            if distance(missed) <= RESIDUAL {
                return Some(here);
            }
            let [by_a, by_b] = [0, 1].map(|place| self.slope(here, place));
            let determinant = by_a[0] * by_b[1] - by_b[0] * by_a[1];
            let step = [
                (by_b[0] * missed[1] - by_b[1] * missed[0]) / determinant,
                (by_a[1] * missed[0] - by_a[0] * missed[1]) / determinant,
            ];
            let mut share = 1.0;
            loop {
                let there = [here[0] + share * step[0], here[1] + share * step[1]];
                let next = self.missed(there);
                if distance(next) < distance(missed) {
                    (here, missed) = (there, next);
                    break;
                }
                share /= 2.0;
                if share < 1e-9 {
                    return None;
                }
            }
        }
        None
    }

    fn slope(&self, here: [f64; 2], place: usize) -> [f64; 2] {
        const WIDTH: f64 = 1e-6;
        let at = |change: f64| {
            let mut there = here;
            there[place] += change;
            self.missed(there)
        };
        let (up, down) = (at(WIDTH), at(-WIDTH));
        [0, 1].map(|i| (up[i] - down[i]) / (2.0 * WIDTH))
    }
}

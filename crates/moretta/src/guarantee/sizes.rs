//! Promises about the sizes of classes: k-anonymity, maximum and average risk, and k-map where
//! the population is known by its size alone.

use super::findings::ClaimFinding;
use super::worst::Worst;
use super::{Guarantee, Population};

/// Divisions of counts may differ from the figures of a policy by such a share of them.
const ROUNDING: f64 = 1e-12;

/// What is promised of sizes, in the order of the models.
pub(super) fn claims(guarantee: &Guarantee, sizes: &[u32]) -> Vec<ClaimFinding> {
    let k = guarantee.k.map(|k| k_claim(k, sizes));
    let maximum = guarantee
        .maximum_risk
        .map(|risk| maximum_claim(risk, sizes));
    let average = guarantee
        .average_risk
        .map(|risk| average_claim(risk, sizes));
    let map = guarantee.k_map.as_ref();
    let map = map.and_then(|map| match map.population {
        Population::Table(_) => None,
        Population::Estimated {
            fraction,
            alpha,
            truncated,
        } => {
            let least = least_in_sample(map.k, fraction, alpha, truncated);
            Some(estimated_claim(map.k, least, sizes))
        }
    });
    [k, maximum, average, map].into_iter().flatten().collect()
}

fn at_least(least: u32, sizes: &[u32]) -> Worst {
    let figures = sizes.iter().map(|&size| f64::from(size));
    Worst::of(figures, |size| size >= f64::from(least), f64::min)
}

fn k_claim(k: u32, sizes: &[u32]) -> ClaimFinding {
    at_least(k, sizes).claim(
        "k-anonymity".to_owned(),
        format!("at least {k}"),
        f64::from(k),
    )
}

fn maximum_claim(risk: f64, sizes: &[u32]) -> ClaimFinding {
    let risks = sizes.iter().map(|&size| 1.0 / f64::from(size));
    Worst::of(risks, |found| found <= risk * (1.0 + ROUNDING), f64::max).claim(
        "maximum risk".to_owned(),
        format!("at most {risk}"),
        risk,
    )
}

/// A person who is in several classes counts in each.
fn average_claim(risk: f64, sizes: &[u32]) -> ClaimFinding {
    let persons: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
    let average = (persons > 0).then(|| sizes.len() as f64 / persons as f64);
    let whole = Worst::of(
        average.into_iter(),
        |found| found <= risk * (1.0 + ROUNDING),
        f64::max,
    );
    let mut claim = whole.claim("average risk".to_owned(), format!("at most {risk}"), risk);
    if !claim.holds {
        claim.failing_classes = sizes.len() as u64;
    }
    claim
}

fn estimated_claim(k: u32, least: u32, sizes: &[u32]) -> ClaimFinding {
    at_least(least, sizes).claim(
        "k-map by estimate".to_owned(),
        format!("at least {least}, which stands for {k} of the population"),
        f64::from(least),
    )
}

/// One more than the number that a Poisson distributed one with mean k × fraction exceeds with
/// probability alpha at most; k at most.
fn least_in_sample(k: u32, fraction: f64, alpha: f64, truncated: bool) -> u32 {
    let mean = f64::from(k) * fraction;
    let probability = |count: u32| {
        let logarithms = (1..=count).map(|i| f64::from(i).ln());
        (f64::from(count) * mean.ln() - mean - logarithms.sum::<f64>()).exp()
    };
    let (first, all) = match truncated {
        true => (1, 1.0 - (-mean).exp()),
        false => (0, 1.0),
    };
    let mut up_to = 0.0;
    for count in first..k {
        up_to += probability(count) / all;
        if up_to >= 1.0 - alpha {
            return count + 1;
        }
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_six_in_a_tenth_stands_for_twenty() {
        for (k, fraction, alpha, truncated, least) in [
            (20, 0.1, 0.05, false, 6),
            (20, 0.1, 0.05, true, 6),
            (20, 0.1, 0.06, false, 5),
            (20, 0.1, 0.06, true, 6),
            (3, 1.0, 0.001, false, 3),
            (5, 1e-9, 0.5, false, 1),
        ] {
            assert_eq!(least_in_sample(k, fraction, alpha, truncated), least);
        }
    }

    #[test]
    fn risks_of_sizes() {
        let guarantee = |risk| Guarantee {
            maximum_risk: Some(risk),
            average_risk: Some(risk),
            ..Guarantee::default()
        };
        let found = |risk, sizes: &[u32]| -> Vec<(f64, bool, u64)> {
            let claims = claims(&guarantee(risk), sizes).into_iter();
            let figures = claims.map(|c| (c.found.expect("rows"), c.holds, c.failing_classes));
            figures.collect()
        };
        assert_eq!(found(0.5, &[2, 2, 4]), [(0.5, true, 0), (0.375, true, 0)]);
        assert_eq!(
            found(0.37, &[2, 2, 4]),
            [(0.5, false, 2), (0.375, false, 3)]
        );
        // The least k of a risk is what the checker wants, also where one over it is rounded.
        for k in 1..2000_u32 {
            let risk = 1.0 / f64::from(k);
            assert_eq!(guarantee(risk).class_size(), Some(k));
            assert!(found(risk, &[k]).iter().all(|(_, holds, _)| *holds));
        }
    }
}

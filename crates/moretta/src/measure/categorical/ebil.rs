//! Entropy-based information loss, EBIL: what is not known of a value when its masked value is.
//!
//! `H(V | V' = j) = - Σ p(i | j) · log2 p(i | j)`, in bits, added up over masked records. The
//! chances are those of the file, `p(i | j) = n[i][j] / n[·][j]`, or, where a PRAM matrix P was
//! published, by Bayes `p(i | j) ∝ T(i) · P[i][j]`. As a percentage it is
//! `100 · Σ H / (n · Σ log2 L)` over the attributes with L categories each.

/// Σ x · log2 x over counts, in 2⁻⁴⁰ bits: sums of whole numbers do not depend on their order, so
/// that a file that was changed cell by cell has the entropy of one that is counted anew.
#[derive(Clone, Debug, Default)]
pub(super) struct Ebil {
    sum: i128,
}

const BIT: f64 = (1_u64 << 40) as f64;

impl Ebil {
    /// `weight` was added where there were `both` of a pair of categories and `masked` of the
    /// masked one.
    #[inline]
    pub(super) fn add(&mut self, terms: &Terms, (both, masked): (u64, u64), weight: i64) {
        let change = |count: u64| terms.of(count.wrapping_add_signed(weight)) - terms.of(count);
        self.sum += change(masked) - change(both);
    }

    /// The entropy of originals given their masked values, in bits over all records.
    pub(super) fn bits(&self) -> f64 {
        // Both sums are rounded, so that no entropy may be a little less than none.
        self.sum.max(0) as f64 / BIT
    }
}

/// x · log2 x of small x, found once: a changed value asks for eight of them.
#[derive(Clone, Debug)]
pub(super) struct Terms(Vec<i64>);

/// Counts whose terms are kept.
const KEPT: u64 = 1 << 16;

impl Terms {
    /// For counts of up to so many rows.
    pub(super) fn new(rows: u64) -> Self {
        Terms((0..=rows.min(KEPT)).map(|x| x_log_x(x) as i64).collect())
    }

    #[inline]
    fn of(&self, x: u64) -> i128 {
        match self.0.get(x as usize) {
            Some(&term) => i128::from(term),
            None => x_log_x(x),
        }
    }
}

fn x_log_x(x: u64) -> i128 {
    if x < 2 {
        return 0;
    }
    let scaled = x as f64 * (x as f64).log2() * BIT;
    // Most fit into 64 bits, which is the faster conversion.
    if scaled < i64::MAX as f64 {
        i128::from(scaled as i64)
    } else {
        scaled as i128
    }
}

/// H(V | V' = j) of each masked category j, in bits, from the frequencies of the originals and a
/// matrix of the chances `matrix[i][j]` that i becomes j. A category that can not occur has 0.
pub fn entropy_given_masked(frequencies: &[f64], matrix: &[Vec<f64>]) -> Vec<f64> {
    let entropy = |masked: usize| {
        let rows = frequencies.iter().zip(matrix);
        let joint: Vec<f64> = rows
            .map(|(frequency, row)| frequency * row.get(masked).copied().unwrap_or(0.0))
            .collect();
        let total: f64 = joint.iter().sum();
        let shares = joint.iter().map(|chance| chance / total);
        let positive = shares.filter(|&share| share > 0.0);
        positive.map(|share| -share * share.log2()).sum::<f64>()
    };
    (0..frequencies.len()).map(entropy).collect()
}

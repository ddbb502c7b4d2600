//! A printed figure: it stands for all values that would be printed the same.

/// How the tables shorten a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortening {
    Rounded,
    Truncated,
}

/// A figure as it was printed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) text: String,
    pub(crate) value: f64,
    /// One in the last printed place.
    unit: f64,
    shortening: Shortening,
}

impl Figure {
    /// From a text such as `0.956` or `3.122E+11`.
    pub(crate) fn parse(text: &str, shortening: Shortening) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let (mantissa, exponent) = text.split_once('E').unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let decimals = mantissa.split_once('.').map_or(0, |(_, tail)| tail.len());
        Some(Figure {
            text: text.to_owned(),
            value,
            unit: 10_f64.powi(exponent - decimals as i32),
            shortening,
        })
    }

    /// How far a value lies beyond all values that this figure may stand for, as
    /// a part of the figure; 0 when it may stand for it.
    pub(crate) fn gap(&self, value: f64) -> f64 {
        let unit = self.unit;
        let (low, high) = match self.shortening {
            Shortening::Rounded => (self.value - unit / 2.0, self.value + unit / 2.0),
            Shortening::Truncated => (self.value, self.value + unit),
        };
        (low - value).max(value - high).max(0.0) / self.value.abs().max(unit)
    }

    /// Whether the value would be printed as this figure.
    pub(crate) fn stands_for(&self, value: f64) -> bool {
        // The ends of the range are themselves rounded.
        self.gap(value) < 1e-9
    }

    /// The relative difference of a value from the figure as it stands.
    pub(crate) fn difference(&self, value: f64) -> f64 {
        (value - self.value) / self.value.abs().max(self.unit)
    }
}

/// `3.122E+11`, as spreadsheets write it.
pub(crate) fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}E{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_stands_for_what_would_be_printed_the_same() {
        let check = |printed: &str, shortening, value, stands: bool| {
            let figure = Figure::parse(printed, shortening).expect("a figure");
            assert_eq!(figure.stands_for(value), stands, "{printed} {value}");
        };
        use Shortening::{Rounded, Truncated};
        check("0.956", Truncated, 0.95669, true);
        check("0.957", Rounded, 0.95669, true);
        check("0.957", Truncated, 0.95669, false);
        check("1.000", Truncated, 1.0, true);
        check("1123.97", Truncated, 1123.9735, true);
        // A half is rounded up or down, depending on who prints.
        check("0.005", Rounded, 0.0045, true);
        check("0.004", Rounded, 0.0045, true);
        check("0.004", Rounded, 0.0046, false);
        check("3.129E+07", Rounded, 31_293_384.63, true);
        check("3.129E+07", Rounded, 31_299_384.63, false);
        assert_eq!(Figure::parse("n/a", Rounded), None);
        assert_eq!(scientific(3.1221e11, 3), "3.122E+11");
        assert_eq!(scientific(1.5e-3, 1), "1.5E-03");
    }

    #[test]
    fn the_gap_is_relative_and_starts_where_the_figure_ends() {
        let figure = Figure::parse("0.100", Shortening::Rounded).expect("a figure");
        assert_eq!(figure.gap(0.1004), 0.0);
        assert!((figure.gap(0.1015) - 0.01).abs() < 1e-9);
        assert!((figure.gap(0.0985) - 0.01).abs() < 1e-9);
        assert!((figure.difference(0.101) - 0.01).abs() < 1e-9);
    }
}

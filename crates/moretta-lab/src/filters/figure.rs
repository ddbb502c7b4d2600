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
    decimals: usize,
    scientific: bool,
    shortening: Shortening,
}

impl Figure {
    /// From a text such as `0.956` or `3.122E+11`.
    pub(crate) fn parse(text: &str, shortening: Shortening) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let (mantissa, scientific) = match text.split_once('E') {
            Some((mantissa, _)) => (mantissa, true),
            None => (text, false),
        };
        let decimals = mantissa.split_once('.').map_or(0, |(_, tail)| tail.len());
        Some(Figure {
            text: text.to_owned(),
            value,
            decimals,
            scientific,
            shortening,
        })
    }

    /// Another value, printed as this one was.
    pub(crate) fn write_like(&self, value: f64) -> String {
        let decimals = self.decimals;
        if self.scientific {
            return scientific(value, decimals);
        }
        let unit = 10_f64.powi(decimals as i32);
        match self.shortening {
            Shortening::Rounded => format!("{value:.decimals$}"),
            Shortening::Truncated => format!("{:.decimals$}", (value * unit).floor() / unit),
        }
    }

    /// How far a value lies beyond all values that this figure may stand for, as
    /// a part of the figure; 0 when it may stand for it.
    pub(crate) fn gap(&self, value: f64) -> f64 {
        let unit = self.unit();
        let (low, high) = match self.shortening {
            Shortening::Rounded => (self.value - unit / 2.0, self.value + unit / 2.0),
            Shortening::Truncated => (self.value, self.value + unit),
        };
        (low - value).max(value - high).max(0.0) / self.value.abs().max(unit)
    }

    /// The relative difference of a value from the figure as it stands.
    pub(crate) fn difference(&self, value: f64) -> f64 {
        (value - self.value) / self.value.abs().max(self.unit())
    }

    /// One in the last printed place.
    fn unit(&self) -> f64 {
        let exponent = match self.text.split_once('E') {
            Some((_, exponent)) => exponent.parse().unwrap_or(0),
            None => 0,
        };
        10_f64.powi(exponent - self.decimals as i32)
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
    fn values_are_written_as_the_tables_write_them() {
        let check = |printed: &str, shortening, value, expected: &str, gap: bool| {
            let figure = Figure::parse(printed, shortening).expect("a figure");
            assert_eq!(figure.write_like(value), expected, "{printed}");
            assert_eq!(figure.gap(value) == 0.0, !gap, "{printed} {value}");
        };
        use Shortening::{Rounded, Truncated};
        check("0.956", Truncated, 0.95669, "0.956", false);
        check("0.957", Rounded, 0.95669, "0.957", false);
        check("0.957", Truncated, 0.95669, "0.956", true);
        check("1.000", Truncated, 1.0, "1.000", false);
        check("1123.97", Truncated, 1123.9735, "1123.97", false);
        check("3.129E+07", Rounded, 31_293_384.63, "3.129E+07", false);
        check("3.129E+07", Rounded, 31_299_384.63, "3.130E+07", true);
        assert_eq!(scientific(1.5e-3, 1), "1.5E-03");
        assert_eq!(Figure::parse("n/a", Rounded), None);
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

//! A running stream in one line: how much, how fast, and how private.

use moretta::pipeline::{Records, Searched};
use moretta_report::count;

/// No line is as long as this.
const WIDTH: usize = 100;

const BETWEEN: &str = "  ";

/// What is known of a stream while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LiveFacts {
    /// Rows read so far.
    pub(crate) rows: u64,
    /// Rows read in a second.
    pub(crate) rate: f64,
    /// Share of them that was released.
    pub(crate) released: f64,
    /// The z in use.
    pub(crate) z: u32,
    /// Share of users of the window that are alike.
    pub(crate) p: Option<f64>,
    /// Share of users of the window whose released set nobody else has.
    pub(crate) unique: Option<f64>,
    /// Milliseconds that the row released last waited.
    pub(crate) delay_ms: i64,
    /// Rows made up so far.
    pub(crate) fakes: u64,
}

/// A line for a terminal; what does not fit is left out from its end:
/// `1,234,567 rows  3.1 M/s  released 97.4 %  z 12  p 0.84  unique 3 %  delay 0 s`.
pub(crate) fn live_line(facts: &LiveFacts) -> String {
    let mut parts = vec![
        format!("{} rows", rows(facts.rows)),
        format!("{}/s", scaled(facts.rate)),
        format!("released {}", percent(facts.released, 1)),
        format!("z {}", facts.z),
    ];
    parts.extend(facts.p.map(|p| format!("p {:.2}", share(p))));
    parts.extend(
        facts
            .unique
            .map(|unique| format!("unique {}", percent(unique, 0))),
    );
    parts.push(format!("delay {}", delay(facts.delay_ms)));
    if facts.fakes > 0 {
        parts.push(format!("fakes {}", scaled(facts.fakes as f64)));
    }
    while width(&parts) >= WIDTH {
        parts.pop();
    }
    parts.join(BETWEEN)
}

/// The same of records that are masked:
/// `1,234,567 rows  0.9 M/s  released 99.9 %  record_linkage 4.1 %  sse 26,268`.
pub(crate) fn records_line(records: &Records, rate: f64) -> String {
    let released = records.released as f64 / (records.read as f64).max(1.0);
    let mut parts = vec![
        format!("{} rows", rows(records.read)),
        format!("{}/s", scaled(rate)),
        format!("released {}", percent(released, 1)),
    ];
    for (name, value, is_share) in &records.figures {
        parts.push(match is_share {
            true => format!("{name} {}", percent(*value, 1)),
            false => format!("{name} {}", scaled(*value)),
        });
    }
    while width(&parts) >= WIDTH {
        parts.pop();
    }
    parts.join(BETWEEN)
}

/// The same of a search over protected files:
/// `1,234,567 steps  131 k/s  best 24.18  mean 24.60  IL 20.11  DR 28.25`.
pub(crate) fn search_line(search: &Searched) -> String {
    let parts = [
        format!("{} steps", rows(search.steps)),
        format!("{}/s", scaled(search.rate)),
        format!("best {:.2}", search.best),
        format!("mean {:.2}", search.mean),
        format!("IL {:.2}", search.loss),
        format!("DR {:.2}", search.risk),
    ];
    parts.join(BETWEEN)
}

fn width(parts: &[String]) -> usize {
    let characters = parts
        .iter()
        .map(|part| part.chars().count() + BETWEEN.len());
    characters.sum()
}

/// Every digit, as long as there is room for them.
fn rows(rows: u64) -> String {
    if rows < 1_000_000_000_000 {
        count(rows)
    } else {
        scaled(rows as f64)
    }
}

/// 3,141,592 as "3.1 M".
fn scaled(value: f64) -> String {
    const PREFIXES: [&str; 7] = ["", " k", " M", " G", " T", " P", " E"];
    let mut value = if value.is_finite() {
        value.max(0.0)
    } else {
        0.0
    };
    let mut prefix = 0;
    while value >= 999.5 && prefix + 1 < PREFIXES.len() {
        value /= 1000.0;
        prefix += 1;
    }
    let digits = usize::from(prefix > 0 && value < 99.95);
    format!("{:.digits$}{}", value.min(9999.0), PREFIXES[prefix])
}

/// What is not all is never rounded to all.
fn percent(value: f64, digits: usize) -> String {
    let steps = 10f64.powi(digits as i32);
    let value = share(value) * 100.0;
    let rounded = (value * steps).round() / steps;
    let shown = if value < 100.0 {
        rounded.min(100.0 - 1.0 / steps)
    } else {
        rounded
    };
    format!("{shown:.digits$} %")
}

fn share(value: f64) -> f64 {
    if value.is_finite() {
        value.clamp(0.0, 1.0)
    } else {
        0.0
    }
}

fn delay(milliseconds: i64) -> String {
    match milliseconds {
        ..=0 => "0 s".to_owned(),
        1..1000 => format!("{milliseconds} ms"),
        1000..60_000 => format!("{:.1} s", milliseconds as f64 / 1000.0),
        60_000..3_600_000 => format!("{} min", milliseconds / 60_000),
        _ => format!("{} h", (milliseconds / 3_600_000).min(99_999)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_how_much_how_fast_and_how_private() {
        let facts = LiveFacts {
            rows: 1_234_567,
            rate: 3_141_592.0,
            released: 0.9742,
            z: 12,
            p: Some(0.84),
            unique: Some(0.03),
            delay_ms: 0,
            fakes: 0,
        };
        assert_eq!(
            live_line(&facts),
            "1,234,567 rows  3.1 M/s  released 97.4 %  z 12  p 0.84  unique 3 %  delay 0 s"
        );
        let facts = LiveFacts {
            p: None,
            unique: None,
            delay_ms: 61_000,
            fakes: 41_234,
            rate: 812.4,
            ..facts
        };
        assert_eq!(
            live_line(&facts),
            "1,234,567 rows  812/s  released 97.4 %  z 12  delay 1 min  fakes 41.2 k"
        );
    }

    #[test]
    fn masked_records_show_their_measures() {
        let records = Records {
            read: 1_234_567,
            released: 1_234_467,
            figures: vec![("record_linkage", 0.041, true), ("sse", 26_268.5, false)],
        };
        assert_eq!(
            records_line(&records, 912_345.0),
            "1,234,567 rows  912 k/s  released 99.9 %  record_linkage 4.1 %  sse 26.3 k"
        );
    }

    #[test]
    fn no_line_is_longer_than_a_terminal() {
        let odd = [0.0, 0.999_999, f64::NAN, f64::INFINITY, -1.0, 1e308];
        for value in odd {
            for delay_ms in [i64::MIN, 0, 999, 59_999, 3_599_999, i64::MAX] {
                for number in [0, 999, 999_999_999_999, u64::MAX] {
                    let line = live_line(&LiveFacts {
                        rows: number,
                        rate: value,
                        released: value,
                        z: number as u32,
                        p: Some(value),
                        unique: Some(value),
                        delay_ms,
                        fakes: number,
                    });
                    assert!(line.chars().count() < WIDTH, "{line}");
                    assert!(!line.contains("NaN") && !line.contains("inf"), "{line}");
                }
            }
        }
    }

    #[test]
    fn shares_below_all_stay_below_all() {
        assert_eq!(percent(0.99999, 1), "99.9 %");
        assert_eq!(percent(0.999, 0), "99 %");
        assert_eq!(percent(1.0, 0), "100 %");
    }
}

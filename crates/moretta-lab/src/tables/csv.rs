//! All figures as files of comma-separated values.

use super::Results;
use super::series::{Against, Figures, figures};
use std::fmt::Write;

const HEADER: &str = "table,against,method,k,rows,released,ncp,gcp,dm,seconds\n";

/// The name and the text of each file.
pub(super) fn files(results: &Results) -> Vec<(String, String)> {
    let mut printed = "k,printed,method,gcp,like_rows\n".to_owned();
    for one in &results.printed {
        for ours in &one.ours {
            let like = one
                .like_rows
                .map_or_else(String::new, |rows| rows.to_string());
            let (k, gcp) = (one.k, one.gcp);
            let (name, lost) = (quoted(&ours.method), cell(ours.gcp));
            let _ = writeln!(printed, "{k},{gcp},{name},{lost},{like}");
        }
    }
    let mut series = HEADER.to_owned();
    for one in &results.series {
        let against = match one.against {
            Against::K => "k",
            Against::Rows => "rows",
        };
        for figures in &one.figures {
            series += &line(one.table.name, against, figures);
        }
    }
    let mut side_by_side = HEADER.to_owned();
    for compared in &results.side_by_side {
        for tried in &compared.tried {
            side_by_side += &line(&compared.name, "methods", &figures(compared, tried));
        }
    }
    [
        ("printed.csv", printed),
        ("series.csv", series),
        ("side-by-side.csv", side_by_side),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .to_vec()
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn line(table: &str, against: &str, figures: &Figures) -> String {
    let Figures {
        method,
        k,
        rows,
        released,
        ncp,
        gcp,
        discernibility,
        seconds,
        ..
    } = figures;
    format!(
        "{},{against},{},{k},{rows},{released},{},{},{},{seconds:.4}\n",
        quoted(table),
        quoted(method),
        cell(*ncp),
        cell(*gcp),
        cell(*discernibility)
    )
}

//! The results as tables on the terminal.

use super::Results;
use super::data::{ADULT, AGE_AND_WEIGHT, SIDE_BY_SIDE};
use super::printed::Printed;
use super::series::{Against, Figures, Series, figures};
use super::worked::Checked;
use crate::text_rows::add_rows;
use moretta::pipeline::Comparison;
use moretta_report::count;
use std::fmt::Write;

const LEGEND: &str = "\
NCP: sum of what cells lose; GCP: NCP over all cells; DM: sum of squared class sizes, a
suppressed row counts as many as there are rows; seconds: wall time of one run

";

/// Everything, part by part.
pub(super) fn text(results: &Results) -> String {
    let mut text = LEGEND.to_owned();
    add_printed(&mut text, &results.printed);
    for series in &results.series {
        add_series(&mut text, series);
    }
    for compared in &results.side_by_side {
        add_compared(&mut text, compared);
    }
    add_worked(&mut text, &results.worked);
    text.push_str("data:\n");
    let tables = [&AGE_AND_WEIGHT].into_iter().chain(SIDE_BY_SIDE);
    for table in tables {
        let _ = writeln!(text, "  {}: {}", table.name, table.note);
    }
    text
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.2} %", 100.0 * share))
}

fn whole(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| count(value.round() as u64))
}

fn add_printed(text: &mut String, printed: &[Printed]) {
    text.push_str("GCP of age and fnlwgt, beside what the source study printed\n");
    let mut rows = vec![vec!["".to_owned(), "printed".to_owned()]];
    let names = printed.first().map(|first| &first.ours);
    let names = names.into_iter().flatten().map(|ours| ours.method.clone());
    rows[0].extend(names);
    rows[0].push("as much of rows".to_owned());
    for one in printed {
        let mut row = vec![format!("k = {}", one.k), percent(Some(one.gcp))];
        row.extend(one.ours.iter().map(|ours| percent(ours.gcp)));
        row.push(one.like_rows.map_or_else(|| "–".to_owned(), count));
        rows.push(row);
    }
    add_rows(text, &rows);
    text.push_str(
        "Strict Mondrian loses as much as was printed only of tables with as many rows as the last\n\
         column says. Parts of about such a size, each anonymized by itself, would explain the\n\
         printed figures; what we have of the study does not say so.\n\n",
    );
}

fn add_series(text: &mut String, series: &Series) {
    let against = match series.against {
        Against::K => "k",
        Against::Rows => "rows",
    };
    let _ = writeln!(text, "{} against {against}", series.table.name);
    let head = [
        "method", "k", "rows", "released", "NCP", "GCP", "DM", "seconds",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(series.figures.iter().map(figures_row));
    add_rows(text, &rows);
    if series.has_centroids() {
        text.push_str("microaggregation: groups as the intervals that hold their records\n");
    }
    if series.table == &ADULT {
        text.push_str("mu-argus: k of at most two columns together, not of all\n");
    }
    text.push('\n');
}

fn figures_row(figures: &Figures) -> Vec<String> {
    let released = match figures.refused {
        Some(_) => "refused".to_owned(),
        None => count(figures.released),
    };
    vec![
        figures.method.clone(),
        figures.k.to_string(),
        count(figures.rows),
        released,
        whole(figures.ncp),
        percent(figures.gcp),
        whole(figures.discernibility),
        format!("{:.2}", figures.seconds),
    ]
}

fn add_compared(text: &mut String, compared: &Comparison) {
    let _ = writeln!(
        text,
        "{} side by side, {} rows; front: none has at most its risk and its NCP",
        compared.name,
        count(compared.rows)
    );
    let head = [
        "method", "k", "released", "risk", "NCP", "GCP", "DM", "seconds", "front",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for tried in &compared.tried {
        let figures = figures(compared, tried);
        let mut row = figures_row(&figures);
        row[2] = row.remove(3);
        row.insert(3, percent(tried.values[0]));
        row.push(if tried.on_front { "yes" } else { "" }.to_owned());
        rows.push(row);
    }
    add_rows(text, &rows);
    let mut told: Vec<String> = Vec::new();
    for tried in &compared.tried {
        for why in [&tried.refused, &tried.promises_less].into_iter().flatten() {
            let line = format!("{}: {why}\n", tried.method);
            if !told.contains(&line) {
                text.push_str(&line);
                told.push(line);
            }
        }
    }
    text.push('\n');
}

fn add_worked(text: &mut String, worked: &[Checked]) {
    let right = worked.iter().filter(|table| table.wrong == Some(0)).count();
    let _ = writeln!(
        text,
        "worked tables: {right} as worked out, {} differ",
        worked.len() - right
    );
    for table in worked {
        let verdict = match table.wrong {
            Some(0) => "as worked out".to_owned(),
            Some(cells) => format!("{cells} cells differ"),
            None => "other rows".to_owned(),
        };
        let _ = writeln!(text, "  {verdict}: {}", table.name);
    }
    text.push('\n');
}

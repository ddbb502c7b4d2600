//! Reads the published tables from a CSV of their lines.

use super::figure::{Figure, Shortening};
use super::point::{Method, Point, Stream};
use moretta::{Error, Result};
use std::path::Path;
use std::str::FromStr;

const HEADER: &str = "table,generator,filter,a,c,b,k,p,epsilon,DR,IL";

/// The lines of the tables, of all or of those named.
pub(crate) fn read(path: &Path, tables: &[String]) -> Result<Vec<Point>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    let points = parse(&text).map_err(|error| error.in_file(path))?;
    if let Some(unknown) = tables
        .iter()
        .find(|t| points.iter().all(|p| p.table != **t))
    {
        return Err(Error::usage(format!("there is no table {unknown}"))
            .help("tables are named as printed: A.1, A.2, … A.16"));
    }
    let wanted = |point: &Point| tables.is_empty() || tables.contains(&point.table);
    Ok(points.into_iter().filter(wanted).collect())
}

fn parse(text: &str) -> Result<Vec<Point>> {
    let mut lines = text.lines().zip(1..);
    if lines.next().is_none_or(|(header, _)| header != HEADER) {
        return Err(Error::input("not the published tables")
            .on_line(1)
            .help(format!("the header must be {HEADER}")));
    }
    lines
        .map(|(line, number)| point(line).map_err(|error| error.on_line(number)))
        .collect()
}

fn point(line: &str) -> Result<Point> {
    let cells: Vec<&str> = line.split(',').collect();
    let &[
        table,
        stream,
        filter,
        a,
        _class,
        b,
        k,
        p,
        epsilon,
        risk,
        loss,
    ] = cells.as_slice()
    else {
        return Err(Error::input("a line must have 11 cells"));
    };
    let stream = match stream {
        "rbf" => Stream::Rbf,
        "waveform" => Stream::Waveform,
        _ => return Err(unknown("generator")),
    };
    let method = match filter {
        "noise" => Method::Noise { a: cell(a, "a")? },
        "microaggregation" => Method::Microaggregation {
            k: cell(k, "k")?,
            b: cell(b, "b")?,
        },
        "rank_swapping" => Method::RankSwapping {
            p: cell(p, "p")?,
            b: cell(b, "b")?,
        },
        "dp_microaggregation" => Method::DifferentialPrivacy {
            epsilon: cell(epsilon, "epsilon")?,
            k: cell(k, "k")?,
            b: cell(b, "b")?,
        },
        _ => return Err(unknown("filter")),
    };
    let shortening = match table {
        "A.1" | "A.2" => Shortening::Truncated,
        _ => Shortening::Rounded,
    };
    let figure = |text, column| Figure::parse(text, shortening).ok_or_else(|| unknown(column));
    Ok(Point {
        table: table.to_owned(),
        stream,
        method,
        risk: figure(risk, "DR")?,
        loss: figure(loss, "IL")?,
    })
}

fn cell<T: FromStr>(text: &str, column: &str) -> Result<T> {
    text.parse().map_err(|_| unknown(column))
}

fn unknown(column: &str) -> Error {
    Error::input("a value is not one of the tables").in_column(column)
}

/// The shared copy of the tables, for tests; under CI it must be there.
#[cfg(test)]
pub(crate) fn shared() -> Option<Vec<Point>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(super::PRINTED);
    let found = path.exists();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "CI needs the shared data"
    );
    found.then(|| read(&path, &[]).expect("the tables"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_read() {
        let Some(points) = shared() else { return };
        assert_eq!(points.len(), 434);
        let count = |name| points.iter().filter(|p| p.method.name() == name).count();
        assert_eq!(count("noise"), 10);
        assert_eq!(count("microaggregation"), 64);
        assert_eq!(count("rank_swapping"), 40);
        assert_eq!(count("dp_microaggregation"), 320);
    }

    #[test]
    fn broken_lines_are_named() {
        let check = |line: &str, expected: &str| {
            let error = parse(&format!("{HEADER}\n{line}\n")).expect_err(line);
            assert!(error.to_string().contains(expected), "{error}");
        };
        check("A.1,rbf,noise", "line 2");
        check("A.1,tree,noise,0.1,0.0,,,,,0.956,1123.97", "generator");
        check("A.1,rbf,noise,x,0.0,,,,,0.956,1123.97", "a value");
        check("A.1,rbf,noise,0.1,0.0,,,,,often,1123.97", "DR");
        parse("a,b\n").expect_err("another header");
    }
}

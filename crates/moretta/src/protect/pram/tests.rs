//! PRAM from its parameters to records: what is drawn, what is never drawn, what is refused.

use super::*;
use crate::config::Value;
use crate::data::{
    Attribute, Batch, Categories, Column, Field, Kind, Levels, Role, RowIds, Schema,
};
use crate::protect::{Masked, Method, Setting, Transition};
use std::sync::Arc;

/// The method that a policy with these lines names.
fn method(lines: &str) -> Result<Method> {
    let text = format!(
        "[columns]\na = {{ role = \"quasi\", type = \"category\" }}\nb = {{ role = \"quasi\", type = \"category\" }}\n\
         [[protect]]\nmethod = \"pram\"\n{lines}\n"
    );
    let plan = crate::engine::Plan::parse(&text)?;
    Ok(plan.protect[0].clone())
}

fn refused(lines: &str) -> String {
    let error = method(lines).expect_err(lines);
    let help = error.help_text().unwrap_or_default();
    format!("{error}; {help}")
}

/// Two columns of categories; the second is ordered, low before middle before high.
fn batch(rows: &[(Option<&str>, Option<&str>)]) -> Batch {
    let category = |ordered| Kind::Category { ordered };
    let fields = vec![
        Field::new("a", Role::Quasi, category(false)),
        Field::new("b", Role::Quasi, category(true)),
    ];
    let grades: Levels = ["low", "middle", "high"].into_iter().collect();
    let code = |text: &str| grades.iter().position(|grade| grade == text);
    let code = |text: Option<&str>| {
        text.and_then(code)
            .map_or(crate::data::MISSING, |c| c as u32)
    };
    let codes = rows.iter().map(|row| code(row.1)).collect();
    let columns = vec![
        Column::Category(rows.iter().map(|row| row.0.map(str::to_owned)).collect()),
        Column::Category(Categories::new(codes, Arc::new(grades.clone()))),
    ];
    let schema = Arc::new(Schema::new(fields).expect("two names"));
    let ids = RowIds::Range {
        start: 0,
        len: rows.len(),
    };
    Batch::new(schema, ids, columns).expect("fits")
}

type Rows = Vec<[Option<String>; 2]>;

fn release(lines: &str, rows: &Batch, seed: u64) -> Result<(Rows, Vec<Transition>)> {
    let setting = Setting {
        seed,
        ..Setting::default()
    };
    let mut operator = method(lines)?.build(rows.schema(), &setting)?;
    let parts = vec![operator.push(rows.clone())?, operator.finish()?];
    let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let released = Batch::concat(&Arc::clone(operator.schema()), parts)?;
    let text = |row: usize, column: usize| {
        let categories = released.column(column).as_categories()?;
        categories.get(row).map(str::to_owned)
    };
    let rows = (0..released.len()).map(|row| [text(row, 0), text(row, 1)]);
    Ok((rows.collect(), operator.transitions()))
}

/// Many rows of a few pairs.
fn many(pairs: &[(Option<&'static str>, Option<&'static str>, usize)]) -> Batch {
    let rows = pairs.iter().flat_map(|&(a, b, n)| vec![(a, b); n]);
    batch(&rows.collect::<Vec<_>>())
}

const BOTH: &str = "columns = [\"a\", \"b\"]";

#[test]
fn categories_change_as_often_as_their_matrix_says() {
    let rows = many(&[
        (Some("x"), Some("low"), 3000),
        (Some("y"), Some("high"), 2000),
        (None, Some("high"), 1000),
    ]);
    let (released, matrices) = release(&format!("p = 0.6\n{BOTH}"), &rows, 5).expect("released");
    let texts = |texts: &[Option<&str>]| -> Vec<Vec<Option<String>>> {
        texts
            .iter()
            .map(|text| vec![text.map(str::to_owned)])
            .collect()
    };
    assert_eq!(matrices[0].categories, texts(&[Some("x"), Some("y"), None]));
    // Also a declared category that nobody has.
    let grades = [Some("low"), Some("middle"), Some("high")];
    assert_eq!(matrices[1].categories, texts(&grades));
    assert_eq!(
        (matrices[0].fewest, matrices[1].fewest),
        (Some(1000), Some(3000))
    );
    for (place, matrix) in matrices.iter().enumerate() {
        let original = rows.column(place).as_categories().expect("categories");
        for (k, from) in matrix.categories.iter().enumerate() {
            let is = |row: &usize| original.get(*row) == from[0].as_deref();
            let of: Vec<usize> = (0..rows.len()).filter(is).collect();
            for (l, to) in matrix.categories.iter().enumerate() {
                let count = of
                    .iter()
                    .filter(|&&row| released[row][place] == to[0])
                    .count();
                let (n, p) = (of.len() as f64, matrix.matrix[k][l]);
                let off = (count as f64 - n * p).abs();
                // Five standard deviations of a count.
                assert!(
                    off <= 5.0 * (n * p * (1.0 - p)).sqrt(),
                    "{from:?} {to:?} {count}"
                );
            }
        }
    }
}

#[test]
fn draws_are_those_of_a_walk_over_the_row() {
    struct Scripted(Vec<f64>);
    impl Uniform for Scripted {
        fn draw(&mut self) -> f64 {
            self.0.remove(0)
        }
    }
    let rows = "rows = [[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0, 0, 1]]";
    let lines = format!(
        "buffer = 1\nmatrices = [{{ columns = [\"a\"], categories = [\"x\", \"y\", \"z\"], {rows} }}]"
    );
    let method = method(&lines).expect("a method");
    let pram = method.as_pram().expect("pram");
    let column = MaskedColumn {
        name: "a",
        role: Role::Quasi,
        attribute: Attribute::Nominal,
    };
    let draws = vec![0.0, 0.49, 0.5, 0.74, 0.75, 0.99, 0.05, 0.1, 0.89, 0.95, 0.3];
    let codes = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0];
    let mut filter = pram.filter_with(&[column], Scripted(draws)).expect("built");
    let mut out = Masked::new(1);
    for code in codes {
        filter.push(&[code], &mut out).expect("taken");
    }
    let released: Vec<f64> = out.records().column(0).collect();
    assert_eq!(
        released,
        [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    );
}

#[test]
fn a_group_releases_no_combination_that_no_row_has() {
    let pairs = [
        (Some("x"), Some("low"), 40),
        (Some("y"), Some("high"), 30),
        (Some("y"), None, 30),
    ];
    let rows = many(&pairs);
    let (released, matrices) =
        release("p = 0.2\ngroups = [[\"a\", \"b\"]]", &rows, 1).expect("released");
    let known = |row: &[Option<String>; 2]| {
        let is = |pair: &(Option<&str>, Option<&str>, usize)| {
            (pair.0, pair.1) == (row[0].as_deref(), row[1].as_deref())
        };
        pairs.iter().any(is)
    };
    assert!(released.iter().all(known));
    assert_eq!(matrices.len(), 1);
    assert_eq!(matrices[0].columns, ["a", "b"]);
    assert_eq!(matrices[0].matrix.len(), 3);
    let stays = release(
        "p = 0\nmissing = \"stays\"\ngroups = [[\"a\", \"b\"]]",
        &rows,
        1,
    );
    let (released, matrices) = stays.expect("released");
    assert_eq!(matrices[0].matrix, [[0.0, 1.0], [1.0, 0.0]]);
    // All that could change did, and those with a missing value did not.
    assert_eq!(released[0], [Some("y".to_owned()), Some("high".to_owned())]);
    assert_eq!(released[99], [Some("y".to_owned()), None]);
}

#[test]
fn a_category_of_rows_that_do_not_leave_is_never_drawn() {
    let rows = many(&[
        (Some("secret"), Some("low"), 1),
        (Some("x"), Some("low"), 99),
    ]);
    let left = rows.slice(1, 99);
    assert!(
        left.column(0)
            .as_categories()
            .expect("categories")
            .levels()
            .len()
            == 2
    );
    let (released, matrices) = release("p = 0\ncolumns = [\"a\"]", &left, 3).expect("released");
    assert_eq!(matrices[0].categories.len(), 1);
    assert!(released.iter().all(|row| row[0].as_deref() == Some("x")));
}

#[test]
fn frequencies_of_an_invariant_matrix_are_expected_to_stay() {
    let rows = many(&[
        (Some("x"), None, 60),
        (Some("y"), None, 25),
        (Some("z"), None, 15),
    ]);
    for design in ["constant-diagonal", "equal-counts", "random-diagonal"] {
        let lines = format!("design = \"{design}\"\nalpha = 0.8\ncolumns = [\"a\"]");
        let (_, matrices) = release(&lines, &rows, 11).expect("released");
        let matrix = TransitionMatrix::new(&matrices[0].matrix).expect("probabilities");
        for (found, expected) in matrix
            .expected(&[60.0, 25.0, 15.0])
            .iter()
            .zip([60.0, 25.0, 15.0])
        {
            assert!(
                (found - expected).abs() < 1e-9,
                "{design}: {found} {expected}"
            );
        }
    }
}

#[test]
fn a_stream_needs_its_matrices_and_knows_all_its_values() {
    let told = refused("buffer = 1\ncolumns = [\"a\"]");
    assert!(told.contains("before its first row"), "{told}");
    assert!(told.contains("counts"), "{told}");
    let matrix = "matrices = [{ columns = [\"a\"], categories = [\"x\", \"y\"], counts = [3, 1] }]";
    let lines = format!("buffer = 1\n{matrix}");
    let known = many(&[(Some("x"), None, 2), (Some("y"), None, 2)]);
    let (released, matrices) = release(&lines, &known, 1).expect("released");
    assert_eq!((released.len(), matrices[0].fewest), (4, None));
    for (rows, what) in [
        (
            many(&[(Some("other"), None, 1)]),
            "no category of the matrix",
        ),
        (many(&[(None, None, 1)]), "missing"),
    ] {
        let error = release(&lines, &rows, 1).expect_err(what).to_string();
        assert!(error.contains(what) && error.contains("`a`"), "{error}");
        assert!(!error.contains("other"), "{error}");
    }
    let stays = release(
        &format!("{lines}\nmissing = \"stays\""),
        &many(&[(None, None, 1)]),
        1,
    );
    assert_eq!(stays.expect("released").0[0][0], None);
    let empty = "buffer = 1\nmatrices = [{ columns = [\"a\"], categories = [\"x\", \"\"], rows = [[0, 1], [1, 0]] }]";
    let rows = many(&[(Some("x"), None, 1), (None, None, 1)]);
    let (released, _) = release(empty, &rows, 1).expect("released");
    assert_eq!(
        [&released[0][0], &released[1][0]],
        [&None, &Some("x".to_owned())]
    );
}

#[test]
fn what_is_no_matrix_of_its_categories_is_refused_with_the_way_out() {
    let entry = |inner: &str| format!("matrices = [{{ columns = [\"a\"], {inner} }}]");
    for (lines, what) in [
        (
            entry("categories = [\"x\"], rows = [[0.5]]"),
            "row 1 of the matrix adds up to 0.5",
        ),
        (
            entry("categories = [\"x\", \"y\"], rows = [[1]]"),
            "2 categories, and values for 1",
        ),
        (
            entry("categories = [\"x\", \"x\"], counts = [1, 2]"),
            "twice",
        ),
        (entry("categories = [\"x\"], counts = [0]"), "above 0"),
        (
            entry("categories = [[\"x\", \"y\"]], counts = [1]"),
            "not one text for each column",
        ),
        (
            entry("categories = [\"x\"]"),
            "one of `rows`, `counts` and `file`",
        ),
        (entry("rows = [[1]]"), "needs `categories`"),
        (
            entry("categories = [\"x\"], rows = [[1]], counts = [1]"),
            "one of `rows`",
        ),
        ("groups = [[\"a\"], [\"a\"]]".to_owned(), "changed twice"),
        ("groups = [[]]".to_owned(), "no columns"),
        (
            "design = \"equal-counts\"\np = 0.5".to_owned(),
            "`p` means nothing",
        ),
        ("theta = 0.5".to_owned(), "`theta` means nothing"),
        ("p = 1.5".to_owned(), "between 0 and 1"),
    ] {
        let told = refused(&lines);
        assert!(told.contains(what), "{lines}: {told}");
    }
}

#[test]
fn numbers_and_too_many_categories_are_refused() {
    let number = MaskedColumn {
        name: "age",
        role: Role::Quasi,
        attribute: Attribute::Number,
    };
    let method = method("").expect("a method");
    let pram = method.as_pram().expect("pram");
    let error = pram.filter(&[number], 0).err().expect("a number");
    assert!(
        error.to_string().contains("PRAM needs categories"),
        "{error}"
    );
    let texts: Vec<String> = (0..1025).map(|i| i.to_string()).collect();
    let rows: Vec<_> = texts
        .iter()
        .map(|text| (Some(text.as_str()), None))
        .collect();
    let error = release("columns = [\"a\"]", &batch(&rows), 0).expect_err("too many");
    assert!(error.to_string().contains("more than 1024"), "{error}");
    assert!(release("columns = [\"a\"]", &batch(&rows[1..]), 0).is_ok());
}

#[test]
fn a_matrix_comes_from_a_file_with_labels() {
    let read = |text: &str, columns: usize| {
        let names = ["a", "b"][..columns].iter();
        let mut section = Section::new("[[protect]]", 0..1);
        let mut entry = Section::default();
        entry.put(
            "columns",
            names.map(|name| Value::from(*name)).collect::<Vec<_>>(),
        );
        entry.put("file", "m.csv");
        section.put("matrices", vec![entry]);
        let mut pram = Pram::read(&mut section).expect("parameters");
        let lines = text
            .lines()
            .map(|line| line.split(',').map(str::to_owned).collect());
        let lines: Vec<Vec<String>> = lines.collect();
        pram.load(|path| Ok((path.to_owned(), lines.clone())))?;
        Ok::<Pram, Error>(pram)
    };
    let pram = read("sex,f,m\nf,0.9,0.1\nm,0.2,0.8\n", 1).expect("a matrix");
    let told = pram.transitions().expect("a matrix");
    assert_eq!(told[0].matrix, [[0.9, 0.1], [0.2, 0.8]]);
    assert_eq!(
        pram.categories("a"),
        Some(&["f".to_owned(), "m".to_owned()][..])
    );
    let pairs = read("a,b,x & 1,y & 2\nx,1,1,0\ny,2,0,1\n", 2).expect("a matrix");
    assert_eq!(
        pairs.categories("b"),
        Some(&["1".to_owned(), "2".to_owned()][..])
    );
    for (text, what) in [
        ("", "no lines"),
        ("sex,m,f\nf,0.9,0.1\nm,0.2,0.8\n", "in their order"),
        (
            "sex,f,m\nf,0.9,0.2\nm,0.2,0.8\n",
            "row 1 of the matrix adds up to",
        ),
        (
            "sex,f,m\nf,0.9,x\nm,0.2,0.8\n",
            "line 2 holds a cell that is no number",
        ),
        ("sex,f,m\nf\n", "line 2 holds no probabilities"),
        ("sex,f\nf,1,0\n", "has 2 values"),
    ] {
        let error = read(text, 1).expect_err(what).to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn an_equation_makes_the_matrices_of_a_table_and_of_counts_that_are_known() {
    let rows = many(&[
        (Some("x"), Some("low"), 60),
        (Some("y"), Some("high"), 30),
        (Some("z"), Some("high"), 10),
    ]);
    let designed = "design = \"constant-diagonal\"\np = 0.7";
    let equation = "design = \"equation\"\nequation = \"S - Tk - Tl\"\np = 0.7";
    let [(_, expected), (_, found)] = [designed, equation].map(|lines| {
        let released = release(lines, &rows, 3);
        released.expect("released")
    });
    assert_eq!(found.len(), 2);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.categories, expected.categories);
        assert_eq!(found.fewest, expected.fewest);
        let pairs = found
            .matrix
            .iter()
            .flatten()
            .zip(expected.matrix.iter().flatten());
        let near = { pairs }.all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near, "{found:?}");
    }
    let known = "design = \"equation\"\nequation = \"Tl\"\ndiagonal = \"Tk / S\"\nbuffer = 1\n\
                 matrices = [{ columns = [\"a\"], categories = [\"x\", \"y\"], counts = [30, 10] }]";
    let told = method(known).expect("read");
    let told = told
        .as_pram()
        .expect("pram")
        .transitions()
        .expect("a matrix");
    assert_eq!(told[0].matrix, [[0.75, 0.25], [0.75, 0.25]]);
}

#[test]
fn equations_are_written_as_they_are_read_and_refused_with_their_position() {
    for lines in [
        "design = \"equation\"\nequation = \"(Tk + 1) / (Tl - L * 2)\"\np = 0.3",
        "design = \"equation\"\nequation = \"S\"\ndiagonal = \"1 - 16 / Tk\"\nalpha = 0.5",
    ] {
        let read = method(lines).expect(lines);
        let pram = read.as_pram().expect("pram");
        let mut section = Section::new("[[protect]]", 0..0);
        pram.write(&mut section);
        let again = Pram::read(&mut section).expect(lines);
        assert_eq!(&again, pram, "{lines}");
    }
    for (lines, words) in [
        ("design = \"equation\"", "needs an `equation`"),
        ("equation = \"S\"", "`equation` means nothing"),
        ("diagonal = \"S\"", "`diagonal` means nothing"),
        (
            "design = \"equation\"\nequation = \"S\"\ndiagonal = \"Tk / S\"\np = 0.5",
            "`p` means nothing",
        ),
        (
            "design = \"equation\"\nequation = \"S\"\ntheta = 0.5",
            "`theta` means nothing",
        ),
        (
            "design = \"equation\"\nequation = \"S - (Tk\"",
            "`equation`, position 5",
        ),
        (
            "design = \"equation\"\nequation = \"S\"\ndiagonal = \"Tl\"",
            "`diagonal`, position 1",
        ),
    ] {
        let refused = refused(lines);
        assert!(refused.contains(words), "{lines}: {refused}");
    }
}

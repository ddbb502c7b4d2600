//! Worked examples that were computed by hand and by other programs, reproduced exactly.

mod support;

use moretta::data::{
    Batch, Categories, Column, Domain, Domains, Field, Kind, Levels, Region, Role, RowIds, Schema,
};
use moretta::math::equation::{Equation, Operation, Token, execute};
use moretta::math::uniform::Uniform;
use moretta::optimize::WholeMatrix;
use moretta::optimize::evolution::{Fitness, TradeOff, best_first, from_gray, roulette};
use moretta::protect::merging::Merging;
use moretta::protect::microaggregation::{Distance, Microaggregation};
use moretta::protect::mondrian::{Mode, Mondrian, Output, partition_codes};
use moretta::protect::pram::{
    Design, Diagonal, MatrixEquation, MissingValues, Pram, TransitionMatrix, WEIGHT_VARIABLES,
    one_way,
};
use moretta::protect::rank_swapping::{Direction, Inside, RankSwapping, Within};
use moretta::protect::{Masked, Method, Setting};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A table of codes below declared sizes, and k.
struct Example {
    sizes: Vec<u32>,
    ordered: Vec<bool>,
    columns: Vec<Vec<u32>>,
    k: u32,
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().expect("a list").iter().map(item).collect()
}

fn whole(value: &Value) -> u32 {
    value.as_u64().expect("a whole number") as u32
}

fn rows(value: &Value) -> Vec<Vec<u32>> {
    list(value, |row| list(row, whole))
}

impl Example {
    fn read(inputs: &Value) -> Self {
        let records = rows(&inputs["records"]);
        let sizes = list(&inputs["schema"], |column| whole(&column[1]));
        Example {
            ordered: list(&inputs["schema"], |column| column[0] == "ordinal"),
            columns: (0..sizes.len())
                .map(|i| records.iter().map(|record| record[i]).collect())
                .collect(),
            sizes,
            k: whole(&inputs["k"]),
        }
    }

    fn name(i: usize) -> String {
        format!("c{i}")
    }

    fn batch(&self) -> Batch {
        let fields = self.ordered.iter().enumerate().map(|(i, &ordered)| {
            Field::new(Example::name(i), Role::Quasi, Kind::Category { ordered })
        });
        let schema = Schema::new(fields.collect()).expect("names differ");
        let columns = self.columns.iter().zip(&self.sizes).map(|(codes, &size)| {
            let levels: Levels = (0..size).map(|code| code.to_string()).collect();
            Column::Category(Categories::new(codes.clone(), Arc::new(levels)))
        });
        let ids = RowIds::Range {
            start: 0,
            len: self.columns[0].len(),
        };
        Batch::new(Arc::new(schema), ids, columns.collect()).expect("fits")
    }

    fn domains(&self) -> Arc<Domains> {
        let batch = self.batch();
        let domains = batch.schema().fields().iter().zip(batch.columns());
        Arc::new(Domains::new(domains.map(|(field, column)| {
            let domain = Domain::of(field, column, None).expect("categories");
            (field.name.to_string(), domain)
        })))
    }

    /// The regions of every row, column by column, under the outputs of the columns.
    fn release(&self, mode: Mode, output: impl Fn(bool) -> Output) -> Vec<Vec<Vec<u32>>> {
        let output_of: BTreeMap<String, Output> = (0..self.sizes.len())
            .map(|i| (Example::name(i), output(self.ordered[i])))
            .collect();
        let method = Method::Mondrian(Mondrian {
            mode,
            output_of,
            ..Mondrian::default()
        });
        let setting = Setting {
            guarantee: support::only_k(self.k),
            domains: self.domains(),
            seed: 0,
            ..Setting::default()
        };
        let batch = self.batch();
        let mut operator = method.build(batch.schema(), &setting).expect("built");
        operator.push(batch.clone()).expect("collected");
        let release = operator.finish().expect("released");
        let codes = |row: usize, i: usize| {
            let text = release
                .column(i)
                .as_categories()
                .expect("categories")
                .get(row);
            let domain = setting
                .domains
                .require(&Example::name(i))
                .expect("a domain");
            match Region::parse(text, domain) {
                Some(Region::Set(codes)) => codes,
                other => panic!("no set of codes: {other:?}"),
            }
        };
        (0..batch.len())
            .map(|row| (0..self.sizes.len()).map(|i| codes(row, i)).collect())
            .collect()
    }
}

#[test]
fn mondrian_gives_the_partitions_intervals_and_medians_of_the_worked_example() {
    let Some(folder) = support::shared("worked-examples/mares") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("mondrian-a.json")).expect("a file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let example = Example::read(&file["inputs"]);
    for (word, mode) in [("strict", Mode::Strict), ("relaxed", Mode::Balanced)] {
        let expected = &file["expected"][word];
        let k = example.k as usize;
        let classes = partition_codes(&example.columns, &example.sizes, k, mode);
        assert_eq!(classes, rows(&expected["partitions"]), "{word}");
        let ends = |codes: &Vec<u32>| vec![codes[0], codes[codes.len() - 1]];
        let intervals: Vec<Vec<Vec<u32>>> = example
            .release(mode, |_| Output::Interval)
            .iter()
            .map(|row| row.iter().map(ends).collect())
            .collect();
        assert_eq!(intervals, list(&expected["intervals"], rows), "{word}");
        // The median of unordered values is the most frequent one, the first of several.
        let medians: Vec<Vec<u32>> = example
            .release(mode, |ordered| match ordered {
                true => Output::Median,
                false => Output::Mode,
            })
            .iter()
            .map(|row| row.iter().map(|codes| codes[0]).collect())
            .collect();
        assert_eq!(medians, rows(&expected["median_output"]), "{word}");
    }
}

#[test]
fn a_declared_size_makes_a_column_narrower() {
    // Of two columns that spread alike the first is cut, unless it could hold more values.
    let columns = [vec![0, 0, 1, 1], vec![0, 1, 0, 1]];
    let first = [vec![0, 1], vec![2, 3]];
    let second = [vec![0, 2], vec![1, 3]];
    assert_eq!(partition_codes(&columns, &[], 2, Mode::Strict), first);
    assert_eq!(partition_codes(&columns, &[2, 2], 2, Mode::Strict), first);
    assert_eq!(partition_codes(&columns, &[9, 2], 2, Mode::Strict), second);
    assert_eq!(partition_codes(&columns, &[1, 1], 2, Mode::Strict), first);
}

/// A worked example of this name; none without the data.
fn worked(name: &str) -> Option<Value> {
    let folder = support::shared("worked-examples/mares")?;
    let text = std::fs::read_to_string(folder.join(name)).expect("a file");
    Some(serde_json::from_str(&text).expect("JSON"))
}

/// Its inputs and what is expected.
fn mares(name: &str) -> Option<[Value; 2]> {
    let mut file = worked(name)?;
    Some([file["inputs"].take(), file["expected"].take()])
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value, |number| number.as_f64().expect("a number"))
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9, "{what}: {found:?} {expected:?}");
    }
}

fn assert_matrix(found: &TransitionMatrix, expected: &Value, what: &str) {
    let expected = list(expected, numbers);
    assert_eq!(found.levels(), expected.len(), "{what}");
    for (found, expected) in found.rows().zip(&expected) {
        assert_near(found, expected, what);
    }
}

#[test]
fn pram_makes_the_matrices_of_the_worked_examples() {
    if let Some([inputs, expected]) = mares("pram-design-a-a.json") {
        let counts = numbers(&inputs["frequencies"]);
        let p = inputs["p_diag"].as_f64().expect("a number");
        let matrix = TransitionMatrix::constant_diagonal(&counts, p);
        assert_matrix(&matrix, &expected["matrix"], "design A");
        let released = matrix.expected(&counts);
        assert_near(
            &released,
            &numbers(&expected["expected_frequencies"]),
            "expected",
        );
        let back = one_way(&matrix, &released).expect("an inverse");
        let back: Vec<f64> = back.iter().map(|estimate| estimate.original).collect();
        let expected = numbers(&expected["unbiased_estimate_from_expected"]);
        assert_near(&back, &expected, "estimate");
    }
    if let Some([inputs, expected]) = mares("pram-design-b-a.json") {
        let counts = numbers(&inputs["frequencies"]);
        let theta = inputs["theta"].as_f64().expect("a number");
        let matrix = TransitionMatrix::equal_counts(&counts, theta);
        assert_matrix(&matrix, &expected["matrix"], "design B");
        let expected = numbers(&expected["expected_frequencies"]);
        assert_near(&matrix.expected(&counts), &expected, "expected");
    }
    if let Some([inputs, expected]) = mares("pram-invariant-a.json") {
        let counts = numbers(&inputs["frequencies"]);
        let alpha = inputs["alpha"].as_f64().expect("a number");
        let first = TransitionMatrix::new(&list(&inputs["P"], numbers)).expect("probabilities");
        assert_matrix(&first.bayes(&counts), &expected["Q"], "Q");
        assert_matrix(&first.invariant(&counts, 1.0), &expected["R"], "R");
        let invariant = first.invariant(&counts, alpha);
        assert_matrix(&invariant, &expected["R_alpha"], "R_alpha");
        let all: f64 = counts.iter().sum();
        let shares: Vec<f64> = counts.iter().map(|count| count / all).collect();
        let expected = numbers(&expected["stationary_check_vR"]);
        assert_near(&invariant.expected(&shares), &expected, "v R");
    }
}

#[test]
fn pram_expects_the_published_frequencies() {
    let Some([inputs, expected]) = mares("pram-expected-published-a.json") else {
        return;
    };
    let cases = list(&inputs["cases"], Value::clone);
    for (case, expected) in cases.iter().zip(list(&expected["expected"], numbers)) {
        let matrix = TransitionMatrix::new(&list(&case["matrix"], numbers)).expect("probabilities");
        assert_near(
            &matrix.expected(&numbers(&case["frequencies"])),
            &expected,
            "expected",
        );
    }
}

/// The columns of German Credit that the studies of categorical data protect, by their texts.
fn german() -> Option<Vec<[String; 3]>> {
    let folder = support::shared("german")?;
    let file = std::fs::read_dir(&folder)
        .expect("a folder")
        .filter_map(Result::ok);
    let mut file = file.map(|entry| entry.path()).filter(|path| {
        path.extension()
            .is_some_and(|ending| ending == "csv" || ending == "data")
    });
    let text = std::fs::read_to_string(file.next().expect("a table")).expect("a file");
    let rows = text.lines().map(|line| {
        let cells: Vec<&str> = line.split([',', ' ', ';']).collect();
        [0, 5, 6].map(|place| cells[place].trim_matches('"').to_owned())
    });
    Some(rows.filter(|row| row[0].starts_with('A')).collect())
}

#[test]
fn pram_of_german_credit_has_the_matrices_of_the_worked_example() {
    let (Some([inputs, expected]), Some(rows)) = (mares("pram-real-data-a.json"), german()) else {
        return;
    };
    assert_eq!(rows.len(), 1000);
    let (p, theta) = (inputs["p_diag"].as_f64(), inputs["theta"].as_f64());
    let (p, theta) = (p.expect("a number"), theta.expect("a number"));
    for (place, name) in ["EXISTACC", "SAVINGS", "PRESEMPLOY"]
        .into_iter()
        .enumerate()
    {
        let column: Categories = rows.iter().map(|row| Some(row[place].clone())).collect();
        let field = Field::new("x", Role::Quasi, Kind::Category { ordered: false });
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        let schema = Arc::new(Schema::new(vec![field]).expect("one name"));
        let batch = Batch::new(schema, ids, vec![Column::Category(column.sorted())]);
        let batch = batch.expect("fits");
        for (design, alpha, key) in [
            (Design::ConstantDiagonal(p), None, "design_a_p0.5"),
            (Design::EqualCounts(theta), None, "design_b_theta0.5"),
            (
                Design::ConstantDiagonal(p),
                Some(1.0),
                "invariant_of_design_a_alpha1",
            ),
        ] {
            let method = Method::Pram(Pram {
                design,
                alpha,
                columns: None,
                groups: Vec::new(),
                matrices: Vec::new(),
                missing: MissingValues::Category,
                buffer: None,
            });
            let mut operator = method
                .build(batch.schema(), &Setting::default())
                .expect("built");
            operator.push(batch.clone()).expect("taken");
            operator.finish().expect("released");
            let found = operator.transitions().remove(0);
            let domain = list(&expected[name]["domain"], |text| {
                text.as_str().map(str::to_owned)
            });
            assert_eq!(found.categories.concat(), domain, "{name}");
            let found = TransitionMatrix::new(&found.matrix).expect("probabilities");
            assert_matrix(&found, &expected[name][key], &format!("{name} {key}"));
        }
    }
}

/// A table of ordered and nominal codes as texts that sort like the codes.
fn released(batch: &Batch, method: &Method, setting: &Setting) -> Vec<Vec<u32>> {
    let mut operator = method.build(batch.schema(), setting).expect("built");
    let parts = vec![
        operator.push(batch.clone()).expect("taken"),
        operator.finish().expect("released"),
    ];
    let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let released = Batch::concat(operator.schema(), parts).expect("one schema");
    let code = |row: usize, column: usize| {
        let categories = released.column(column).as_categories().expect("categories");
        categories
            .get(row)
            .expect("a value")
            .parse()
            .expect("a code")
    };
    let columns = 0..released.schema().len();
    (0..released.len())
        .map(|row| columns.clone().map(|column| code(row, column)).collect())
        .collect()
}

fn by_sum(k: u32) -> Method {
    Method::Microaggregation(Microaggregation {
        distance: Distance::Sum,
        ..Microaggregation::new(k as usize)
    })
}

#[test]
fn microaggregation_gives_the_records_of_the_worked_example() {
    let Some([inputs, expected]) = mares("mdav-generic-a.json") else {
        return;
    };
    let example = Example::read(&inputs);
    let found = released(&example.batch(), &by_sum(example.k), &Setting::default());
    assert_eq!(found, rows(&expected["masked"]));
}

#[test]
fn german_credit_is_masked_as_in_the_worked_example() {
    let Some([inputs, expected]) = mares("pipeline-real-data-a.json") else {
        return;
    };
    let records = inputs["original"].clone();
    let example = Example::read(&serde_json::json!({
        "records": records, "schema": inputs["schema"], "k": inputs["k"],
    }));
    if let Some(german) = german() {
        // The codes of the example are the places of the texts in order.
        let mut texts: [std::collections::BTreeSet<String>; 3] = Default::default();
        for row in &german {
            for (text, all) in row.iter().zip(&mut texts) {
                all.insert(text.clone());
            }
        }
        let code = |place: usize, text: &String| {
            texts[place]
                .iter()
                .position(|known| known == text)
                .expect("known") as u32
        };
        let codes = german.iter().take(example.columns[0].len());
        for (row, texts) in codes.enumerate() {
            for (place, text) in texts.iter().enumerate() {
                assert_eq!(example.columns[place][row], code(place, text), "row {row}");
            }
        }
    }
    let setting = Setting {
        guarantee: support::only_k(example.k),
        domains: example.domains(),
        ..Setting::default()
    };
    let mondrian = |mode: Mode| {
        Method::Mondrian(Mondrian {
            mode,
            output: Output::MedianOrMode,
            ..Mondrian::default()
        })
    };
    for (key, method) in [
        ("mdav_k5", by_sum(example.k)),
        ("mondrian_strict_k5_median", mondrian(Mode::Strict)),
        ("mondrian_relaxed_k5_median", mondrian(Mode::Balanced)),
    ] {
        assert!(expected[key]["masked"].is_array(), "{key}");
        let found = released(&example.batch(), &method, &setting);
        assert_eq!(found, rows(&expected[key]["masked"]), "{key}");
    }
}

#[test]
fn rank_swapping_gives_the_column_of_the_worked_example() {
    let Some([inputs, expected]) = mares("rank-swap-a.json") else {
        return;
    };
    /// Draws the choices of the example: of two candidates the second by a number above a half.
    struct Choices(Vec<u32>);
    impl Uniform for Choices {
        fn draw(&mut self) -> f64 {
            f64::from(self.0.remove(0)) * 0.75
        }
    }
    let within = Within::Percent(inputs["p_percent"].as_f64().expect("a number"));
    let column = list(&inputs["column"], whole);
    assert_eq!(
        within.ranks(column.len()),
        whole(&expected["window"]) as usize
    );
    assert_eq!(
        whole(&expected["window"]),
        2,
        "one draw decides between two at most"
    );
    let swapping = RankSwapping {
        within,
        direction: Direction::Both,
        inside: Inside::Table,
        buffer: None,
        columns: None,
    };
    let choices = Choices(list(&inputs["choices"], whole));
    let mut filter = swapping.filter_with(1, choices).expect("built");
    let mut out = Masked::new(1);
    for &code in &column {
        filter.push(&[f64::from(code)], &mut out).expect("taken");
    }
    filter.finish(&mut out).expect("done");
    let found: Vec<u32> = out.records().column(0).map(|code| code as u32).collect();
    assert_eq!(found, list(&expected["masked"], whole));
}

#[test]
fn merging_gives_the_columns_of_the_worked_example() {
    let Some([inputs, expected]) = mares("recoding-a.json") else {
        return;
    };
    let column = list(&inputs["column"], whole);
    let example = Example {
        sizes: vec![whole(&inputs["categories"])],
        ordered: vec![true],
        columns: vec![column],
        k: 1,
    };
    for p in list(&inputs["p"], whole) {
        let counts = || [(Example::name(0), p as usize)].into();
        let top = Merging {
            top: counts(),
            ..Merging::default()
        };
        let bottom = Merging {
            bottom: counts(),
            ..Merging::default()
        };
        let rare = Merging {
            rare: counts(),
            ..Merging::default()
        };
        for (key, merging) in [("top", top), ("bottom", bottom), ("global", rare)] {
            let method = Method::Merging(merging);
            let found = released(&example.batch(), &method, &Setting::default()).concat();
            assert_eq!(
                found,
                list(&expected[p.to_string()][key], whole),
                "{key} {p}"
            );
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn a_roulette_and_an_order_are_those_of_the_worked_example() {
    let Some(file) = worked("selection-a.json") else {
        return;
    };
    let scores = list(&file["inputs"]["scores"], number);
    let expected = list(&file["expected"]["p_inverse"], number);
    for (found, expected) in roulette(&scores).into_iter().zip(expected) {
        assert!((found - expected).abs() < number(&file["tolerance"]));
    }
    let order = list(&file["expected"]["order_best_first"], whole);
    let found = best_first(&scores);
    assert!(found.iter().map(|&place| place as u32).eq(order));
}

#[test]
fn gray_codes_are_those_of_the_worked_example() {
    let Some(file) = worked("gray-code-a.json") else {
        return;
    };
    let bits = list(&file["inputs"]["bits"], |bits| {
        u64::from_str_radix(bits.as_str().expect("bits"), 2).expect("binary")
    });
    let expected = &file["expected"];
    assert!(
        bits.iter()
            .map(|&bits| bits as u32)
            .eq(list(&expected["binary_value"], whole))
    );
    let decoded = bits.iter().map(|&bits| from_gray(bits) as u32);
    assert!(decoded.eq(list(&expected["gray_decoded"], whole)));
}

#[test]
fn fitness_is_the_score_of_the_worked_example() {
    let Some(file) = worked("score-a.json") else {
        return;
    };
    let of = TradeOff {
        loss: number(&file["inputs"]["IL"]),
        risk: number(&file["expected"]["DR"]),
    };
    for (name, fitness) in [("score_mean", Fitness::Mean), ("score_max", Fitness::Max)] {
        assert_eq!(fitness.score(of, 0, 1), number(&file["expected"][name]));
    }
}

/// Tokens in postfix order.
fn postfix(tokens: &Value, names: &[&str]) -> Vec<Token> {
    list(tokens, |token| {
        let text = token.as_str().expect("a text");
        let operation = ["+", "-", "*", "/"].iter().position(|sign| *sign == text);
        match operation {
            Some(place) => Token::Operation(Operation::ALL[place]),
            None => Equation::parse(text, names).expect("a value").tokens()[0],
        }
    })
}

#[test]
fn a_stack_executes_the_postfix_equation_of_the_worked_example() {
    let Some([inputs, expected]) = mares("gp-postfix-a.json") else {
        return;
    };
    let tokens = postfix(&inputs["tokens"], &["a", "b"]);
    let variables = ["a", "b"].map(|name| number(&inputs["env"][name]));
    let mut stack = Vec::new();
    let traces = expected["stack_trace"].as_array().expect("a trace");
    for (token, trace) in tokens.iter().zip(traces) {
        execute(&[*token], &variables, &mut stack);
        let shown: Vec<String> = stack.iter().map(f64::to_string).collect();
        assert_eq!(
            shown,
            list(trace, |text| text.as_str().expect("a text").to_owned())
        );
    }
    let equation = Equation::new(tokens).expect("one value");
    let value = equation.value(&variables, &mut Vec::new());
    assert_eq!(value, number(&expected["value"]));
    assert_eq!(equation.write(&["a", "b"]), "(a + b) * 2");
}

#[test]
fn an_equation_makes_the_matrix_of_the_worked_example() {
    let Some([inputs, expected]) = mares("gp-matrix-a.json") else {
        return;
    };
    let tokens = postfix(&inputs["tokens"], &WEIGHT_VARIABLES);
    let equation = MatrixEquation {
        weights: Equation::new(tokens).expect("one value"),
        diagonal: Diagonal::Constant(number(&inputs["p_diag"])),
    };
    assert_eq!(equation.to_string(), "S - Tk - Tl, p = 0.5");
    let frequencies = numbers(&inputs["frequencies"]);
    assert_matrix(&equation.matrix(&frequencies), &expected["matrix"], "gp");
    let design = TransitionMatrix::constant_diagonal(&frequencies, 0.5);
    assert_matrix(&design, &expected["matrix"], "design A");
}

#[test]
fn matrices_are_rounded_mutated_and_crossed_as_in_the_worked_example() {
    let Some([inputs, expected]) = mares("pram-genotype-a.json") else {
        return;
    };
    let of = |rows: &[Vec<f64>]| {
        let denominator = whole(&inputs["D"]);
        WholeMatrix::rounded(rows.iter().map(Vec::as_slice), denominator)
    };
    let is = |found: &WholeMatrix, name: &str| {
        let found: Vec<Vec<u32>> = found.rows().map(<[u32]>::to_vec).collect();
        assert_eq!(found, rows(&expected[name]), "{name}");
    };
    let start = of(&list(&inputs["P"], numbers));
    is(&start, "genotype");
    let mutation = &inputs["mutation"];
    let [row, from, to] = ["row", "from", "to"].map(|name| whole(&mutation[name]) as usize);
    let mut mutated = start.clone();
    mutated.transfer(row, from, to, whole(&mutation["delta"]));
    is(&mutated, "mutated");
    let identity: Vec<Vec<f64>> = (0..4)
        .map(|k| (0..4).map(|l| f64::from(k == l)).collect())
        .collect();
    let identity = of(&identity);
    let cut = whole(&inputs["crossover"]["cut_row"]) as usize;
    let (mut first, mut second) = (start.clone(), identity.clone());
    for row in cut..4 {
        first.take(row, &identity);
        second.take(row, &start);
    }
    is(&first, "child1");
    is(&second, "child2");
}

//! Worked examples that were computed by hand and by other programs, reproduced exactly.

mod support;

use moretta::data::{
    Batch, Categories, Column, Domain, Domains, Field, Kind, Levels, Region, Role, RowIds, Schema,
};
use moretta::optimize::evolution::{Fitness, TradeOff, best_first, from_gray, roulette};
use moretta::protect::mondrian::{Mode, Mondrian, Output, partition_codes};
use moretta::protect::{Method, Setting};
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

//! Made-up rows of a stream: how far they can be told from real ones.

mod support;

use moretta::data::hierarchy::{HierarchySpec, Texts};
use moretta::data::{Batch, Column, Role};
use moretta::io::{self, ColumnPlan, ReadAs, ReadOptions};
use moretta::protect::Protector;
use moretta::protect::z_anonymity::{Fakes, FakesOrder, MADE_UP, Mode, Stream, ZAnonymity};
use std::path::Path;

const STREAMS: [&str; 3] = ["ecommerce", "domains", "positions"];
const SPREAD: i64 = 60_000;

fn plans() -> Vec<ColumnPlan> {
    [
        ("t", Role::Time, ReadAs::Plain),
        ("user", Role::Subject, ReadAs::Category),
        ("attribute", Role::Quasi, ReadAs::Category),
    ]
    .map(|(name, role, read)| ColumnPlan {
        name: name.to_owned(),
        role,
        read,
    })
    .into()
}

fn config(z: u32, order: FakesOrder) -> ZAnonymity {
    ZAnonymity {
        z,
        window: 3_600_000,
        generalize: true,
        mode: Mode::ZeroDelay,
        lateness: 0,
        skew: 0,
        k: 2,
        tune: None,
        fakes: Some(Fakes {
            at_most: (1, 4),
            order,
            spread: SPREAD,
            // A variable that is always set, and long enough to be a key.
            key: Some("CARGO_MANIFEST_DIR".to_owned()),
        }),
        hold_unique: false,
        group: None,
    }
}

/// A row that left.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: u64,
    text: String,
    time: i64,
    user: String,
    label: String,
    fakes: u32,
}

impl Row {
    fn made_up(&self) -> bool {
        self.id >= MADE_UP
    }
}

fn run(file: &Path, config: &ZAnonymity, batch_rows: usize) -> Vec<Row> {
    let options = ReadOptions {
        batch_rows: Some(batch_rows),
        ..ReadOptions::default()
    };
    let source = io::open(file, &options, &plans()).expect("a stream");
    let ladder = HierarchySpec::Path("*".to_owned())
        .ladder("attribute", Texts::Category)
        .expect("a ladder");
    let mut stream = Stream::new(config, source.schema(), |_| ladder.clone(), None, 1)
        .expect("a time, a subject and an attribute");
    let mut rows = Vec::new();
    for batch in source {
        let released = stream.protect(batch.expect("rows")).expect("releases");
        collect(&released, &stream, &mut rows);
    }
    let left = stream.finish().expect("releases");
    collect(&left, &stream, &mut rows);
    rows
}

fn collect(batch: &Batch, stream: &Stream, rows: &mut Vec<Row>) {
    let Column::Plain(times) = batch.column(0) else {
        panic!("times pass through");
    };
    let times = times.as_any().downcast_ref::<arrow_array::StringArray>();
    let times = times.expect("text");
    let users = batch.column(1).as_categories().expect("users");
    let labels = batch.column(2).as_categories().expect("labels");
    assert_eq!(stream.cells().len(), batch.len());
    for (row, cell) in stream.cells().iter().enumerate() {
        let text = times.value(row).to_owned();
        let format = moretta::data::TimeFormat::Seconds;
        rows.push(Row {
            id: batch.rows().get(row),
            time: format.parse(&text).expect("a time"),
            text,
            user: users.get(row).expect("there").to_owned(),
            label: labels.get(row).expect("there").to_owned(),
            fakes: cell.fakes,
        });
    }
}

#[test]
fn dump() {
    let Some(folder) = support::shared("zstreams") else {
        return;
    };
    let Ok(place) = std::env::var("DUMP") else {
        return;
    };
    for stream in STREAMS {
        let file = folder.join(format!("{stream}-100k.csv.gz"));
        for z in [10, 20] {
            for (name, order) in [
                ("thesis", FakesOrder::Thesis),
                ("hidden", FakesOrder::Hidden),
            ] {
                let rows = run(&file, &config(z, order), 5000);
                let text: String = rows
                    .iter()
                    .map(|r| {
                        format!(
                            "{},{},{},{},{}\n",
                            r.time,
                            r.user,
                            r.label,
                            u8::from(r.made_up()),
                            r.fakes
                        )
                    })
                    .collect();
                std::fs::write(format!("{place}/{stream}-{z}-{name}.csv"), text).expect("written");
            }
        }
    }
}

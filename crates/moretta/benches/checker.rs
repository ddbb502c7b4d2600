//! The independent checkers: of tables, with the originals, on a release of Mondrian, and of streams.

mod tables;

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::hierarchy::{HierarchySpec, Ladder, Texts};
use moretta::data::{Batch, Role, times};
use moretta::guarantee::{
    Decided, Declared, Diversity, Ground, Guarantee, LDiversity, StreamChecker, TCloseness,
    Treatment, Truth, plain_check,
};
use moretta::io::{self, ColumnPlan, ReadAs, ReadOptions, Source, WriteOptions};
use moretta::protect::Operator;
use moretta::protect::mondrian::Mode;
use moretta::protect::z_anonymity::{Stream, ZAnonymity};
use moretta_generate::{Events, ecommerce};
use tables::{HOSPITAL, domains, release, setting, table};

const ROWS: usize = 500_000;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn k(bencher: Bencher<'_, '_>) {
    check(bencher, &promise_of_k());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn k_and_l(bencher: Bencher<'_, '_>) {
    let l = LDiversity {
        column: "sensitive".to_owned(),
        l: 2.0,
        kind: Diversity::Distinct,
    };
    let promise = Guarantee {
        l: vec![l],
        ..promise_of_k()
    };
    check(bencher, &promise);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn k_and_t(bencher: Bencher<'_, '_>) {
    let t = TCloseness {
        column: "sensitive".to_owned(),
        t: 0.5,
        distance: Ground::Equal,
    };
    let promise = Guarantee {
        t: vec![t],
        ..promise_of_k()
    };
    check(bencher, &promise);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn truth(bencher: Bencher<'_, '_>) {
    let (original, released) = pair();
    let treatments = treatments(&original);
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        let mut truth = Truth::new(original.schema(), &treatments, false).expect("treatments");
        truth.observe(&original, &released).expect("pairs");
        let faults = truth.findings(Some(ROWS as u64));
        assert!(faults.is_empty(), "{} faults", faults.len());
    });
}

fn check(bencher: Bencher<'_, '_>, promise: &Guarantee) {
    let (_, released) = pair();
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        plain_check(&released, promise, Declared::default(), None).expect("a release")
    });
}

fn promise_of_k() -> Guarantee {
    Guarantee {
        k: Some(10),
        ..Guarantee::default()
    }
}

fn pair() -> (Batch, Batch) {
    let original = table(ROWS, &HOSPITAL);
    let released = release(&original, &setting(&original), Mode::Strict);
    (original, released)
}

fn treatments(original: &Batch) -> Vec<(String, Treatment)> {
    let domains = domains(original);
    let fields = original.schema().fields().iter();
    fields
        .map(|field| {
            let treatment = match field.role {
                Role::Quasi => {
                    let domain = domains.require(&field.name).expect("a quasi-identifier");
                    Treatment::Generalised(domain.clone())
                }
                _ => Treatment::Kept,
            };
            (field.name.to_string(), treatment)
        })
        .collect()
}

/// A stream of visits, decided with z = 5 within an hour, at three levels.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn stream(bencher: Bencher<'_, '_>) {
    let decided = decided();
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        let mut checker = StreamChecker::new(3_600_000, vec![ladder()], None);
        for (times, original, released) in &decided {
            let seen = Decided {
                times,
                original,
                released,
                z: &vec![5; released.len()],
                fakes: &[],
                fakes_follow: false,
                subject: 1,
                attributes: &[2],
                group: None,
            };
            checker.check(&seen).expect("a release that is right");
        }
        (checker.findings(), checker.memory())
    });
}

fn ladder() -> Ladder {
    HierarchySpec::Path("*".to_owned())
        .ladder("attribute", Texts::Category)
        .expect("a ladder")
}

/// The visits in batches as a file gives them.
fn read_back(visits: Events) -> Box<dyn Source> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits.csv");
    let mut sink = io::create(&path, &WriteOptions::default(), visits.schema()).expect("a file");
    for batch in visits {
        sink.write(&batch.expect("rows")).expect("written");
    }
    sink.close().expect("closed");
    let plan = |name: &str, role, read| ColumnPlan {
        name: name.to_owned(),
        role,
        read,
    };
    let plans = [
        plan("t", Role::Time, ReadAs::Plain),
        plan("user", Role::Subject, ReadAs::Category),
        plan("attribute", Role::Quasi, ReadAs::Category),
    ];
    let options = ReadOptions {
        stream: true,
        ..ReadOptions::default()
    };
    io::open(&path, &options, &plans).expect("a stream")
}

/// Batches of visits with their times, and what is released of each.
fn decided() -> Vec<(Vec<i64>, Batch, Batch)> {
    let visits = read_back(ecommerce(ROWS, 7));
    let config = ZAnonymity::fixed(5, 3_600_000);
    let mut stream =
        Stream::new(&config, visits.schema(), |_| ladder(), None, 1).expect("a stream");
    let mut decided = Vec::new();
    for batch in visits {
        let batch = batch.expect("rows");
        let times = times(&batch, 0, &mut None).expect("times");
        let released = stream.push(batch.clone()).expect("released");
        decided.push((times, batch, released));
    }
    decided
}

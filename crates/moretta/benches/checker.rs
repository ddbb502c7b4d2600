//! The independent checker and the comparison with the originals, on a release of Mondrian.

mod tables;

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::{Batch, Role};
use moretta::guarantee::{
    Declared, Diversity, Ground, Guarantee, LDiversity, TCloseness, Treatment, Truth, plain_check,
};
use moretta::protect::mondrian::Mode;
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

//! Filters on records in memory: what a record costs by window, group and width.

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::{Attribute, Records, Role};
use moretta::protect::microaggregation::{Grouping, Microaggregation};
use moretta::protect::rank_swapping::{Direction, Inside, RankSwapping, Within};
use moretta::protect::{Filter, Masked, MaskedColumn, Masking};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

const ROWS: usize = 100_000;
const TABLE_ROWS: usize = 10_000;
const BUFFERS: [usize; 4] = [100, 250, 500, 1000];

fn main() {
    divan::main();
}

#[divan::bench(args = BUFFERS, consts = [3, 10], sample_count = 5, sample_size = 1)]
fn nearest_10_attributes<const K: usize>(bencher: Bencher<'_, '_>, buffer: usize) {
    stream(bencher, &microaggregation(K, Grouping::Nearest, buffer), 10);
}

#[divan::bench(args = BUFFERS, consts = [3, 10], sample_count = 5, sample_size = 1)]
fn nearest_21_attributes<const K: usize>(bencher: Bencher<'_, '_>, buffer: usize) {
    stream(bencher, &microaggregation(K, Grouping::Nearest, buffer), 21);
}

#[divan::bench(args = BUFFERS, consts = [3, 10], sample_count = 5, sample_size = 1)]
fn windows_of_mdav<const K: usize>(bencher: Bencher<'_, '_>, buffer: usize) {
    stream(bencher, &microaggregation(K, Grouping::Mdav, buffer), 10);
}

#[divan::bench(args = [3, 10], sample_count = 3, sample_size = 1)]
fn table_of_mdav(bencher: Bencher<'_, '_>, k: usize) {
    table(bencher, &Microaggregation::new(k));
}

#[divan::bench(args = [3, 10], sample_count = 3, sample_size = 1)]
fn table_of_v_mdav(bencher: Bencher<'_, '_>, k: usize) {
    let config = Microaggregation {
        grouping: Grouping::VMdav,
        ..Microaggregation::new(k)
    };
    table(bencher, &config);
}

#[divan::bench(args = BUFFERS, consts = [10, 21], sample_count = 5, sample_size = 1)]
fn rank_swapping<const WIDTH: usize>(bencher: Bencher<'_, '_>, buffer: usize) {
    stream(bencher, &swapping(Some(buffer)), WIDTH);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn rank_swapping_of_a_table(bencher: Bencher<'_, '_>) {
    stream(bencher, &swapping(None), 10);
}

fn microaggregation(k: usize, grouping: Grouping, buffer: usize) -> Microaggregation {
    Microaggregation {
        grouping,
        buffer: Some(buffer),
        ..Microaggregation::new(k)
    }
}

fn swapping(buffer: Option<usize>) -> RankSwapping {
    RankSwapping {
        inside: Inside::Table,
        within: Within::Ranks(10),
        direction: Direction::Both,
        buffer,
        columns: None,
    }
}

fn records(rows: usize, width: usize) -> Records {
    use moretta::math::uniform::Uniform;
    let mut uniform = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut records = Records::new(width);
    let mut record = vec![0.0; width];
    for _ in 0..rows {
        record.fill_with(|| uniform.draw());
        records.push(&record);
    }
    records
}

fn stream(bencher: Bencher<'_, '_>, masking: &dyn Masking, width: usize) {
    let records = records(ROWS, width);
    let column = MaskedColumn {
        name: "x",
        role: Role::Quasi,
        attribute: Attribute::Number,
    };
    let columns = vec![column; width];
    bencher
        .counter(ItemsCount::new(ROWS))
        .with_inputs(|| {
            (
                masking.filter(&columns, 1).expect("fits"),
                Masked::new(width),
            )
        })
        .bench_local_values(|(mut filter, mut out)| pass(&mut *filter, &records, &mut out));
}

/// Lets all records pass, and forgets what left, as a sink would.
fn pass(filter: &mut dyn Filter, records: &Records, out: &mut Masked) -> usize {
    let mut decided = 0;
    for record in records.iter() {
        filter.push(record, out).expect("taken");
        decided += out.decided().len();
        out.clear();
    }
    filter.finish(out).expect("done");
    decided + out.decided().len()
}

fn table(bencher: Bencher<'_, '_>, config: &Microaggregation) {
    let records = records(TABLE_ROWS, 13);
    bencher
        .counter(ItemsCount::new(TABLE_ROWS))
        .bench_local(|| config.groups(&[Attribute::Number; 13], &records));
}

//! The running measures of a stream of look-ups of domains under z-anonymity.

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::hierarchy::{HierarchySpec, Texts};
use moretta::data::{Batch, times};
use moretta::io::Source;
use moretta::measure::StreamMeasures;
use moretta::measure::stream::Observed;
use moretta::protect::Operator;
use moretta::protect::z_anonymity::{Stream, ZAnonymity};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: usize = 2_000_000;
const HOUR: i64 = 3_600_000;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn observe(bencher: Bencher<'_, '_>) {
    let decided = decided();
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        let mut measures = StreamMeasures::new(2, HOUR, HOUR / 6);
        for decided in &decided {
            measures.observe(&decided.seen()).expect("pairs");
        }
        measures
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn facts(bencher: Bencher<'_, '_>) {
    let mut measures = StreamMeasures::new(2, HOUR, HOUR / 6);
    for decided in &decided() {
        measures.observe(&decided.seen()).expect("pairs");
    }
    bencher.bench_local(|| measures.facts());
}

struct Decided {
    times: Vec<i64>,
    delays: Vec<i64>,
    original: Batch,
    released: Batch,
    levels: Vec<Option<u16>>,
}

impl Decided {
    fn seen(&self) -> Observed<'_> {
        Observed {
            times: &self.times,
            original: &self.original,
            released: &self.released,
            levels: &self.levels,
            subject: 1,
            attributes: &[2],
            delays: &self.delays,
            z: 20,
        }
    }
}

fn decided() -> Vec<Decided> {
    let source = moretta_generate::domains(ROWS, 42);
    let ladder = HierarchySpec::Path("*".to_owned())
        .ladder("attribute", Texts::Category)
        .expect("a ladder");
    let config = ZAnonymity::fixed(20, HOUR);
    let mut stream =
        Stream::new(&config, source.schema(), |_| ladder.clone(), None, 1).expect("a stream");
    let mut format = None;
    source
        .map(|batch| {
            let original = batch.expect("rows");
            let times = times(&original, 0, &mut format).expect("times");
            let released = stream.push(original.clone()).expect("releases");
            let levels = stream.cells().iter().map(|cell| cell.level).collect();
            Decided {
                delays: vec![0; times.len()],
                times,
                original,
                released,
                levels,
            }
        })
        .collect()
}

//! Class counts, suppression, discernibility and loss of Adult at the optima that
//! ARX 3.9.2 finds, by generalising with its hierarchies.

use moretta::data::hierarchy::Hierarchy;
use moretta::data::{Batch, Column, Domain, Field, Kind, Role, RowIds, Schema};
use moretta::measure::Measures;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the public data lies; without it the test is skipped, except under `CI=true`.
fn adult() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let there = folder.join("adult.csv").exists();
    assert!(
        there || std::env::var("CI").as_deref() != Ok("true"),
        "no data"
    );
    there.then_some(folder)
}

fn read(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).expect("a file");
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| line.split(';').map(str::to_owned).collect())
        .collect()
}

struct Adult {
    schema: Arc<Schema>,
    rows: Vec<Vec<String>>,
    chains: Vec<HashMap<String, Vec<String>>>,
    domains: Vec<(String, Domain)>,
}

impl Adult {
    fn load(folder: &Path) -> Self {
        let mut rows = read(&folder.join("adult.csv"));
        let header = rows.remove(0);
        let category = Kind::Category { ordered: false };
        let fields: Vec<Field> = header
            .iter()
            .map(|name| Field::new(name.as_str(), Role::Quasi, category.clone()))
            .collect();
        let mut adult = Adult {
            schema: Arc::new(Schema::new(fields).expect("names differ")),
            rows,
            chains: Vec::new(),
            domains: Vec::new(),
        };
        let batch = adult.batch(|_, text| text.clone(), |_| true);
        for (place, name) in header.iter().enumerate() {
            let chains = read(&folder.join(format!("adult_hierarchy_{name}.csv")));
            let tree = Arc::new(Hierarchy::from_chains(&chains).expect("a tree"));
            let field = &adult.schema.fields()[place];
            let domain = Domain::of(field, batch.column(place), Some(tree)).expect("categories");
            adult.domains.push((name.clone(), domain));
            let chains = chains.into_iter().map(|chain| (chain[0].clone(), chain));
            adult.chains.push(chains.collect());
        }
        adult
    }

    fn batch(
        &self,
        cell: impl Fn(usize, &String) -> String,
        keep: impl Fn(usize) -> bool,
    ) -> Batch {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|&row| keep(row)).collect();
        let column = |place: usize| {
            let texts = kept
                .iter()
                .map(|&row| Some(cell(place, &self.rows[row][place])));
            Column::Category(texts.collect())
        };
        let columns = (0..self.schema.len()).map(column).collect();
        let ids = RowIds::List(kept.iter().map(|&row| row as u64).collect());
        Batch::new(Arc::clone(&self.schema), ids, columns).expect("fits")
    }
}

/// k, levels, loss, suppressed, classes, discernibility.
type Published = (usize, [usize; 9], f64, u64, u64, f64);

const PUBLISHED: [Published; 4] = [
    (
        2,
        [0, 4, 1, 1, 3, 2, 0, 2, 0],
        0.529695514,
        0,
        52,
        113_240_304.0,
    ),
    (
        5,
        [0, 4, 1, 1, 3, 2, 2, 1, 0],
        0.573150966,
        0,
        24,
        70_009_068.0,
    ),
    (
        2,
        [0, 3, 0, 0, 1, 1, 1, 1, 0],
        0.169005863,
        1_350,
        1_468,
        45_976_728.0,
    ),
    (
        5,
        [0, 3, 0, 0, 2, 1, 1, 2, 0],
        0.241932365,
        1_346,
        397,
        59_199_546.0,
    ),
];

#[test]
fn adult_has_the_published_classes_discernibility_and_loss() {
    let Some(folder) = adult() else {
        return;
    };
    let adult = Adult::load(&folder);
    for (k, levels, loss, suppressed, classes, discernibility) in PUBLISHED {
        let general =
            |place: usize, text: &String| adult.chains[place][text][levels[place]].clone();
        let tuple = |row: usize| -> Vec<String> {
            let cells = adult.rows[row].iter().enumerate();
            cells.map(|(place, text)| general(place, text)).collect()
        };
        let mut sizes: HashMap<Vec<String>, usize> = HashMap::new();
        for row in 0..adult.rows.len() {
            *sizes.entry(tuple(row)).or_insert(0) += 1;
        }
        let keep: Vec<bool> = (0..adult.rows.len())
            .map(|row| sizes[&tuple(row)] >= k)
            .collect();
        let original = adult.batch(|_, text| text.clone(), |row| keep[row]);
        let released = adult.batch(general, |row| keep[row]);
        let dropped = adult.batch(|_, text| text.clone(), |row| !keep[row]);
        let mut measures = Measures::new(&adult.schema, &adult.domains, k as u32);
        measures.observe(&original, &released).expect("fits");
        measures.suppressed(&dropped).expect("fits");
        let values: HashMap<&str, f64> = measures
            .values()
            .iter()
            .map(|v| (v.name, v.after))
            .collect();
        let found: u64 = measures.class_sizes_after().iter().map(|s| s.groups).sum();
        assert_eq!(dropped.len() as u64, suppressed, "k = {k}");
        assert_eq!(found, classes, "k = {k}");
        assert_eq!(values["discernibility"], discernibility, "k = {k}");
        assert!(
            (values["loss"] - loss).abs() < 1e-9,
            "k = {k}: {}",
            values["loss"]
        );
        assert_eq!(values["hiding_failure"], 0.0);
        assert!(values["prosecutor_risk"] <= 1.0 / k as f64);
        let original: u64 = measures.class_sizes_before().iter().map(|s| s.groups).sum();
        assert_eq!(original, 19_502, "distinct tuples of the original");
    }
}

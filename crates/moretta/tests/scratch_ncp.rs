use moretta::protect::mondrian::{Mode, partition_codes};
use std::collections::HashMap;
fn main_codes(cols: &[usize], numeric: &[usize], full: bool) -> Vec<Vec<u32>> {
    let text = std::fs::read_to_string("/work/shared/data/adult-uci/adult-uci.csv").unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .filter(|l| full || !l.contains('?'))
        .map(|l| l.split(',').collect())
        .collect();
    cols.iter()
        .map(|&c| {
            if numeric.contains(&c) {
                rows.iter().map(|r| r[c].parse().unwrap()).collect()
            } else {
                let mut m = HashMap::new();
                rows.iter()
                    .map(|r| {
                        let n = m.len() as u32;
                        *m.entry(r[c]).or_insert(n)
                    })
                    .collect()
            }
        })
        .collect()
}
#[test]
fn ncp() {
    // age, workclass, education-num, marital, occupation, race, sex, country
    let cols = main_codes(&[0, 1, 4, 5, 6, 8, 9, 13], &[0, 4], false);
    println!("rows {}", cols[0].len());
    for mode in [Mode::Strict, Mode::Relaxed, Mode::Balanced, Mode::Strict] {
        let t = std::time::Instant::now();
        let c = partition_codes(&cols, 10, mode);
        let dt = t.elapsed();
        let mut total = 0.0;
        for col in &cols {
            let lo = *col.iter().min().unwrap() as f64;
            let hi = *col.iter().max().unwrap() as f64;
            for cl in &c {
                let a = cl.iter().map(|&r| col[r as usize]).min().unwrap() as f64;
                let b = cl.iter().map(|&r| col[r as usize]).max().unwrap() as f64;
                total += cl.len() as f64 * (b - a) / (hi - lo);
            }
        }
        println!(
            "{mode:?} classes {} ncp {:.4}% min {} time {:?}",
            c.len(),
            100.0 * total / (8.0 * cols[0].len() as f64),
            c.iter().map(|c| c.len()).min().unwrap(),
            dt
        );
    }
}

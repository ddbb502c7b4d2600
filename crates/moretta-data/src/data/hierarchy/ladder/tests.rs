use super::*;
use crate::data::hierarchy::{DateUnit, TOP};
use crate::data::{DateFormat, Levels, Numbers};
use proptest::collection::{hash_set, vec};
use proptest::prelude::*;
use std::collections::HashMap;
use std::io::Write;

const ISO: Texts = Texts::Date(DateFormat::ISO);

/// The labels joined by ` | `; none when the ladder does not know the value.
fn climb(ladder: &Ladder, value: &str) -> Option<String> {
    let mut rungs = Rungs::default();
    rungs.push("left from the value before");
    let known = ladder.climb(value, &mut rungs);
    assert_eq!(known, !rungs.is_empty(), "known values have rungs");
    known.then(|| rungs.iter().collect::<Vec<_>>().join(" | "))
}

fn check(ladder: &Ladder, cases: &[(&str, &str)]) {
    for (value, labels) in cases {
        let expected = Some(labels.to_string()).filter(|labels| labels != "unknown");
        assert_eq!(climb(ladder, value), expected, "{value}");
    }
}

fn ladder(spec: HierarchySpec, texts: Texts) -> Ladder {
    spec.ladder("c", texts).expect("a ladder")
}

fn from_file(text: &str, texts: Texts) -> Result<Ladder> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    HierarchySpec::File(file.path().into()).ladder("c", texts)
}

fn paths(separator: &str) -> Ladder {
    ladder(HierarchySpec::Path(separator.into()), Texts::Category)
}

fn masks(side: MaskSide) -> Ladder {
    ladder(HierarchySpec::Mask(side), Texts::Category)
}

fn intervals(widths: &[f64]) -> Ladder {
    ladder(HierarchySpec::Intervals(widths.to_vec()), Texts::Number)
}

#[test]
fn paths_lose_their_last_parts() {
    check(
        &paths("*"),
        &[
            ("a*b*c", "a*b*c | a*b | a"),
            ("a", "a"),
            ("a**", "a** | a* | a"),
            ("*b", "*b | "),
            ("*", "* | "),
            ("", ""),
            ("é*ü", "é*ü | é"),
        ],
    );
    check(
        &paths(" > "),
        &[
            ("a > b > c", "a > b > c | a > b | a"),
            (" > ", " >  | "),
            ("a>b", "a>b"),
        ],
    );
    check(&paths("é"), &[("aéb", "aéb | a"), ("ab", "ab")]);
    check(&paths("**"), &[("a***b**", "a***b** | a***b | a")]);
    assert!(paths("*").separator() == Some(b'*') && paths("**").separator().is_none());
}

#[test]
fn a_very_deep_path_is_not_climbed() {
    let mut rungs = Rungs::default();
    assert!(paths("/").climb(&"/".repeat(255), &mut rungs));
    assert_eq!((rungs.len(), rungs.get(255)), (256, ""));
    for separator in ["/", "//"] {
        assert!(!paths(separator).climb(&"/".repeat(1 << 20), &mut rungs));
        assert!(rungs.is_empty());
    }
}

#[test]
fn files_give_the_labels_of_the_row_below_the_top() {
    let file = "a;x;S;*\nb;x;S;*\nc;c;c;*\nd;*;*;*\n*;*;*;*\n;y;T;*";
    let ladder = from_file(file, Texts::Category).expect("a ladder");
    check(
        &ladder,
        &[
            ("a", "a | x | S"),
            ("c", "c"),
            ("d", "d"),
            ("*", "unknown"),
            ("", " | y | T"),
            ("e", "unknown"),
            ("A", "unknown"),
        ],
    );
    check(
        &from_file("a,x,any\nb,*,any", Texts::Category).expect("a ladder"),
        &[("a", "a | x"), ("b", "b"), ("any", "unknown")],
    );
    check(
        &from_file("a\nb", Texts::Category).expect("a ladder"),
        &[("a", "a")],
    );
    check(
        &from_file("39.0;30..39\n40;40..49", Texts::Number).expect("a ladder"),
        &[
            ("39", "39 | 30..39"),
            ("39.00", "39 | 30..39"),
            ("4e1", "40 | 40..49"),
            ("41", "unknown"),
            ("x", "unknown"),
        ],
    );
    check(
        &from_file("2024-01-02;2024;*", ISO).expect("a ladder"),
        &[("2024-1-2", "2024-01-02 | 2024")],
    );
}

#[test]
fn numbers_fall_into_the_intervals_of_a_table() {
    check(
        &intervals(&[5.0, 10.0, 40.0]),
        &[
            ("34", "34 | 30..34 | 30..39 | 0..39"),
            ("34.0", "34.0 | 30..34 | 30..39 | 0..39"),
            ("-3", "-3 | -5..-1 | -10..-1 | -40..-1"),
            ("-0", "-0 | 0..4 | 0..9 | 0..39"),
            ("12.5", "12.5 | [10, 15) | [10, 20) | [0, 40)"),
            ("1e300", "unknown"),
            ("inf", "unknown"),
            ("NaN", "unknown"),
            ("", "unknown"),
            (" 3", "unknown"),
        ],
    );
    check(
        &intervals(&[1.0, 2.0]),
        &[("7", "7 | 6..7"), ("7.0", "7.0 | 7 | 6..7")],
    );
    check(
        &intervals(&[0.1, 0.3]),
        &[("0.3", "0.3 | [0.3, 0.4) | [0.3, 0.6)")],
    );
}

#[test]
fn texts_are_masked_by_their_own_length() {
    check(
        &masks(MaskSide::Right),
        &[
            ("4041", "4041 | 404* | 40** | 4***"),
            ("40", "40 | 4*"),
            ("4", "4"),
            ("", ""),
            ("éàü", "éàü | éà* | é**"),
            ("ab*", "ab* | a**"),
            (&"x".repeat(64), "unknown"),
        ],
    );
    check(&masks(MaskSide::Left), &[("041", "041 | *41 | **1")]);
    let mut rungs = Rungs::default();
    assert!(masks(MaskSide::Left).climb(&"é".repeat(63), &mut rungs));
    assert_eq!(rungs.len(), 63);
}

#[test]
fn dates_become_ever_longer_spans() {
    use DateUnit::{Decade, Month, Quarter, Year};
    let all = HierarchySpec::Dates(vec![Month, Quarter, Year, Decade]);
    let format = DateFormat::from_pattern("%d.%m.%Y").expect("a pattern");
    check(
        &ladder(all.clone(), Texts::Date(format)),
        &[(
            "29.02.2020",
            "29.02.2020 | 2020-02 | 2020-Q1 | 2020 | 2020s",
        )],
    );
    check(
        &ladder(all, ISO),
        &[
            (
                "1969-12-31",
                "1969-12-31 | 1969-12 | 1969-Q4 | 1969 | 1960s",
            ),
            ("2023-02-29", "unknown"),
            ("29.02.2020", "unknown"),
        ],
    );
}

#[test]
fn cells_climb_to_the_cells_around_them() {
    let grid = ladder(HierarchySpec::Grid(vec![100.0, 1000.0]), Texts::Category);
    check(
        &grid,
        &[
            ("100m:53:-12", "100m:53:-12 | 1000m:5:-2"),
            ("100m:053:-0", "100m:53:0 | 1000m:5:0"),
            ("1000m:5:-2", "unknown"),
            ("100m:5", "unknown"),
            ("100m:5:1:2", "unknown"),
            ("100m:99999999999999999999:1", "unknown"),
        ],
    );
    let h3 = ladder(HierarchySpec::H3(vec![5, 4]), Texts::Category);
    check(
        &h3,
        &[
            ("85283473fffffff", "85283473fffffff | 8428347ffffffff"),
            ("85283473FFFFFFF", "85283473fffffff | 8428347ffffffff"),
            ("8428347ffffffff", "unknown"),
            ("85283473ffffff0", "unknown"),
            ("place", "unknown"),
        ],
    );
    let mut name = String::new();
    for (latitude, longitude) in [(90.5, 0.0), (0.0, 181.0), (f64::NAN, 0.0), (0.0, f64::NAN)] {
        assert!(!grid.cell(latitude, longitude, &mut name) && name.is_empty());
        assert!(!h3.cell(latitude, longitude, &mut name) && name.is_empty());
    }
    assert!(h3.cell(37.361_559_3, -122.055_323_8, &mut name));
    assert_eq!(name, "85283473fffffff");
    assert!(grid.cell(0.0005, -0.0005, &mut name));
    assert_eq!(name, "100m:0:-1");
    assert!(!Ladder::flat().cell(0.0, 0.0, &mut name) && name.is_empty());
}

#[test]
fn a_flat_ladder_has_one_rung() {
    fn is_shared_between_threads(_: &(impl Clone + Send + Sync)) {}
    is_shared_between_threads(&Ladder::flat());
    check(&Ladder::flat(), &[("a*b", "a*b"), ("", ""), ("*", "*")]);
}

#[test]
fn a_rule_that_is_wrong_in_itself_is_refused_before_any_value() {
    for (spec, texts) in [
        (HierarchySpec::Path(String::new()), Texts::Category),
        (HierarchySpec::Intervals(vec![5.0, 12.0]), Texts::Number),
        (HierarchySpec::Intervals(vec![5.0]), ISO),
        (HierarchySpec::Dates(vec![]), ISO),
        (HierarchySpec::Dates(vec![DateUnit::Year]), Texts::Category),
        (HierarchySpec::Grid(vec![0.0]), Texts::Category),
        (HierarchySpec::H3(vec![5, 7]), Texts::Category),
    ] {
        let error = spec.ladder("c", texts).expect_err("refused");
        assert_eq!(error.exit_code(), 3, "{spec:?}");
    }
    let error = from_file("a;x;1;*\nb;x;2;*", Texts::Category).expect_err("no tree");
    assert_eq!(error.exit_code(), 3);
}

/// The chain of the tree over `values`, without the top and without repetitions.
fn chains(spec: &HierarchySpec, values: &[String], texts: Texts) -> HashMap<String, String> {
    let levels: Levels = values.iter().collect();
    let tree = spec.build("c", &levels, texts).expect("a tree");
    values
        .iter()
        .map(|value| {
            let leaf = tree.leaf(value).expect("a leaf");
            let mut labels: Vec<&str> = tree.chain(leaf).collect();
            assert_eq!(labels.pop(), Some(TOP));
            labels.dedup();
            // Short masked texts are the top before the others are.
            let masked = matches!(spec, HierarchySpec::Mask(_));
            if masked && labels.len() > 1 && labels.last() == Some(&TOP) {
                labels.pop();
            }
            (value.clone(), labels.join(" | "))
        })
        .collect()
}

fn agrees(spec: &HierarchySpec, values: &[String], texts: Texts) {
    let ladder = ladder(spec.clone(), texts);
    for (value, labels) in chains(spec, values, texts) {
        assert_eq!(climb(&ladder, &value), Some(labels), "{spec:?}");
    }
}

/// Whoever reaches a label must reach the same labels above it.
fn covers(ladder: &Ladder, values: &[String]) {
    let mut above: HashMap<String, Vec<String>> = HashMap::new();
    let mut rungs = Rungs::default();
    for value in values {
        ladder.climb(value, &mut rungs);
        let labels: Vec<String> = rungs.iter().map(str::to_owned).collect();
        for (i, label) in labels.iter().enumerate() {
            let rest = labels[i + 1..].to_vec();
            assert_eq!(above.entry(label.clone()).or_insert(rest.clone()), &rest);
        }
    }
}

fn points() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let far = (-90.0..=90.0_f64, -180.0..=180.0_f64);
    let near = (46.0..46.02_f64, 7.0..7.02_f64);
    let edge = (
        proptest::sample::select(vec![-90.0, 0.0, 90.0]),
        proptest::sample::select(vec![-180.0, 0.0, 180.0]),
    );
    vec(prop_oneof![far, near, edge], 1..60)
}

proptest! {
    #[test]
    fn a_value_climbs_as_in_a_tree_over_all_values(
        words in hash_set("[ab*/é]{0,6}", 1..20),
        numbers in hash_set(-5000_i32..5000, 1..20),
        days in hash_set(-200_000..200_000_i32, 1..20),
        width in proptest::sample::select(vec![1.0, 5.0, 0.1, 0.25, 0.7, 1e6]),
    ) {
        let words: Vec<String> = words.into_iter().collect();
        agrees(&HierarchySpec::Path("/".into()), &words, Texts::Category);
        agrees(&HierarchySpec::Path("a*".into()), &words, Texts::Category);
        agrees(&HierarchySpec::Mask(MaskSide::Left), &words, Texts::Category);
        agrees(&HierarchySpec::Mask(MaskSide::Right), &words, Texts::Category);
        let spec = HierarchySpec::Intervals(vec![width, width * 2.0, width * 6.0]);
        let mut whole: Vec<i32> = numbers.into_iter().collect();
        whole.sort_unstable();
        let halves: Vec<String> = whole.iter().map(|n| (f64::from(*n) + 0.5).to_string()).collect();
        let whole: Vec<String> = whole.iter().map(i32::to_string).collect();
        agrees(&spec, &whole, Texts::Number);
        agrees(&spec, &halves, Texts::Category);
        let dates: Vec<String> = days.iter().map(|&day| DateFormat::ISO.format(day)).collect();
        agrees(&HierarchySpec::Dates(vec![DateUnit::Month, DateUnit::Decade]), &dates, ISO);
        let all = [DateUnit::Month, DateUnit::Quarter, DateUnit::Year, DateUnit::Decade];
        agrees(&HierarchySpec::Dates(all.to_vec()), &dates, ISO);
    }

    #[test]
    fn a_value_of_a_file_climbs_as_in_its_tree(
        groups in vec((0..4_u8, 0..3_u8), 1..20),
        top in any::<bool>(),
    ) {
        let mut outer = HashMap::new();
        let rows: Vec<[String; 4]> = groups.iter().enumerate().map(|(value, &(group, area))| {
            let area = *outer.entry(group).or_insert(area);
            let value = value.to_string();
            let group = if group == 0 { value.clone() } else { format!("g{group}") };
            let area = if area == 0 { group.clone() } else { format!("a{area}") };
            [value, group, area, TOP.to_owned()]
        }).collect();
        let levels = if top { 4 } else { 3 };
        // Rows that all end in one label would make that the top.
        prop_assume!(top || rows.iter().any(|row| row[2] != rows[0][2]));
        let text: String = rows.iter().map(|row| row[..levels].join(";") + "\n").collect();
        let ladder = from_file(&text, Texts::Category).expect("a tree");
        let values: Vec<String> = rows.iter().map(|row| row[0].clone()).collect();
        for row in &rows {
            let mut labels = row[..3].to_vec();
            labels.dedup();
            prop_assert_eq!(climb(&ladder, &row[0]), Some(labels.join(" | ")));
        }
        covers(&ladder, &values);
    }

    #[test]
    fn a_point_climbs_as_in_the_tree_of_all_cells(points in points()) {
        let latitude: Numbers = points.iter().map(|p| p.0).collect();
        let longitude: Numbers = points.iter().map(|p| p.1).collect();
        for spec in [
            HierarchySpec::Grid(vec![100.0, 200.0, 5000.0]),
            HierarchySpec::Grid(vec![0.5, 7.5]),
            HierarchySpec::Grid(vec![10_000.0, 20_000_000.0]),
            HierarchySpec::H3(vec![9, 7, 0]),
        ] {
            let (cells, tree) = spec.cells(&latitude, &longitude).expect("cells");
            let ladder = ladder(spec, Texts::Category);
            let (mut name, mut names) = (String::new(), Vec::new());
            for (row, &(latitude, longitude)) in points.iter().enumerate() {
                prop_assert!(ladder.cell(latitude, longitude, &mut name));
                prop_assert_eq!(Some(name.as_str()), cells.get(row));
                let mut labels: Vec<&str> = tree.chain(tree.leaf(&name).expect("a leaf")).collect();
                labels.pop();
                prop_assert_eq!(climb(&ladder, &name), Some(labels.join(" | ")));
                names.push(name.clone());
            }
            covers(&ladder, &names);
        }
    }

    #[test]
    fn equal_labels_lead_to_equal_labels_and_no_text_makes_it_panic(
        texts in vec(prop_oneof![
            "[ab*/]{0,5}",
            "-?[0-9]{1,3}(\\.[0-9]{0,2})?(e[0-9]{1,3})?",
            "[0-9]{3,4}-[0-9]{1,2}-[0-9]{1,2}",
            "100m:-?[0-9]{1,21}:-?[0-9]{1,2}",
            "8[0-9a-f]{14}",
            any::<String>(),
        ], 1..40),
        (latitude, longitude) in (any::<f64>(), any::<f64>()),
    ) {
        let units = vec![DateUnit::Month, DateUnit::Quarter, DateUnit::Year, DateUnit::Decade];
        for ladder in [
            Ladder::flat(),
            paths("*"),
            paths("a/"),
            masks(MaskSide::Left),
            masks(MaskSide::Right),
            intervals(&[1.0, 2.0, 10.0]),
            intervals(&[0.1, 0.5]),
            intervals(&[5e-324]),
            intervals(&[1e300]),
            ladder(HierarchySpec::Dates(units), ISO),
            ladder(HierarchySpec::Grid(vec![100.0, 500.0]), Texts::Category),
            ladder(HierarchySpec::H3(vec![5, 2]), Texts::Category),
            from_file("1;a;*\n2;a;*\n3;3;*", Texts::Number).expect("a ladder"),
        ] {
            for text in &texts {
                climb(&ladder, text);
            }
            covers(&ladder, &texts);
            ladder.cell(latitude, longitude, &mut String::new());
        }
    }
}

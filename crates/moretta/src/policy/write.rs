//! A plan as the text of a policy without files: what [`Plan::parse`] reads.

use super::{columns, guarantee, levels, measure, outputs, rules, schema};
use crate::config::Section;
use crate::data::hierarchy::HierarchySpec;
use crate::engine::Plan;
use crate::error::{Error, Result};
use crate::protect::Method;

impl Plan {
    /// The plan as [`Plan::parse`] reads it, whether it was read, made by hand or by a form. What
    /// holds anyway is left out; what follows from the rest, as what a method promises, is said.
    ///
    /// ```
    /// use moretta::data::Role;
    /// use moretta::engine::{ColumnPolicy, Plan};
    /// use moretta::guarantee::Guarantee;
    /// use moretta::protect::Method;
    ///
    /// let plan = Plan {
    ///     columns: vec![
    ///         ColumnPolicy::new("age", Role::Quasi),
    ///         ColumnPolicy::new("illness", Role::Sensitive),
    ///     ],
    ///     guarantee: Guarantee {
    ///         k: Some(5),
    ///         ..Guarantee::default()
    ///     },
    ///     protect: vec![Method::Mondrian(Default::default())],
    ///     ..Plan::default()
    /// };
    /// let text = plan.to_toml()?;
    /// assert_eq!(
    ///     text,
    ///     r#"[columns]
    /// age = { role = "quasi" }
    /// illness = { role = "sensitive" }
    ///
    /// [guarantee]
    /// k = 5
    ///
    /// [[protect]]
    /// method = "mondrian"
    /// "#
    /// );
    /// assert_eq!(Plan::parse(&text)?, plan);
    /// # Ok::<(), moretta::Error>(())
    /// ```
    ///
    /// # Errors
    /// When it is no plan, or holds what no policy can say: a method of one's own, a hierarchy
    /// that is in no file, settings that contradict each other.
    pub fn to_toml(&self) -> Result<String> {
        let mut plan = self.clone();
        plan.complete()?;
        let text = written(&plan)?;
        for column in &mut plan.columns {
            if let Some(HierarchySpec::Table(table)) = &column.hierarchy {
                column.hierarchy = Some(HierarchySpec::File(table.name.clone()));
            }
        }
        match super::read_plan_alone(&text)?.0 == plan {
            true => Ok(text),
            false => Err(Error::policy("the plan says what a policy cannot").help(
                "settings that a policy has no words for, or would take for others, are in it",
            )),
        }
    }
}

fn written(plan: &Plan) -> Result<String> {
    let mut top = Section::default();
    top.set_optional(&schema::SEED, plan.seed);
    top.set_optional(&schema::CLUSTERS, plan.clusters);
    let mut text: String = top.lines().map(|line| line + "\n").collect();
    let mut columns = Section::default();
    for column in &plan.columns {
        columns.put(&column.name, columns::written(column)?);
    }
    for (parameter, section) in [
        (&schema::COLUMNS, columns),
        (
            &schema::GUARANTEE,
            guarantee::written(&plan.guarantee, plan.audit),
        ),
        (&schema::LEVELS, levels::written(&plan.levels)),
        (&schema::MEASURE, measure::written(plan)),
        (&schema::SINK, outputs::written_order(plan.order)),
    ] {
        push_table(&mut text, format!("[{}]", parameter.name), &section);
    }
    for rule in &plan.rules {
        let head = format!("[[{}]]", schema::RULES.name);
        push_table(&mut text, head, &rules::written(rule));
    }
    let methods = plan.protect.iter().map(Method::written);
    for method in methods.collect::<Result<Vec<Section>>>()? {
        push_table(&mut text, format!("[[{}]]", schema::PROTECT.name), &method);
    }
    Ok(text)
}

fn push_table(text: &mut String, head: String, section: &Section) {
    let lines: Vec<String> = section.lines().collect();
    if lines.is_empty() {
        return;
    }
    let gap = if text.is_empty() { "" } else { "\n" };
    text.push_str(&format!("{gap}{head}\n{}\n", lines.join("\n")));
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::super::{columns, guarantee, measure, read_plan_alone};
    use crate::config::{Absent, Accepts, Parameter, Section, Value};
    use crate::data::Role;
    use crate::data::hierarchy::{HierarchySpec, HierarchyTable};
    use crate::engine::{Action, ColumnPolicy, KeyPlace, Order, Plan};
    use crate::guarantee::Population;
    use crate::policy::{Policy, Root};
    use crate::protect::{METHODS, Method, MethodConfig};
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// Some value that a declaration accepts.
    fn some_value(accepts: &Accepts, draw: &mut impl FnMut(usize) -> usize) -> Value {
        match *accepts {
            Accepts::Whole(low, high) => Value::Whole((low + draw(30) as i64).min(high)),
            Accepts::Number(low, high) => {
                let near = low.max(-1e6) + draw(50) as f64 * 0.037;
                Value::Number(
                    [low, near, near.ceil(), near + 1e-7][draw(4)].clamp(low.max(-1e9), high),
                )
            }
            Accepts::Flag => Value::Flag(draw(2) == 0),
            Accepts::Text => Value::from(COLUMNS[draw(COLUMNS.len())]),
            Accepts::Word(words) | Accepts::Name(_, words) => {
                let words = words();
                Value::from(words[draw(words.len())])
            }
            Accepts::Form(form) => Value::from(form.example),
            Accepts::List(of, length) => {
                let values = length.least + draw(3);
                let values = (0..values.min(length.most)).map(|_| some_value(of, draw));
                Value::from(values.collect::<Vec<Value>>())
            }
            Accepts::Ends(of) => {
                let (low, high) = (some_value(of, draw), some_value(of, draw));
                Value::from(vec![low, high])
            }
            Accepts::OneOrMore(of) => some_value(of, draw),
            Accepts::By(_, of) => {
                let mut table = Section::default();
                for name in COLUMNS.iter().take(draw(3)) {
                    table.put(name, some_value(of, draw));
                }
                Value::from(table)
            }
            Accepts::ByWord(words, of) => {
                let mut table = Section::default();
                let words = words();
                table.put(words[draw(words.len())], some_value(of, draw));
                Value::from(table)
            }
            Accepts::Table(keys) => Value::from(some_table(keys, 2, draw)),
            Accepts::One(keys) => {
                let key = &keys[draw(keys.len())];
                let mut table = Section::default();
                table.put(key.name, some_value(&key.accepts, draw));
                Value::from(table)
            }
            Accepts::OneOf(kinds) => some_value(&kinds[draw(kinds.len())], draw),
        }
    }

    /// Nearly all keys that must be given, and of the others one in so many.
    fn some_table(
        keys: &[Parameter],
        one_in: usize,
        draw: &mut impl FnMut(usize) -> usize,
    ) -> Section {
        let mut table = Section::default();
        for key in keys {
            let needed = matches!(key.absent, Absent::Refused);
            let is_given = match needed {
                true => draw(20) > 0,
                false => draw(one_in) == 0,
            };
            if is_given {
                let value = match (key.accepts, key.examples) {
                    (Accepts::Text, [example, ..]) => Value::from(example.trim_matches('"')),
                    _ => some_value(&key.accepts, draw),
                };
                table.put(key.name, value);
            }
        }
        table
    }

    /// The same numbers each time.
    fn draws() -> impl FnMut(usize) -> usize {
        let mut state = 7_u64;
        move |below| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        }
    }

    const COLUMNS: &[&str] = &["age", "the \"zip\"", "città = 1\n", "t"];

    #[test]
    fn every_method_is_read_as_it_was_written() {
        let mut draw = draws();
        for info in METHODS {
            let (mut sound, mut seen) = (0, BTreeSet::new());
            for _ in 0..4000 {
                let mut section = some_table(info.parameters, 2, &mut draw);
                section.put("method", info.name);
                let keys: Vec<String> = section.keys().into_iter().map(|(key, _)| key).collect();
                let Ok(method) = Method::read(section) else {
                    continue;
                };
                sound += 1;
                seen.extend(keys);
                let written = method.written().expect("in the list");
                let lines: Vec<String> = written.lines().collect();
                let text = lines.join("\n");
                let parsed = parse(&text).expect(&text);
                assert_eq!(Method::read(parsed).expect(&text), method, "{text}");
            }
            assert!(sound > 20, "{}: {sound}", info.name);
            assert_eq!(
                seen.len(),
                info.parameters.len() + 1,
                "{}: {seen:?}",
                info.name
            );
        }
    }

    #[test]
    fn every_key_of_a_plan_is_read_as_it_was_written() {
        let of_releases = columns::KEYS.len() - columns::OF_SITES.len();
        let of_releases = &columns::KEYS[..of_releases];
        let mut draw = draws();
        let mut seen = BTreeSet::new();
        let mut sound = 0;
        let names = |section: &str, table: &Section| -> Vec<String> {
            let keys = table.keys().into_iter();
            keys.map(|(key, _)| format!("{section}.{key}")).collect()
        };
        for _ in 0..60_000 {
            let (mut top, mut keys) = (Section::default(), Vec::new());
            let mut columns = Section::default();
            for name in COLUMNS.iter().take(1 + draw(2)) {
                // Those of pseudonyms go together, and with few others.
                let (some, one_in) = match draw(3) {
                    0 => (&columns::KEYS[..5], 2),
                    _ => (of_releases, 3 + draw(9)),
                };
                let column = some_table(some, one_in, &mut draw);
                keys.extend(names("columns", &column));
                columns.put(name, column);
            }
            top.put("columns", columns);
            for (name, declared) in [("guarantee", guarantee::KEYS), ("measure", measure::KEYS)] {
                if draw(4) == 0 {
                    let section = some_table(declared, 3, &mut draw);
                    keys.extend(names(name, &section));
                    top.put(name, section);
                }
            }
            let mut method = Section::default();
            let (name, settings) = SOME_METHODS[draw(SOME_METHODS.len())];
            method.put("method", name);
            for (key, value) in settings {
                method.put(key, value.clone());
            }
            top.put("protect", vec![method]);
            let lines: Vec<String> = top.lines().collect();
            let Ok((plan, _)) = read_plan_alone(&lines.join("\n")) else {
                continue;
            };
            let text = plan.to_toml().unwrap_or_else(|e| panic!("{e}: {plan:?}"));
            let (again, _) = read_plan_alone(&text).expect(&text);
            assert_eq!(again, plan, "{text}");
            sound += 1;
            seen.extend(keys);
        }
        assert!(sound > 500, "{sound}");
        let all = [
            ("columns", of_releases),
            ("guarantee", guarantee::KEYS),
            ("measure", measure::KEYS),
        ];
        let all = all.iter().flat_map(|(section, keys)| {
            keys.iter()
                .map(move |key| format!("{section}.{}", key.name))
        });
        let unseen: Vec<String> = all.filter(|key| !seen.contains(key)).collect();
        assert_eq!(unseen, Vec::<String>::new());
    }

    const SOME_METHODS: &[(&str, &[(&str, Value)])] = &[
        ("mondrian", &[]),
        ("noise", &[("amount", Value::Number(0.5))]),
        (
            "microaggregation",
            &[("k", Value::Whole(3)), ("buffer", Value::Whole(9))],
        ),
    ];

    /// The policies of examples and of golden runs.
    fn policies() -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders = ["examples", "crates/moretta-cli/tests/golden"];
        let entries = folders.iter().flat_map(|folder| {
            let entries = std::fs::read_dir(root.join(folder)).expect("a folder");
            entries.map(|entry| entry.expect("an entry").path().join("policy.toml"))
        });
        let found: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
        assert!(found.len() > 20, "{}", found.len());
        found
    }

    #[test]
    fn the_plans_of_our_policies_are_read_as_they_were_written() {
        for path in policies() {
            let shown = path.display();
            let root = Root::of_policy(&path, None).expect("a folder");
            let policy = Policy::load(&path, &root).unwrap_or_else(|e| panic!("{shown}: {e}"));
            let mut plan = policy.plan.clone();
            if policy.evolve.is_some() {
                // What stands in for what a search will find has no name.
                assert!(plan.to_toml().is_err(), "{shown}");
                continue;
            }
            let folder = path.parent().expect("a folder");
            let below = |file: &mut PathBuf| {
                *file = file.strip_prefix(folder).expect("below").to_owned();
            };
            let map = plan.guarantee.k_map.as_mut();
            if let Some(Population::Table(file)) = map.map(|map| &mut map.population) {
                below(file);
            }
            if let Some(presence) = &mut plan.guarantee.presence {
                below(&mut presence.population);
            }
            for column in &mut plan.columns {
                if let Some(HierarchySpec::File(file)) = &mut column.hierarchy {
                    below(file);
                }
                if let Action::Pseudonym {
                    key: KeyPlace::File(file),
                    ..
                } = &mut column.action
                {
                    below(file);
                }
            }
            let text = plan.to_toml().unwrap_or_else(|e| panic!("{shown}: {e}"));
            // As a policy with files, it says the same.
            let (head, tables) = text.split_at(text.find('[').expect("a table"));
            let tables = tables.replace("[sink]\n", "[sink]\npath = \"x.csv\"\n");
            let whole = format!("version = 1\n{head}{tables}\n[source]\npath = \"x.csv\"\n");
            let again =
                Policy::parse(&whole, &root).unwrap_or_else(|e| panic!("{shown}: {e}\n{whole}"));
            let again = Plan {
                order: policy.plan.order,
                ..again.plan
            };
            assert_eq!(again, policy.plan, "{shown}\n{text}");
        }
    }

    fn plan(role: Role) -> Plan {
        Plan {
            columns: vec![ColumnPolicy::new("age", role)],
            protect: vec![Method::Mondrian(Default::default())],
            ..Plan::default()
        }
    }

    #[test]
    fn what_no_policy_can_say_is_refused() {
        struct Own;
        impl MethodConfig for Own {
            fn is_random(&self) -> bool {
                false
            }
        }
        let own = Plan {
            protect: vec![Method::own("mine", Own)],
            ..plan(Role::Quasi)
        };
        let error = own.to_toml().expect_err("a method of one's own");
        assert!(error.to_string().contains("`mine`"), "{error}");
        let mut dropped = plan(Role::Quasi);
        dropped.columns[0].action = Action::Drop;
        assert_eq!(dropped.to_toml().expect_err("dropped").exit_code(), 3);
        let mut loaded = plan(Role::Quasi);
        let table = HierarchyTable {
            name: PathBuf::from("nowhere.csv"),
            text: "1;*\n".to_owned(),
        };
        loaded.columns[0].hierarchy = Some(HierarchySpec::Table(table));
        let error = loaded.to_toml().expect_err("in no file");
        assert!(error.to_string().contains("in no file"), "{error}");
        let mut mixed = plan(Role::Quasi);
        mixed.columns[0].weight = 1e9;
        assert!(mixed.to_toml().is_err(), "a weight out of its range");
    }

    #[test]
    fn a_plan_made_by_hand_says_what_a_session_would_do() {
        let by_hand = Plan {
            seed: Some(3),
            order: Order::Input,
            ..plan(Role::Quasi)
        };
        let text = by_hand.to_toml().expect("a plan");
        assert_eq!(Plan::parse(&text).expect("a plan"), by_hand, "{text}");
        assert!(text.starts_with("seed = 3\n"), "{text}");
        assert!(text.contains("[sink]\norder = \"input\"\n"), "{text}");
    }
}

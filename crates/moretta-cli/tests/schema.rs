//! The JSON Schema of policies and the reader agree: what one refuses of a single value, the
//! other refuses, for every parameter that is declared.

use boon::{Compiler, SchemaIndex, Schemas};
use moretta::config::{Absent, Accepts, Parameter, Placed, Section};
use moretta::measure;
use moretta::policy::{FederationPolicy, Policy, Root};
use moretta::protect::{METHODS, MethodInfo};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

/// What a parameter may need beside it, which is not in the schema: one of these, a method and
/// its settings, must do for each value that fits.
const BESIDE: &[(&str, &str)] = &[
    ("lattice", "search = \"heuristic\""),
    ("lattice", "search = \"cuts\""),
    ("microaggregation", "k = 2"),
    ("microaggregation", "grouping = \"projection\""),
    ("microaggregation", "buffer = 100"),
    ("microaggregation", "grouping = \"v-mdav\""),
    ("microaggregation", "grouping = \"projection\""),
    ("mu-argus", "k = 2"),
    ("suppression", "missing = \"wild\""),
    ("sampling", "fraction = 0.5"),
    ("sampling", "size = 10"),
    ("random-projection", "noise = \"cumulative\""),
    (
        "random-projection",
        "noise = \"cumulative\"\nreset = \"drift\"",
    ),
    ("recoding", "levels = { age = 1 }"),
    ("merging", "rare = { age = 2 }"),
    ("merging", "buffer = 1\ntop = { age = 2 }"),
    ("microaggregation", "distance = \"sum\""),
    ("pram", "design = \"equal-counts\""),
    ("pram", "design = \"equation\"\nequation = \"S\""),
    (
        "pram",
        "matrices = [{ columns = [\"age\"], categories = [\"a\"], rows = [[1]] }]",
    ),
    (
        "pram",
        "matrices = [{ columns = [\"age\"], categories = [\"a\"], counts = [1] }]",
    ),
    ("dp-microaggregation", "k = 2"),
    (
        "local-dp",
        "columns = { age = { mechanism = \"gaussian\", epsilon = 1, bounds = [0, 1], delta = 1e-9 } }",
    ),
    (
        "local-dp",
        "columns = { age = { mechanism = \"k-ary\", epsilon = 1, categories = [\"a\", \"b\"] } }",
    ),
];

/// The same for columns: what is said of `age`.
const COLUMNS: &[&str] = &[
    "{ role = \"quasi\" }",
    "{ role = \"quasi\", type = \"date\" }",
    "{ role = \"quasi\", from = [\"a\", \"b\"], hierarchy = { grid = [100] } }",
    "{ role = \"plain\" }",
    "{ role = \"subject\" }",
    "{ role = \"subject\", action = \"pseudonym\", key = \"env:KEY\" }",
    "{ role = \"time\" }",
    "{ role = \"identifier\" }",
];

/// The same for rules.
const RULES: &[&str] = &[
    "[{ name = \"r\" }]",
    "[{ name = \"r\", when = \"kind = 'x'\" }]",
    "[{ name = \"r\", then = \"age > 3\" }]",
    "[{ name = \"r\", require = \"age > 3\" }]",
];

/// The same for matrices of pram.
const MATRICES: &[&str] = &[
    "[{ columns = [\"a\"], categories = [\"f\", \"m\"], rows = [[0.9, 0.1], [0.1, 0.9]] }]",
    "[{ columns = [\"a\"], categories = [\"f\", \"m\"], counts = [1, 1] }]",
];

struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    /// As the program prints it.
    fn printed() -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_moretta"));
        let output = program.arg("schema").output().expect("it starts");
        let schema = serde_json::from_slice(&output.stdout).expect("JSON");
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler
            .add_resource("https://policy", schema)
            .expect("a resource");
        let index = compiler
            .compile("https://policy", &mut schemas)
            .expect("a schema");
        Schema { schemas, index }
    }

    fn check(&self, policy: &Table) -> Result<(), String> {
        let json = serde_json::to_value(policy).expect("JSON");
        let checked = self.schemas.validate(&json, self.index);
        checked.map_err(|error| format!("{error:#}"))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All policies below a folder, or in a file: its whole text, or those that a page shows whole.
fn policies(path: &Path, found: &mut Vec<(String, String)>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            policies(&entry.expect("an entry").path(), found);
        }
        return;
    }
    let name = path.display().to_string();
    let text = || fs::read_to_string(path).expect("a text");
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => found.push((name, text())),
        Some("md") => {
            let text = text();
            let blocks = text.split("\n```toml").skip(1);
            let whole = blocks.filter(|block| !block.starts_with(" part="));
            let shown = whole.filter_map(|block| block.split_once('\n')?.1.split_once("\n```"));
            found.extend(shown.map(|(policy, _)| (name.clone(), policy.to_owned())));
        }
        _ => {}
    }
}

#[test]
fn every_policy_of_ours_fits_the_schema() {
    let schema = Schema::printed();
    let mut found = Vec::new();
    for place in [
        "examples",
        "crates/moretta-cli/tests/golden",
        "README.md",
        "docs/src",
    ] {
        policies(&root().join(place), &mut found);
    }
    assert!(found.len() >= 25, "only {} policies", found.len());
    for (name, text) in found {
        let policy: Table = text.parse().expect(&name);
        if let Err(error) = schema.check(&policy) {
            panic!("{name}: {error}");
        }
    }
}

/// A policy with this method, everything that it must be given, and these settings.
fn base(method: &str, settings: &str) -> Table {
    let mut policy: Table = r#"
        version = 1
        source = { path = "in.csv" }
        [columns]
        age = { role = "quasi", hierarchy = { intervals = [5, 10] } }
        kind = { role = "class" }
        a = { role = "sensitive", hierarchy = { path = "/" } }
        [[protect]]
    "#
    .parse()
    .expect("TOML");
    let info = MethodInfo::find(method).expect("a method");
    let protect = policy["protect"][0].as_table_mut().expect("a table");
    protect.insert("method".to_owned(), method.into());
    protect.extend(required(info.parameters));
    if method == "massc" {
        let weight = parse("{ role = \"plain\", type = \"number\" }");
        let columns = policy["columns"].as_table_mut().expect("a table");
        columns.insert("weight".to_owned(), weight);
    }
    if method == "km-anonymity" {
        let items = "{ role = \"items\", separator = \";\", hierarchy = { path = \"/\" } }";
        policy["columns"]["age"] = parse(items);
        policy.insert("guarantee".to_owned(), parse("{ km = { k = 3 } }"));
    }
    let protect = policy["protect"][0].as_table_mut().expect("a table");
    if method == "z-anonymity" {
        protect.insert("z".to_owned(), 10.into());
    }
    protect.extend(settings.parse::<Table>().expect("TOML"));
    policy
}

/// The same with a column that has no hierarchy.
fn bare(mut policy: Table) -> Table {
    let age = policy["columns"]["age"].as_table_mut().expect("a table");
    age.remove("hierarchy");
    policy
}

/// The same behind a method that makes classes.
fn behind_classes(mut policy: Table) -> Table {
    let before: Table = "method = \"mondrian\"".parse().expect("TOML");
    let methods = policy["protect"].as_array_mut().expect("a list");
    methods.insert(0, before.into());
    policy
}

/// Examples of what must be given.
fn required(parameters: &[Parameter]) -> Table {
    let needed = parameters.iter().filter(|p| p.absent == Absent::Refused);
    needed
        .map(|parameter| (parameter.name.to_owned(), example(parameter)))
        .collect()
}

/// The first example of a parameter.
fn example(parameter: &Parameter) -> Value {
    let name = parameter.name;
    let text = parameter
        .examples
        .first()
        .unwrap_or_else(|| panic!("`{name}` has no example"));
    parse(text)
}

/// A text that fits, where any text is of the right kind.
fn text(parameter: &Parameter) -> Value {
    match parameter.examples {
        [] => "a".into(),
        [first, ..] => parse(first),
    }
}

fn parse(text: &str) -> Value {
    let table: Table = format!("x = {text}").parse().expect(text);
    table["x"].clone()
}

/// Tries values of each parameter at a place of policies that holds a table.
struct Trial<'a> {
    schema: &'a Schema,
    policies: Vec<Table>,
    /// Keys that lead to the table.
    path: Vec<String>,
    tried: usize,
    faults: Vec<String>,
}

impl<'a> Trial<'a> {
    fn new(schema: &'a Schema, policies: Vec<Table>, path: &[&str]) -> Self {
        Trial {
            schema,
            policies,
            path: path.iter().map(|&key| key.to_owned()).collect(),
            tried: 0,
            faults: Vec::new(),
        }
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        self.refused("no_such_key", &Value::Boolean(true));
        let of_matrix = self.path.last().is_some_and(|last| last == "matrices");
        // The file of a matrix is read with the policy, and there is none here.
        // A party of a federation is read by another reader, below.
        let elsewhere = ["protect", "federation"];
        let of_column = self.path.first().is_some_and(|first| first == "columns");
        let tried = |p: &&Parameter| {
            !(elsewhere.contains(&p.name)
                || of_matrix && p.name == "file"
                || of_column && OF_SITES.contains(&p.name))
        };
        for parameter in parameters.iter().filter(tried) {
            let name = parameter.name;
            let values = match parameter.accepts {
                Accepts::Text => vec![text(parameter)],
                // Lists that must be as long as others.
                Accepts::List(..) if of_matrix && name != "columns" => vec![example(parameter)],
                ref accepts => right(accepts),
            };
            for value in &values {
                self.accepted(name, value);
            }
            for value in wrong(&parameter.accepts) {
                self.refused(name, &value);
            }
            self.inner(parameter);
        }
    }

    /// The keys of a table, in the policies as they are and with a table of examples.
    fn inner(&mut self, parameter: &Parameter) {
        let keys = parameter.inner();
        let by_name = matches!(parameter.accepts, Accepts::By(..));
        let mut table = Value::Table(required(keys));
        let mut path = self.path.clone();
        path.push(parameter.name.to_owned());
        if by_name {
            path.push("age".to_owned());
            table = by("age", vec![table]).remove(0);
        }
        if keys.is_empty() {
            return;
        }
        let mut policies: Vec<Table> = self.policies.clone();
        let alone = matches!(parameter.accepts, Accepts::One(_));
        policies.retain(|policy| !alone && holds_table(policy, &path));
        let tables: Vec<Value> = match parameter.name {
            "rules" => RULES.iter().map(|rules| parse(rules)).collect(),
            "matrices" => MATRICES.iter().map(|list| parse(list)).collect(),
            _ => vec![table],
        };
        for table in &tables {
            let with = self.policies.iter();
            policies.extend(with.map(|policy| self.with(policy, parameter.name, table)));
        }
        let mut trial = Trial {
            policies,
            path,
            faults: Vec::new(),
            ..*self
        };
        trial.parameters(keys);
        self.tried += trial.tried;
        self.faults.append(&mut trial.faults);
    }

    fn with(&self, policy: &Table, key: &str, value: &Value) -> Table {
        let mut policy = policy.clone();
        let table = self.path.iter().fold(&mut policy, |table, step| {
            let next = table.entry(step).or_insert_with(|| Table::new().into());
            let next = match next {
                Value::Array(list) => list.last_mut().expect("a method"),
                one => one,
            };
            next.as_table_mut().expect("a table")
        });
        table.insert(key.to_owned(), value.clone());
        policy
    }

    fn refused(&mut self, key: &str, value: &Value) {
        let place = format!("{}.{key} = {value}", self.path.join("."));
        for policy in &self.policies {
            let policy = self.with(policy, key, value);
            let read = read(&policy).map_err(|error| error.exit_code()).err();
            if self.schema.check(&policy).is_ok() || read != Some(3) {
                self.faults.push(format!("not refused: {place} ({read:?})"));
            }
        }
        self.tried += 1;
    }

    /// The schema takes it everywhere, the reader in one of the policies.
    fn accepted(&mut self, key: &str, value: &Value) {
        let place = format!("{}.{key} = {value}", self.path.join("."));
        let policies = self.policies.iter();
        let policies: Vec<Table> = policies.map(|p| self.with(p, key, value)).collect();
        for policy in &policies {
            if let Err(error) = self.schema.check(policy) {
                self.faults.push(format!("{place}: {error}"));
            }
        }
        let mut errors: Vec<String> = Vec::new();
        if !policies.iter().any(|policy| match read(policy) {
            Ok(_) => true,
            Err(error) => {
                errors.push(error.to_string());
                false
            }
        }) {
            errors.dedup();
            self.faults.push(format!("{place}: {errors:?}"));
        }
        self.tried += 1;
    }
}

fn holds_table(policy: &Table, path: &[String]) -> bool {
    let mut table = Some(policy);
    for step in path {
        let value = table.and_then(|table| table.get(step));
        let last = value.and_then(|value| value.as_array()?.last()).or(value);
        table = last.and_then(Value::as_table);
    }
    table.is_some()
}

fn read(policy: &Table) -> moretta::Result<Policy> {
    let root = Root::of_policy(&root().join("policy.toml"), None)?;
    Policy::parse(&policy.to_string(), &root)
}

/// A word whose number may be any: limits of measures that are shares end at 1, which no schema
/// tells.
fn plain_number<'a>(words: &[&'a str]) -> &'a str {
    let is_share = |word: &str| measure::find(word).is_some_and(|info| info.percent);
    let plain = words.iter().find(|word| !is_share(word));
    plain.unwrap_or(&words[0])
}

/// Values at the ends of what fits.
fn right(accepts: &Accepts) -> Vec<Value> {
    match *accepts {
        Accepts::Whole(low, high) => vec![low.into(), high.min(low.max(1 << 40)).into()],
        Accepts::Number(low, high) => {
            let ends = [low.max(-1e9), high.min(1e9)];
            ends.map(Value::Float).to_vec()
        }
        Accepts::Flag => vec![true.into(), false.into()],
        Accepts::Text => vec!["a".into()],
        Accepts::Word(words) | Accepts::Name(_, words) => {
            words().into_iter().map(Value::from).collect()
        }
        Accepts::Form(form) => vec![form.example.into()],
        Accepts::List(of, length) => {
            let items = right(of).into_iter().cycle();
            let items: Vec<Value> = items.take(length.least.max(1)).collect();
            let distinct: Vec<Value> = (0..length.least).map(|i| format!("v{i}").into()).collect();
            vec![match length.distinct {
                true => distinct.into(),
                false => items.into(),
            }]
        }
        Accepts::Ends(of) => {
            let ends = right(of).into_iter().cycle();
            vec![ends.take(2).collect::<Vec<Value>>().into()]
        }
        Accepts::OneOrMore(of) => {
            let one = right(of);
            let list: Value = one.clone().into();
            one.into_iter().chain([list]).collect()
        }
        Accepts::By(_, of) => by("age", right(of)),
        Accepts::ByWord(words, of) => by(plain_number(&words()), right(of)),
        Accepts::Table(_) | Accepts::One(_) => Vec::new(),
        Accepts::OneOf(kinds) => kinds.iter().flat_map(right).collect(),
    }
}

/// Values just beyond what fits, and of other types.
fn wrong(accepts: &Accepts) -> Vec<Value> {
    let other_types = [parse("\"¿\""), parse("-7.5"), parse("[[]]"), parse("true")];
    let mut values = match *accepts {
        Accepts::Whole(low, high) => vec![
            (low - 1).into(),
            high.saturating_add(1).into(),
            Value::Float(low as f64 + 0.5),
        ],
        Accepts::Number(low, high) => vec![
            Value::Float(low - 1e-9 - low.abs() / 2.0),
            Value::Float(high + high.abs() + 1.0),
            0.into(),
        ],
        Accepts::List(of, _) | Accepts::Ends(of) | Accepts::OneOrMore(of) => {
            let lists = wrong(of).into_iter().map(|one| vec![one].into());
            let twice = right(of)
                .into_iter()
                .map(|one| vec![one.clone(), one].into());
            lists
                .chain(twice)
                .chain([Value::Array(Vec::new())])
                .collect()
        }
        Accepts::By(_, of) => by("age", wrong(of)),
        Accepts::ByWord(words, of) => {
            let mut tables = by(words()[0], wrong(of));
            tables.extend(by("nothing", right(of)));
            tables
        }
        Accepts::One(_) => vec![Table::new().into()],
        Accepts::OneOf(kinds) => kinds.iter().flat_map(wrong).collect(),
        _ => Vec::new(),
    };
    values.extend(other_types);
    values.retain(|value| value.as_float().is_none_or(f64::is_finite));
    let keys_differ = matches!(accepts, Accepts::ByWord(..) | Accepts::One(_));
    values.retain(|value| {
        keys_differ && value.is_table() || accepts.check("x", &placed(value)).is_err()
    });
    values
}

fn by(key: &str, values: Vec<Value>) -> Vec<Value> {
    let table = |value| Value::Table(Table::from_iter([(key.to_owned(), value)]));
    values.into_iter().map(table).collect()
}

fn placed(value: &Value) -> Placed {
    use moretta::config::Value as Ours;
    let value = match value {
        Value::String(text) => Ours::Text(text.clone()),
        Value::Integer(n) => Ours::Whole(*n),
        Value::Float(n) => Ours::Number(*n),
        Value::Boolean(flag) => Ours::Flag(*flag),
        Value::Array(list) => Ours::List(list.iter().map(placed).collect()),
        Value::Table(table) => {
            let mut section = Section::new("", 0..0);
            for (key, value) in table {
                section.insert(key, 0..0, placed(value));
            }
            Ours::Table(section)
        }
        Value::Datetime(_) => unreachable!("no dates are made here"),
    };
    Placed { value, span: 0..0 }
}

#[test]
fn schema_and_reader_agree_on_every_parameter_of_every_method() {
    let schema = Schema::printed();
    for info in METHODS {
        let beside = BESIDE.iter().filter(|(method, _)| *method == info.name);
        let settings = [""]
            .into_iter()
            .chain(beside.map(|(_, settings)| *settings));
        let policies = settings.map(|settings| base(info.name, settings));
        let mut policies: Vec<Table> = policies.collect();
        policies.push(bare(policies[0].clone()));
        if info.name == "rank-swapping" {
            policies.push(behind_classes(base(info.name, "columns = [\"a\"]")));
        }
        let mut trial = Trial::new(&schema, policies, &["protect"]);
        trial.parameters(info.parameters);
        let (name, faults) = (info.name, trial.faults.join("\n"));
        assert!(faults.is_empty(), "{name}:\n{faults}");
        assert!(trial.tried > 4 * info.parameters.len(), "{name}");
    }
}

#[test]
fn schema_and_reader_agree_on_every_section() {
    let schema = Schema::printed();
    let methods = [
        ("mondrian", ""),
        ("noise", "buffer = 9"),
        ("z-anonymity", ""),
        ("pram", "columns = [\"a\"]"),
    ];
    let mut policies = vec![base("km-anonymity", "")];
    for (method, settings) in methods {
        let policy = base(method, settings);
        policies.extend(COLUMNS.iter().map(|column| {
            let mut policy = policy.clone();
            policy["columns"]["age"] = parse(column);
            policy
        }));
        policies.push(policy);
    }
    for promise in [
        "{ l = { value = 3, kind = \"recursive\", c = 2 } }",
        "{ k_map = { k = 3, fraction = 0.5 } }",
        "{ presence = { min = 0, max = 1, population = \"a.csv\" } }",
    ] {
        let mut policy = base("mondrian", "");
        policy.insert("guarantee".to_owned(), parse(promise));
        policy.insert("sink".to_owned(), parse("{ path = \"out/release.csv\" }"));
        let columns = policy["columns"].as_table_mut().expect("a table");
        for name in ["sampling_weight", "household"] {
            columns.insert(name.to_owned(), parse("{ role = \"drop\" }"));
        }
        policies.push(policy);
    }
    let mut graph = base("mondrian", "");
    let columns = graph["columns"].as_table_mut().expect("a table");
    columns.insert("user".to_owned(), parse("{ role = \"identifier\" }"));
    graph.insert(
        "graph".to_owned(),
        parse("{ edges = \"e.csv\", node = \"user\" }"),
    );
    let sink = "{ path = \"out/users.csv\", edges = \"out/edges.csv\" }";
    graph.insert("sink".to_owned(), parse(sink));
    policies.push(graph);
    for goal in [
        "{ minimize = \"gcp\", subject_to = { uniques = 0.1 } }",
        "{ minimize = \"il1s\", subject_to = { record_linkage = 0.1 } }",
    ] {
        let mut policy = base("mondrian", "");
        policy.remove("protect");
        policy.insert("goal".to_owned(), parse(goal));
        policies.push(policy);
    }
    for evolve in [
        "{}",
        "{ selection = \"tournament\" }",
        "{ search = \"matrices\", invariant = true }",
        "{ search = \"matrices\" }",
        "{ search = \"equations\" }",
    ] {
        let mut policy = base("mondrian", "");
        policy.remove("protect");
        policy.insert("evolve".to_owned(), parse(evolve));
        let columns = policy["columns"].as_table_mut().expect("a table");
        columns.insert("a".to_owned(), parse("{ role = \"quasi\" }"));
        policies.push(policy);
    }
    let mut named = base("mondrian", "");
    named.insert("guarantee".to_owned(), parse("{ k = 5 }"));
    let columns = named["columns"].as_table_mut().expect("a table");
    columns.insert("person".to_owned(), parse("{ role = \"subject\" }"));
    policies.push(named);
    let mut rotating = base("z-anonymity", "");
    rotating["columns"]["age"] = parse(COLUMNS[5]);
    let columns = rotating["columns"].as_table_mut().expect("a table");
    columns.insert("t".to_owned(), parse("{ role = \"time\" }"));
    policies.push(rotating);
    let mut trial = Trial::new(&schema, policies, &[]);
    trial.parameters(moretta::policy::KEYS);
    let faults = trial.faults.join("\n");
    assert!(faults.is_empty(), "{faults}");
    assert!(trial.tried > 300, "{}", trial.tried);
}

/// Keys of columns that a release does not have.
const OF_SITES: [&str; 2] = ["size", "common"];

/// The keys of a table in the policy of a party: those that do not fit are refused by both.
fn try_federation(schema: &Schema, path: &[&str], parameters: &[Parameter]) -> usize {
    let example = fs::read_to_string(root().join("examples/federation/lab.toml"));
    let party: Table = example.expect("a policy").parse().expect("TOML");
    let with = |key: &str, value: &Value| {
        let mut party = party.clone();
        let table = path.iter().fold(&mut party, |table, step| {
            let next = table.entry(*step).or_insert_with(|| Table::new().into());
            next.as_table_mut().expect("a table")
        });
        table.insert(key.to_owned(), value.clone());
        party
    };
    let read = |party: &Table| {
        let root = Root::of_policy(&root().join("examples/federation/lab.toml"), None)?;
        FederationPolicy::parse(&party.to_string(), &root)
    };
    let refused = |key: &str, value: &Value| {
        let party = with(key, value);
        let code = read(&party).map_err(|error| error.exit_code()).err();
        assert_eq!(code, Some(3), "{path:?} {key} = {value}");
        assert!(schema.check(&party).is_err(), "{path:?} {key} = {value}");
    };
    refused("no_such_key", &true.into());
    let mut tried = 1;
    for parameter in parameters {
        for value in right(&parameter.accepts) {
            let checked = schema.check(&with(parameter.name, &value));
            assert_eq!(checked, Ok(()), "{path:?} {} = {value}", parameter.name);
        }
        let wrong = wrong(&parameter.accepts);
        wrong
            .iter()
            .for_each(|value| refused(parameter.name, value));
        tried += wrong.len();
        if let Accepts::Table(inner) = parameter.accepts {
            tried += try_federation(schema, &[path, &[parameter.name]].concat(), inner);
        }
    }
    tried
}

#[test]
fn schema_and_reader_agree_on_every_key_of_a_federation() {
    let schema = Schema::printed();
    let federation = moretta::policy::KEYS
        .iter()
        .find(|key| key.name == "federation");
    let keys = federation.expect("a section").inner();
    let tried = try_federation(&schema, &["federation"], keys);
    assert!(tried > 200, "{tried}");
    let columns = moretta::policy::KEYS
        .iter()
        .find(|key| key.name == "columns");
    let mut keys = columns.expect("a section").inner().to_vec();
    keys.retain(|key| OF_SITES.contains(&key.name));
    assert_eq!(keys.len(), OF_SITES.len());
    let tried = try_federation(&schema, &["columns", "lactate"], &keys);
    assert!(tried > 8, "{tried}");
}

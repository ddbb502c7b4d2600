//! Use goes one way between the crates and the modules of the library, and this test reads the
//! code to see that it does.
//!
//! Between the crates [`CRATES`] says which way, between the modules at the top [`ARROWS`]; the
//! crates below the library count as modules of it, `moretta-files` as `io`. Further down, and
//! in the crates around the library, any way will do, as long as modules side by side do not use
//! each other in a circle. What a module declares itself is for all modules inside it; what it
//! hands on by `pub use` belongs to the module where it is declared.
//!
//! It looks for `crate::…` and for `super::…` that climbs to the top, in `use`
//! lines and in paths alike. Comments and test code may point anywhere. The
//! reading leans on rustfmt: an item ends where a line of its own indentation
//! closes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which of our crates each crate is built on. A new crate needs a line here.
const CRATES: &[(&str, &[&str])] = &[
    ("moretta-data", &[]),
    ("moretta-files", &["moretta-data"]),
    ("moretta", &["moretta-data", "moretta-files"]),
    ("moretta-generate", &["moretta-data", "moretta-files"]),
    ("moretta-report", &["moretta"]),
    (
        "moretta-cli",
        &[
            "moretta",
            "moretta-federation",
            "moretta-generate",
            "moretta-report",
            "moretta-server",
        ],
    ),
    ("moretta-federation", &["moretta", "moretta-data"]),
    ("moretta-server", &["moretta", "moretta-report"]),
    (
        "moretta-lab",
        &[
            "moretta",
            "moretta-federation",
            "moretta-generate",
            "moretta-report",
        ],
    ),
];

#[test]
fn no_crate_is_built_on_one_that_it_should_not_know() {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(crates()).expect("a folder of crates") {
        let folder = entry.expect("a readable entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        found.push((name.into_owned(), built_on(&manifest)));
    }
    found.sort();
    let mut expected: Vec<(String, Vec<String>)> = CRATES
        .iter()
        .map(|(name, on)| {
            let on = on.iter().map(|name| (*name).to_owned()).collect();
            ((*name).to_owned(), on)
        })
        .collect();
    expected.sort();
    assert_eq!(found, expected);
    let planted = "[dependencies]\nserde.workspace = true\nmoretta = { path = \"x\" }\n\n\
                   [dev-dependencies]\nmoretta-generate.workspace = true\n";
    assert_eq!(built_on(planted), ["moretta"]);
}

/// Our crates among the dependencies of a manifest; tests may use others.
fn built_on(manifest: &str) -> Vec<String> {
    let lines = manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]");
    let names = lines
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| name.starts_with("moretta"));
    names.map(str::to_owned).collect()
}

/// What each top-level module may use. A new module needs a line here.
const ARROWS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("math", &["error"]),
    ("config", &["data", "error"]),
    ("optimize", &["error", "math"]),
    ("data", &["error", "math"]),
    ("io", &["data", "error", "math"]),
    ("guarantee", &["data", "error", "math"]),
    ("learn", &["config", "data", "error", "math"]),
    ("measure", &["data", "error", "math"]),
    ("attack", &["data", "error", "math"]),
    ("cancel", &["error"]),
    ("graph", &["cancel", "data", "error", "math"]),
    (
        "protect",
        &["cancel", "config", "data", "error", "guarantee", "math"],
    ),
    (
        "federate",
        &["config", "data", "error", "learn", "math", "protect"],
    ),
    (
        "engine",
        &[
            "attack",
            "cancel",
            "data",
            "error",
            "guarantee",
            "learn",
            "measure",
            "protect",
        ],
    ),
    (
        "policy",
        &[
            "config",
            "data",
            "engine",
            "error",
            "federate",
            "guarantee",
            "io",
            "learn",
            "math",
            "measure",
            "optimize",
            "protect",
        ],
    ),
    (
        "pipeline",
        &[
            "attack",
            "config",
            "data",
            "engine",
            "error",
            "federate",
            "graph",
            "guarantee",
            "io",
            "learn",
            "math",
            "measure",
            "optimize",
            "policy",
            "protect",
        ],
    ),
];

#[test]
fn no_module_uses_what_it_should_not_know() {
    let files = library();
    for (module, _) in ARROWS {
        let known = |path: &PathBuf| module_path(path).first().is_some_and(|top| top == module);
        assert!(files.keys().any(known), "no file of {module} was found");
    }
    let faults = faults(&files);
    assert!(faults.is_empty(), "wrong arrows:\n{}", faults.join("\n"));
}

/// Modules that a program can embed: what they need is given to them.
const EMBEDDED: &[&str] = &[
    "attack",
    "cancel",
    "config",
    "engine",
    "federate",
    "graph",
    "guarantee",
    "learn",
    "math",
    "measure",
    "optimize",
    "protect",
];

/// What they do not reach for. A clock may tell progress.
const OUTSIDE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "println!",
    "eprintln!",
    "static ",
    "thread_local!",
];

#[test]
fn the_engine_reaches_for_no_file_no_environment_and_no_global() {
    let faults = outside(&library());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let planted = |path: &str, code: &str| {
        outside(&BTreeMap::from([(PathBuf::from(path), code.to_owned())])).len()
    };
    assert_eq!(planted("engine/steps.rs", "use std::fs::File;\n"), 1);
    assert_eq!(planted("protect/noise.rs", "static SEEN: u8 = 0;\n"), 1);
    assert_eq!(planted("protect/noise.rs", "fn f(a: &'static str) {}\n"), 0);
    assert_eq!(planted("pipeline/place.rs", "use std::fs::File;\n"), 0);
}

fn outside(files: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let exempt: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|(path, text)| test_modules(path, text))
        .collect();
    let embedded = files.iter().filter(|(path, _)| {
        let top = module_path(path).first().cloned().unwrap_or_default();
        EMBEDDED.contains(&&*top) && !exempt.contains(&path.with_extension(""))
    });
    let mut faults = Vec::new();
    for (path, text) in embedded {
        let code = without_comments(&without_tests(text)).replace("&'static ", "");
        let reached = OUTSIDE.iter().filter(|word| code.contains(*word));
        faults.extend(reached.map(|word| format!("{}: {word}", path.display())));
    }
    faults
}

/// Words without which no method can be made to work on rows.
const AT_WORK: &[&str] = &["Operator", "Filtered", "TableMethod", "Masked::new("];

/// Who makes methods work on rows: the flow of a session, and studies that drive published
/// filters and ours record by record. Everybody else opens a session.
const DRIVERS: &[&str] = &[
    "moretta/engine/columns.rs",
    "moretta/engine/events/facts.rs",
    "moretta/engine/events/mod.rs",
    "moretta/engine/masked/flow.rs",
    "moretta/engine/masked/recoded.rs",
    "moretta/engine/plan/stage.rs",
    "moretta/engine/session/steps.rs",
    "moretta-lab/filters/ours.rs",
];

#[test]
fn nothing_but_a_session_makes_a_method_work_on_rows() {
    let mut found = BTreeSet::new();
    for name in ["moretta", "moretta-cli", "moretta-lab", "moretta-report"] {
        found.extend(drivers(name, &sources(name)));
    }
    let expected: BTreeSet<String> = DRIVERS.iter().map(|path| (*path).to_owned()).collect();
    assert_eq!(found, expected);
    let planted = |path: &str, code: &str| {
        let files = BTreeMap::from([(PathBuf::from(path), code.to_owned())]);
        drivers("moretta", &files).len()
    };
    let by_hand = "use crate::protect::{Method, Operator};\n";
    assert_eq!(planted("pipeline/tune.rs", by_hand), 1);
    assert_eq!(planted("protect/chain.rs", by_hand), 0);
    assert_eq!(planted("pipeline/tune.rs", "// An Operator.\n"), 0);
}

/// The files outside `protect` in which methods are made to work.
fn drivers(name: &str, files: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let exempt: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|(path, text)| test_modules(path, text))
        .collect();
    let works = |(path, text): &(&PathBuf, &String)| {
        let code = without_comments(&without_tests(text));
        !path.starts_with("protect")
            && !exempt.contains(&path.with_extension(""))
            && AT_WORK.iter().any(|word| code.contains(word))
    };
    let found = files.iter().filter(works);
    found
        .map(|(path, _)| format!("{name}/{}", path.display()))
        .collect()
}

#[test]
fn planted_wrong_arrows_are_caught() {
    let check = |path: &str, code: &str, caught: &[&str]| {
        let files = BTreeMap::from([(PathBuf::from(path), code.to_owned())]);
        let found: Vec<String> = faults(&files)
            .iter()
            .map(|fault| fault.split(": ").last().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(found, caught, "{path}\n{code}");
    };
    let deep = "protect/mondrian/cut.rs";
    check(deep, "use crate::policy::Policy;\n", &["protect -> policy"]);
    check(deep, "use crate::data::Batch;\n", &[]);
    check(
        deep,
        "use crate::{\n    data::Batch,\n    io::{Sink, Source},\n};\n",
        &["protect -> io"],
    );
    check(
        deep,
        "fn f() {\n    crate::measure::info(\"x\");\n}\n",
        &["protect -> measure"],
    );
    check(
        deep,
        "use super::super::super::pipeline;\n",
        &["protect -> pipeline"],
    );
    check(deep, "use super::super::limits::Limits;\n", &[]);
    let by_its_own_name = of_one_crate("use moretta_files::{Sink, open};\n");
    check(deep, &by_its_own_name, &["protect -> io"]);
    check(deep, &of_one_crate("use moretta_data::data::Batch;\n"), &[]);
    let under_another = of_one_crate("use moretta_files as files;\n");
    check(deep, &under_another, &["protect -> moretta_files"]);
    check(deep, "/// See [`crate::policy`].\nfn f() {}\n", &[]);
    check("error.rs", "use super::data::Batch;\n", &["error -> data"]);
    check("data/batch.rs", "use crate::{Error, Result};\n", &[]);
    check(
        "data/batch.rs",
        "#[cfg(test)]\nmod tests {\n    use crate::io::open;\n}\n\nuse crate::protect;\n",
        &["data -> protect"],
    );
    check(
        "guarantee/mod.rs",
        "#[cfg(test)]\nmod cases;\nuse crate::protect::Method;\n",
        &["guarantee -> protect"],
    );
    check(
        "newcomer/mod.rs",
        "use crate::error::Error;\n",
        &["newcomer has no line in ARROWS"],
    );
    check(
        "data/batch.rs",
        "use crate::stranger::Thing;\n",
        &["data -> stranger"],
    );
}

#[test]
fn files_that_only_tests_declare_are_exempt() {
    let files = BTreeMap::from([
        (
            PathBuf::from("io/mod.rs"),
            "#[cfg(test)]\nmod made_up;\n".to_owned(),
        ),
        (
            PathBuf::from("io/made_up.rs"),
            "use crate::protect::Method;\n".to_owned(),
        ),
    ]);
    assert_eq!(faults(&files), Vec::<String>::new());
}

#[test]
fn the_table_has_no_circle() {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    while known.len() < ARROWS.len() {
        let ready: Vec<&str> = ARROWS
            .iter()
            .filter(|(module, uses)| {
                !known.contains(module) && uses.iter().all(|u| known.contains(u))
            })
            .map(|(module, _)| *module)
            .collect();
        assert!(!ready.is_empty(), "a circle among all but {known:?}");
        known.extend(ready);
    }
}

#[test]
fn no_modules_side_by_side_use_each_other_in_a_circle() {
    let around = ["moretta-generate", "moretta-report"];
    let around = around.map(|name| (name, sources(name)));
    for (name, files) in std::iter::once(("the library", library())).chain(around) {
        assert!(files.len() > 20, "only {} files of {name}", files.len());
        let circles = circles(&files);
        assert!(circles.is_empty(), "{name}:\n{}", circles.join("\n"));
    }
}

#[test]
fn planted_circles_are_caught() {
    let check = |files: &[(&str, &str)], caught: &[&str]| {
        let mut all = BTreeMap::new();
        for (path, code) in files {
            let folders = Path::new(path).ancestors().skip(1);
            for folder in folders {
                all.entry(folder.join("mod.rs")).or_default();
            }
            all.insert(PathBuf::from(path), (*code).to_owned());
        }
        assert_eq!(circles(&all), caught, "{files:?}");
    };
    let uses_b = ("io/a.rs", "use super::b::B;\n");
    let both = ["io: a -> b (io/a.rs)", "io: b -> a (io/b.rs)"];
    check(&[uses_b, ("io/b.rs", "use super::Top;\n")], &[]);
    check(&[uses_b, ("io/b.rs", "use crate::io::a::{A, C};\n")], &both);
    check(&[uses_b, ("io/b.rs", "fn f() -> super::a::A {}\n")], &both);
    check(&[uses_b, ("io/b.rs", "/// [`super::a`]\nstruct B;\n")], &[]);
    check(
        &[
            uses_b,
            (
                "io/b.rs",
                "#[cfg(test)]\nmod tests {\n    use super::super::a::A;\n}\n",
            ),
        ],
        &[],
    );
    // What a module hands on is not its own; what it declares is.
    check(
        &[
            (
                "io/mod.rs",
                "mod a;\nmod b;\npub use a::A as Other;\nuse b::B;\n",
            ),
            uses_b,
            ("io/b.rs", "use super::{Other, Own};\n"),
        ],
        &both,
    );
    check(
        &[
            ("io/mod.rs", "mod a;\nmod b;\nuse a::A;\nuse b::B;\n"),
            ("io/a.rs", "use super::Own;\n"),
            ("io/b.rs", "use crate::io::Own;\n"),
        ],
        &[],
    );
    // Of three, at any depth, and from within.
    check(
        &[
            ("io/x/a/deep.rs", "use crate::io::x::b;\n"),
            ("io/x/b.rs", "use super::c::C;\n"),
            (
                "io/x/c.rs",
                "use crate::{data::D, io::{x::a::deep::Deep, Top}};\n",
            ),
            ("io/x/d.rs", "use super::a::A;\n"),
        ],
        &[
            "io::x: a -> b (io/x/a/deep.rs)",
            "io::x: b -> c (io/x/b.rs)",
            "io::x: c -> a (io/x/c.rs)",
        ],
    );
}

/// The folder of all crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The source files of the library and of the crates below it, as if all were one crate.
fn library() -> BTreeMap<PathBuf, String> {
    let mut files = sources("moretta");
    for (path, text) in sources("moretta-data") {
        // Its root only declares what that of the library shows.
        if path != Path::new("lib.rs") {
            files.insert(path, text);
        }
    }
    for (path, text) in sources("moretta-files") {
        files.insert(
            Path::new("io").join(path),
            text.replace("crate::", "crate::io::"),
        );
    }
    for text in files.values_mut() {
        *text = of_one_crate(text);
    }
    files
}

/// Code with the crates below the library as modules of it.
fn of_one_crate(code: &str) -> String {
    code.replace("moretta_data::", "crate::")
        .replace("moretta_files::", "crate::io::")
        .replace("moretta_files as io", "crate::io")
}

/// Every source file of a crate, by its path within `src`.
fn sources(name: &str) -> BTreeMap<PathBuf, String> {
    let folder = &crates().join(name).join("src");
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder of sources") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let inner = path.strip_prefix(folder).expect("below the folder");
                let text = std::fs::read_to_string(&path).expect("a readable source");
                files.insert(inner.to_owned(), text);
            }
        }
    }
    files
}

/// One line for each wrong arrow.
fn faults(files: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let exempt: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|(path, text)| test_modules(path, text))
        .collect();
    let mut faults = Vec::new();
    for (path, text) in files {
        let module = module_path(path);
        let Some(top) = module.first() else {
            continue;
        };
        if exempt.contains(&path.with_extension("")) {
            continue;
        }
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| name == top) else {
            faults.push(format!("{}: {top} has no line in ARROWS", path.display()));
            continue;
        };
        let code = without_comments(&without_tests(text));
        let mut used = uses(&code, module.len());
        // A crate that is named as a whole could become anything.
        let whole = ["moretta_data", "moretta_files"].map(str::to_owned);
        used.extend(whole.into_iter().filter(|name| code.contains(name)));
        for used in used {
            if used != *top && !allowed.contains(&used.as_str()) {
                faults.push(format!("{}: {top} -> {used}", path.display()));
            }
        }
    }
    faults
}

/// The names from the crate's root to the file; none for `lib.rs`.
fn module_path(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    path.iter()
        .map(|part| part.to_string_lossy().into_owned())
        .filter(|part| part != "mod" && part != "lib")
        .collect()
}

/// The files, without endings, of modules that `path` declares for tests only.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let folder: PathBuf = module_path(path).iter().collect();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines
        .windows(2)
        .filter(|pair| pair[0] == "#[cfg(test)]")
        .filter_map(|pair| pair[1].strip_prefix("mod ")?.strip_suffix(';'))
        .map(|name| folder.join(name))
        .collect()
}

/// The text without the items that follow `#[cfg(test)]`.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept.push_str(line);
            kept.push('\n');
            continue;
        }
        let indentation = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &str| {
            line.strip_prefix(indentation).is_some_and(|rest| {
                rest.starts_with('}') || (!rest.starts_with(' ') && rest.ends_with(';'))
            })
        };
        lines.by_ref().find(|line| ends(line));
    }
    kept
}

fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned() + "\n";
    text.lines().map(code).collect()
}

/// The top-level modules that `code`, `depth` modules below the root, names.
fn uses(code: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    let climb = "super::".repeat(depth);
    for start in ["crate::", climb.as_str()] {
        for (at, _) in code.match_indices(start) {
            let inside_a_name = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !inside_a_name {
                found.extend(first_names(&code[at + start.len()..]));
            }
        }
    }
    found.retain(|name| name != "super");
    found
}

/// The name at the start of a path, or the names of a group in braces. What the
/// root itself offers, a type, comes from `error`.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let home = |name: String| match name.starts_with(char::is_uppercase) {
        true => "error".to_owned(),
        false => name,
    };
    let Some(group) = path.strip_prefix('{') else {
        return vec![home(name(path))];
    };
    let mut names = vec![name(group)];
    let mut depth = 1;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => names.push(name(&group[at + 1..])),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
        .into_iter()
        .filter(|n| !n.is_empty())
        .map(home)
        .collect()
}

/// The names from the root of the crate to a module.
type Module = Vec<String>;

/// One line for each arrow of a circle between modules side by side.
fn circles(files: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let tests: Vec<PathBuf> = files
        .iter()
        .flat_map(|(path, text)| test_modules(path, text))
        .collect();
    let of_tests = |path: &Path| {
        tests
            .iter()
            .any(|test| path.with_extension("").starts_with(test))
    };
    let code = files.iter().filter(|(path, _)| !of_tests(path));
    let code: BTreeMap<Module, (&PathBuf, Vec<Named>)> = code
        .map(|(path, text)| {
            let text = without_comments(&without_tests(text));
            (module_path(path), (path, named(&text)))
        })
        .collect();
    let mut arrows: BTreeMap<Module, BTreeMap<(&str, String), &PathBuf>> = BTreeMap::new();
    for (module, (path, names)) in &code {
        for used in names
            .iter()
            .filter_map(|name| home(&code, module, &name.path, 0))
        {
            let shared = module.iter().zip(&used).take_while(|(a, b)| a == b).count();
            if let (Some(one), Some(other)) = (module.get(shared), used.get(shared)) {
                let beside = arrows.entry(module[..shared].to_vec()).or_default();
                beside.entry((one, other.clone())).or_insert(path);
            }
        }
    }
    let mut lines = Vec::new();
    for (parent, mut beside) in arrows {
        // An arrow to where no arrow starts, or from where none ends, is of no circle.
        loop {
            let (starts, ends): (BTreeSet<_>, BTreeSet<_>) = beside
                .keys()
                .map(|(one, other)| ((*one).to_owned(), other.clone()))
                .unzip();
            let before = beside.len();
            beside.retain(|(one, other), _| starts.contains(other) && ends.contains(*one));
            if beside.len() == before {
                break;
            }
        }
        lines.extend(beside.into_iter().map(|((one, other), path)| {
            format!(
                "{}: {one} -> {other} ({})",
                parent.join("::"),
                path.display()
            )
        }));
    }
    lines
}

/// A path in the code, and what it is called there.
struct Named {
    path: Vec<String>,
    name: String,
}

/// All paths of `use` lines, and all others that begin with `crate`, `super` or `self`.
fn named(code: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for (place, statement) in code.split("use ").enumerate() {
        let (tree, after) = match statement.split_once(';') {
            Some((tree, after)) if place > 0 => (tree, after),
            _ => ("", statement),
        };
        expand(tree, &[], &mut found);
        rest.push_str(after);
    }
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    for path in rest.split(|c| !part_of_name(c)) {
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        if path.len() > 1 && ["crate", "super", "self"].contains(&&*path[0]) {
            let name = path[path.len() - 1].clone();
            found.push(Named { path, name });
        }
    }
    found
}

/// The paths of a `use` tree: `a::{b, c::d as e}` are two.
fn expand(tree: &str, before: &[String], found: &mut Vec<Named>) {
    let names = |path: &str| -> Vec<String> {
        let names = path.split("::").map(str::trim);
        let names = names.filter(|name| !name.is_empty()).map(str::to_owned);
        before.iter().cloned().chain(names).collect()
    };
    let Some((path, group)) = tree.split_once('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, tree));
        let name = name.rsplit("::").next().unwrap_or_default().trim();
        if !name.is_empty() {
            let (path, name) = (names(path), name.to_owned());
            found.push(Named { path, name });
        }
        return;
    };
    let group = group.rsplit_once('}').map_or(group, |(group, _)| group);
    let mut depth = 0;
    let comma = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    for part in group.split(comma) {
        expand(part, &names(path), found);
    }
}

/// The module in which what `path` names is declared, seen from `module`; none of another crate.
fn home(
    code: &BTreeMap<Module, (&PathBuf, Vec<Named>)>,
    module: &[String],
    path: &[String],
    handed_on: usize,
) -> Option<Module> {
    let mut here = module.to_vec();
    let mut path = path.iter().peekable();
    match path.peek()?.as_str() {
        "crate" => here.clear(),
        "super" | "self" => {}
        _ if code.contains_key(&[module, &[path.peek()?.to_string()]].concat()) => {}
        _ => return None,
    }
    for name in path {
        match name.as_str() {
            "crate" | "self" => continue,
            "super" => {
                here.pop();
                continue;
            }
            _ => {}
        }
        let inside = [&here[..], std::slice::from_ref(name)].concat();
        if code.contains_key(&inside) {
            here = inside;
            continue;
        }
        let (_, names) = code.get(&here)?;
        let from = names.iter().find(|known| known.name == *name);
        let from = from.filter(|_| handed_on < 8);
        let declared = from.and_then(|from| home(code, &here, &from.path, handed_on + 1));
        return Some(declared.unwrap_or(here));
    }
    Some(here)
}

//! A first policy for what was extracted, which runs as it is.

use super::{EDGES, ExtractSettings, LOCATION, LOCATIONS, NODES, TOPICS, USER};
use std::fmt::Write;

const HEAD: &str = "# A first policy for an extracted graph. Read it line by line: a wrong role is a leak.
version = 1
name = \"social\"

[source]
path = \"NODES\"                                  # raw data: one row a person

[graph]
edges = \"EDGES\"                                 # one row a connection
node = \"USER\"                                        # the column that edges name
degree_k = 5                                         # every number of neighbours is that of 5 persons

[columns]
";

const FOOT: &str = "
[guarantee]
k = 5                                                # every place with its topics is that of 5 persons

[[protect]]
method = \"semantic-grouping\"                         # near persons show their lowest common ancestors

[sink]
path = \"out/nodes.csv\"
edges = \"out/edges.csv\"

[report]
path = \"out/report.html\"
";

pub(super) fn text(names: &[String], settings: &ExtractSettings) -> String {
    let mut text = HEAD
        .replace("NODES", NODES)
        .replace("EDGES", EDGES)
        .replace("USER", USER);
    for name in names {
        let role = match name.as_str() {
            USER => "{ role = \"identifier\" }".to_owned(),
            LOCATION => hierarchy(LOCATIONS),
            kept if settings.keep.iter().any(|keep| keep == kept) => {
                "{ role = \"drop\" }                             # not released; give it a role"
                    .to_owned()
            }
            _ => hierarchy(TOPICS),
        };
        let _ = writeln!(text, "{} = {role}", key(name));
    }
    text + FOOT
}

fn hierarchy(file: &str) -> String {
    format!("{{ role = \"quasi\", hierarchy = {{ file = \"{file}\" }} }}")
}

/// A name as a key of TOML.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => toml::Value::from(name).to_string(),
    }
}

//! The whole policy: its keys, and the JSON Schema that is made from them.

use super::{
    columns, evolve, federation_keys, goal, graph, guarantee, levels, measure, outputs, rules,
    source,
};
use crate::config::{Absent, Accepts, Length, Parameter, object};
use crate::protect::{METHOD, METHODS, MethodInfo};
use serde_json::{Value, json};

/// The keys of a policy.
pub const KEYS: &[Parameter] = &[
    VERSION, NAME, SEED, CLUSTERS, SOURCE, GRAPH, COLUMNS, RULES, GUARANTEE, LEVELS, PROTECT, GOAL,
    EVOLVE, MEASURE, SINK, REPORT, CHECKPOINT, MANIFEST, LEDGER, FEDERATION,
];

pub(super) const VERSION: Parameter = Parameter::new(
    "version",
    Accepts::Whole(1, 1),
    Absent::Refused,
    "the version of the language of policies",
);
pub(super) const NAME: Parameter = Parameter::new(
    "name",
    Accepts::Text,
    Absent::Text("release"),
    "what the policy calls itself, shown in the report",
);
pub(super) const SEED: Parameter = Parameter::new(
    "seed",
    Accepts::Whole(0, i64::MAX),
    Absent::Means("noise is drawn from the operating system"),
    "makes noise that is no secret the same each time; whoever knows it can take the noise off",
);
pub(super) const CLUSTERS: Parameter = Parameter::new(
    "clusters",
    Accepts::Whole(2, 10_000),
    Absent::Means("none; a table is protected as a whole"),
    "divides a table into at most so many clusters of near rows, each of which is protected by itself; those of fewer than k persons are joined",
)
.examples(&["4"]);
pub(super) const SOURCE: Parameter = section(
    "source",
    Accepts::Table(source::KEYS),
    Absent::Means("must be given, unless a party of a [federation] has no rows"),
    "where the data comes from",
);
pub(super) const GRAPH: Parameter = section(
    "graph",
    Accepts::Table(graph::KEYS),
    Absent::Means("the rows are no nodes"),
    "edges between the rows of the source, which is the node table of a social graph",
);
pub(super) const COLUMNS: Parameter = section(
    "columns",
    Accepts::By("column", &Accepts::Table(columns::KEYS)),
    Absent::Means("must be given, unless a party of a [federation] has no rows"),
    "what each column of the data means",
)
.examples(&["{ age = { role = \"quasi\" } }"]);
pub(super) const RULES: Parameter = section(
    "rules",
    Accepts::List(&Accepts::Table(rules::KEYS), Length::ANY),
    Absent::Means("none"),
    "what must be true of every row, in the source and in the release; see `moretta explain rules`",
)
.examples(&["[{ name = \"stay\", require = \"discharge >= admission\" }]"]);
pub(super) const GUARANTEE: Parameter = section(
    "guarantee",
    Accepts::Table(guarantee::KEYS),
    Absent::Means("nothing is promised"),
    "what the release promises",
);
pub(super) const LEVELS: Parameter = section(
    "levels",
    Accepts::By("level", &Accepts::Table(levels::KEYS)),
    Absent::Means("one release"),
    "nested releases, from the least to the most protected; not released yet",
)
.examples(&["{ researcher = { k = 5 } }"]);
pub(super) const PROTECT: Parameter = section(
    "protect",
    Accepts::List(&Accepts::Table(&[METHOD]), Length::ANY),
    Absent::Means("must be given, unless there is a [goal] or [evolve]"),
    "the method, with its parameters",
);
pub(super) const GOAL: Parameter = section(
    "goal",
    Accepts::Table(goal::KEYS),
    Absent::Means("none"),
    "what a search over methods and their numbers is to find, instead of [[protect]]",
);
pub(super) const EVOLVE: Parameter = section(
    "evolve",
    Accepts::Table(evolve::KEYS),
    Absent::Means("none"),
    "how `moretta evolve` searches for protected values, instead of [[protect]]",
);
pub(super) const MEASURE: Parameter = section(
    "measure",
    Accepts::Table(measure::KEYS),
    Absent::Means("all measures, no limits"),
    "which measures are shown, and limits on them",
);
pub(super) const SINK: Parameter = section(
    "sink",
    Accepts::Table(outputs::SINK),
    Absent::Means("nothing is written"),
    "where the release goes",
);
pub(super) const REPORT: Parameter = section(
    "report",
    Accepts::Table(outputs::REPORT),
    Absent::Means("no report"),
    "where the report goes",
);
pub(super) const CHECKPOINT: Parameter = section(
    "checkpoint",
    Accepts::Table(outputs::CHECKPOINT),
    Absent::Means("none"),
    "where and how often a stream notes how far it is",
);

pub(super) const MANIFEST: Parameter = section(
    "manifest",
    Accepts::Table(outputs::MANIFEST),
    Absent::Means("none"),
    "where the signed manifest of the release goes",
);

pub(super) const LEDGER: Parameter = section(
    "ledger",
    Accepts::Table(outputs::LEDGER),
    Absent::Means("releases are not held against each other"),
    "where all releases of the data set are recorded, so that together they give nobody away",
);

pub(super) const FEDERATION: Parameter = section(
    "federation",
    Accepts::Table(federation_keys::KEYS),
    Absent::Means("the policy makes a release"),
    "which party of a federation this is, and what all parties have agreed on, in place of a release",
);

const fn section(
    name: &'static str,
    accepts: Accepts,
    absent: Absent,
    meaning: &'static str,
) -> Parameter {
    Parameter::new(name, accepts, absent, meaning)
}

/// The JSON Schema of a policy, for editors and other checkers. It refuses no policy that is
/// read, and lets some pass that are refused for what does not go together.
pub fn schema() -> Value {
    let mut schema = object(KEYS);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "A policy of moretta".into();
    let methods: Vec<Value> = METHODS.iter().map(method).collect();
    schema["properties"]["protect"] = json!({
        "description": PROTECT.meaning,
        "type": "array",
        "minItems": 1,
        "items": { "oneOf": methods },
    });
    // A party of a federation may read no rows.
    schema["required"] = json!([VERSION.name]);
    schema["anyOf"] = json!([
        { "required": [SOURCE.name, COLUMNS.name] },
        { "required": [FEDERATION.name] },
    ]);
    schema
}

/// A `[[protect]]` of one method.
fn method(info: &MethodInfo) -> Value {
    let mut keys = vec![METHOD];
    keys.extend_from_slice(info.parameters);
    let mut schema = object(&keys);
    schema["title"] = info.name.into();
    schema["properties"]["method"] = json!({ "const": info.name, "description": info.about() });
    schema
}

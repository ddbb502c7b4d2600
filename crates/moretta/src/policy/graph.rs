//! Reads `[graph]`: edges between the rows of the node table, which is the source.

use super::paths::Root;
use super::{Action, GraphPolicy, Order, Policy, SinkPolicy, SourcePolicy, Strangers};
use crate::config::{Absent, Accepts, Parameter, Placed, Section, words};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::io::{Compression, Format, GraphTable};
use std::path::Path;

/// The keys of `[graph]`.
pub(super) const KEYS: &[Parameter] = &[EDGES, NODE, FROM, TO, DIRECTED, UNKNOWN, DEGREE_K];

const EDGES: Parameter = Parameter::new(
    "edges",
    Accepts::Text,
    Absent::Means("must be given, unless the source is GraphML, which holds them"),
    "the edge list: a file with a column for each end, below the folder of the policy",
)
.examples(&["\"follows.csv\""]);
const NODE: Parameter = Parameter::new(
    "node",
    Accepts::Text,
    Absent::Refused,
    "the column of the node table that edges name; an identifier, which is released as a new number",
)
.examples(&["\"user\""]);
const FROM: Parameter = Parameter::new(
    "from",
    Accepts::Text,
    Absent::Text("from"),
    "the column of the edge list that names one end",
);
const TO: Parameter = Parameter::new(
    "to",
    Accepts::Text,
    Absent::Text("to"),
    "the column of the edge list that names the other end",
);
const DIRECTED: Parameter = Parameter::new(
    "directed",
    Accepts::Flag,
    Absent::Flag(false),
    "whether an edge from one node to another differs from one that goes back",
);
const UNKNOWN: Parameter = Parameter::new(
    "unknown",
    Accepts::Word(|| words(STRANGERS)),
    Absent::Text("refuse"),
    "what becomes of edges with an end that is not in the node table: the run is refused, or they are left out",
);
const DEGREE_K: Parameter = Parameter::new(
    "degree_k",
    Accepts::Whole(1, 1 << 20),
    Absent::Means("edges stay as they are"),
    "how many nodes have each degree at least; edges are added and exchanged until it holds",
)
.examples(&["5"]);

const STRANGERS: &[(&str, Strangers)] = &[("refuse", Strangers::Refuse), ("drop", Strangers::Drop)];

impl GraphPolicy {
    pub(super) fn read(placed: &Placed, root: &Root, source: &SourcePolicy) -> Result<Self> {
        let mut section: Section = placed.table("graph")?.clone();
        let edges = section.optional(&EDGES, |placed, name| {
            let shown = placed.text(name)?;
            Ok((root.resolve(placed, &shown)?, shown))
        })?;
        let within = edges.is_none();
        if within && !is_graph_file(&source.path, source.options.format) {
            return Err(Error::policy("nothing says where the edges are")
                .at(placed.span.clone())
                .help("add edges = \"edges.csv\", or read a GraphML file, which holds them"));
        }
        let (path, shown) = edges.unwrap_or_else(|| (source.path.clone(), String::new()));
        let graph = GraphPolicy {
            path,
            shown,
            within,
            node: section.text(&NODE)?,
            ends: [section.text(&FROM)?, section.text(&TO)?],
            directed: section.flag(&DIRECTED)?,
            strangers: section.word(&UNKNOWN, STRANGERS)?,
            degree_k: section.optional(&DEGREE_K, Placed::whole)?,
            span: placed.span.clone(),
        };
        section.finish()?;
        let at = |error: Error| Err(error.at(placed.span.clone()));
        if graph.directed && graph.degree_k.is_some() {
            return at(Error::policy("`degree_k` is for graphs without directions")
                .help("take `degree_k` or `directed` out"));
        }
        if is_graph_file(&source.path, source.options.format) && source.paths().len() > 1 {
            return at(Error::policy("a graph is one GraphML file").help("name one file"));
        }
        if graph.ends[0] == graph.ends[1] {
            return at(Error::policy("`from` and `to` name one column")
                .help("name the columns of both ends"));
        }
        Ok(graph)
    }
}

/// Whether a file holds nodes and edges both.
fn is_graph_file(path: &Path, format: Option<Format>) -> bool {
    format.or_else(|| Format::from_path(path)) == Some(Format::GraphMl)
}

impl GraphPolicy {
    /// The table of nodes in a file that holds a graph.
    pub fn node_table(&self) -> GraphTable {
        GraphTable::Nodes {
            id: self.node.clone(),
            directed: self.directed,
        }
    }

    /// The table of edges in a file that holds a graph.
    pub fn edge_table(&self) -> GraphTable {
        GraphTable::Edges {
            ends: self.ends.clone(),
        }
    }
}

impl SinkPolicy {
    /// Whether the release holds the edges of a graph as well.
    pub fn holds_edges(&self) -> bool {
        is_graph_file(&self.path, self.options.format)
    }
}

impl Policy {
    /// Makes the column that edges name a number, and refuses what does not go with a graph.
    pub(super) fn check_graph(&mut self) -> Result<()> {
        let edges = self.sink.as_ref().and_then(|sink| sink.edges.as_ref());
        let Some(graph) = &self.graph else {
            let numbered = self
                .plan
                .columns
                .iter()
                .find(|c| c.action == Action::Number);
            return match (edges, numbered) {
                (Some(_), _) => Err(Error::policy("`edges` under [sink] is for graphs")
                    .help("add [graph], or take it out")),
                (None, Some(column)) if self.plan.is_stream() => {
                    Err(Error::policy("rows of a stream have no numbers")
                        .at(column.span.clone())
                        .help("use action = \"drop\" or \"pseudonym\""))
                }
                _ => Ok(()),
            };
        };
        let at = |error: Error| Err(error.at(graph.span.clone()));
        let order = self.sink.as_ref().map(|sink| sink.order);
        let standard = Path::new("-");
        let streams = [&self.source.path, &graph.path].contains(&&standard.to_path_buf())
            || self.sink.iter().any(|sink| sink.path == standard)
            || edges.is_some_and(|path| path == standard);
        let others = [
            (
                self.plan.is_stream(),
                "methods of streams",
                "use a method of tables",
            ),
            (!self.plan.levels.is_empty(), "[levels]", "take them out"),
            (
                self.ledger.is_some(),
                "[ledger]",
                "take it out: edges would link releases",
            ),
            (
                self.manifest.is_some(),
                "[manifest]",
                "take it out: it would not sign the edges",
            ),
            (
                order == Some(Order::Input),
                "order = \"input\"",
                "take it out: the number of a node would tell its place",
            ),
            (streams, "standard input and output", "name files"),
        ];
        if let Some((_, what, help)) = others.iter().find(|(there, ..)| *there) {
            return at(Error::policy(format!("[graph] does not go with {what}")).help(*help));
        }
        if let Some(sink) = self.sink.as_ref().filter(|sink| sink.holds_edges()) {
            let packing = sink.options.compression;
            let packing = packing.unwrap_or_else(|| Compression::from_path(&sink.path));
            if sink.edges.is_some() {
                return at(Error::policy("a GraphML file holds the edges itself")
                    .help("take `edges` under [sink] out"));
            }
            if packing != Compression::None {
                return at(Error::policy("GraphML with edges is written unpacked")
                    .help("take the packing of the release away"));
            }
        } else if self.sink.is_some() && edges.is_none() {
            return at(Error::policy("nothing says where the edges go")
                .help("add edges = \"out/edges.csv\" under [sink]"));
        }
        let table = graph.node_table();
        self.source.options.graph = table.clone();
        if let Some(sink) = &mut self.sink {
            sink.options.graph = table;
        }
        let node = &graph.node;
        let column = self.plan.columns.iter_mut().find(|c| c.name == *node);
        match column {
            Some(column) if column.role == Role::Identifier => match column.action {
                Action::Drop | Action::Number => {
                    column.action = Action::Number;
                    Ok(())
                }
                _ => at(Error::policy(format!("`{node}` is released as a number"))
                    .help("take its `action` out")),
            },
            Some(_) => at(
                Error::policy(format!("the node column `{node}` is no identifier")).help(format!(
                    "write {node} = {{ role = \"identifier\" }} under [columns]"
                )),
            ),
            None => at(
                Error::policy(format!("the node column `{node}` is not among [columns]"))
                    .help(format!("write {node} = {{ role = \"identifier\" }} there")),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = r#"
        version = 1
        [source]
        path = "users.csv"
        [graph]
        edges = "follows.csv"
        node = "user"
        [columns]
        user = { role = "identifier" }
        place = { role = "quasi" }
        [guarantee]
        k = 2
        [[protect]]
        method = "semantic-grouping"
        [sink]
        path = "out/users.csv"
        edges = "out/follows.csv"
    "#;

    fn read(text: &str) -> Result<Policy> {
        Policy::parse(text, &Root::of_policy(Path::new("policy.toml"), None)?)
    }

    #[test]
    fn the_node_column_becomes_a_number() {
        let policy = read(POLICY).expect("a policy");
        assert_eq!(policy.plan.columns[0].action, Action::Number);
        let graph = policy.graph.expect("a graph");
        assert_eq!(graph.ends, ["from", "to"]);
        assert_eq!((graph.directed, graph.degree_k), (false, None));
    }

    #[test]
    fn what_does_not_go_with_a_graph_is_refused() {
        for (from, to, told) in [
            ("node = \"user\"", "node = \"name\"", "not among [columns]"),
            ("node = \"user\"", "node = \"place\"", "no identifier"),
            ("edges = \"out/follows.csv\"", "", "where the edges go"),
            (
                "[graph]\n        edges = \"follows.csv\"\n        node = \"user\"",
                "",
                "is for graphs",
            ),
            (
                "node = \"user\"",
                "node = \"user\"\ndirected = true\ndegree_k = 2",
                "without directions",
            ),
            (
                "node = \"user\"",
                "node = \"user\"\nfrom = \"to\"",
                "name one column",
            ),
            (
                "path = \"out/users.csv\"",
                "path = \"-\"",
                "standard input and output",
            ),
            (
                "path = \"out/users.csv\"",
                "path = \"out/users.csv\"\norder = \"input\"",
                "order = \"input\"",
            ),
            (
                "node = \"user\"",
                "node = \"user\"\ndegrees = 2",
                "unknown key `degrees`",
            ),
        ] {
            let text = POLICY.replacen(from, to, 1);
            assert_ne!(text, POLICY, "{from}");
            let error = read(&text).expect_err(told);
            assert!(error.to_string().contains(told), "{told}: {error}");
            assert_eq!(error.exit_code(), 3, "{told}");
        }
    }
}

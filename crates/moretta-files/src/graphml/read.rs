//! Reads a graph: its keys, then a row for each node, or for each edge.

use super::super::input::Input;
use super::super::options::{GraphTable, ReadOptions};
use super::lines::{LineTable, OF_FILE};
use super::xml::{Event, Xml};
use moretta_data::error::{Error, Result};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// An attribute of nodes.
struct Key {
    id: String,
    kind: Kind,
    default: Option<String>,
}

/// What the values of an attribute are.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Number { whole: bool },
    Flag,
}

/// A graph whose keys were read.
pub(super) struct Graph {
    xml: Xml,
    /// Before the names of GraphML's elements, with its colon.
    prefix: String,
    keys: Vec<Key>,
    /// The columns of the table that is read.
    pub(super) names: Vec<String>,
    table: GraphTable,
    /// The place of the column of ids among them.
    id: Option<usize>,
}

impl Graph {
    /// Reads up to the first node or edge.
    pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let limit = options.limits.field_bytes;
        let mut graph = Graph {
            xml: Xml::new(Input::open(path, options)?, limit),
            prefix: String::new(),
            keys: Vec::new(),
            names: Vec::new(),
            table: options.graph.clone(),
            id: None,
        };
        graph.read_head(options)?;
        Ok(graph)
    }

    fn read_head(&mut self, options: &ReadOptions) -> Result<()> {
        self.xml.next()?;
        let root = self.xml.name().to_owned();
        let (prefix, name) = root.split_at(root.rfind(':').map_or(0, |colon| colon + 1));
        if name != "graphml" {
            return Err(self.xml.error("the first element is not `graphml`"));
        }
        prefix.clone_into(&mut self.prefix);
        let mut names = Vec::new();
        loop {
            match self.xml.next()? {
                Event::Start => match self.element() {
                    "key" => self.read_key(&mut names)?,
                    "graph" => break,
                    _ => self.skip()?,
                },
                Event::Text => {}
                Event::End | Event::Done => {
                    return Err(self.xml.error("the file holds no `graph`"));
                }
            }
            if names.len() > options.limits.columns {
                let most = options.limits.columns;
                return Err(self
                    .xml
                    .error(format!("more than {most} attributes of nodes")));
            }
        }
        match &self.table {
            GraphTable::Attributes => {}
            GraphTable::Edges { ends } => names = ends.to_vec(),
            GraphTable::Nodes { id, .. } => {
                // Where the columns are known, the ids stand in their place among them.
                let known = options.names.iter().position(|name| name == id);
                let place = known.unwrap_or(0).min(names.len());
                names.insert(place, id.clone());
                self.id = Some(place);
            }
        }
        self.names = names;
        let mut sorted: Vec<&String> = self.names.iter().collect();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(self.xml.error("two attributes of nodes have one name").help(
                "rename one of them; the column of ids has the name that `node` under [graph] gives",
            ));
        }
        match self.names.is_empty() {
            true => Err(self
                .xml
                .error("nodes have no attributes, so there is no table of them")),
            false => Ok(()),
        }
    }

    /// The name of the element that has just begun, without GraphML's prefix.
    fn element(&self) -> &str {
        let name = self.xml.name();
        name.strip_prefix(self.prefix.as_str()).unwrap_or("")
    }

    fn read_key(&mut self, names: &mut Vec<String>) -> Result<()> {
        let attribute = |name: &str| self.xml.attribute(name).map(str::to_owned);
        let (id, name, kind) = (
            attribute("id"),
            attribute("attr.name"),
            attribute("attr.type"),
        );
        let of_nodes = matches!(self.xml.attribute("for"), None | Some("node" | "all"));
        let mut default = None;
        let depth = self.xml.depth();
        let mut inside = false;
        loop {
            match self.xml.next()? {
                Event::Start => {
                    inside = self.element() == "default" && self.xml.depth() == depth + 1;
                    if inside {
                        default = Some(String::new());
                    }
                }
                Event::Text => {
                    if let (true, Some(text)) = (inside, &mut default) {
                        text.push_str(self.xml.text());
                    }
                }
                Event::End if self.xml.depth() < depth => break,
                Event::End => inside = false,
                Event::Done => return Err(self.xml.error("the file ends within an element")),
            }
        }
        let (true, Some(name)) = (of_nodes, name) else {
            return Ok(());
        };
        let Some(id) = id else {
            return Err(self.xml.error("a key without an id"));
        };
        let kind = match kind.as_deref() {
            None | Some("string") => Kind::Text,
            Some("int" | "long") => Kind::Number { whole: true },
            Some("float" | "double") => Kind::Number { whole: false },
            Some("boolean") => Kind::Flag,
            Some(_) => return Err(self.xml.error("a key of a type that GraphML does not have")),
        };
        if self.keys.iter().any(|key| key.id == id) {
            return Err(self.xml.error("two keys have one id"));
        }
        names.push(name);
        let key = Key { id, kind, default };
        if let Some(value) = &key.default {
            let mut token = Vec::new();
            self.push_value(&mut token, key.kind, value)?;
        }
        self.keys.push(key);
        Ok(())
    }

    /// Goes to the end of the element that has just begun.
    fn skip(&mut self) -> Result<()> {
        let depth = self.xml.depth();
        while self.xml.next()? != Event::End || self.xml.depth() >= depth {}
        Ok(())
    }

    /// Writes the next row as a JSON line and gives the line of the file on which it begins; none
    /// at the end.
    fn row(&mut self, out: &mut Vec<u8>) -> Result<Option<u64>> {
        loop {
            let event = self.xml.next()?;
            let line = self.xml.began();
            match event {
                Event::Start => match (
                    self.element(),
                    matches!(self.table, GraphTable::Edges { .. }),
                ) {
                    ("node", false) => {
                        self.node(out)?;
                        return Ok(Some(line));
                    }
                    ("edge", true) => {
                        self.edge(out)?;
                        return Ok(Some(line));
                    }
                    ("hyperedge", _) => return Err(self.xml.error("hyperedges are not read")),
                    ("graph", _) => return Err(self.xml.error("more than one graph in a file")),
                    ("key", _) => return Err(self.xml.error("a key after the graph has begun")),
                    ("node", true) => self.skip_node()?,
                    _ => self.skip()?,
                },
                Event::Text | Event::End => {}
                Event::Done => return Ok(None),
            }
        }
    }

    fn skip_node(&mut self) -> Result<()> {
        let depth = self.xml.depth();
        loop {
            match self.xml.next()? {
                Event::Start => self.refuse_inner_graph()?,
                Event::End if self.xml.depth() < depth => return Ok(()),
                _ => {}
            }
        }
    }

    fn refuse_inner_graph(&self) -> Result<()> {
        match self.element() {
            "graph" => Err(self.xml.error("a graph within a node is not read")),
            _ => Ok(()),
        }
    }

    fn node(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let id = match self.xml.attribute("id") {
            Some(id) => id.to_owned(),
            None => return Err(self.xml.error("a node without an id")),
        };
        let mut values: Vec<Option<String>> = vec![None; self.keys.len()];
        let depth = self.xml.depth();
        // The place of the attribute whose text is being read.
        let mut at = None;
        loop {
            match self.xml.next()? {
                Event::Start if self.xml.depth() == depth + 1 && self.element() == "data" => {
                    let key = self.xml.attribute("key");
                    let key = key.ok_or_else(|| self.xml.error("data without a key"))?;
                    at = self.keys.iter().position(|known| known.id == key);
                    if let Some(place) = at
                        && values[place].replace(String::new()).is_some()
                    {
                        return Err(self.xml.error("a node with two values of one key"));
                    }
                }
                Event::Start => self.refuse_inner_graph()?,
                Event::Text if self.xml.depth() == depth + 1 => {
                    if let Some(value) = at.and_then(|place| values[place].as_mut()) {
                        value.push_str(self.xml.text());
                    }
                }
                Event::Text => {}
                Event::End if self.xml.depth() < depth => break,
                Event::End if self.xml.depth() == depth => at = None,
                Event::End => {}
                Event::Done => return Err(self.xml.error("the file ends within an element")),
            }
        }
        let mut attributes = self.keys.iter().zip(&values);
        for (place, name) in self.names.iter().enumerate() {
            push_key(out, if place == 0 { b'{' } else { b',' }, name)?;
            if self.id == Some(place) {
                push_text(out, &id)?;
                continue;
            }
            let attribute = attributes.next();
            let value =
                attribute.map(|(key, value)| (key.kind, value.as_ref().or(key.default.as_ref())));
            match value {
                Some((kind, Some(value))) => self.push_value(out, kind, value)?,
                _ => out.extend_from_slice(b"null"),
            }
        }
        out.extend_from_slice(b"}\n");
        Ok(())
    }

    fn edge(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let ends = [(b'{', "source"), (b',', "target")];
        for ((separator, end), name) in ends.into_iter().zip(&self.names) {
            push_key(out, separator, name)?;
            match self.xml.attribute(end) {
                Some(id) => push_text(out, id)?,
                None => return Err(self.xml.error("an edge without both ends")),
            }
        }
        out.extend_from_slice(b"}\n");
        self.skip()
    }

    /// A value as JSON: numbers and flags by their type.
    fn push_value(&self, out: &mut Vec<u8>, kind: Kind, value: &str) -> Result<()> {
        let plain = value.trim();
        let is_it = match kind {
            Kind::Text => return push_text(out, value),
            // An empty value of a number is a missing one.
            _ if plain.is_empty() => {
                out.extend_from_slice(b"null");
                return Ok(());
            }
            Kind::Number { whole: true } => plain.parse::<i64>().is_ok(),
            Kind::Number { whole: false } => {
                let finite = |number: f64| number.is_finite();
                plain.parse::<f64>().is_ok_and(finite)
            }
            Kind::Flag => matches!(plain, "true" | "false" | "0" | "1"),
        };
        match (is_it, kind) {
            (false, _) => Err(self.xml.error("a value that is not of the type of its key")),
            (true, Kind::Flag) => {
                let is_true = matches!(plain, "true" | "1");
                out.extend_from_slice(if is_true { b"true" } else { b"false" });
                Ok(())
            }
            // JSON has no leading plus, no leading zeros and no bare point.
            (true, _) if serde_json::from_str::<serde_json::Number>(plain).is_err() => {
                push_text(out, plain)
            }
            (true, _) => {
                out.extend_from_slice(plain.as_bytes());
                Ok(())
            }
        }
    }
}

fn push_key(out: &mut Vec<u8>, separator: u8, name: &str) -> Result<()> {
    out.push(separator);
    push_text(out, name)?;
    out.push(b':');
    Ok(())
}

fn push_text(out: &mut Vec<u8>, text: &str) -> Result<()> {
    serde_json::to_writer(out, text).map_err(|_| Error::bug("a text is always a JSON string"))
}

/// The rows as JSON lines.
pub(super) struct Rows {
    graph: Graph,
    lines: Arc<Mutex<LineTable>>,
    waiting: Vec<u8>,
    given: usize,
    ended: bool,
}

/// Bytes that are made at a time.
const BYTES: usize = 256 << 10;

impl Rows {
    pub(super) fn new(graph: Graph, lines: Arc<Mutex<LineTable>>) -> Self {
        Rows {
            graph,
            lines,
            waiting: Vec::new(),
            given: 0,
            ended: false,
        }
    }

    fn fill(&mut self) -> Result<()> {
        self.waiting.clear();
        self.given = 0;
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        while self.waiting.len() < BYTES && !self.ended {
            match self.graph.row(&mut self.waiting)? {
                Some(line) => lines.push(line),
                None => self.ended = true,
            }
        }
        Ok(())
    }
}

impl io::Read for Rows {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.waiting.len() && !self.ended {
            self.fill().map_err(|mut error| {
                if let Error::Input(input) = &mut error {
                    input.line = input.line.map(|line| line | OF_FILE);
                }
                io::Error::other(error)
            })?;
        }
        let left = &self.waiting[self.given..];
        let bytes = left.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&left[..bytes]);
        self.given += bytes;
        Ok(bytes)
    }
}

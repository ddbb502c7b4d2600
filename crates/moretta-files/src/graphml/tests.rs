//! Files of other programs with their quirks, faults, and files of our own read back.

use super::super::ColumnPlan;
use super::super::test_data::{column_text, plan, read_all};
use super::super::{
    Files, GraphTable, ReadAs, ReadOptions, WriteOptions, append_edges, create, names,
};
use moretta_data::data::{Batch, Role};
use moretta_data::error::Result;
use std::path::PathBuf;

/// As networkx writes it.
const NETWORKX: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d2" for="edge" attr.name="weight" attr.type="double"/>
  <key id="d1" for="node" attr.name="age" attr.type="long"/>
  <key id="d0" for="node" attr.name="club" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="0">
      <data key="d0">Mr. Hi</data>
      <data key="d1">34</data>
    </node>
    <node id="1">
      <data key="d0">A &amp; B &lt;&#252;&gt;</data>
    </node>
    <node id="n 2"/>
    <edge source="0" target="1">
      <data key="d2">4.5</data>
    </edge>
    <edge source="n 2" target="0"/>
  </graph>
</graphml>
"#;

/// As Gephi writes it: keys of edges first, ids of edges, defaults, sizes and colours.
const GEPHI: &str = r#"<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="label" attr.type="string" for="node" id="label"/>
<key attr.name="Edge Label" attr.type="string" for="edge" id="edgelabel"/>
<key attr.name="weight" attr.type="double" for="edge" id="weight"/>
<key attr.name="club" attr.type="string" for="node" id="v_club"><default>none</default></key>
<key attr.name="age" attr.type="int" for="node" id="v_age"><default>18</default></key>
<key attr.name="size" attr.type="float" for="node" id="size"/>
<graph edgedefault="directed">
<node id="7.0"><data key="label">x</data><data key="size">10.0</data><data key="v_club"></data></node>
<node id="8.0"><data key="v_age"> 40 </data><data key="size">1E1</data></node>
<edge id="0" source="7.0" target="8.0"><data key="weight">1.0</data></edge>
</graph>
</graphml>"#;

/// As yEd writes it: drawings within data, keys without a name, CDATA, a namespace of its own.
const YED: &str = r##"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <!--Created by yEd 3.23-->
  <key for="port" id="d0" yfiles.type="portgraphics"/>
  <key attr.name="club" attr.type="string" for="node" id="d4"/>
  <key attr.name="age" attr.type="int" for="node" id="d5"/>
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <key for="graphml" id="d7" yfiles.type="resources"/>
  <graph edgedefault="directed" id="G">
    <data key="d99"/>
    <node id="n0">
      <data key="d4" xml:space="preserve"><![CDATA[chess <&> ]]>club</data>
      <data key="d6">
        <y:ShapeNode><y:Fill color="#FFCC00"/><y:NodeLabel>secret<y:LabelModel/></y:NodeLabel></y:ShapeNode>
      </data>
      <port name="p"/>
    </node>
    <node id="n1"><data key="d5">9</data></node>
    <edge id="e0" source="n0" target="n1" sourceport="p">
      <data key="d10"><y:PolyLineEdge><y:Path sx="0.0"/></y:PolyLineEdge></data>
    </edge>
  </graph>
  <data key="d7"><y:Resources/></data>
</graphml>
"##;

/// With a prefix on every element.
const PREFIXED: &str = r#"<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns"><g:desc>all</g:desc>
<g:key id="a" attr.name="club"/><g:key id="b" attr.name="age" attr.type="boolean" for="all"/>
<g:graph edgedefault="undirected"><g:edge source="x" target="y"/><g:node id="x"><g:data key="b">1</g:data></g:node><g:node id="y"/></g:graph></g:graphml>"#;

struct File {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn file(text: &str) -> File {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.graphml");
    std::fs::write(&path, text).expect("writes");
    File {
        _folder: folder,
        path,
    }
}

fn nodes() -> ReadOptions {
    ReadOptions {
        graph: GraphTable::Nodes {
            id: "user".to_owned(),
            directed: false,
        },
        ..ReadOptions::default()
    }
}

fn edges() -> ReadOptions {
    ReadOptions {
        graph: GraphTable::Edges {
            ends: ["from", "to"].map(str::to_owned),
        },
        ..ReadOptions::default()
    }
}

fn read(text: &str, options: &ReadOptions, wanted: &[&str]) -> Result<Batch> {
    let file = file(text);
    let plans: Vec<ColumnPlan> = names(&file.path, options)?
        .iter()
        .map(|name| match wanted.contains(&name.as_str()) {
            true => plan(name, Role::Quasi, ReadAs::Category),
            false => plan(name, Role::Drop, ReadAs::Skip),
        })
        .collect();
    read_all(&file.path, options, &plans)
}

/// The cells of some columns, row by row; a missing one is empty.
fn cells(text: &str, options: &ReadOptions, wanted: &[&str]) -> Vec<Vec<String>> {
    let batch = read(text, options, wanted).expect("read");
    let columns: Vec<Vec<String>> = wanted
        .iter()
        .map(|name| column_text(&batch, batch.schema().index_of(name).expect("a column")))
        .collect();
    (0..batch.len())
        .map(|row| columns.iter().map(|column| column[row].clone()).collect())
        .collect()
}

#[test]
fn files_of_other_programs_are_read_with_their_quirks() {
    let wanted = ["user", "club", "age"];
    let check = |text: &str, expected: &[[&str; 3]], links: &[[&str; 2]]| {
        let found = cells(text, &nodes(), &wanted);
        let shown = |cell: &String| match cell.as_str() {
            "null" => String::new(),
            cell => cell.to_owned(),
        };
        let found: Vec<Vec<String>> = found
            .iter()
            .map(|row| row.iter().map(shown).collect())
            .collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(cells(text, &edges(), &["from", "to"]), links, "{text}");
    };
    check(
        NETWORKX,
        &[
            ["0", "Mr. Hi", "34"],
            ["1", "A & B <ü>", ""],
            ["n 2", "", ""],
        ],
        &[["0", "1"], ["n 2", "0"]],
    );
    check(
        GEPHI,
        &[["7.0", "", "18"], ["8.0", "none", "40"]],
        &[["7.0", "8.0"]],
    );
    check(
        YED,
        &[["n0", "chess <&> club", ""], ["n1", "", "9"]],
        &[["n0", "n1"]],
    );
    check(PREFIXED, &[["x", "", "true"], ["y", "", ""]], &[["x", "y"]]);
}

#[test]
fn attributes_alone_are_a_table_without_ids() {
    let file = file(NETWORKX);
    let found = names(&file.path, &ReadOptions::default()).expect("names");
    assert_eq!(found, ["age", "club"]);
}

#[test]
fn faults_are_told_by_their_line_and_without_a_value() {
    let graph = |inside: &str| {
        format!(
            "<graphml>\n<key id='a' for='node' attr.name='club'/>\n<key id='b' for='node' attr.name='age' attr.type='int'/>\n<graph>\n{inside}\n</graph>\n</graphml>\n"
        )
    };
    let cut = NETWORKX.find("</node>").expect("a node");
    for (text, told) in [
        (NETWORKX[..cut].to_owned(), "ends within an element"),
        (NETWORKX[..cut - 8].to_owned(), "ends within"),
        (graph("<node id='secret'>\n<data key='b'>secret</data></node>"), "line 6: a value that is not of the type"),
        (graph("<node><data key='a'>secret</data></node>"), "line 5: a node without an id"),
        (graph("<node id='1'><data key='a'>x</data><data key='a'>secret</data></node>"), "two values of one key"),
        (graph("<node id='1'><data>secret</data></node>"), "data without a key"),
        (graph("<node id='1'>\n<graph><node id='secret'/></graph></node>"), "line 6: a graph within a node"),
        (graph("<hyperedge/>"), "hyperedges"),
        (graph("</graph><graph>"), "more than one graph"),
        (graph("<key id='z'/>"), "a key after the graph"),
        (graph("<node id='1'>&secret;</node>"), "line 5: an entity"),
        ("<graphml><key id='a' attr.name='x'/><key id='a' attr.name='y'/><graph/></graphml>".to_owned(), "two keys have one id"),
        ("<graphml><key id='a' attr.name='user'/><graph/></graphml>".to_owned(), "one name"),
        ("<graphml><key id='a' attr.name='x' attr.type='secret'/><graph/></graphml>".to_owned(), "a type that GraphML"),
        ("<graphml><key id='a' attr.name='x' attr.type='int'><default>secret</default></key><graph/></graphml>".to_owned(), "not of the type"),
        ("<graphml></graphml>".to_owned(), "no `graph`"),
        ("<html><body/></html>".to_owned(), "not `graphml`"),
        ("<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]>\n<graphml>&lol2;</graphml>".to_owned(), "a document type"),
    ] {
        let error = read(&text, &nodes(), &["user", "club"]).expect_err(told);
        let shown = error.to_string();
        assert!(shown.contains(told), "{told}: {shown}");
        assert!(!shown.contains("secret"), "{shown}");
        assert_eq!(error.exit_code(), 4, "{shown}");
    }
    let without = graph("<edge source='1'/>");
    let error = read(&without, &edges(), &["from", "to"]).expect_err("one end");
    assert!(
        error
            .to_string()
            .contains("line 5: an edge without both ends"),
        "{error}"
    );
}

/// A misfit of the table behind the rows is told by the line of the file, not by the row.
#[test]
fn misfits_of_columns_are_told_by_the_line_of_the_file() {
    let file = file(NETWORKX);
    let plans: Vec<ColumnPlan> = [
        ("user", ReadAs::Number),
        ("age", ReadAs::Skip),
        ("club", ReadAs::Skip),
    ]
    .map(|(name, read)| plan(name, Role::Quasi, read))
    .to_vec();
    let error = read_all(&file.path, &nodes(), &plans).expect_err("n 2 is no number");
    assert!(error.to_string().contains("line 14"), "{error}");
}

#[test]
fn a_value_without_end_is_refused_before_it_is_held() {
    let long = format!(
        "<graphml><key id='a' attr.name='club'/><graph><node id='1'><data key='a'>{}</data></node></graph></graphml>",
        "x".repeat(3 << 20)
    );
    let error = read(&long, &nodes(), &["club"]).expect_err("too long");
    assert!(error.to_string().contains("a tag or text over"), "{error}");
}

#[test]
fn what_is_written_is_read_back_with_its_edges() {
    let batch = read(NETWORKX, &nodes(), &["user", "club", "age"]).expect("read");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("b.graphml");
    let options = WriteOptions {
        graph: nodes().graph,
        ..WriteOptions::default()
    };
    let mut sink = create(&path, &options, batch.schema()).expect("creates");
    sink.write(&batch).expect("writes");
    sink.close().expect("closes");
    let before = std::fs::read_to_string(&path).expect("there");
    append_edges(&path, &Files::default(), [(0, 1), (1, 2)].into_iter()).expect("appended");
    let text = std::fs::read_to_string(&path).expect("there");
    let kept = before.len() - "</graph>\n</graphml>\n".len();
    assert_eq!(text[..kept], before[..kept]);
    let wanted = ["user", "club", "age"];
    assert_eq!(
        cells(&text, &nodes(), &wanted),
        cells(NETWORKX, &nodes(), &wanted)
    );
    assert_eq!(
        cells(&text, &edges(), &["from", "to"]),
        [["1", "2"], ["2", "3"]]
    );
}

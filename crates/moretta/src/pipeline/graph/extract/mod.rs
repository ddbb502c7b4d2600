//! `graph extract`: node table and edge list of a social network, from profiles, posts and
//! connections as JSON lines.
//!
//! | file | fields of an object | |
//! |---|---|---|
//! | profiles | `id`, `location` | one a person; other fields are kept where that is asked for |
//! | posts | `author`, `text`, `hashtags` | the id of a person; a text, a list of hashtags or both |
//! | connections | `from`, `to` | ids of two persons |
//!
//! Locations and topics become labels of their taxonomies, which are written beside them with a line
//! for every inner label. What comes out is raw data, not a release, and is its owner's alone.
//!
//! **Costs** memory for each person, and for each topic of a person; posts and connections pass by.

mod json_lines;
mod policy_text;
mod tables;

use super::super::place::{Pending, commit_all};
use super::super::places::check_outputs;
use crate::data::hierarchy::{self, Hierarchy};
use crate::data::{LevelsBuilder, MISSING, Taxonomy};
use crate::engine::{Progress, Stage};
use crate::error::{Error, Result};
use crate::graph::extract::{Interests, Lexicon, Place, Places, Words, with_inner_labels};
use json_lines::{Flaw, Value, fields};
use serde::Serialize;
use std::path::{Path, PathBuf};
use tables::{EdgeTable, write_nodes};

/// What is extracted from what.
#[derive(Clone, Debug)]
pub struct ExtractSettings {
    /// One object a person.
    pub profiles: PathBuf,
    /// Who is linked to whom.
    pub connections: PathBuf,
    /// The taxonomy of places, in the layout of hierarchy files.
    pub locations: PathBuf,
    /// Other names of places: a name and a label a line.
    pub aliases: Option<PathBuf>,
    /// Topics of interest, if they are wanted.
    pub topics: Option<TopicSettings>,
    /// Fields of profiles that become columns as they are.
    pub keep: Vec<String>,
    /// The folder that the files go to.
    pub output: PathBuf,
    /// Whether a first policy is written beside them.
    pub policy: bool,
    /// Whether files that are there are replaced.
    pub force: bool,
}

/// Where topics of interest come from.
#[derive(Clone, Debug)]
pub struct TopicSettings {
    /// One object a post.
    pub posts: PathBuf,
    /// The taxonomy of topics.
    pub taxonomy: PathBuf,
    /// Keywords and hashtags: a word and a topic a line. Without it the labels of the taxonomy are
    /// the words.
    pub lexicon: Option<PathBuf>,
    /// How many topics of a person become columns.
    pub count: usize,
}

/// What was found. These are figures of raw data, for its steward.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extracted {
    /// Persons, each a row of the node table.
    pub nodes: u64,
    /// Rows of the edge list.
    pub edges: u64,
    /// Connections of somebody without a profile, which were left out.
    pub connections_left_out: u64,
    /// Locations that are a place of the taxonomy.
    pub located: u64,
    /// Persons without a location.
    pub no_location: u64,
    /// Locations that name no known place, and are missing now.
    pub unknown_location: u64,
    /// Locations that name several places, and are missing now.
    pub several_locations: u64,
    /// Posts that were read.
    pub posts: u64,
    /// Posts of somebody without a profile, which were left out.
    pub posts_left_out: u64,
    /// Posts about none of the topics.
    pub posts_without_topic: u64,
    /// Persons without a topic.
    pub nodes_without_topic: u64,
    /// The files that were written.
    pub files: Vec<String>,
}

/// Names of the columns that are made.
const USER: &str = "user";
const LOCATION: &str = "location";

/// The persons so far.
struct Persons {
    ids: LevelsBuilder,
    /// The node of each location in its taxonomy.
    places: Vec<u32>,
    /// Kept fields, column by column.
    kept: Vec<Vec<Option<Box<str>>>>,
}

/// Makes node table and edge list.
///
/// # Errors
/// When a file cannot be read, a line is no object with the fields that are needed, two profiles
/// have one id, or a file is there already.
pub fn extract(settings: &ExtractSettings, progress: &Progress) -> Result<Extracted> {
    let names = column_names(settings)?;
    let places = Tree::read(&settings.locations)?;
    let topics = match &settings.topics {
        None => None,
        Some(topics) => Some((topics, Tree::read(&topics.taxonomy)?)),
    };
    let outputs = outputs(settings);
    check_outputs(&outputs, &inputs(settings), settings.force)?;
    progress.enter(Stage::Read);
    let mut found = Extracted::default();
    let persons = persons(settings, &places, &mut found, progress)?;
    let interests = match &topics {
        None => Vec::new(),
        Some((from, tree)) => interests(from, tree, &persons.ids, &mut found, progress)?,
    };
    progress.enter(Stage::Write);
    let mut files = Files {
        folder: &settings.output,
        pending: Vec::new(),
    };
    let labels = topics.as_ref().map(|(_, tree)| &tree.taxonomy);
    let tables = (labels, &interests[..]);
    write_nodes(
        files.begin(NODES)?,
        &names,
        &persons,
        &places.taxonomy,
        tables,
    )?;
    found.edges = connections(
        settings,
        files.begin(EDGES)?,
        &persons.ids,
        &mut found,
        progress,
    )?;
    places.write(files.begin(LOCATIONS)?)?;
    if let Some((_, tree)) = &topics {
        tree.write(files.begin(TOPICS)?)?;
    }
    if settings.policy {
        let text = policy_text::text(&names, settings);
        write(files.begin(POLICY)?, text.as_bytes())?;
    }
    commit_all(std::mem::take(&mut files.pending), settings.force)?;
    let shown = outputs.iter().map(|path| path.display().to_string());
    found.files = shown.collect();
    Ok(found)
}

/// Files that appear together.
struct Files<'a> {
    folder: &'a Path,
    pending: Vec<Pending>,
}

impl Files<'_> {
    /// Where to write one of them for now.
    fn begin(&mut self, name: &str) -> Result<&Path> {
        let pending =
            Pending::new(&self.folder.join(name), &crate::io::Files::default())?.private();
        self.pending.push(pending);
        Ok(self.pending[self.pending.len() - 1].temporary())
    }
}

impl Drop for Files<'_> {
    fn drop(&mut self) {
        // The first one has made the folder, and takes it away when it is empty.
        while self.pending.pop().is_some() {}
    }
}

const NODES: &str = "nodes.csv";
const EDGES: &str = "edges.csv";
const LOCATIONS: &str = "locations.csv";
const TOPICS: &str = "topics.csv";
const POLICY: &str = "policy.toml";

fn outputs(settings: &ExtractSettings) -> Vec<PathBuf> {
    let topics = settings.topics.as_ref().map(|_| TOPICS);
    let policy = settings.policy.then_some(POLICY);
    let names = [NODES, EDGES, LOCATIONS]
        .into_iter()
        .chain(topics)
        .chain(policy);
    names.map(|name| settings.output.join(name)).collect()
}

fn inputs(settings: &ExtractSettings) -> Vec<&Path> {
    let topics = settings.topics.iter().flat_map(|topics| {
        let both = [&topics.posts, &topics.taxonomy].into_iter();
        both.chain(&topics.lexicon)
    });
    [
        &settings.profiles,
        &settings.connections,
        &settings.locations,
    ]
    .into_iter()
    .chain(&settings.aliases)
    .chain(topics)
    .map(PathBuf::as_path)
    .collect()
}

/// The columns of the node table.
fn column_names(settings: &ExtractSettings) -> Result<Vec<String>> {
    let topics = settings.topics.as_ref().map_or(0, |topics| topics.count);
    let mut names = vec![USER.to_owned(), LOCATION.to_owned()];
    names.extend(settings.keep.iter().cloned());
    names.extend((1..=topics).map(|place| format!("topic{place}")));
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(names),
        Some(pair) => Err(
            Error::usage(format!("two columns would be called `{}`", pair[0]))
                .help("a kept field has a name of its own; rename it in the profiles"),
        ),
    }
}

/// A taxonomy with a value for each of its labels.
struct Tree {
    rows: Vec<Vec<String>>,
    taxonomy: Taxonomy,
}

impl Tree {
    fn read(path: &Path) -> Result<Self> {
        let rows = with_inner_labels(&hierarchy::read_file(path)?);
        let hierarchy = Hierarchy::from_chains(&rows).map_err(|error| error.in_file(path))?;
        Ok(Tree {
            taxonomy: Taxonomy::of_hierarchy(&hierarchy),
            rows,
        })
    }

    fn write(&self, path: &Path) -> Result<()> {
        let mut text = Vec::new();
        let written = hierarchy::automatic::write(&self.rows, &mut text, ';');
        written.map_err(|e| Error::io("write", path, e))?;
        write(path, &text)
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |e| Error::io("write", path, e);
    let mut file = crate::io::create_private(path).map_err(failed)?;
    std::io::Write::write_all(&mut file, bytes).map_err(failed)?;
    file.sync_all().map_err(failed)
}

fn persons(
    settings: &ExtractSettings,
    tree: &Tree,
    found: &mut Extracted,
    progress: &Progress,
) -> Result<Persons> {
    let aliases = match &settings.aliases {
        None => Vec::new(),
        Some(path) => hierarchy::read_numbered(path)?,
    };
    let in_aliases = |error: Error| match &settings.aliases {
        Some(path) => error.in_file(path),
        None => error,
    };
    let places = Places::new(&tree.taxonomy, &aliases).map_err(in_aliases)?;
    let names: Vec<&str> = ["id", "location"]
        .into_iter()
        .chain(settings.keep.iter().map(String::as_str))
        .collect();
    let mut persons = Persons {
        ids: LevelsBuilder::default(),
        places: Vec::new(),
        kept: vec![Vec::new(); settings.keep.len()],
    };
    let parse = |line: &str| -> std::result::Result<_, Flaw> {
        let mut values = fields(line, &names)?.into_iter();
        let mut next = || values.next().unwrap_or_default();
        let id: Box<str> = next().id()?.into();
        let location = next().text()?;
        let location = location.filter(|text| !text.trim().is_empty());
        let place = location.map(|text| places.find(&text));
        let kept = values.map(|value| Ok(value.text()?.map(Box::from)));
        let kept = kept.collect::<std::result::Result<Vec<Option<Box<str>>>, Flaw>>()?;
        Ok((id, place, kept))
    };
    found.nodes = json_lines::read(&settings.profiles, progress, parse, |(id, place, kept)| {
        if persons.ids.intern(&id) as usize != persons.places.len() {
            return Err("an id that an earlier profile has");
        }
        if persons.places.len() == MISSING as usize {
            return Err("too many profiles");
        }
        let (count, node) = match place {
            Some(Place::Known(node)) => (&mut found.located, node),
            Some(Place::Unknown) => (&mut found.unknown_location, tree.taxonomy.missing()),
            Some(Place::Several) => (&mut found.several_locations, tree.taxonomy.missing()),
            None => (&mut found.no_location, tree.taxonomy.missing()),
        };
        *count += 1;
        persons.places.push(node);
        for (column, cell) in persons.kept.iter_mut().zip(kept) {
            column.push(cell);
        }
        Ok(())
    })?;
    match found.nodes {
        0 => Err(Error::input("there is no profile").in_file(&settings.profiles)),
        _ => Ok(persons),
    }
}

/// The topics of each person, column by column.
fn interests(
    from: &TopicSettings,
    tree: &Tree,
    ids: &LevelsBuilder,
    found: &mut Extracted,
    progress: &Progress,
) -> Result<Vec<Vec<Option<u32>>>> {
    let lexicon = match &from.lexicon {
        None => Lexicon::of_labels(&tree.taxonomy),
        Some(path) => Lexicon::new(&tree.taxonomy, &hierarchy::read_numbered(path)?)
            .map_err(|error| error.in_file(path))?,
    };
    let parse = |line: &str| -> std::result::Result<_, Flaw> {
        let mut values = fields(line, &["author", "text", "hashtags"])?.into_iter();
        let mut next = || values.next().unwrap_or_default();
        let author = ids.find(&next().id()?);
        let (text, hashtags) = (next().text()?, next());
        let mut topics = Vec::new();
        if let Some(text) = text {
            lexicon.topics_of(&Words::of(&text), &mut topics);
        }
        let hashtags = match hashtags {
            Value::Missing => Vec::new(),
            Value::Texts(tags) => tags,
            _ => return Err("hashtags that are no list of texts"),
        };
        for tag in hashtags {
            let tag = format!("#{}", tag.trim_start_matches('#'));
            lexicon.topics_of(&Words::of(&tag), &mut topics);
        }
        Ok((author, topics))
    };
    let mut interests = Interests::default();
    found.posts = json_lines::read(&from.posts, progress, parse, |(author, topics)| {
        found.posts_without_topic += u64::from(topics.is_empty());
        match author {
            None => found.posts_left_out += 1,
            Some(author) => interests.observe(author, &topics),
        }
        Ok(())
    })?;
    let columns = interests.strongest(ids.len(), from.count);
    let none = columns
        .first()
        .map(|first| first.iter().filter(|topic| topic.is_none()).count());
    found.nodes_without_topic = none.unwrap_or(0) as u64;
    Ok(columns)
}

/// Writes the edges; gives their number.
fn connections(
    settings: &ExtractSettings,
    path: &Path,
    ids: &LevelsBuilder,
    found: &mut Extracted,
    progress: &Progress,
) -> Result<u64> {
    let mut table = EdgeTable::create(path, ids)?;
    let parse = |line: &str| -> std::result::Result<_, Flaw> {
        let mut values = fields(line, &["from", "to"])?.into_iter();
        let mut next = || values.next().unwrap_or_default().id();
        let (from, to) = (next()?, next()?);
        Ok(ids.find(&from).zip(ids.find(&to)))
    };
    let mut failed = None;
    json_lines::read(&settings.connections, progress, parse, |edge| {
        match edge {
            None => found.connections_left_out += 1,
            Some(edge) => {
                if let Err(error) = table.push(edge) {
                    failed = Some(error);
                    return Err("the edge list cannot be written");
                }
            }
        }
        Ok(())
    })
    .map_err(|error| failed.take().unwrap_or(error))?;
    table.close()
}

//! Events that are decided one by one: z-anonymity, who counts it again, and what is told of it.

mod facts;
mod watch;

pub(crate) use facts::{Decided, held_back, of_decided};

use super::arrival::{Arrived, EventTime};
use super::context::Keys;
use super::faults::Faults;
use super::plan::{KeyPlace, Plan};
use crate::data::hierarchy::{Ladder, Texts};
use crate::data::{Batch, ReadAs, Role, Schema};
use crate::error::{Error, Result};
use crate::measure::stream::Live;
use crate::protect::Operator;
use crate::protect::rotation::Rotation;
use crate::protect::z_anonymity::{MADE_UP, Stream, ZAnonymity};
use std::collections::HashMap;
use std::sync::Arc;
use watch::{Looked, Watch};

/// Shards of users to count on. Counters of shards add up exactly, but each shard
/// walks all rows; on two cores reading ahead pays more, and both together pay less.
const SHARDS: usize = 1;

/// Decides events; what may leave of them is counted again and measured first.
pub(crate) struct Events {
    pub(crate) stream: Stream,
    pub(crate) watch: Watch,
}

impl Events {
    /// For rows with these columns. `rotation` is that of the subject, if its pseudonyms rotate.
    pub(crate) fn new(
        plan: &Plan,
        config: &ZAnonymity,
        schema: &Schema,
        ladders: &HashMap<String, Ladder>,
        keys: &Keys,
        (rotation, measured): (Option<Rotation>, bool),
    ) -> Result<Self> {
        let ladder = |name: &str| ladders.get(name).cloned().unwrap_or_else(Ladder::flat);
        let format = EventTime::find(plan, schema).and_then(|time| time.format);
        let mut stream = Stream::new(config, schema, ladder, format, SHARDS)?;
        let fakes = config.fakes.as_ref();
        if let Some(place) = fakes.and_then(|fakes| fakes.key.as_deref()) {
            stream = stream.with_fakes_key(keys.get(&KeyPlace::named(place))?);
        }
        Ok(Events {
            stream,
            watch: Watch::new(plan, config, schema, ladder, rotation, measured),
        })
    }

    /// The columns of what leaves.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        self.stream.schema()
    }

    /// Decides rows; gives those that may leave.
    pub(crate) fn push(&mut self, arrived: Arrived, faults: &mut Faults) -> Result<Batch> {
        self.stream.count_future(arrived.turned_away.len() as u64);
        if arrived.batch.is_empty() {
            return Ok(Batch::empty(Arc::clone(self.schema())));
        }
        let (late, delays) = match arrived.waited {
            None => (Vec::new(), None),
            Some(waited) => (waited.late, Some(waited.delays)),
        };
        self.stream.tell(arrived.times, late);
        let released = self.stream.push(arrived.batch.clone())?;
        let looked = self.watch.look(Looked {
            stream: &self.stream,
            batch: &arrived.batch,
            released: &released,
            delays,
        });
        self.note(looked, faults)?;
        Ok(released)
    }

    /// All sources have ended; gives what is left.
    pub(crate) fn finish(&mut self, faults: &mut Faults) -> Result<Batch> {
        let left = self.stream.finish()?;
        let looked = self.watch.finish(&self.stream, &left);
        self.note(looked, faults)?;
        Ok(left)
    }

    /// A checker that has found a fault and may go on counts no more.
    fn note(&mut self, looked: Result<()>, faults: &mut Faults) -> Result<()> {
        if faults.take(looked)?.is_none() {
            self.watch.stop_checking();
        }
        Ok(())
    }

    /// How the stream is doing.
    pub(crate) fn live(&self) -> Live {
        self.watch.live(&self.stream)
    }
}

/// The rows that are not made up.
pub(crate) fn real(rows: &Batch) -> Result<Batch> {
    let ids = rows.rows().iter().enumerate();
    let real = ids.filter(|&(_, id)| id < MADE_UP);
    let real: Vec<u32> = real.map(|(row, _)| row as u32).collect();
    match real.len() == rows.len() {
        true => Ok(rows.clone()),
        false => rows.take(&real),
    }
}

/// What can be known of a plan of events without rows.
pub(crate) fn check(plan: &Plan) -> Result<()> {
    for (role, example) in [
        (Role::Time, "t = { role = \"time\" }"),
        (Role::Subject, "user = { role = \"subject\" }"),
        (
            Role::Quasi,
            "page = { role = \"quasi\", hierarchy = { path = \"/\" } }",
        ),
    ] {
        let columns = plan.columns.iter().filter(|column| column.role == role);
        match columns.count() {
            0 => {
                let what = format!("z-anonymity needs a column with the role {}", role.word());
                return Err(Error::policy(what).help(format!("for example {example}")));
            }
            2.. if role == Role::Time => {
                return Err(Error::policy("a stream has one column with the role time")
                    .help("make the others plain, or drop them"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// How the values of each attribute generalise.
pub(crate) fn ladders(plan: &Plan) -> Result<HashMap<String, Ladder>> {
    let mut ladders = HashMap::new();
    for column in plan.columns.iter().filter(|c| c.role == Role::Quasi) {
        let texts = match column.read {
            ReadAs::Number | ReadAs::Integer => Texts::Number,
            ReadAs::Date(format) => Texts::Date(format),
            _ => Texts::Category,
        };
        let ladder = match &column.hierarchy {
            None => Ladder::flat(),
            Some(spec) => spec
                .ladder(&column.name, texts)
                .map_err(|e| e.at(column.span.clone()))?,
        };
        ladders.insert(column.name.clone(), ladder);
    }
    Ok(ladders)
}

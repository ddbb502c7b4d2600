//! Where checked rows go.

use super::context::Context;
use super::plan::Plan;
use super::session::{Checked, Outcome, Session};
use crate::data::{Batch, Schema};
use crate::error::Result;
use std::sync::Arc;

/// Takes checked rows. What it takes counts only once it is committed.
pub trait Sink {
    /// Takes rows.
    fn write(&mut self, rows: &Checked) -> Result<()>;

    /// All rows were taken and every promise is kept: they may be seen.
    fn commit(&mut self) -> Result<()>;

    /// Something failed: rows that can be taken back are taken back.
    fn abort(&mut self);
}

/// Lets rows of this schema through a session into a sink; tells how it went.
///
/// # Errors
/// Those of the rows, of the session and of the sink, which is aborted then.
pub fn run(
    plan: &Arc<Plan>,
    schema: &Arc<Schema>,
    rows: impl IntoIterator<Item = Result<Batch>>,
    sink: &mut dyn Sink,
    context: Context,
) -> Result<Outcome> {
    let session = Session::open(plan, schema, context)?;
    let passed = pass(session, rows, sink);
    if passed.is_err() {
        sink.abort();
    }
    passed
}

fn pass(
    mut session: Session,
    rows: impl IntoIterator<Item = Result<Batch>>,
    sink: &mut dyn Sink,
) -> Result<Outcome> {
    for batch in rows {
        if let Some(released) = session.push(batch?)? {
            sink.write(&released)?;
        }
    }
    let (rest, outcome) = session.finish()?;
    sink.write(&rest)?;
    sink.commit()?;
    Ok(outcome)
}

//! Frames on their way to one peer: a queue that never blocks the party, and knows when it is full.
//!
//! A party that waited for a slow peer could wait for ever, since the peer may wait for it. So frames
//! are queued; above the credits of a link [`Pressure`] tells those who feed new records in, and
//! above the backlog the link is cut, as a broken network would do it.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as Polling, Poll};

use bytes::Bytes;
use tokio::sync::mpsc::{
    UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel,
};
use tokio::task::AbortHandle;
use tokio_stream::Stream;
use tonic::Status;

use crate::limits::Limits;
use crate::link::{Arrival, Context};
use crate::refusal::Refusal;

/// Tells whether links of a driver hold more than their credits.
#[derive(Clone, Debug, Default)]
pub struct Pressure(Arc<AtomicUsize>);

impl Pressure {
    /// Whether a peer is so slow that no new records should be taken in. When it no longer is, the
    /// party's [`Endpoint::relieved`](crate::Endpoint::relieved) is called.
    pub fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// The queue's two ends.
pub(crate) fn pair(context: &Arc<Context>, connection: AbortHandle) -> (Outlet, Outgoing) {
    let (sender, queue) = unbounded_channel();
    let load = Arc::new(Mutex::new(Load::default()));
    let outlet = Outlet {
        sender,
        load: load.clone(),
        context: context.clone(),
        connection,
    };
    let outgoing = Outgoing {
        queue,
        load,
        context: context.clone(),
    };
    (outlet, outgoing)
}

/// The driver's end. Dropping it closes our half of the link once all queued frames are sent.
pub(crate) struct Outlet {
    sender: UnboundedSender<Item>,
    load: Arc<Mutex<Load>>,
    context: Arc<Context>,
    connection: AbortHandle,
}

impl Outlet {
    /// Queues a frame; refused if too much waits already.
    pub(crate) fn send(&self, frame: Bytes) -> Result<(), Refusal> {
        let limits = &self.context.limits;
        if !locked(&self.load).add(limits, frame.len(), &self.context.pressure) {
            return Err(Refusal::SlowReader);
        }
        // A link that has just broken loses the frame, as it loses those that are on their way.
        let _ = self.sender.send(Item::Frame(frame));
        Ok(())
    }

    /// Ends the connection at once.
    pub(crate) fn cut(&self) {
        self.connection.abort();
    }

    /// To end the stream with a refusal, while the driver has not closed it.
    pub(crate) fn refuser(&self) -> Refuser {
        Refuser(self.sender.downgrade())
    }
}

/// Ends our half of a link with a refusal, behind the frames that are queued.
pub(crate) struct Refuser(WeakUnboundedSender<Item>);

impl Refuser {
    pub(crate) fn refuse(&self, refusal: Refusal) {
        if let Some(sender) = self.0.upgrade() {
            let _ = sender.send(Item::Refuse(refusal));
        }
    }
}

enum Item {
    Frame(Bytes),
    Refuse(Refusal),
}

/// The network's end.
pub(crate) struct Outgoing {
    queue: UnboundedReceiver<Item>,
    load: Arc<Mutex<Load>>,
    context: Arc<Context>,
}

impl Stream for Outgoing {
    type Item = Result<Bytes, Status>;

    fn poll_next(self: Pin<&mut Self>, polling: &mut Polling<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.queue.poll_recv(polling).map(|item| match item? {
            Item::Refuse(refusal) => Some(Err(refusal.status())),
            Item::Frame(frame) => {
                let context = &this.context;
                let load = &mut locked(&this.load);
                if load.take(&context.limits, frame.len(), &context.pressure) {
                    context.announce(Arrival::Relieved);
                }
                Some(Ok(frame))
            }
        })
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        if locked(&self.load).close(&self.context.pressure) {
            self.context.announce(Arrival::Relieved);
        }
    }
}

fn locked(load: &Mutex<Load>) -> MutexGuard<'_, Load> {
    load.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Credits' worth of frames in a queue.
#[derive(Default)]
struct Load {
    credits: usize,
    is_full: bool,
    is_closed: bool,
}

impl Load {
    /// One more frame, if it fits.
    fn add(&mut self, limits: &Limits, bytes: usize, pressure: &Pressure) -> bool {
        let credits = self.credits + limits.cost(bytes);
        if self.is_closed {
            return true;
        }
        if credits > limits.backlog {
            return false;
        }
        self.credits = credits;
        if credits >= limits.credits && !self.is_full {
            self.is_full = true;
            pressure.0.fetch_add(1, Ordering::Relaxed);
        }
        true
    }

    /// One frame less; whether the queue is full no longer.
    fn take(&mut self, limits: &Limits, bytes: usize, pressure: &Pressure) -> bool {
        self.credits = self.credits.saturating_sub(limits.cost(bytes));
        self.credits < limits.credits.div_ceil(2) && self.relieve(pressure)
    }

    /// Nothing is counted from now on; whether the queue was full.
    fn close(&mut self, pressure: &Pressure) -> bool {
        self.is_closed = true;
        self.relieve(pressure)
    }

    fn relieve(&mut self, pressure: &Pressure) -> bool {
        let was_full = std::mem::take(&mut self.is_full);
        if was_full {
            pressure.0.fetch_sub(1, Ordering::Relaxed);
        }
        was_full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_rises_at_all_credits_and_falls_at_half_of_them() {
        let limits = Limits {
            credits: 4,
            backlog: 6,
            ..Limits::default()
        };
        let (mut load, pressure) = (Load::default(), Pressure::default());
        let fits: Vec<bool> = (0..7).map(|_| load.add(&limits, 100, &pressure)).collect();
        assert_eq!(fits, [true, true, true, true, true, true, false]);
        assert!(pressure.is_full());
        let relieved: Vec<bool> = (0..6).map(|_| load.take(&limits, 100, &pressure)).collect();
        assert_eq!(relieved, [false, false, false, false, true, false]);
        assert!(!pressure.is_full());
    }

    #[test]
    fn a_closed_queue_presses_nobody() {
        let limits = Limits {
            credits: 1,
            ..Limits::default()
        };
        let (mut load, pressure) = (Load::default(), Pressure::default());
        assert!(load.add(&limits, 1, &pressure));
        assert!(load.close(&pressure));
        assert!(!load.close(&pressure));
        assert!(load.add(&limits, 1, &pressure));
        assert!(!pressure.is_full());
    }
}

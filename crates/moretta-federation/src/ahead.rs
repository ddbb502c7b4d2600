//! Rows that are read ahead, on a thread of their own.
//!
//! A party whose rows come as they are made must not wait for them: whoever waits hears nothing of
//! the batches that are under way, and everybody would wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use moretta::federate::Rows;
use moretta_data::Result;
use rayon::ThreadPoolBuilder;

use crate::driver::Waker;

/// Batches that are read before they are asked for; more take more memory.
const AHEAD: usize = 4;

/// Batches in their order.
pub struct Ahead {
    batches: Receiver<Result<Option<Rows>>>,
    next: Option<Result<Option<Rows>>>,
    /// Whether the party was told that nothing is there.
    missed: Arc<AtomicBool>,
    has_ended: bool,
}

impl Ahead {
    /// Reads batch after batch with `read` until it gives none; `waker` is that of the party that
    /// is shown them.
    pub fn start(
        mut read: impl FnMut(u64) -> Result<Option<Rows>> + Send + 'static,
        waker: Waker,
    ) -> Self {
        let (sender, batches) = sync_channel(AHEAD);
        let missed = Arc::new(AtomicBool::new(false));
        let is_missed = Arc::clone(&missed);
        std::thread::spawn(move || {
            // A party is small: what it reads is parsed here, and not by threads that wait for it.
            let alone = ThreadPoolBuilder::new().num_threads(1);
            let _alone = alone.use_current_thread().build();
            for batch in 0.. {
                let rows = read(batch);
                let is_last = !matches!(rows, Ok(Some(_)));
                let is_wanted = sender.send(rows).is_ok();
                if is_missed.swap(false, Ordering::SeqCst) || is_last {
                    waker.wake();
                }
                if is_last || !is_wanted {
                    break;
                }
            }
        });
        Ahead {
            batches,
            next: None,
            missed,
            has_ended: false,
        }
    }

    /// Whether [`rows`](Self::rows) gives an answer at once. If not, and `calls` is true, the party is
    /// woken when it does.
    pub fn is_ready(&mut self, calls: bool) -> bool {
        if self.next.is_none() {
            self.next = self.batches.try_recv().ok();
        }
        if self.next.is_none() && !self.has_ended && calls {
            self.missed.store(true, Ordering::SeqCst);
            // They may have come in between, when nobody missed them yet.
            self.next = self.batches.try_recv().ok();
        }
        self.next.is_some() || self.has_ended
    }

    /// The rows of a batch, which are waited for; none at the end. Those before it are dropped.
    pub fn rows(&mut self, batch: u64) -> Result<Option<Rows>> {
        loop {
            let next = self.next.take().or_else(|| self.batches.recv().ok());
            match next.transpose()?.flatten() {
                Some(rows) if rows.batch < batch => {}
                Some(rows) => return Ok(Some(rows)),
                None => {
                    self.has_ended = true;
                    return Ok(None);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::time::Duration;

    use moretta_data::Error;

    use super::*;
    use crate::party::{Endpoint, Event, Outbox, PartyId, Time};
    use crate::{Driver, Limits, Name, Protocol, Roster};

    fn driver() -> Driver {
        let roster = Roster::new(Name::new("w").expect("a name"), Vec::new()).expect("a list");
        let protocol = Protocol {
            magic: 1,
            version: 1,
            federation: 1,
        };
        Driver::new(PartyId(0), roster, protocol, Limits::default())
    }

    fn batch(batch: u64) -> Rows {
        Rows {
            batch,
            ..Rows::default()
        }
    }

    #[test]
    fn batches_come_in_order_and_those_before_are_dropped() {
        let read = |at| Ok((at < 9).then(|| batch(at)));
        let mut ahead = Ahead::start(read, driver().waker());
        let mut of = |at| ahead.rows(at).expect("no error").map(|rows| rows.batch);
        assert_eq!([of(0), of(1), of(5), of(8)], [0, 1, 5, 8].map(Some));
        assert_eq!((of(9), of(9)), (None, None));
        assert!(ahead.is_ready(true));
    }

    #[test]
    fn errors_are_handed_on() {
        let read = |at| match at {
            0 => Ok(Some(batch(0))),
            _ => Err(Error::input("a row that cannot be read")),
        };
        let mut ahead = Ahead::start(read, driver().waker());
        assert!(ahead.rows(0).expect("no error").is_some());
        assert!(ahead.rows(1).is_err());
    }

    /// Asks for a batch at every event, and never waits for it.
    struct Asking(Ahead, u64);

    impl Endpoint for Asking {
        fn handle(&mut self, _: Event<'_>, _: Time, out: &mut Outbox) -> Result<()> {
            while !out.finished && self.0.is_ready(true) {
                match self.0.rows(self.1)? {
                    Some(_) => self.1 += 1,
                    None => out.finished = true,
                }
            }
            Ok(())
        }
    }

    /// Needs no rows, and writes down when it is called.
    struct Patient(Ahead, Sender<()>);

    impl Endpoint for Patient {
        fn handle(&mut self, _: Event<'_>, _: Time, out: &mut Outbox) -> Result<()> {
            while self.0.is_ready(false) && !out.finished {
                out.finished = self.0.rows(0)?.is_none();
            }
            self.1.send(()).expect("it is read");
            Ok(())
        }
    }

    #[test]
    fn a_party_that_needs_no_rows_is_woken_at_their_end_alone() {
        let driver = driver();
        let (sender, rows) = channel();
        let read = move |_| Ok(rows.recv().ok());
        let (call, called) = channel();
        let mut party = Patient(Ahead::start(read, driver.waker()), call);
        let feeding = std::thread::spawn(move || {
            called.recv().expect("the first call");
            (0..3).for_each(|at| sender.send(batch(at)).expect("it reads"));
            drop(sender);
            called.iter().count()
        });
        driver.run(&mut party).expect("no error");
        drop(party);
        assert_eq!(feeding.join().expect("no panic"), 1);
    }

    #[test]
    fn a_party_is_woken_when_rows_come() {
        let driver = driver();
        let (sender, rows) = channel();
        let read = move |_| Ok(rows.recv().ok());
        let mut party = Asking(Ahead::start(read, driver.waker()), 0);
        assert!(!party.0.is_ready(true));
        let feeding = std::thread::spawn(move || {
            for at in 0..20 {
                std::thread::sleep(Duration::from_millis(at % 3));
                sender.send(batch(at)).expect("it reads");
            }
        });
        driver.run(&mut party).expect("no error");
        feeding.join().expect("no panic");
        assert_eq!(party.1, 20);
    }
}

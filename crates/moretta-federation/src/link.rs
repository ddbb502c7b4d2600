//! One link, once it is admitted: frames of the peer are checked and handed to the driver.
//!
//! Each frame that waits for the party holds credits of its link. When they are used up the link is
//! not read on, so that flow control stops the peer, and memory stays bounded however fast it sends.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::task::Poll;

use bytes::Bytes;
use moretta_data::Error;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tonic::codec::Streaming;
use tonic::{Code, Status};

use crate::header::Protocol;
use crate::limits::Limits;
use crate::outlet::{Outlet, Pressure};
use crate::party::PartyId;
use crate::refusal::{Refusal, Refusals};
use crate::roster::Roster;

/// What links tell the driver, in the order in which it happens.
pub(crate) enum Arrival {
    /// A link was made.
    Linked {
        peer: PartyId,
        link: u64,
        outlet: Outlet,
    },
    /// A frame came, which holds credits until it is dropped.
    Frame {
        peer: PartyId,
        link: u64,
        frame: Bytes,
        credits: OwnedSemaphorePermit,
    },
    /// A link has ended; no frame of it comes any more.
    Unlinked {
        peer: PartyId,
        link: u64,
        /// Whether the peer has closed it in an orderly way.
        closed: bool,
    },
    /// A queue that was full has room again, or rows have come.
    Relieved,
    /// A link cannot be made, and trying again does not help.
    Failed(Error),
    /// Somebody wants the driver to end.
    Stop,
}

/// What all links of a driver share.
pub(crate) struct Context {
    pub(crate) own: PartyId,
    pub(crate) roster: Roster,
    pub(crate) protocol: Protocol,
    pub(crate) limits: Limits,
    pub(crate) refusals: Arc<Refusals>,
    pub(crate) pressure: Pressure,
    pub(crate) arrivals: Sender<Arrival>,
    /// Wakes a driver that shares its thread with the network.
    pub(crate) arrived: Notify,
    pub(crate) links: AtomicU64,
    /// True once no new links are wanted, since the driver has ended or the network closes.
    pub(crate) stop: watch::Sender<bool>,
}

impl Context {
    /// Tells the driver; one that has ended wants to know nothing.
    pub(crate) fn announce(&self, arrival: Arrival) {
        let _ = self.arrivals.send(arrival);
        self.arrived.notify_one();
    }

    /// No new links are made from now on.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// What `work` gives, or nothing once no new links are wanted.
    pub(crate) async fn unless_stopped<F: Future>(&self, work: F) -> Option<F::Output> {
        let mut stop = self.stop.subscribe();
        let mut stopped = pin!(stop.wait_for(|stop| *stop));
        let mut work = pin!(work);
        poll_fn(|polling| {
            if stopped.as_mut().poll(polling).is_ready() {
                return Poll::Ready(None);
            }
            work.as_mut().poll(polling).map(Some)
        })
        .await
    }
}

/// How a link ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// The peer has closed its half in an orderly way.
    Closed,
    /// The connection broke.
    Broken,
    /// We refused what came.
    Refused,
    /// The peer refused us.
    RefusedBy(Refusal),
}

/// Hands frames of the peer to the driver until the link ends.
pub(crate) async fn run(
    context: &Context,
    peer: PartyId,
    outlet: Outlet,
    incoming: &mut Streaming<Bytes>,
) -> End {
    let link = context.links.fetch_add(1, Ordering::Relaxed);
    let refuser = outlet.refuser();
    context.announce(Arrival::Linked { peer, link, outlet });
    let end = match receive(context, peer, link, incoming).await {
        Ok(end) => end,
        Err(refusal) => {
            context.refusals.count(refusal);
            refuser.refuse(refusal);
            End::Refused
        }
    };
    let closed = end == End::Closed;
    context.announce(Arrival::Unlinked { peer, link, closed });
    end
}

async fn receive(
    context: &Context,
    peer: PartyId,
    link: u64,
    incoming: &mut Streaming<Bytes>,
) -> Result<End, Refusal> {
    let all = Arc::new(Semaphore::new(context.limits.credits));
    loop {
        let frame = match incoming.message().await {
            Ok(Some(frame)) => frame,
            Ok(None) => return Ok(End::Closed),
            Err(status) => return ended(&status),
        };
        context.protocol.check(&frame, peer)?;
        let cost = context.limits.cost(frame.len()) as u32;
        let Ok(credits) = all.clone().acquire_many_owned(cost).await else {
            return Ok(End::Broken);
        };
        context.announce(Arrival::Frame {
            peer,
            link,
            frame,
            credits,
        });
    }
}

fn ended(status: &Status) -> Result<End, Refusal> {
    if let Some(refusal) = Refusal::told(status) {
        return Ok(End::RefusedBy(refusal));
    }
    match status.code() {
        Code::OutOfRange => Err(Refusal::FrameTooLong),
        _ => Ok(End::Broken),
    }
}

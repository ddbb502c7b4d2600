//! The threads that carry frames, and where links begin: listening and dialling.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use moretta_data::{Error, Result};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::client::Dialled;
use crate::credential::Credential;
use crate::driver::Driver;
use crate::link::Context;
use crate::party::{Endpoint, PartyId};
use crate::{server, tls};

/// What carries frames, for any number of drivers.
pub struct Network {
    runtime: Runtime,
    /// Whether it works on the thread of the party.
    is_shared: bool,
    contexts: Vec<Arc<Context>>,
    alive: mpsc::Sender<Infallible>,
    ended: mpsc::Receiver<Infallible>,
}

impl Network {
    /// Starts that many threads, at least one. A site needs one; a listener is faster with more,
    /// up to the number of cores that its party leaves free.
    pub fn start(threads: usize) -> Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(threads.max(1));
        Network::build(builder, false)
    }

    /// One without threads of its own: it works on the thread that runs the party, between events.
    /// A frame then takes no change of threads, which is most of what it costs a small party; one
    /// that computes for long keeps its peers waiting.
    pub fn on_the_thread_of_the_party() -> Result<Self> {
        Network::build(Builder::new_current_thread(), true)
    }

    fn build(mut builder: Builder, is_shared: bool) -> Result<Self> {
        let runtime = builder
            .thread_name("moretta-network")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|error| Error::io("start", "the threads of the network", error))?;
        let (alive, ended) = mpsc::channel(1);
        Ok(Network {
            runtime,
            is_shared,
            contexts: Vec::new(),
            alive,
            ended,
        })
    }

    /// Links the driver's party with those who dial `address`; gives the address with its port.
    pub fn listen(
        &mut self,
        driver: &Driver,
        credential: &Credential,
        address: &str,
    ) -> Result<SocketAddr> {
        is_own(driver, credential)?;
        let acceptor = TlsAcceptor::from(Arc::new(tls::server(credential)?));
        let failed = |error| Error::io("listen on", address, error);
        let listener = self.runtime.block_on(TcpListener::bind(address));
        let listener = listener.map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let context = driver.context.clone();
        let accepting = server::accept(listener, acceptor, context, self.alive.clone());
        self.runtime.spawn(accepting);
        self.contexts.push(driver.context.clone());
        Ok(bound)
    }

    /// Links the driver's party with the listener `peer` at `address`, and does so again whenever
    /// the link ends.
    pub fn dial(
        &mut self,
        driver: &Driver,
        credential: &Credential,
        address: &str,
        peer: PartyId,
    ) -> Result<()> {
        is_own(driver, credential)?;
        let member = driver.context.roster.member(peer);
        if !member.is_some_and(|member| member.role.listens()) {
            return Err(Error::policy("the party that is dialled does not listen")
                .help("dial the aggregator, the label holder, or a host of trouble nodes"));
        }
        let dialled = Dialled {
            context: driver.context.clone(),
            connector: TlsConnector::from(Arc::new(tls::client(credential)?)),
            address: address.to_owned(),
            peer,
        };
        self.runtime.spawn(dialled.keep(self.alive.clone()));
        self.contexts.push(driver.context.clone());
        Ok(())
    }

    /// Runs a party as [`Driver::run`] does; without threads of its own the network works meanwhile.
    pub fn run(&self, driver: Driver, party: &mut dyn Endpoint) -> Result<u64> {
        match self.is_shared {
            true => self.runtime.block_on(driver.run_between(party)),
            false => driver.run(party),
        }
    }

    /// Stops listening and dialling and waits, for at most `longest`, until the links of drivers that
    /// have ended are closed in an orderly way. Whether all of them were.
    pub fn close(mut self, longest: Duration) -> bool {
        self.contexts.iter().for_each(|context| context.stop());
        drop(self.alive);
        let ended = self.ended.recv();
        let in_time = self
            .runtime
            .block_on(async { timeout(longest, ended).await.is_ok() });
        self.runtime.shutdown_background();
        in_time
    }
}

fn is_own(driver: &Driver, credential: &Credential) -> Result<()> {
    let admitted = driver.context.roster.admit(&credential.certificate);
    match admitted {
        Ok(member) if member.number == driver.context.own => Ok(()),
        Ok(_) => Err(Error::policy("the certificate is that of another party")
            .help("let `identity` name the certificate of this party")),
        Err(refusal) => Err(Error::policy(format!(
            "this party would be refused by all others: {refusal}"
        ))
        .help("take the certificates of all parties and the file that `pins` names from one `moretta federation keys`")),
    }
}

//! The server without its network: requests in, responses out.

use crate::account::Gate;
use crate::clock::Clock;
use crate::events::Hub;
use crate::http::{Credentials, Given, Head, Hosts, Request, Router};
use crate::problem::{Problem, Result};
use crate::rates::Rates;
use crate::seal::ZoneKeys;
use crate::session::{self, Seen};
use crate::settings::Settings;
use crate::store::Store;
use crate::stream::Intakes;
use std::sync::OnceLock;

/// Everything that handlers use.
pub struct App {
    /// What the server knows.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// What the person who started it has decided.
    pub settings: Settings,
    /// Where passwords are hashed.
    pub gate: Gate,
    /// Where events are read.
    pub hub: Hub,
    /// Logs of streams that this process adds to.
    pub intakes: Intakes,
    router: Router,
    hosts: Hosts,
    rates: Rates,
    seen: Seen,
    keys: OnceLock<ZoneKeys>,
}

impl App {
    /// With an opened store.
    pub fn new(store: Store, clock: Clock, settings: Settings) -> Self {
        App {
            hosts: Hosts::new(&settings.hosts),
            rates: Rates::new(settings.limits.calls),
            seen: Seen::default(),
            gate: Gate::default(),
            router: Router::new(crate::routes::routes()),
            keys: OnceLock::new(),
            hub: Hub::default(),
            intakes: Intakes::default(),
            store,
            clock,
            settings,
        }
    }

    /// The keys under which everything is sealed, read when they are first needed.
    ///
    /// # Errors
    /// When the file of keys cannot be used.
    pub fn keys(&self) -> Result<&ZoneKeys> {
        if let Some(keys) = self.keys.get() {
            return Ok(keys);
        }
        let keys = ZoneKeys::of(&self.settings)?;
        Ok(self.keys.get_or_init(|| keys))
    }

    /// The routes.
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// Fails when a request is for another server.
    ///
    /// # Errors
    /// 421
    pub fn check_host(&self, host: Option<&str>) -> Result<()> {
        self.hosts.check(host)
    }

    /// What is decided before the body of a request is read: its route, and how long the body may be.
    ///
    /// # Errors
    /// When the request is for another server, for nothing, or one of too many.
    pub fn look(&self, head: &mut Head, host: Option<&str>) -> Result<usize> {
        self.check_host(host)?;
        if let Credentials::Cookie(secret) | Credentials::Bearer(secret) = &head.credentials {
            self.rates.check(secret, self.clock.now())?;
        }
        Ok(self.router.find(head)?.limit)
    }

    /// Answers.
    ///
    /// # Errors
    /// Whatever is in the way.
    pub fn answer(&self, request: Request) -> Result<Given> {
        let answered = self.respond(request);
        self.note_seen();
        answered
    }

    /// Answers; that the person is there is noted by [`App::note_seen`] afterwards.
    ///
    /// # Errors
    /// Whatever is in the way.
    pub fn respond(&self, request: Request) -> Result<Given> {
        self.mark_seen(&request.head)?;
        self.router.answer(self, request)
    }

    /// Notes which persons were there. It waits for the disk, and nobody for it.
    pub fn note_seen(&self) {
        // Where the store does not answer, requests say so.
        let _ = self.seen.note(&self.store);
    }

    /// Marks that a person is there.
    fn mark_seen(&self, head: &Head) -> Result<()> {
        let Credentials::Cookie(secret) = &head.credentials else {
            return Ok(());
        };
        if head.is_background() {
            return Ok(());
        }
        let at = self.clock.now();
        let found = self.store.read(|sql| session::find(sql, secret, at))?;
        match found.and_then(|signed| signed.session) {
            Some(session) if !session.is_locked(at) && session::is_news(&session, at) => {
                self.seen.mark(session.id, at);
            }
            _ => {}
        }
        Ok(())
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").finish_non_exhaustive()
    }
}

/// The problem of a body that is longer than its route takes.
pub fn too_long(limit: usize) -> Problem {
    Problem::new(
        413,
        "too-long",
        format!("the body is longer than {limit} bytes"),
    )
}

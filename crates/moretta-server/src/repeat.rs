//! Requests that are sent again: under the same `Idempotency-Key` they are done once, and answered
//! as the first time.
//!
//! Before a request is done its key is entered, alone; who comes second waits for the first to end.
//! An answer is kept sealed for a day, since some tell a secret once. A request that is refused has
//! done nothing, so its key is free again. Where the server was killed in between, nobody knows what
//! was done: then the key says so, and the caller looks.

use crate::app::App;
use crate::clock::{DAY, MINUTE, Millis};
use crate::db::UNIQUE;
use crate::http::{Given, Head, Ready};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{Permit, Right, RightInfo, To};
use crate::seal::Sealer;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

/// How long an answer is kept.
const KEPT: Millis = DAY;
/// How long a request may take: after that the server was killed meanwhile.
const LONGEST: Millis = 5 * MINUTE;
/// How long a second one waits for the first.
const WAIT: Duration = Duration::from_secs(10);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(50);

/// An answer, as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// What is known of a key.
enum Known {
    /// Nothing: the request is to be done.
    New,
    /// Somebody does it.
    Begun,
    /// It was answered so.
    Answered(Ready),
}

/// Whether requests with this right can have keys. Who is not signed in has none; what changes a session
/// is not answered twice; and what is told of raw data is kept nowhere, and logged each time.
fn is_repeatable(right: &RightInfo) -> bool {
    let never = [To::Anyone, To::Half, To::Ingest, To::Raw];
    !right.to.iter().any(|to| never.contains(to))
}

/// A request with a key, of somebody who is known.
pub(crate) struct Repeat<'a> {
    app: &'a App,
    user: Id,
    key: String,
    asked: Vec<u8>,
    at: Millis,
}

impl<'a> Repeat<'a> {
    /// What a request says of itself; none where it has no key.
    ///
    /// # Errors
    /// 422 when the key is none.
    pub(crate) fn of<R: Right>(
        app: &'a App,
        permit: &Permit<R>,
        head: &Head,
        body: &[u8],
    ) -> Result<Option<Self>> {
        let Some(key) = head.header("idempotency-key").filter(|_| head.is_unsafe()) else {
            return Ok(None);
        };
        let Some(user) = permit.user().ok().filter(|_| is_repeatable(&R::INFO)) else {
            return Ok(None);
        };
        if !(1..=128).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) {
            let what = "an Idempotency-Key has 1 to 128 letters, digits and signs";
            return Err(Problem::unusable(what));
        }
        Ok(Some(Repeat {
            app,
            user,
            key: key.to_owned(),
            asked: sum(head, body),
            at: permit.at(),
        }))
    }

    /// Does a request, unless it was done before under the same key.
    ///
    /// # Errors
    /// 422 when the key stands for another request, 409 while that one is on its way or when nobody
    /// knows what became of it, and those of `work`.
    pub(crate) fn once(
        repeat: Option<Self>,
        work: impl FnOnce() -> Result<Given>,
    ) -> Result<Given> {
        let Some(repeat) = repeat else {
            return work();
        };
        let begun = Instant::now();
        loop {
            match repeat.look()? {
                Known::New => break,
                Known::Answered(ready) => return Ok(Given::Ready(ready)),
                Known::Begun if begun.elapsed() >= WAIT => {
                    let what = "the same request is on its way";
                    return Err(Problem::conflict("on-its-way", what).after(5));
                }
                Known::Begun => std::thread::sleep(LOOK),
            }
        }
        let given = work();
        match &given {
            Ok(Given::Ready(ready)) if !sets_cookie(ready) => repeat.keep(ready)?,
            _ => repeat.forget()?,
        }
        given
    }

    fn store(&self) -> &Store {
        &self.app.store
    }

    /// What an answer is sealed for.
    fn context(&self) -> String {
        format!("repeat {} {}", self.user, self.key)
    }

    /// Looks the key up; enters it where it is not there.
    fn look(&self) -> Result<Known> {
        let query = "SELECT asked, status, body, at FROM repeats WHERE user_id = $1 AND key = $2 AND at > $3";
        let values = values![self.user, &self.key, self.at - KEPT];
        let Some(row) = self.store().read(|sql| sql.row(query, values))? else {
            return self.enter();
        };
        if row.bytes(0)? != self.asked {
            let what = "this Idempotency-Key stands for another request";
            return Err(Problem::new(422, "other-request", what).help("take a new key"));
        }
        let status = row.integer(1)?;
        if status == 0 && self.app.clock.now() - row.integer(3)? > LONGEST {
            let what = "the server stopped while it did this, and does not know what became of it";
            return Err(Problem::conflict("unknown", what)
                .help("look whether it was done; if not, send it with a new Idempotency-Key"));
        }
        if status == 0 {
            return Ok(Known::Begun);
        }
        let opened = Sealer::of(self.app)?.open(&self.context(), row.bytes(2)?)?;
        let kept: Kept = serde_json::from_slice(&opened)
            .map_err(|_| Problem::bug("an answer that was kept cannot be read"))?;
        let headers = kept.headers.iter().filter_map(|(name, value)| {
            let known = ["content-type", "etag", "location"];
            let name = known.into_iter().find(|known| known == name)?;
            Some((name, value.clone()))
        });
        Ok(Known::Answered(Ready {
            status: u16::try_from(status).unwrap_or(200),
            headers: headers.collect(),
            body: kept.body,
        }))
    }

    fn enter(&self) -> Result<Known> {
        let entered = self.store().act(|act| {
            act.execute(
                "DELETE FROM repeats WHERE at <= $1",
                values![self.at - KEPT],
            )?;
            act.execute(
                "INSERT INTO repeats (user_id, key, asked, status, headers, body, at) \
                 VALUES ($1, $2, $3, 0, '', $4, $5)",
                values![
                    self.user,
                    &self.key,
                    &self.asked[..],
                    Vec::<u8>::new(),
                    self.at
                ],
            )
        });
        match entered {
            Ok(_) => Ok(Known::New),
            Err(problem) if problem.code == UNIQUE => Ok(Known::Begun),
            Err(problem) => Err(problem),
        }
    }

    fn keep(&self, ready: &Ready) -> Result<()> {
        let headers = ready.headers.iter();
        let kept = Kept {
            headers: headers.map(|(n, v)| ((*n).to_owned(), v.clone())).collect(),
            body: ready.body.clone(),
        };
        let kept = serde_json::to_vec(&kept).map_err(|_| Problem::bug("an answer has no JSON"))?;
        let sealed = Sealer::of(self.app)?.seal(&self.context(), &kept);
        self.store().act(|act| {
            act.execute_one(
                "UPDATE repeats SET status = $1, body = $2 WHERE user_id = $3 AND key = $4",
                values![i64::from(ready.status), &sealed[..], self.user, &self.key],
            )
        })
    }

    fn forget(&self) -> Result<()> {
        self.store().act(|act| {
            act.execute(
                "DELETE FROM repeats WHERE user_id = $1 AND key = $2 AND status = 0",
                values![self.user, &self.key],
            )
            .map(drop)
        })
    }
}

fn sets_cookie(ready: &Ready) -> bool {
    ready.headers.iter().any(|(name, _)| *name == "set-cookie")
}

/// What was asked: the same sum for the same request.
fn sum(head: &Head, body: &[u8]) -> Vec<u8> {
    let mut sum = Sha256::new();
    for part in [
        head.method.as_str(),
        &head.path,
        &head.query,
        head.header("if-match").unwrap_or_default(),
    ] {
        sum.update((part.len() as u64).to_be_bytes());
        sum.update(part);
    }
    sum.chain_update(body).finalize().to_vec()
}

//! What went wrong, as RFC 9457 problem details: status, cause and the way out, never a cell.

use moretta::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of everything that answers a request.
pub type Result<T> = std::result::Result<T, Problem>;

/// Why a request was not answered as it wished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// One word for programs.
    pub code: &'static str,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The place in a text that was sent.
    pub place: Option<Place>,
    /// Seconds after which another try makes sense.
    pub retry_after: Option<u64>,
    /// Whether there is such a thing, and the caller may not know of it. The caller is told the same
    /// as of what is not there; the log is told the difference.
    pub withheld: bool,
}

/// A place in a policy or a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The line, counted from 1.
    pub line: u64,
    /// The character of the line, counted from 1.
    pub column: u64,
}

/// The body of a problem.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Details<'a> {
    /// What kind of problem it is.
    r#type: String,
    /// What is wrong.
    title: &'a str,
    /// The HTTP status.
    status: u16,
    /// One word for programs.
    code: &'a str,
    /// The id of the request, as it stands in the log of the server.
    instance: &'a str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    /// The place in a text that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
}

impl Problem {
    /// A problem with this status, code and sentence.
    pub fn new(status: u16, code: &'static str, what: impl Into<String>) -> Self {
        Problem {
            status,
            code,
            what: what.into(),
            help: None,
            place: None,
            retry_after: None,
            withheld: false,
        }
    }

    /// Says the way out.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says where in a text.
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    /// Says after how many seconds to try again.
    pub fn after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// There is no such thing, or none that the caller may know of.
    pub fn not_found(kind: &'static str) -> Self {
        let code = match kind {
            "project" => "no-such-project",
            "route" => "no-such-route",
            _ => "not-found",
        };
        Problem::new(404, code, format!("there is no such {kind}"))
    }

    /// There is such a thing, which the caller may not know of.
    pub fn withheld(kind: &'static str) -> Self {
        let mut problem = Problem::not_found(kind);
        problem.withheld = true;
        problem
    }

    /// Whether it is a refusal of who asks, and not of what is asked.
    pub fn is_refusal(&self) -> bool {
        self.status == 403 || self.withheld
    }

    /// Somebody else may do this.
    pub fn forbidden(what: impl Into<String>) -> Self {
        Problem::new(403, "forbidden", what)
    }

    /// The body of the request is not what the route takes.
    pub fn unusable(what: impl Into<String>) -> Self {
        Problem::new(422, "unusable", what)
    }

    /// Something is not in the state that this needs.
    pub fn conflict(code: &'static str, what: impl Into<String>) -> Self {
        Problem::new(409, code, what)
    }

    /// The store or the disk does not answer; nothing was done.
    pub fn unavailable(what: impl Into<String>) -> Self {
        Problem::new(503, "unavailable", what).after(5)
    }

    /// An invariant of ours was broken.
    pub fn bug(what: impl Into<String>) -> Self {
        Problem::new(500, "bug", what)
    }

    /// The body in JSON.
    pub(crate) fn body(&self, request: &str) -> Vec<u8> {
        // What is broken inside is for the log of the server, not for the caller.
        let title = match self.code {
            "bug" => "this is a fault of ours; the log of the server has it under `instance`",
            _ => &self.what,
        };
        let details = Details {
            r#type: format!("urn:moretta:problem:{}", self.code),
            title,
            status: self.status,
            code: self.code,
            instance: request,
            help: self.help.as_deref(),
            place: self.place,
        };
        serde_json::to_vec(&details).unwrap_or_default()
    }
}

/// The library's code for an error, and the status that it has here.
fn kind(error: &Error) -> (u16, &'static str) {
    match error {
        Error::Guarantee(_) => (422, "guarantee"),
        Error::Policy(_) => (422, "policy"),
        Error::Input(_) => (422, "input"),
        Error::Io(_) => (503, "io"),
        Error::Goal(_) => (422, "goal"),
        Error::Budget(_) => (409, "budget"),
        Error::Usage(_) => (422, "usage"),
        Error::Cancelled => (409, "cancelled"),
        Error::Bug(_) => (500, "bug"),
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (status, code) = kind(&error);
        let place = match &error {
            Error::Input(input) => input.line.map(|line| Place { line, column: 1 }),
            _ => None,
        };
        let problem = Problem::new(status, code, error.to_string()).at(place);
        match error.help_text() {
            Some(help) => problem.help(help),
            None => problem,
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}

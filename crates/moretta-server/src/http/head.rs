//! What a request says before its body.

use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::session::Session;
use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE};
use http::{HeaderMap, Method};
use std::net::IpAddr;

/// The cookie that holds the secret of a session.
pub const COOKIE_NAME: &str = "__Host-moretta";
/// The cookie that holds the secret of a device that has signed in before.
pub const DEVICE_COOKIE: &str = "__Host-moretta-device";
/// The header that holds the token of a session.
pub const TOKEN_HEADER: &str = "x-moretta-token";

/// A request with its whole body.
#[derive(Debug)]
pub struct Request {
    /// What it says before its body.
    pub head: Head,
    /// Its body.
    pub body: Vec<u8>,
}

/// What a request says before its body.
#[derive(Clone, Debug)]
pub struct Head {
    /// The id of the request.
    pub request: Id,
    /// The method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query, without its mark.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// Whose address it comes from.
    pub peer: IpAddr,
    /// How the caller shows who they are.
    pub credentials: Credentials,
    /// The named parts of the path.
    pub parts: Vec<(&'static str, String)>,
}

/// How a caller shows who they are.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// Not at all.
    None,
    /// By the cookie of a session.
    Cookie(String),
    /// By a token in the header.
    Bearer(String),
}

/// Without the secret.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Credentials::None => "None",
            Credentials::Cookie(_) => "Cookie",
            Credentials::Bearer(_) => "Bearer",
        })
    }
}

impl Head {
    /// Reads method, address, and headers.
    pub fn new(method: Method, path: &str, query: &str, headers: HeaderMap, peer: IpAddr) -> Self {
        let bearer = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let credentials = match (
            bearer.and_then(|value| value.strip_prefix("Bearer ")),
            cookie(&headers, COOKIE_NAME),
        ) {
            (Some(secret), _) => Credentials::Bearer(secret.trim().to_owned()),
            (None, Some(secret)) => Credentials::Cookie(secret),
            (None, None) => Credentials::None,
        };
        Head {
            request: Id::random(),
            method,
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            peer,
            credentials,
            parts: Vec::new(),
        }
    }

    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// A cookie.
    pub fn cookie(&self, name: &str) -> Option<String> {
        cookie(&self.headers, name)
    }

    /// A named part of the path.
    ///
    /// # Errors
    /// When the route has none of this name.
    pub fn part(&self, name: &str) -> Result<&str> {
        let part = self.parts.iter().find(|(part, _)| *part == name);
        part.map(|(_, text)| &**text)
            .ok_or_else(|| Problem::bug("the route has no such part"))
    }

    /// A part of the path that is an id.
    ///
    /// # Errors
    /// 404 when it is none: there is nothing of that name.
    pub fn id(&self, name: &'static str) -> Result<Id> {
        Id::parse(self.part(name)?).ok_or_else(|| Problem::not_found(name))
    }

    /// Whether the path names a project.
    pub fn has_project(&self) -> bool {
        self.part("project").is_ok()
    }

    /// The project that the path names.
    ///
    /// # Errors
    /// When it names none.
    pub fn project(&self) -> Result<Id> {
        self.id("project")
    }

    /// Whether the request may change something.
    pub fn is_unsafe(&self) -> bool {
        !matches!(self.method, Method::GET | Method::HEAD | Method::OPTIONS)
    }

    /// Whether nobody has to be there for it: it is not activity of a person.
    pub fn is_background(&self) -> bool {
        // Browsers ask for events again by themselves.
        self.header("x-moretta-background").is_some() || self.path == "/events"
    }

    /// The type of the body, without parameters.
    pub fn body_type(&self) -> Option<String> {
        let value = self.headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let kind = value.split(';').next().unwrap_or_default();
        Some(kind.trim().to_ascii_lowercase())
    }

    /// Holds an unsafe request by cookie against what only pages of this server can send.
    ///
    /// # Errors
    /// 403 when another page may have sent it.
    pub fn check_origin(&self, session: &Session) -> Result<()> {
        if !self.is_unsafe() {
            return Ok(());
        }
        let site = self.header("sec-fetch-site");
        let token = self.header(TOKEN_HEADER).unwrap_or_default();
        if site == Some("same-origin") && session.is_token(token) {
            return Ok(());
        }
        Err(Problem::new(
            403,
            "other-origin",
            "the request does not come from a page of this server",
        )
        .help("send the token of the session in X-Moretta-Token, and Sec-Fetch-Site: same-origin"))
    }
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';'));
    let mut values = pairs.filter_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then(|| value.to_owned())
    });
    let first = values.next();
    // Two of one name are somebody else's doing.
    first.filter(|_| values.next().is_none())
}

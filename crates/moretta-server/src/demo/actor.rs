//! Somebody who asks the server as a browser does, without a network.

use crate::account::DemoPerson;
use crate::app::App;
use crate::http::{COOKIE_NAME, Given, Head, Request, TOKEN_HEADER};
use crate::problem::{Problem, Result};
use http::header::{CONTENT_TYPE, COOKIE, IF_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};

/// Somebody who is signed in.
pub(super) struct Actor<'a> {
    app: &'a App,
    /// Their headers.
    headers: HeaderMap,
    /// The project in which they work.
    project: String,
}

fn unexpected() -> Problem {
    Problem::bug("the demonstration got another answer")
}

/// The text of an answer.
pub(super) fn text(value: &Value) -> Result<String> {
    value.as_str().map(str::to_owned).ok_or_else(unexpected)
}

fn ask(
    app: &App,
    method: Method,
    path: &str,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<(Value, Vec<(&'static str, String)>)> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut head = Head::new(method, path, query, headers, peer);
    app.look(&mut head, Some("localhost"))?;
    match app.answer(Request { head, body })? {
        Given::Ready(ready) => {
            let json = serde_json::from_slice(&ready.body).unwrap_or(Value::Null);
            Ok((json, ready.headers))
        }
        _ => Err(unexpected()),
    }
}

fn usual() -> HeaderMap {
    let mut headers = HeaderMap::new();
    let site = HeaderName::from_static("sec-fetch-site");
    headers.insert(site, HeaderValue::from_static("same-origin"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers
}

fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(|_| unexpected())
}

impl<'a> Actor<'a> {
    /// Signs in by the link of a person, and looks up the project.
    pub(super) fn enter(
        app: &'a App,
        people: &[DemoPerson],
        name: &str,
        project: &str,
    ) -> Result<Self> {
        let person = people.iter().find(|person| person.name == name);
        let link = person.ok_or_else(unexpected)?.secret().show();
        let body = json!({ "link": link }).to_string().into_bytes();
        let (current, cookies) = ask(app, Method::POST, "/demo/session", usual(), body)?;
        let cookie = cookies.iter().find_map(|(_, cookie)| {
            let value = cookie.strip_prefix(COOKIE_NAME)?.strip_prefix('=')?;
            value.split(';').next().map(str::to_owned)
        });
        let cookie = format!("{COOKIE_NAME}={}", cookie.ok_or_else(unexpected)?);
        let mut headers = usual();
        headers.insert(COOKIE, value(&cookie)?);
        let token = HeaderName::from_static(TOKEN_HEADER);
        headers.insert(token, value(&text(&current["token"])?)?);
        let mut actor = Actor {
            app,
            headers,
            project: String::new(),
        };
        let (projects, _) = ask(
            app,
            Method::GET,
            "/projects",
            actor.headers.clone(),
            Vec::new(),
        )?;
        let projects = projects["items"].as_array().ok_or_else(unexpected)?;
        let found = projects.iter().find(|one| one["name"] == project);
        actor.project = text(&found.ok_or_else(unexpected)?["id"])?;
        Ok(actor)
    }

    fn send(&self, method: Method, rest: &str, headers: HeaderMap, body: Vec<u8>) -> Result<Value> {
        let path = format!("/projects/{}{rest}", self.project);
        ask(self.app, method, &path, headers, body).map(|(json, _)| json)
    }

    pub(super) fn see(&self, rest: &str) -> Result<Value> {
        self.send(Method::GET, rest, self.headers.clone(), Vec::new())
    }

    pub(super) fn post(&self, rest: &str, body: &Value) -> Result<Value> {
        let body = body.to_string().into_bytes();
        self.send(Method::POST, rest, self.headers.clone(), body)
    }

    /// Changes what was read with this version.
    pub(super) fn edit(&self, rest: &str, version: &Value, body: &Value) -> Result<Value> {
        let mut headers = self.headers.clone();
        headers.insert(IF_MATCH, value(&version.to_string())?);
        let body = body.to_string().into_bytes();
        self.send(Method::POST, rest, headers, body)
    }

    /// Sends the bytes of an upload.
    pub(super) fn part(&self, rest: &str, bytes: &[u8]) -> Result<Value> {
        let mut headers = self.headers.clone();
        let octets = HeaderValue::from_static("application/octet-stream");
        headers.insert(CONTENT_TYPE, octets);
        self.send(Method::PATCH, rest, headers, bytes.to_vec())
    }

    /// Sends events with a token and without a session.
    pub(super) fn events(&self, stream: &str, token: &str, events: String) -> Result<Value> {
        let mut headers = HeaderMap::new();
        headers.insert(
            http::header::AUTHORIZATION,
            value(&format!("Bearer {token}"))?,
        );
        let lines = HeaderValue::from_static("application/x-ndjson");
        headers.insert(CONTENT_TYPE, lines);
        let rest = format!("/streams/{stream}/events");
        self.send(Method::POST, &rest, headers, events.into_bytes())
    }
}

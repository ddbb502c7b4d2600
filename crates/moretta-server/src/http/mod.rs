//! HTTP: requests in, handlers that block, responses out. The asynchronous part is `serve`.

mod answer;
mod call;
mod guard;
mod head;
mod openapi;
mod route;
mod serve;
mod strict;
mod web;

pub use answer::{
    Accepted, Answer, Chunks, Created, Csv, Described, Done, Download, Given, Json, Live, Next,
    PlainText, Ready, Tagged, WithCookies,
};
pub use call::{Body, Call, Nothing, Octets, outdated};
pub use guard::{Hosts, SECURITY_HEADERS};
pub use head::{COOKIE_NAME, Credentials, DEVICE_COOKIE, Head, Request, TOKEN_HEADER};
pub use openapi::{openapi, openapi_text};
pub use route::{Route, Router, delete, get, patch, post, put};
pub use serve::{Listening, Log, serve};

//! What every request and every response must be, whatever it is about.

use super::head::{Head, Request};
use super::route::Route;
use crate::problem::{Problem, Result};
use std::net::IpAddr;

/// Headers of every response.
pub const SECURITY_HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types svelte-trusted-html",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("strict-transport-security", "max-age=31536000"),
    ("cache-control", "no-store"),
];

/// The names under which the server may be asked.
#[derive(Clone, Debug)]
pub struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// These names, with their ports where they have some; names of this machine without.
    pub fn new(names: &[String]) -> Self {
        let loopback = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names = match names.is_empty() {
            true => loopback.to_vec(),
            false => names.iter().map(|name| name.to_ascii_lowercase()).collect(),
        };
        Hosts { names }
    }

    /// Fails when a request was meant for another server, as pages on names that were bound to
    /// this address send them.
    ///
    /// # Errors
    /// 421
    pub fn check(&self, host: Option<&str>) -> Result<()> {
        let host = host.unwrap_or_default().to_ascii_lowercase();
        let without_port = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => &host,
        };
        match self
            .names
            .iter()
            .any(|name| *name == host || name == without_port)
        {
            true => Ok(()),
            false => Err(Problem::new(
                421,
                "other-host",
                "this server does not have the name that was asked for",
            )
            .help("name it in `hosts` of the settings")),
        }
    }
}

/// Whose requests say truly where they come from.
pub(super) fn peer_of(head: &Head, connected: IpAddr, proxy: Option<IpAddr>) -> IpAddr {
    if proxy != Some(connected) {
        return connected;
    }
    // The proxy adds the address that it sees at the end; what stands before it is anybody's word.
    let named = head
        .header("x-forwarded-for")
        .and_then(|list| list.rsplit(',').next());
    named
        .and_then(|address| address.trim().parse().ok())
        .unwrap_or(connected)
}

/// Holds the body of a request against what its route takes.
pub(super) fn check_body(route: &Route, request: &Request) -> Result<()> {
    if request.body.is_empty() && route.types.is_empty() {
        return Ok(());
    }
    let kind = request.head.body_type();
    let fits = match &kind {
        Some(kind) => {
            route.types.contains(&&**kind) || route.types.is_empty() && kind == "application/json"
        }
        None => false,
    };
    match fits {
        true => Ok(()),
        false => Err(Problem::new(
            415,
            "body-type",
            "the body has a type that this does not take",
        )
        .help(format!("send {}", route.types.join(" or ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderMap, HeaderValue, Method};

    #[test]
    fn only_the_proxy_says_whose_a_request_is() {
        let address = |text: &str| -> IpAddr { text.parse().expect("an address") };
        let check = |list: &'static str, connected: &str, proxy: Option<&str>, expected: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", HeaderValue::from_static(list));
            let head = Head::new(Method::GET, "", "", headers, address(connected));
            let found = peer_of(&head, address(connected), proxy.map(address));
            assert_eq!(found, address(expected), "{list:?} from {connected}");
        };
        check("192.0.2.7", "203.0.113.1", None, "203.0.113.1");
        check("192.0.2.7", "203.0.113.1", Some("127.0.0.1"), "203.0.113.1");
        check("192.0.2.7", "127.0.0.1", Some("127.0.0.1"), "192.0.2.7");
        // What stands before the last address is anybody's word.
        check(
            "127.0.0.1, 192.0.2.7",
            "127.0.0.1",
            Some("127.0.0.1"),
            "192.0.2.7",
        );
        check(
            "192.0.2.7, nonsense",
            "127.0.0.1",
            Some("127.0.0.1"),
            "127.0.0.1",
        );
    }
}

//! The web app: files that are part of the program, packed once when the first is asked for.
//!
//! A path is looked up in a list that was made when the program was built, as it stands; no path of
//! a client reaches the file system. Every address that is a page of the app gets the same file,
//! which reads the address itself.

use super::answer::Ready;
use crate::problem::{Problem, Result};
use crate::secret::hex;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, Method};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::sync::LazyLock;

/// Name and content of each file.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web.rs"));
/// The addresses of pages, a line each; what begins with `:` stands for any text.
const PAGES: &str = include_str!("../../../../web/dist/pages.list");
/// The file of every page.
const PAGE: &str = "index.html";

static WEB: LazyLock<Vec<File>> = LazyLock::new(|| FILES.iter().map(File::new).collect());

/// A file as it is sent.
struct File {
    name: &'static str,
    content: &'static [u8],
    packed: Vec<u8>,
    /// What its sum begins with.
    sum: String,
}

impl File {
    fn new((name, content): &(&'static str, &'static [u8])) -> Self {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        let packed = packer.write_all(content).and_then(|()| packer.finish());
        File {
            name,
            content,
            // Writing to memory does not fail; if it did, the file would be sent as it is.
            packed: packed.unwrap_or_default(),
            sum: hex(&Sha256::digest(content)[..16]),
        }
    }

    fn media_type(&self) -> &'static str {
        match self.name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("css") => "text/css; charset=utf-8",
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("txt") => "text/plain; charset=utf-8",
            _ => "image/svg+xml",
        }
    }

    /// The response to a request with these headers.
    fn ready(&self, status: u16, method: &Method, headers: &HeaderMap) -> Ready {
        let packed = accepts_gzip(headers) && !self.packed.is_empty();
        let tag = match packed {
            true => format!("\"{}-gzip\"", self.sum),
            false => format!("\"{}\"", self.sum),
        };
        let mut ready = Ready {
            status,
            headers: vec![
                ("etag", tag.clone()),
                ("vary", "accept-encoding".to_owned()),
                // Kept, and asked for again each time: names do not change with what is in them.
                ("cache-control", "no-cache".to_owned()),
            ],
            body: Vec::new(),
        };
        if status == 200 && is_known(headers, &tag) {
            ready.status = 304;
            return ready;
        }
        let body = if packed { &self.packed } else { self.content };
        ready.headers.extend([
            ("content-type", self.media_type().to_owned()),
            ("content-length", body.len().to_string()),
        ]);
        if packed {
            ready.headers.push(("content-encoding", "gzip".to_owned()));
        }
        if *method != Method::HEAD {
            ready.body = body.to_vec();
        }
        ready
    }
}

/// Whether a path is one of the interface, so that no page has it.
pub(super) fn is_interface(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// What stands at a path: a file, or the page that reads the address.
///
/// # Errors
/// 405 of another method than `GET` and `HEAD`, 404 of what is no page where none is wanted.
pub(super) fn find(method: &Method, path: &str, headers: &HeaderMap) -> Result<Ready> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let what = "pages are only read";
        return Err(Problem::new(405, "method", what));
    }
    let file = |name: &str| WEB.iter().find(|file| file.name == name);
    let named = path.strip_prefix('/').and_then(file);
    if let Some(file) = named.filter(|file| file.name != PAGE) {
        return Ok(file.ready(200, method, headers));
    }
    let page = file(PAGE).ok_or_else(|| Problem::bug("the program has no web app"))?;
    match is_page(path) {
        true => Ok(page.ready(200, method, headers)),
        // People are told by a page, programs by a problem.
        false if wants_page(headers) => Ok(page.ready(404, method, headers)),
        false => Err(Problem::not_found("page")),
    }
}

fn is_page(path: &str) -> bool {
    let fits = |pattern: &str| {
        let mut given = path.split('/');
        pattern.split('/').all(|part| match given.next() {
            Some(text) if part.starts_with(':') => !text.is_empty(),
            text => text == Some(part),
        }) && given.next().is_none()
    };
    PAGES.lines().any(fits)
}

fn wants_page(headers: &HeaderMap) -> bool {
    listed(headers, "accept").any(|(kind, _)| kind == "text/html")
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let mut gzip = listed(headers, "accept-encoding").filter(|(name, _)| *name == "gzip");
    gzip.next().is_some_and(|(_, refused)| !refused)
}

/// The names of a list, and whether each is refused by a weight of zero.
fn listed<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = (&'a str, bool)> {
    let values = headers.get_all(name).into_iter();
    let items = values.flat_map(|value| value.to_str().unwrap_or_default().split(','));
    items.map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        let refused = weight.and_then(|weight| weight.parse().ok()) == Some(0.0);
        (name, refused)
    })
}

fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let mut known = listed(headers, "if-none-match");
    known.any(|(known, _)| known == "*" || known.trim_start_matches("W/") == tag)
}

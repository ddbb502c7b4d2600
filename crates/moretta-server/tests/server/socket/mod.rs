//! What the network sees, byte by byte: names, headers, limits, slow and hostile senders.

mod busy;
mod headers;
mod limits;
mod names;
mod outside;
mod paths;
mod stopping;
mod tls;
mod web;

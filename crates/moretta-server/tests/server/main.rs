//! The server without its network. All of it runs on SQLite, and on PostgreSQL by `./test all`.

#![allow(unreachable_pub, reason = "modules of tests use one another")]

mod accounts;
mod accounts_links;
mod accounts_own;
mod accounts_restore;
mod accounts_second_person;
mod accounts_sessions;
mod basics;
mod chain;
mod data_sets;
mod document;
mod events;
mod faults;
mod jobs;
mod mangled;
mod matrix;
mod releases;
mod repeats;
mod rights_by_hand;
mod socket;
mod start;
mod streams;
mod support;
mod texts;
mod upkeep;
mod uploads;
mod ward;
mod worker;
mod zones;

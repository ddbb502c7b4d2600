//! The program `moretta`: anonymize tables and streams from one policy file.

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the commands that call it are not wired yet")
)]
mod report;

fn main() {}

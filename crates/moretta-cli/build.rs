//! How the program is linked.

use std::env;
use std::process::Command;

/// The first glibc whose loader reads relocations in their short form.
const FIRST: (u32, u32) = (2, 36);

/// Where the loader can read them in the short form, relocations are written in it: what every
/// process reads at its start is then 30 kB instead of 1.6 MB, a fifteenth of what a site of a
/// federation takes.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if has_new_loader() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the program is built for this machine, and its loader is new enough.
fn has_new_loader() -> bool {
    let is_gnu = env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|name| name == "gnu")
        && env::var("CARGO_CFG_TARGET_OS").is_ok_and(|name| name == "linux");
    is_gnu && env::var("HOST").ok() == env::var("TARGET").ok() && glibc() >= Some(FIRST)
}

/// `glibc 2.36` as its numbers; none where the system does not say.
fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let text = String::from_utf8(told.stdout).ok()?;
    let version = text.trim().strip_prefix("glibc ")?;
    let mut numbers = version.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

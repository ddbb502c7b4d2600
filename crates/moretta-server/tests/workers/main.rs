//! Jobs with real children, which are killed: this program is the tests, the workers that they start,
//! and the server that they kill.

#![allow(unreachable_pub, reason = "modules of tests use one another")]
#![allow(clippy::print_stdout, reason = "it is a program of tests")]

#[cfg(unix)]
mod kills;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod office;
#[cfg(unix)]
mod random;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod tests;
#[cfg(unix)]
mod worker;

#[cfg(unix)]
#[allow(dead_code, reason = "these tests use some of it")]
#[path = "../server/releases/hospital.rs"]
mod hospital;
#[path = "../server/support/mod.rs"]
mod support;
#[cfg(unix)]
#[allow(dead_code, reason = "these tests use some of it")]
#[path = "../server/ward.rs"]
mod ward;

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("worker") => {
            worker::work();
            return ExitCode::SUCCESS;
        }
        Some("server") => office::serve(&arguments[1..]),
        Some("writer") => kills::write(&arguments[1..]),
        _ => {}
    }
    let wanted = arguments.iter().find(|argument| !argument.starts_with('-'));
    let all = [
        tests::TESTS,
        limits::TESTS,
        random::TESTS,
        kills::TESTS,
        streams::TESTS,
    ]
    .concat();
    let (mut passed, mut failed) = (0_u32, 0_u32);
    for (name, test) in all {
        if wanted.is_some_and(|wanted| !name.contains(&**wanted)) {
            continue;
        }
        let holds = std::panic::catch_unwind(test).is_ok();
        println!("test {name} ... {}", if holds { "ok" } else { "FAILED" });
        passed += u32::from(holds);
        failed += u32::from(!holds);
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {word}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out"
    );
    ExitCode::from(u8::from(failed > 0))
}

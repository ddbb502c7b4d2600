//! How much memory the program may take when nobody says.

use std::fs;

/// Three quarters of the memory of the machine, or of the group of processes that the
/// program runs in, whichever is less; half of the address space where that is limited,
/// since not all of it becomes memory. No limit where the system does not tell.
pub(crate) fn share() -> u64 {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let machine = meminfo(&read("/proc/meminfo")).map(three_quarters);
    let group = group(&read("/proc/self/cgroup")).map(three_quarters);
    let space = address_space(&read("/proc/self/limits")).map(|bytes| bytes / 2);
    [machine, group, space]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(u64::MAX)
}

/// Says whether memory from now on may be taken in large pages; gives whether it could be so far.
/// Tables are faster in them. A party of a federation holds little: large pages double what it
/// takes, and filling them with zeros is a third of what a hundred short runs cost.
#[cfg(target_os = "linux")]
pub(crate) fn use_large_pages(large: bool) -> bool {
    use nix::sys::prctl::{get_thp_disable, set_thp_disable};
    let were_off = get_thp_disable().unwrap_or(true);
    set_thp_disable(!large).is_ok() && !were_off
}

/// Elsewhere the system decides.
#[cfg(not(target_os = "linux"))]
pub(crate) fn use_large_pages(_: bool) -> bool {
    false
}

/// Starts the program again in the same process, now that large pages are off: two of them are taken
/// before `main`, half of what a small party needs. That they are off outlives the start. Where it
/// fails the program goes on as it is.
pub(crate) fn start_without_large_pages() {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        let mut arguments = std::env::args_os();
        let name = arguments.next().unwrap_or_default();
        if let Ok(program) = std::env::current_exe() {
            let mut again = std::process::Command::new(program);
            let _ = again.arg0(name).args(arguments).exec();
        }
    }
}

fn three_quarters(bytes: u64) -> u64 {
    bytes / 4 * 3
}

/// `500MB`, `4GB`, `2GiB` or a number of bytes.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" | "B" => 1,
        "kB" | "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err("write a size such as 500MB, 4GB or 2GiB".to_owned()),
    };
    let number: u64 = digits
        .trim()
        .parse()
        .map_err(|_| "write a whole number and a unit, such as 500MB or 4GB".to_owned())?;
    number
        .checked_mul(unit)
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "the size is 0 or too large".to_owned())
}

fn meminfo(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The least limit of the groups that the program is in, one inside the other.
fn group(cgroup: &str) -> Option<u64> {
    let own = cgroup.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folders = std::path::Path::new(own).ancestors();
    let limit = |folder: &std::path::Path| {
        let inside = folder.strip_prefix("/").unwrap_or(folder);
        let file = std::path::Path::new("/sys/fs/cgroup")
            .join(inside)
            .join("memory.max");
        fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
    };
    folders.filter_map(limit).min()
}

fn address_space(limits: &str) -> Option<u64> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, expected) in [
            ("1024", Some(1024)),
            ("500MB", Some(500_000_000)),
            ("4GB", Some(4_000_000_000)),
            ("2GiB", Some(2 << 30)),
            ("0", None),
            ("", None),
            ("4 parsecs", None),
            ("-4GB", None),
            ("99999999999GB", None),
        ] {
            assert_eq!(parse(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn the_system_is_asked() {
        assert_eq!(
            meminfo("MemTotal:       16 kB\nMemFree: 1 kB\n"),
            Some(16 << 10)
        );
        assert_eq!(meminfo(""), None);
        let unlimited =
            "Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(address_space(unlimited), None);
        assert_eq!(
            address_space(&unlimited.replacen("unlimited", "4096", 1)),
            Some(4096)
        );
        assert!(share() > 1 << 20);
    }
}

//! The memory of a process that runs, as a core dump has it.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::fs::FileExt;

const PAGE: u64 = 4096;
/// A page is in memory, or was put out of it.
const THERE: u64 = 1 << 63 | 1 << 62;
/// Pieces that are read at once overlap by this, so that nothing is cut in two.
const OVERLAP: u64 = PAGE;
const PIECE: u64 = 4 << 20;

/// Shows all that a process has written into its memory, piece by piece, while it stands still.
/// Gives the number of bytes.
pub(crate) fn look_at(process: u32, mut look: impl FnMut(&[u8])) -> u64 {
    let id = Pid::from_raw(i32::try_from(process).expect("an id"));
    kill(id, Signal::SIGSTOP).expect("it stands still");
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).expect("its maps");
    let memory = File::open(format!("/proc/{process}/mem")).expect("its memory");
    let pages = File::open(format!("/proc/{process}/pagemap")).expect("its pages");
    let mut total = 0;
    for (start, end) in maps.lines().filter_map(written) {
        for (start, end) in there(&pages, start, end) {
            let mut at = start;
            while at < end {
                let until = end.min(at + PIECE);
                let mut piece = vec![0; (until - at) as usize];
                if memory.read_exact_at(&mut piece, at).is_ok() {
                    total += piece.len() as u64;
                    look(&piece);
                }
                at = if until < end { until - OVERLAP } else { end };
            }
        }
    }
    kill(id, Signal::SIGCONT).expect("it goes on");
    total
}

/// The addresses of a line of the map, unless it is a file that nobody writes to.
fn written(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let rights = words.next()?;
    let path = words.nth(3).unwrap_or_default();
    let is_code = path.starts_with('/') && !rights.contains('w');
    let is_kernel = path.starts_with("[v");
    let address = |text| u64::from_str_radix(text, 16).ok();
    match rights.starts_with('r') && !is_code && !is_kernel {
        true => Some((address(start)?, address(end)?)),
        false => None,
    }
}

/// Runs of pages that are there: allocators reserve far more than they use.
fn there(pages: &File, start: u64, end: u64) -> Vec<(u64, u64)> {
    let mut entries = vec![0; ((end - start) / PAGE * 8) as usize];
    if pages.read_exact_at(&mut entries, start / PAGE * 8).is_err() {
        return vec![(start, end)];
    }
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for (page, entry) in (0..).zip(entries.chunks_exact(8)) {
        let entry = u64::from_ne_bytes(entry.try_into().expect("eight bytes"));
        if entry & THERE == 0 {
            continue;
        }
        let (from, to) = (start + page * PAGE, start + (page + 1) * PAGE);
        match runs.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => runs.push((from, to)),
        }
    }
    runs
}

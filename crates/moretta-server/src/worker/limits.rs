//! What a worker takes from itself before it reads a row.
//!
//! Memory is limited by the size of what can be written to (`RLIMIT_DATA`), so that a memory bomb ends
//! the job and nothing else; nothing is left in a core dump. Where the kernel has Landlock, the
//! process opens its own inputs and its own folder only, reaches no TCP port, no socket of another
//! process and no process. Where it may make a network of its own, it leaves that of the machine
//! altogether. What the kernel does not have is said, not hidden. A limit that the kernel has and that
//! cannot be set is an error: then the job is not done.
//!
//! Against what it does not protect: faults of the kernel itself, and time that a job takes.

use crate::job::protocol::Task;
use crate::problem::{self, Problem};
use std::io::{Error, Result};
use std::path::Path;

/// What a process may have.
#[derive(Clone, Debug)]
pub struct Allowed<'a> {
    /// Bytes of memory.
    pub memory: u64,
    /// Files that it reads.
    pub inputs: Vec<&'a Path>,
    /// The folder in which it reads, makes and removes files.
    pub folder: &'a Path,
}

impl<'a> From<&'a Task> for Allowed<'a> {
    fn from(task: &'a Task) -> Self {
        Allowed {
            memory: task.memory,
            inputs: task.inputs.iter().map(|input| &*input.path).collect(),
            folder: &task.folder,
        }
    }
}

/// Whether a limit holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// All of it.
    Whole,
    /// As far as this kernel can.
    Partly,
    /// This kernel has none.
    KernelHasNone,
}

/// What holds for this process from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// It gets no more memory than its task says, and leaves no core dump.
    pub memory: Held,
    /// It opens its own files only.
    pub files: Held,
    /// It reaches no network.
    pub network: Held,
}

/// Limits this process to what it may have, for good. It must have one thread, which others inherit this from.
///
/// # Errors
/// When a limit that this kernel has cannot be set.
pub fn limit(allowed: &Allowed<'_>) -> Result<Limits> {
    let memory = limit_memory(allowed.memory)?;
    let left = leave_network();
    let (files, ports) = restrict(allowed)?;
    let network = if left { Held::Whole } else { ports };
    Ok(Limits {
        memory,
        files,
        network,
    })
}

/// The same for a worker of the program, which does no job where a limit cannot be set.
///
/// # Errors
/// When a limit that this kernel has cannot be set.
pub fn hold(allowed: &Allowed<'_>) -> problem::Result<()> {
    let what = "the process of the job cannot be limited";
    limit(allowed).map(drop).map_err(|_| {
        Problem::new(500, "limits", what)
            .help("the kernel refuses a limit that it has; see its log")
    })
}

#[cfg(unix)]
fn limit_memory(bytes: u64) -> Result<Held> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let lower = |resource, to: u64| {
        // A limit that is lower already stays.
        let most = getrlimit(resource).maximum.map_or(to, |most| most.min(to));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit).map_err(Error::from)
    };
    crate::core_dump::leave_none()?;
    #[cfg(target_os = "linux")]
    {
        // Address space that an allocator reserves is no memory yet; what can be written to is.
        lower(Resource::Data, bytes)?;
        Ok(Held::Whole)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let limited = lower(Resource::As, bytes);
        Ok(limited.map_or(Held::KernelHasNone, |()| Held::Partly))
    }
}

#[cfg(not(unix))]
fn limit_memory(_: u64) -> Result<Held> {
    Ok(Held::KernelHasNone)
}

/// Goes into a network that has nobody else in it, if the system lets this process.
#[cfg(target_os = "linux")]
#[expect(deprecated, reason = "open files, which make it unsafe, stay shared")]
fn leave_network() -> bool {
    use rustix::thread::{UnshareFlags, unshare};
    let network = UnshareFlags::NEWNET;
    // Who is not root needs users of one's own first, which some systems refuse.
    unshare(network).is_ok() || unshare(UnshareFlags::NEWUSER | network).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn leave_network() -> bool {
    false
}

/// Gives up all files but those of the task, and all ports; gives whether the kernel can.
#[cfg(target_os = "linux")]
fn restrict(allowed: &Allowed<'_>) -> Result<(Held, Held)> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus, Scope, make_bitflags,
    };
    // Errors of rules name paths of the server, which nobody else has to know.
    fn refused<E>(_: E) -> Error {
        Error::other("Landlock refuses a rule")
    }
    let newest = ABI::V9;
    let in_folder = make_bitflags!(AccessFs::{
        ReadFile | ReadDir | WriteFile | Truncate | MakeReg | RemoveFile
    });
    let rules = Ruleset::default().handle_access(AccessFs::from_all(newest));
    let rules = rules.and_then(|rules| rules.handle_access(AccessNet::from_all(newest)));
    let rules = rules.and_then(|rules| rules.scope(Scope::from_all(newest)));
    let mut rules = rules.and_then(Ruleset::create).map_err(refused)?;
    for input in &allowed.inputs {
        let file = PathFd::new(input).map_err(refused)?;
        let rule = PathBeneath::new(file, AccessFs::ReadFile);
        rules = rules.add_rule(rule).map_err(refused)?;
    }
    let folder = PathFd::new(allowed.folder).map_err(refused)?;
    let rules = rules.add_rule(PathBeneath::new(folder, in_folder));
    let status = rules
        .and_then(|rules| rules.restrict_self())
        .map_err(refused)?;
    // Ports are those of TCP, so they are a part of the network at most.
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => (Held::Whole, Held::Partly),
        RulesetStatus::PartiallyEnforced => (Held::Partly, Held::Partly),
        RulesetStatus::NotEnforced => (Held::KernelHasNone, Held::KernelHasNone),
    })
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &Allowed<'_>) -> Result<(Held, Held)> {
    Ok((Held::KernelHasNone, Held::KernelHasNone))
}

//! A process that holds keys leaves nothing in a core dump.

use std::io::Result;

/// Sees to it that no memory of this process is written down when it crashes, and that no other
/// process of the same user looks into it. Children inherit the first.
///
/// # Errors
/// When the system refuses.
#[cfg(unix)]
pub fn leave_none() -> Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    {
        // The limit alone does not stop a program that the kernel hands dumps to.
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

/// Other systems have no such limit.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn leave_none() -> Result<()> {
    Ok(())
}

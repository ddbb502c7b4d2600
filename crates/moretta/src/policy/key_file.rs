//! Files of private keys, which nobody but their owner may read.
//!
//! **Protects against** keys that other users of the machine can copy, or could before anybody
//! noticed: a key that is readable is refused, as `ssh` does. **Does not protect against** the
//! owner's own programs and the administrator, nor on systems without Unix permissions.

use crate::error::{Error, Result};
use std::path::Path;

/// Refuses a file that others than its owner may read or change. One that is not there is left to
/// whoever reads it.
///
/// # Errors
/// When its permissions allow anything to the group or to all.
#[cfg(unix)]
pub fn check_key_file(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).map_or(0, |of| of.permissions().mode());
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(Error::policy(format!(
            "others than its owner can read or change the private key {} (mode {:04o})",
            file.display(),
            mode & 0o7777
        ))
        .help(format!(
            "chmod 600 {}; if somebody may have read it, make new keys",
            file.display()
        ))),
    }
}

/// Permissions of other systems are not looked at.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn check_key_file(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_that_others_can_read_is_refused_with_the_way_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("lab.key");
        check_key_file(&file).expect("one that is not there");
        std::fs::write(&file, "secret").expect("written");
        for (mode, fits) in [
            (0o600, true),
            (0o400, true),
            (0o640, false),
            (0o604, false),
            (0o620, false),
            (0o644, false),
        ] {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&file, permissions).expect("changed");
            match check_key_file(&file) {
                Ok(()) => assert!(fits, "{mode:o}"),
                Err(error) => {
                    assert!(!fits && error.exit_code() == 3, "{mode:o}: {error}");
                    let told = error.to_string();
                    assert!(
                        told.contains("lab.key") && !told.contains("secret"),
                        "{told}"
                    );
                    let help = error.help_text().unwrap_or_default();
                    assert!(help.starts_with("chmod 600 "), "{help}");
                }
            }
        }
    }
}

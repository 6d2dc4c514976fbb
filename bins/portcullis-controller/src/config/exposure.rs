//! Whether files with secrets are open to others than their owner.
//!
//! What everybody can read, or others can write, is refused. What a group can read is served with a
//! warning: groups are how certificates' keys are shared on purpose, such as `ssl-cert` on Debian or
//! `fsGroup` in Kubernetes.

use portcullis_yaml::Severity;
use rustix::process::geteuid;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

const GROUP_READS: u32 = 0o040;
const GROUP_WRITES: u32 = 0o020;
const OTHERS: u32 = 0o007;

/// Whom the group of a file may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Others who are meant to read the file.
    MayRead,
    /// Nobody.
    MayNothing,
}

/// What is wrong with the mode or the owner of a file, and what mends it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exposure {
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: String,
}

/// Looks at a file that holds secrets, called `what` in the message. A file that is not there is not
/// exposed.
pub(super) fn of(what: &str, path: &Path, group: Group) -> Option<Exposure> {
    let metadata = std::fs::metadata(path).ok()?;
    judge((what, path, group), &metadata, geteuid().as_raw())
}

fn judge(
    (what, path, group): (&str, &Path, Group),
    metadata: &Metadata,
    user: u32,
) -> Option<Exposure> {
    let mode = metadata.mode() & 0o777;
    let of_readers = match group {
        Group::MayRead => Severity::Warning,
        Group::MayNothing => Severity::Error,
    };
    let (severity, fault) = if mode & OTHERS != 0 {
        (Severity::Error, "is open to every user of this machine")
    } else if mode & GROUP_WRITES != 0 {
        (Severity::Error, "can be changed by its group")
    } else if mode & GROUP_READS != 0 {
        (of_readers, "can be read by its group")
    } else {
        return foreign(what, path, metadata.uid(), user);
    };
    let path = path.display();
    Some(Exposure {
        severity,
        message: format!("{what} {path} {fault} (mode {mode:03o})"),
        help: format!("run `chmod 600 {path}`"),
    })
}

/// A file whose owner is neither root nor the user of this process: the owner can read it, and change
/// its mode.
fn foreign(what: &str, path: &Path, owner: u32, user: u32) -> Option<Exposure> {
    if owner == user || owner == 0 {
        return None;
    }
    let path = path.display();
    Some(Exposure {
        severity: Severity::Warning,
        message: format!("{what} {path} belongs to another user (number {owner}), who can read it"),
        help: format!("run `chown {user} {path}`, unless that user runs the controller"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_mode_decides_between_refusal_warning_and_silence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.key");
        fs::write(&path, "secret").unwrap();
        for (mode, severity) in [
            (0o600, None),
            (0o400, None),
            (0o700, None),
            (0o640, Some(Severity::Warning)),
            (0o440, Some(Severity::Warning)),
            (0o660, Some(Severity::Error)),
            (0o620, Some(Severity::Error)),
            (0o644, Some(Severity::Error)),
            (0o604, Some(Severity::Error)),
            (0o602, Some(Severity::Error)),
        ] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let found = of("the key", &path, Group::MayRead);
            assert_eq!(
                found.as_ref().map(|found| found.severity),
                severity,
                "{mode:o}"
            );
            if let Some(found) = found {
                assert!(
                    found.message.contains(&format!("mode {mode:03o}")),
                    "{found:?}"
                );
                assert!(found.help.contains("chmod 600"), "{found:?}");
            }
        }
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let found = of("the key", &path, Group::MayNothing).unwrap();
        assert_eq!(found.severity, Severity::Error);
        assert_eq!(
            of("the key", &folder.path().join("missing"), Group::MayRead),
            None
        );
    }

    #[test]
    fn an_owner_beside_the_user_and_root_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.key");
        fs::write(&path, "secret").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        let owner = metadata.uid();
        let file = ("the key", &*path, Group::MayNothing);
        assert_eq!(judge(file, &metadata, owner), None);
        assert_eq!(foreign("the key", &path, 0, 1000), None);
        let found = foreign("the key", &path, 1001, 1000).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert!(found.message.contains("number 1001"), "{found:?}");
    }
}

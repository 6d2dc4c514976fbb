//! Permission checks of files with secrets.
//!
//! The controller creates its own files with mode 0600, and refuses them when others have access. Keys
//! from elsewhere are accepted with a warning when others can read them: `ziti pki create` leaves keys
//! with the default mode, and groups are a common way to share keys, such as `ssl-cert` on Debian or
//! `fsGroup` in Kubernetes. World-writable files are always refused.

use crate::files;
use portcullis_yaml::Severity;
use rustix::process::geteuid;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

const GROUP_READS: u32 = 0o040;
const GROUP_WRITES: u32 = 0o020;
const OTHERS: u32 = 0o007;
const OTHERS_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// Access that is tolerated with a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tolerance {
    /// None: only the controller uses the file.
    Strict,
    /// Reading by the group, for example for backups: the controller created the file.
    GroupRead,
    /// Reading by others and writing by the group: the file was created elsewhere.
    Lenient,
}

/// Problem with the mode or the owner of a file, and its fix.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exposure {
    pub(super) severity: Severity,
    pub(super) message: String,
    pub(super) help: String,
}

/// Checks a file with secrets, called `what` in the message. A missing file has no problem.
pub(super) fn check_file(what: &str, path: &Path, tolerance: Tolerance) -> Option<Exposure> {
    let metadata = std::fs::metadata(path).ok()?;
    check_mode((what, path, tolerance), &metadata, geteuid().as_raw())
}

fn check_mode(
    (what, path, tolerance): (&str, &Path, Tolerance),
    metadata: &Metadata,
    user: u32,
) -> Option<Exposure> {
    let mode = metadata.mode() & 0o777;
    let (is_tolerated, fault) = if mode & OTHERS_WRITE != 0 {
        (
            false,
            "is world-writable: every user of this machine can change it",
        )
    } else if mode & OTHERS != 0 {
        let is_tolerated = tolerance == Tolerance::Lenient;
        (
            is_tolerated,
            "is world-readable: every user of this machine can read it",
        )
    } else if mode & GROUP_WRITES != 0 {
        let is_tolerated = tolerance == Tolerance::Lenient;
        (is_tolerated, "is group-writable")
    } else if mode & GROUP_READS != 0 {
        let is_tolerated = tolerance != Tolerance::Strict;
        (is_tolerated, "is group-readable")
    } else {
        let owners = Owners {
            file: metadata.uid(),
            folder: std::fs::metadata(files::directory_of(path)).map_or(0, |it| it.uid()),
        };
        return check_owner(what, path, owners, user);
    };
    let path = path.display();
    let mut help = format!("run `chmod 600 {path}`");
    if is_tolerated && mode & OTHERS == 0 {
        help.push_str("; ignore this if the group is meant to have this access");
    }
    let severity = if is_tolerated {
        Severity::Warning
    } else {
        Severity::Error
    };
    Some(Exposure {
        severity,
        message: format!("{what} {path} {fault} (mode {mode:03o})"),
        help,
    })
}

/// Checks the folders above a file with secrets, called `what` in the message: anyone who can write to
/// one of them can replace the file. In folders with the sticky bit, such as `/tmp`, only owners can.
pub(super) fn check_folders(what: &str, path: &Path) -> Option<Exposure> {
    let file = path.canonicalize().ok()?;
    let mut folders = file.ancestors().skip(1);
    folders.find_map(|folder| check_folder(what, folder, &std::fs::metadata(folder).ok()?))
}

fn check_folder(what: &str, folder: &Path, metadata: &Metadata) -> Option<Exposure> {
    let mode = metadata.mode() & 0o7777;
    // Many systems give each user a private group with write access.
    let is_private_group = metadata.gid() == metadata.uid();
    let (fault, mend) = if mode & STICKY != 0 {
        return None;
    } else if mode & OTHERS_WRITE != 0 {
        ("every user of this machine", "go-w")
    } else if mode & GROUP_WRITES != 0 && !is_private_group {
        ("its group", "g-w")
    } else {
        return None;
    };
    let folder = folder.display();
    Some(Exposure {
        severity: Severity::Warning,
        message: format!(
            "{fault} can put another file in the place of {what}: the directory {folder} can be \
             changed (mode {mode:03o})"
        ),
        help: format!("run `chmod {mend} {folder}`"),
    })
}

/// Numbers of the users to whom a file and its folder belong.
#[derive(Debug, Clone, Copy)]
struct Owners {
    file: u32,
    folder: u32,
}

/// Warns about a file whose owner is neither root nor the user of this process: the owner can read it
/// and change its mode. Root may look at the files of another user, which are that user's with their
/// folder.
fn check_owner(what: &str, path: &Path, owners: Owners, user: u32) -> Option<Exposure> {
    let owner = owners.file;
    let is_visit = user == 0 && owner == owners.folder;
    if owner == user || owner == 0 || is_visit {
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
            let found = check_file("the store", &path, Tolerance::GroupRead);
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
        let found = check_file("the key", &path, Tolerance::Strict).unwrap();
        assert_eq!(found.severity, Severity::Error);
        let missing = folder.path().join("missing");
        assert_eq!(check_file("the key", &missing, Tolerance::Strict), None);
    }

    #[test]
    fn keys_that_others_made_are_refused_only_when_every_user_can_change_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.key");
        fs::write(&path, "secret").unwrap();
        for (mode, severity) in [
            (0o600, None),
            (0o640, Some(Severity::Warning)),
            (0o664, Some(Severity::Warning)),
            (0o644, Some(Severity::Warning)),
            (0o602, Some(Severity::Error)),
            (0o666, Some(Severity::Error)),
        ] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let found = check_file("the key", &path, Tolerance::Lenient);
            assert_eq!(found.map(|found| found.severity), severity, "{mode:o}");
        }
    }

    #[test]
    fn folders_that_others_can_change_earn_a_warning() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("pki");
        fs::create_dir(&folder).unwrap();
        let path = folder.join("ca.key");
        fs::write(&path, "secret").unwrap();
        let set = |folder: &Path, mode| {
            fs::set_permissions(folder, Permissions::from_mode(mode)).unwrap();
        };
        for (mode, is_open) in [
            (0o700, false),
            (0o755, false),
            (0o1777, false),
            (0o757, true),
            (0o777, true),
        ] {
            set(&folder, mode);
            let found = check_folders("the key", &path);
            assert_eq!(found.is_some(), is_open, "{mode:o}: {found:?}");
            if let Some(found) = found {
                assert_eq!(found.severity, Severity::Warning);
                assert!(found.message.contains("/pki can be changed"), "{found:?}");
                assert!(found.help.contains("chmod go-w"), "{found:?}");
            }
        }
        set(&folder, 0o755);
        set(top.path(), 0o777);
        assert!(check_folders("the key", &path).is_some(), "further up");
        set(&folder, 0o775);
        set(top.path(), 0o700);
        let metadata = fs::metadata(&folder).unwrap();
        let is_private = metadata.gid() == metadata.uid();
        assert_eq!(check_folders("the key", &path).is_none(), is_private);
        assert_eq!(check_folders("the key", &folder.join("missing")), None);
    }

    #[test]
    fn an_owner_beside_the_user_and_root_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.key");
        fs::write(&path, "secret").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        let owner = metadata.uid();
        let file = ("the key", &*path, Tolerance::Strict);
        assert_eq!(check_mode(file, &metadata, owner), None);
        let check =
            |file, folder, user| check_owner("the key", &path, Owners { file, folder }, user);
        assert_eq!(check(0, 1000, 1000), None);
        assert_eq!(check(1001, 1001, 0), None, "root visits a home");
        assert!(check(1001, 0, 0).is_some());
        let found = check(1001, 1001, 1000).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert!(found.message.contains("number 1001"), "{found:?}");
    }
}

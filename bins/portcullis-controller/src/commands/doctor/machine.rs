//! The machine: disk and clock.

use super::report::{Report, Verdict};
use crate::files;
use crate::judgement::describe_span;
use portcullis_controller_config::ControllerConfig;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use rustix::fs::statvfs;
use std::fs;
use std::path::Path;

const MEBIBYTE: u64 = 1 << 20;

/// Free space below which writes will fail soon, and below which it is time to look.
const SPACE_LIMITS: (u64, u64) = (16 * MEBIBYTE, 256 * MEBIBYTE);

/// The same of inodes, for a snapshot or a new file of the audit trail takes one.
const INODE_LIMITS: (u64, u64) = (16, 1024);

/// How far the time of the last change may lie ahead.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(60);

pub(super) fn check(config: &ControllerConfig, now: Timestamp, report: &mut Report) {
    let path = config.store.store_path();
    check_last_change(&path, now, report);
    check_disk(&path, report);
}

/// A store that was changed in the future means that the clock was set back.
fn check_last_change(path: &Path, now: Timestamp, report: &mut Report) {
    let changed = fs::metadata(path).and_then(|found| found.modified());
    let Some(changed) = changed.ok().and_then(|at| Timestamp::try_from(at).ok()) else {
        return;
    };
    let ahead = changed.duration_since(now);
    if ahead > CLOCK_TOLERANCE {
        report.add(
            Verdict::Error,
            "clock",
            format!(
                "the clock of this machine is wrong, or was: the store was changed {} from now",
                describe_span(ahead)
            ),
            Some("synchronize the clock, for example with chrony; sessions and codes depend on it"),
        );
    }
}

fn check_disk(path: &Path, report: &mut Report) {
    let directory = files::directory_of(path);
    let Ok(found) = statvfs(directory) else {
        let message = format!("the disk of {} cannot be looked at", directory.display());
        report.add(Verdict::Unseen, "disk", message, None);
        return;
    };
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let place = directory.display();
    let space = format!("the disk of {place} has {} left", size(free));
    let help = "free some space, or move the store; without room writes are refused";
    report.add(
        graded(free, SPACE_LIMITS),
        "disk",
        space,
        help_for(free, SPACE_LIMITS, help),
    );
    // Some file systems have no fixed number of them.
    if found.f_files > 0 {
        let message = format!(
            "the disk of {place} has room for {} more files",
            found.f_favail
        );
        let help = "remove files: a disk without inodes takes none, however much space it has";
        report.add(
            graded(found.f_favail, INODE_LIMITS),
            "inodes",
            message,
            help_for(found.f_favail, INODE_LIMITS, help),
        );
    }
}

fn graded(left: u64, (too_little, little): (u64, u64)) -> Verdict {
    if left < too_little {
        Verdict::Error
    } else if left < little {
        Verdict::Warning
    } else {
        Verdict::Ok
    }
}

fn help_for(left: u64, (_, little): (u64, u64), help: &str) -> Option<&str> {
    (left < little).then_some(help)
}

pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (MEBIBYTE, "MiB"), (1 << 10, "KiB")];
    let fitting = UNITS.iter().find(|(unit, _)| bytes >= *unit);
    match fitting {
        Some((unit, name)) => {
            let tenths = u128::from(bytes) * 10 / u128::from(*unit);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        },
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_a_unit_that_suits_them() {
        for (bytes, expected) in [
            (5, "5 bytes"),
            (1536, "1.5 KiB"),
            (20 * MEBIBYTE, "20.0 MiB"),
            (u64::MAX, "17179869183.9 GiB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn little_room_is_a_warning_and_none_is_an_error() {
        assert_eq!(graded(15, INODE_LIMITS), Verdict::Error);
        assert_eq!(graded(16, INODE_LIMITS), Verdict::Warning);
        assert_eq!(graded(1024, INODE_LIMITS), Verdict::Ok);
    }
}

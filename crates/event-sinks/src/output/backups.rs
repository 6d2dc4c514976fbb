//! Names of rotated files, and the removal of old ones.

use jiff::civil::DateTime;
use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};
use portcullis_files::directory_of;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// When a file was rotated, in UTC, as in `2026-11-22T23-11-09.500`.
const TIME: &str = "%Y-%m-%dT%H-%M-%S%.3f";

/// The rotated files of a file: `events-2026-11-22T23-11-09.500.json` beside `events.json`.
#[derive(Debug)]
pub(super) struct Backups {
    directory: PathBuf,
    /// What stands before the time.
    start: Vec<u8>,
    /// What stands after it.
    end: Vec<u8>,
    /// The time in the last name.
    last: Option<Timestamp>,
}

impl Backups {
    pub(super) fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().as_bytes();
        let dot = name.iter().rposition(|byte| *byte == b'.');
        let (stem, extension) = name.split_at(dot.unwrap_or(name.len()));
        Self {
            directory: directory_of(path).to_owned(),
            start: [stem, b"-"].concat(),
            end: extension.to_owned(),
            last: None,
        }
    }

    /// A path that does not exist, for a file that is rotated now. Its name is later than the last one, also
    /// where the clock is not.
    pub(super) fn new_path(&mut self, now: Timestamp) -> PathBuf {
        let after = |time| saturating_add(time, SignedDuration::from_millis(1));
        let mut time = self.last.map_or(now, |last| now.max(after(last)));
        // A file of an earlier process must not be replaced.
        while self.path(time).symlink_metadata().is_ok() {
            time = after(time);
        }
        self.last = Some(time);
        self.path(time)
    }

    fn path(&self, time: Timestamp) -> PathBuf {
        let time = time.strftime(TIME).to_string();
        let name = [&self.start, time.as_bytes(), &self.end].concat();
        self.directory.join(OsString::from_vec(name))
    }

    /// Removes all rotated files but the newest ones.
    pub(super) fn remove_oldest(&self, kept: usize) -> io::Result<()> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            if let Some(time) = self.time_of(entry.file_name().as_bytes()) {
                found.push((time, entry.path()));
            }
        }
        found.sort_unstable();
        let surplus = found.len().saturating_sub(kept);
        for (_, path) in found.iter().take(surplus) {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    /// The time in the name of a rotated file; `None` for other files.
    fn time_of(&self, name: &[u8]) -> Option<DateTime> {
        let time = name.strip_prefix(&*self.start)?.strip_suffix(&*self.end)?;
        let text = str::from_utf8(time).ok()?;
        let time = DateTime::strptime(TIME, text).ok()?;
        // What is parsed may be written in other ways.
        (time.strftime(TIME).to_string() == text).then_some(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().expect("it is a time")
    }

    #[test]
    fn names_have_the_time_before_the_extension() {
        let name = |path: &str| {
            let path = Backups::of(Path::new(path)).path(time("2026-11-22T23:11:09.5009Z"));
            path.to_string_lossy().into_owned()
        };
        assert_eq!(
            name("/log/events.json"),
            "/log/events-2026-11-22T23-11-09.500.json"
        );
        assert_eq!(name("a.b.json"), "./a.b-2026-11-22T23-11-09.500.json");
        assert_eq!(name("events"), "./events-2026-11-22T23-11-09.500");
    }

    #[test]
    fn only_the_newest_of_its_own_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "e-2026-01-01T00-00-00.000.json",
            "e-2026-01-01T00-00-00.001.json",
            "e-2026-01-01T00-00-00.json",
            "e-2026-01-02T00-00-00.000.json.gz",
            "e-2026-13-02T00-00-00.000.json",
            "e.json",
            "other-2026-01-01T00-00-00.000.json",
        ];
        for name in names {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut backups = Backups::of(&folder.path().join("e.json"));
        let newest = backups.new_path(time("2026-01-01T00:00:00Z"));
        assert!(newest.ends_with("e-2026-01-01T00-00-00.002.json"));
        fs::write(&newest, "").unwrap();
        backups.remove_oldest(1).unwrap();
        let left = fs::read_dir(folder.path()).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort_unstable();
        let mut expected = names[2..].to_vec();
        expected.push("e-2026-01-01T00-00-00.002.json");
        expected.sort_unstable();
        assert_eq!(left, expected);
    }
}

//! What becomes of files, without a thread.

use super::*;
use portcullis_domain::clock::Timestamp;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use tempfile::TempDir;

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp::constant(1_780_056_000, 0)
    }
}

struct World {
    folder: TempDir,
    file: EventFile,
}

impl World {
    fn new(max_bytes: u64, max_backups: Option<usize>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.json");
        let settings = FileSettings {
            path,
            max_bytes,
            max_backups,
        };
        let file = EventFile::new(settings, Arc::new(Noon));
        Self { folder, file }
    }

    fn path(&self) -> PathBuf {
        self.file.settings.path.clone()
    }

    fn write(&mut self, lines: &[&str]) -> io::Result<()> {
        self.file.write(&mut Batch::of_lines(lines))
    }

    /// Content of the files of the folder, in the order of their names.
    fn content(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort_unstable();
        let read = |path: &PathBuf| fs::read_to_string(path).unwrap();
        paths.iter().map(read).collect()
    }
}

const UNLIMITED: u64 = u64::MAX;

#[test]
fn lines_are_appended_to_a_file_for_its_owner_and_group() {
    let mut world = World::new(UNLIMITED, None);
    world.write(&["a", "b"]).unwrap();
    world.write(&["c"]).unwrap();
    assert_eq!(world.content(), ["a\nb\nc\n"]);
    let mode = fs::metadata(world.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777 & !MODE, 0, "{mode:o}");
}

#[test]
fn file_is_continued_after_a_restart_and_a_torn_line_ended() {
    let mut world = World::new(UNLIMITED, None);
    fs::write(world.path(), "a\nto").unwrap();
    world.write(&["b"]).unwrap();
    assert_eq!(world.content(), ["a\nto\nb\n"]);
    let mut world = World::new(4, None);
    fs::write(world.path(), "a\n").unwrap();
    world.write(&["b", "c"]).unwrap();
    assert_eq!(world.content(), ["a\nb\n", "c\n"]);
}

#[test]
fn file_is_rotated_before_it_grows_beyond_its_size() {
    let mut world = World::new(6, None);
    world.write(&["ab", "cd"]).unwrap();
    assert_eq!(world.content(), ["ab\ncd\n"], "it fits to the byte");
    world
        .write(&["e", "too long for any", "f", "ghijk", "l"])
        .unwrap();
    let expected = [
        "ab\ncd\n",
        "e\n",
        "too long for any\n",
        "f\n",
        "ghijk\n",
        "l\n",
    ];
    assert_eq!(world.content(), expected);
}

#[test]
fn former_files_are_kept_as_configured() {
    for (kept, expected) in [
        (None, &["a\n", "b\n", "c\n", "d\n"][..]),
        (Some(1), &["c\n", "d\n"]),
        (Some(2), &["b\n", "c\n", "d\n"]),
    ] {
        let mut world = World::new(2, kept);
        world.write(&["a", "b"]).unwrap();
        world.write(&["c", "d"]).unwrap();
        assert_eq!(world.content(), expected, "{kept:?}");
    }
}

#[test]
fn file_that_was_moved_or_removed_is_begun_anew() {
    let mut world = World::new(UNLIMITED, None);
    let moved = world.folder.path().join("a-moved.json");
    world.write(&["a"]).unwrap();
    fs::rename(world.path(), &moved).unwrap();
    world.write(&["b"]).unwrap();
    assert_eq!(world.content(), ["a\n", "b\n"]);
    fs::rename(world.path(), &moved).unwrap();
    world.file.reopen().unwrap();
    assert_eq!(world.content(), ["b\n", ""], "at once");
    world.file.reopen().unwrap();
    world.write(&["c"]).unwrap();
    fs::remove_file(world.path()).unwrap();
    world.write(&["d"]).unwrap();
    assert_eq!(world.content(), ["b\n", "d\n"]);
}

#[test]
fn line_that_began_in_a_file_that_was_moved_is_written_again() {
    let mut world = World::new(UNLIMITED, None);
    let mut lines = Batch::of_lines(&["ab", "cd"]);
    world.write(&["x"]).unwrap();
    // The disk was full after one letter of the second line.
    lines.advance(4);
    fs::write(world.path(), "x\nab\nc").unwrap();
    world.file.write(&mut lines).unwrap();
    assert_eq!(
        world.content(),
        ["x\nab\ncd\n"],
        "it goes on where it stopped"
    );
    let mut lines = Batch::of_lines(&["ef", "gh"]);
    lines.advance(4);
    fs::rename(world.path(), world.folder.path().join("a-moved.json")).unwrap();
    world.file.write(&mut lines).unwrap();
    assert_eq!(world.content(), ["x\nab\ncd\n", "gh\n"]);
}

#[test]
fn file_that_was_copied_and_truncated_goes_on() {
    let mut world = World::new(4, None);
    world.write(&["abc"]).unwrap();
    File::options()
        .write(true)
        .truncate(true)
        .open(world.path())
        .unwrap();
    world.write(&["d"]).unwrap();
    assert_eq!(world.content(), ["d\n"]);
    // Its size counts anew, too.
    world.write(&["e"]).unwrap();
    assert_eq!(world.content(), ["d\ne\n"]);
}

#[test]
fn directory_that_vanishes_costs_nothing_once_it_is_back() {
    let mut world = World::new(UNLIMITED, None);
    let folder = world.folder.path().join("below");
    fs::create_dir(&folder).unwrap();
    world.file.settings.path = folder.join("events.json");
    world.write(&["a"]).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let mut lines = Batch::of_lines(&["b", "c"]);
    assert!(world.file.write(&mut lines).is_err());
    assert!(
        world.file.reopen().is_ok(),
        "there is nothing open that was moved"
    );
    assert_eq!(lines.written_events(), 0);
    fs::create_dir(&folder).unwrap();
    world.file.write(&mut lines).unwrap();
    assert_eq!(fs::read_to_string(world.path()).unwrap(), "b\nc\n");
}

#[test]
fn file_that_cannot_be_rotated_grows_on() {
    let mut world = World::new(2, None);
    world.write(&["a"]).unwrap();
    // Where rotated files would go there is no directory.
    world.file.backups = Backups::of(&world.folder.path().join("none/events.json"));
    world.write(&["b", "c"]).unwrap();
    assert_eq!(world.content(), ["a\nb\nc\n"]);
    world.file.backups = Backups::of(&world.path());
    world.write(&["d"]).unwrap();
    assert_eq!(world.content(), ["a\nb\nc\n", "d\n"]);
}

/// Root would give what it leads to away, to the owner of the directory.
#[test]
fn link_to_nothing_is_not_followed() {
    let mut world = World::new(UNLIMITED, None);
    let target = world.folder.path().join("target");
    symlink(&target, world.path()).unwrap();
    assert!(world.write(&["a"]).is_err());
    assert!(!target.exists());
    fs::write(&target, "").unwrap();
    world.write(&["a"]).unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "a\n");
}

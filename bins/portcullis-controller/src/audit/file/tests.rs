use super::*;
use portcullis_domain::clock::Timestamp;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

#[derive(Debug)]
struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

const TRAIL: &str = "trail";

fn open(path: &Path, first: u64) -> anyhow::Result<AuditFile> {
    let store = StoredTrail {
        trail: Some(TRAIL.to_owned()),
        first,
    };
    InspectedFile::inspect(path)?.resume(&store, Arc::new(Fixed))
}

fn begin() -> AuditEvent {
    let text = format!(r#"{{"operation":"audit.begin","trail":"{TRAIL}"}}"#);
    AuditEvent { seq: None, text }
}

fn event(seq: u64) -> AuditEvent {
    let text = format!(r#"{{"seq":{seq},"operation":"o"}}"#);
    AuditEvent {
        seq: Some(seq),
        text,
    }
}

fn checked(path: &Path) -> VerifiedAuditChain {
    chain::verify_chain(BufReader::new(File::open(path).unwrap())).unwrap()
}

/// A file with the events up to 3, and its folder.
fn started_trail() -> (tempfile::TempDir, PathBuf, AuditFile) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let mut file = open(&path, 1).unwrap();
    file.write(&[begin(), event(1), event(2), event(3)])
        .unwrap();
    (folder, path, file)
}

#[test]
fn looking_at_a_file_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    InspectedFile::inspect(&path).unwrap();
    assert!(!path.exists());
    let missing = folder.path().join("missing/audit.jsonl");
    let error = InspectedFile::inspect(&missing).unwrap_err().to_string();
    assert!(error.contains("its directory does not exist"), "{error}");
}

#[test]
fn trail_goes_on_in_a_new_file_when_its_own_was_moved_or_removed() {
    let (folder, path, mut file) = started_trail();
    let old = folder.path().join("audit.1.jsonl");
    fs::rename(&path, &old).unwrap();
    file.write(&[event(4)]).unwrap();
    let (before, after) = (checked(&old), checked(&path));
    assert_eq!((before.chain.last_seq, after.chain.last_seq), (3, 4));
    let hash = chain::hex(&before.chain.hash);
    assert_eq!(after.notes, [chain::ChainNote::Continues { hash, last: 3 }]);
    assert_eq!(after.chain.trail.as_deref(), Some(TRAIL));

    fs::remove_file(&path).unwrap();
    file.write(&[event(5)]).unwrap();
    let last = checked(&path);
    let hash = chain::hex(&after.chain.hash);
    assert_eq!(last.notes, [chain::ChainNote::Continues { hash, last: 4 }]);
    drop(file);
    let position = open(&path, 6).unwrap().position().unwrap();
    assert_eq!((position.seq, position.is_empty), (5, false));
    assert_eq!(position.digest, Some(AuditEvent::digest(&event(5).text)));
}

#[test]
fn file_that_others_write_or_cut_is_not_written_until_it_is_moved() {
    let (folder, path, mut file) = started_trail();
    let whole = fs::read(&path).unwrap();
    let changes: [(&[u8], &str); 2] = [
        (b"", "rotate it by moving it"),
        (&[&whole[..], b"x"].concat(), "added 1 bytes"),
    ];
    for (content, reason) in changes {
        fs::write(&path, content).unwrap();
        let error = file.write(&[event(4)]).unwrap_err().to_string();
        assert!(error.to_lowercase().contains(reason), "{error}");
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    fs::write(&path, &whole).unwrap();
    file.write(&[event(4)]).unwrap();
    fs::write(&path, b"").unwrap();
    fs::rename(&path, folder.path().join("cut")).unwrap();
    file.write(&[event(5)]).unwrap();
    assert_eq!(checked(&path).chain.last_seq, 5);
}

#[test]
fn lines_that_a_loss_of_power_damaged_are_written_anew_if_the_store_has_them() {
    let (_folder, path, file) = started_trail();
    drop(file);
    let mut damaged = fs::read(&path).unwrap();
    let end = damaged.len();
    damaged[end - 60..end - 40].fill(0);
    fs::write(&path, &damaged).unwrap();
    let error = open(&path, 4).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), damaged, "it is evidence");

    let mut file = open(&path, 3).unwrap();
    assert_eq!(file.position().unwrap().seq, 2);
    file.write(&[event(3)]).unwrap();
    let mended = checked(&path);
    assert_eq!(mended.chain.last_seq, 3);
    assert_eq!(mended.notes.len(), 1);
    assert!(mended.notes[0].to_string().contains("written again"));
}

#[test]
fn group_may_read_and_nobody_more() {
    let (_folder, path, file) = started_trail();
    drop(file);
    for (mode, is_served) in [(0o640, true), (0o660, false), (0o604, false), (0o600, true)] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let opened = open(&path, 4);
        assert_eq!(opened.is_ok(), is_served, "{mode:o}");
    }
}

//! Records of what was done, by which an interrupted import goes on.
//!
//! A file of JSON lines that is only appended to. Before rows are begun, a record says up to which one;
//! when some are done, another one follows. What was begun and is not done may exist or not.

use super::tokens::WrittenTokens;
use crate::error::CliError;
use crate::files;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Rows that are announced at once, so that few records have to reach the disk before them.
const ANNOUNCED_ROWS: usize = 512;

/// What a checkpoint belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckpointOwner {
    pub(super) version: u32,
    pub(super) controller: String,
    /// SHA-256 of the CA certificates by which the controller is trusted.
    pub(super) trust: String,
    /// SHA-256 of the file of identities.
    pub(super) input: String,
    /// Where the tokens go.
    pub(super) tokens: Option<String>,
}

/// A record after the first.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Record {
    /// Number of rows, from the first, that may have been begun.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) begun: usize,
    /// Lines of identities that existed before and were skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) skipped: Vec<u64>,
    /// Lines that the controller refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) failed: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) done: Vec<DoneRow>,
    /// Length of the common file of tokens.
    pub(super) token_bytes: u64,
}

impl Record {
    /// Records what is left out since it existed before.
    pub(super) fn skipped(lines: Vec<u64>) -> Self {
        Self {
            skipped: lines,
            ..Self::default()
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// An identity that was created.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DoneRow {
    pub(super) line: u64,
    pub(super) id: String,
    /// Length of its token, if it was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) token: Option<u64>,
}

/// What earlier runs did.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) done: BTreeMap<u64, DoneRow>,
    pub(super) skipped: BTreeSet<u64>,
    failed: BTreeSet<u64>,
    pub(super) written: WrittenTokens,
}

impl History {
    /// Whether a row that is not done may have been created. `index` is its number from 0.
    pub(super) fn is_uncertain(&self, index: usize, line: u64) -> bool {
        index < self.written.begun_rows
            && !self.failed.contains(&line)
            && !self.skipped.contains(&line)
    }

    fn apply(&mut self, record: Record) {
        let Record {
            begun,
            skipped,
            failed,
            done,
            token_bytes,
        } = record;
        self.written.begun_rows = self.written.begun_rows.max(begun);
        self.written.file_bytes = self.written.file_bytes.max(token_bytes);
        self.skipped.extend(skipped);
        self.failed.extend(failed);
        self.done
            .extend(done.into_iter().map(|row| (row.line, row)));
    }
}

/// The file of a checkpoint, locked for this run.
pub(super) struct Checkpoint {
    path: PathBuf,
    file: File,
    /// Number of rows that are announced.
    announced: usize,
    total: usize,
}

impl Checkpoint {
    /// Opens the checkpoint of an interrupted run, or a new one, of `total` rows.
    pub(super) fn open(
        path: &Path,
        owner: &CheckpointOwner,
        total: usize,
    ) -> Result<(Self, History), CliError> {
        let fail = |error: io::Error| write_error(path, error);
        let mut file = files::private_options()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(fail)?;
        if file.try_lock().is_err() {
            let path = path.display();
            return Err(CliError::failed(format!(
                "another import is using {path} at this moment"
            )));
        }
        let mut text = String::new();
        file.read_to_string(&mut text)
            .map_err(|_io| foreign(path, "it is no checkpoint"))?;
        // A record that was interrupted does not count.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let length = u64::try_from(whole).unwrap_or(u64::MAX);
        let mut lines = text.get(..whole).unwrap_or_default().lines();
        let history = match lines.next() {
            Some(first) => {
                check_owner(path, first, owner)?;
                read_history(path, lines)?
            },
            None if text.is_empty() || text.starts_with("{\"version\":") => History::default(),
            None => return Err(foreign(path, "it is no checkpoint")),
        };
        file.set_len(length).map_err(fail)?;
        file.seek(io::SeekFrom::End(0)).map_err(fail)?;
        let mut checkpoint = Self {
            path: path.to_owned(),
            file,
            announced: history.written.begun_rows,
            total,
        };
        if !history.written.is_resumed {
            checkpoint.append(owner)?;
        }
        Ok((checkpoint, history))
    }

    /// Announces that the row with number `index` is begun.
    pub(super) fn announce(&mut self, index: usize) -> Result<(), CliError> {
        if index < self.announced {
            return Ok(());
        }
        self.announced = index.saturating_add(ANNOUNCED_ROWS).min(self.total);
        let record = Record {
            begun: self.announced,
            ..Record::default()
        };
        self.append(&record)
    }

    /// Appends a record, which survives a loss of power once this returns.
    pub(super) fn append(&mut self, record: &impl Serialize) -> Result<(), CliError> {
        let mut line = serde_json::to_vec(record).unwrap_or_default();
        line.push(b'\n');
        let written = self
            .file
            .write_all(&line)
            .and_then(|()| self.file.sync_data());
        written.map_err(|error| write_error(&self.path, error))
    }

    /// Removes a checkpoint of which nothing came.
    pub(super) fn discard(self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn check_owner(path: &Path, line: &str, owner: &CheckpointOwner) -> Result<(), CliError> {
    let Ok(found) = serde_json::from_str::<CheckpointOwner>(line) else {
        return Err(foreign(path, "it is no checkpoint"));
    };
    let reason = if found.version != owner.version {
        "another version of this program wrote it".to_owned()
    } else if found.controller != owner.controller {
        format!("it belongs to the controller {}", found.controller)
    } else if found.trust != owner.trust {
        "it belongs to a controller of another network at the same address".to_owned()
    } else if found.input != owner.input {
        "it belongs to another file of identities, or the file was changed since".to_owned()
    } else if found.tokens != owner.tokens {
        match found.tokens {
            Some(tokens) => format!("that import writes its tokens to {tokens}"),
            None => "that import writes no tokens".to_owned(),
        }
    } else {
        return Ok(());
    };
    Err(foreign(path, &reason))
}

fn foreign(path: &Path, reason: &str) -> CliError {
    CliError::failed(format!("{} does not fit: {reason}", path.display()))
        .hint("name a new file to begin anew, or run the command with which the import began")
}

fn read_history<'l>(
    path: &Path,
    lines: impl Iterator<Item = &'l str>,
) -> Result<History, CliError> {
    let mut history = History::default();
    history.written.is_resumed = true;
    for line in lines {
        let record = serde_json::from_str(line)
            .map_err(|_json| foreign(path, "a record in it is damaged"))?;
        history.apply(record);
    }
    Ok(history)
}

fn write_error(path: &Path, error: io::Error) -> CliError {
    if error.kind() == io::ErrorKind::NotFound {
        return files::missing_directory(path);
    }
    files::write_error(path, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(input: &str) -> CheckpointOwner {
        CheckpointOwner {
            version: 1,
            controller: "https://c:1280".to_owned(),
            trust: "t".to_owned(),
            input: input.to_owned(),
            tokens: None,
        }
    }

    #[test]
    fn interrupted_record_does_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        let (mut checkpoint, history) = Checkpoint::open(&path, &owner("a"), 1000).unwrap();
        assert!(!history.written.is_resumed);
        checkpoint.announce(0).unwrap();
        checkpoint.announce(511).unwrap();
        let done = Record {
            done: vec![DoneRow {
                line: 2,
                id: "i".to_owned(),
                token: Some(7),
            }],
            failed: vec![3],
            skipped: vec![4],
            token_bytes: 70,
            ..Record::default()
        };
        checkpoint.append(&done).unwrap();
        drop(checkpoint);
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(whole.lines().count(), 3, "{whole}");
        fs::write(&path, format!("{whole}{{\"done\":[{{\"line\":9,")).unwrap();

        let (mut checkpoint, history) = Checkpoint::open(&path, &owner("a"), 1000).unwrap();
        assert_eq!(history.done.keys().copied().collect::<Vec<_>>(), [2]);
        assert_eq!(
            (history.written.begun_rows, history.written.file_bytes),
            (512, 70)
        );
        assert!(history.is_uncertain(3, 5) && !history.is_uncertain(512, 514));
        assert!(!history.is_uncertain(1, 3) && !history.is_uncertain(2, 4));
        checkpoint.announce(512).unwrap();
        drop(checkpoint);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            format!("{whole}{{\"begun\":1000,\"tokenBytes\":0}}\n")
        );
    }

    #[test]
    fn foreign_files_are_refused_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        for text in ["name\nlaptop\n", "{}\n", "\u{0}"] {
            fs::write(&path, text).unwrap();
            assert!(Checkpoint::open(&path, &owner("a"), 1).is_err(), "{text:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::remove_file(&path).unwrap();
        drop(Checkpoint::open(&path, &owner("a"), 1).unwrap());
        let Err(error) = Checkpoint::open(&path, &owner("b"), 1) else {
            panic!("another file of identities")
        };
        assert!(error.message().contains("another file of identities"));
    }

    #[test]
    fn two_runs_do_not_share_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        let first = Checkpoint::open(&path, &owner("a"), 1).unwrap();
        assert!(Checkpoint::open(&path, &owner("a"), 1).is_err());
        drop(first);
        assert!(Checkpoint::open(&path, &owner("a"), 1).is_ok());
    }
}

//! A file of its own for the audit trail.

use super::chain::{self, Chain};
use anyhow::{Context as _, anyhow, bail};
use portcullis_app::audit::{AuditEvent, AuditSink};
use portcullis_domain::clock::Timestamp;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// What its owner alone may do.
const MODE: u32 = 0o600;

/// Writes events as a chain of lines into a file that nobody else writes.
#[derive(Debug)]
pub(crate) struct AuditFile {
    file: File,
    chain: Chain,
    /// Bytes of the lines in the chain; whatever follows them was written only in part.
    length: u64,
}

impl AuditFile {
    /// Opens a file, or makes it, and checks the chain in it.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the file and what to do.
    pub(crate) fn open(path: &Path, now: Timestamp) -> anyhow::Result<Self> {
        let name = path.display();
        let file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(MODE)
            .open(path)
            .with_context(|| format!("the audit file {name} cannot be opened"))?;
        check_mode(path)?;
        match file.try_lock() {
            Ok(()) => {},
            Err(TryLockError::WouldBlock) => bail!(
                "the audit file {name} is in use by another process; give each controller a file of \
                 its own"
            ),
            Err(TryLockError::Error(error)) => {
                return Err(error)
                    .with_context(|| format!("the audit file {name} cannot be locked"));
            },
        }
        let checked = chain::check(BufReader::new(&file)).map_err(|broken| {
            anyhow!(
                "the audit file {name} is damaged: {broken}; keep it for an investigation under \
                 another name, and start again with a new file"
            )
        })?;
        let mut opened = Self {
            file,
            chain: checked.chain,
            length: checked.length,
        };
        if checked.is_torn {
            tracing::warn!(
                file = %name,
                "the last line of the audit file was written only in part, and is written anew"
            );
        }
        if opened.chain.lines == 0 {
            let begin = AuditEvent {
                seq: None,
                text: Chain::beginning(&now.to_string()),
            };
            opened
                .write(&[begin])
                .with_context(|| format!("the audit file {name} cannot be written"))?;
        }
        Ok(opened)
    }
}

/// Checks that nobody else can read who did what.
fn check_mode(path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    let metadata = fs::metadata(path);
    let metadata =
        metadata.with_context(|| format!("the audit file {name} cannot be looked at"))?;
    if !metadata.is_file() {
        bail!("the audit file {name} is not a file; name one, or one that is to be made");
    }
    let mode = metadata.permissions().mode() & 0o777;
    if mode & !MODE != 0 {
        bail!("the audit file {name} has mode {mode:o}; set it to mode 600, for its owner alone");
    }
    Ok(())
}

impl AuditSink for AuditFile {
    fn last_seq(&self) -> Option<u64> {
        Some(self.chain.last_seq)
    }

    fn write(&mut self, events: &[AuditEvent]) -> io::Result<()> {
        let mut chain = self.chain;
        let mut lines = String::new();
        for event in events {
            lines.push_str(&chain.append(&event.text, event.seq));
            lines.push('\n');
        }
        // What an earlier attempt left of its lines goes.
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(lines.as_bytes())?;
        self.length += u64::try_from(lines.len()).unwrap_or(u64::MAX);
        self.chain = chain;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

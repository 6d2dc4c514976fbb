//! Audit trail in a separate file.

use super::chain::{self, AuditChainError, HashChain, VerifiedAuditChain};
use super::file_access::{self, FileIdentity};
use crate::output;
use anyhow::{Context as _, anyhow};
use portcullis_app::audit::{AuditEvent, AuditSink, BEGIN_OPERATION, SinkPosition};
use portcullis_domain::audit::Event;
use portcullis_domain::clock::Clock;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{AuditBacklog, Rows};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Part of the trail that is still in the store, for repairing an incomplete file.
#[derive(Debug, Clone)]
pub(crate) struct StoredTrail {
    /// Id of the trail.
    pub(crate) trail: Option<String>,
    /// Number of the first event that is still in the store.
    pub(crate) first: u64,
}

impl StoredTrail {
    /// Finds the trail of a store.
    pub(crate) fn read(rows: Rows<'_>) -> Result<Self, StoreError> {
        let backlog = AuditBacklog::read(rows)?;
        Ok(Self {
            trail: backlog.trail.map(|trail| trail.to_string()),
            first: backlog.first_seq(rows)?,
        })
    }
}

/// An audit file as a start would find it.
#[derive(Debug)]
pub(crate) enum AuditFileCondition {
    /// It will be created.
    Absent,
    /// It has this number of lines.
    Intact(u64),
    /// The next start writes its last lines again, from this one on.
    Repairable { line: u64 },
}

/// Looks at an audit file without changing it, with the trail of the store if that can be read.
///
/// # Errors
/// The message with which a start refuses the file, or why it cannot be read.
pub(crate) fn examine(
    path: &Path,
    store: Option<&StoredTrail>,
) -> anyhow::Result<AuditFileCondition> {
    let Some(file) = file_access::open_to_read(path)? else {
        return Ok(AuditFileCondition::Absent);
    };
    let (checked, broken) = chain::scan_chain(BufReader::new(file));
    let lines = checked.chain.lines;
    match broken {
        None => Ok(AuditFileCondition::Intact(lines)),
        Some(broken) if store.is_some_and(|it| is_repairable(&checked.chain, &broken, it)) => {
            Ok(AuditFileCondition::Repairable { line: lines + 1 })
        },
        Some(broken) => Err(damage_error(path, &broken)),
    }
}

fn damage_error(path: &Path, broken: &AuditChainError) -> anyhow::Error {
    anyhow!(
        "the audit file {} is damaged: {broken}; rename it to keep it for an investigation, and start \
         again with a new file",
        path.display(),
    )
}

/// An audit file that was inspected but not yet modified.
#[derive(Debug)]
pub(crate) struct InspectedFile {
    path: PathBuf,
    /// The file, if it exists.
    file: Option<File>,
    checked: VerifiedAuditChain,
    broken: Option<AuditChainError>,
}

impl InspectedFile {
    /// Inspects the file and verifies its chain without modifying it, since the start may fail for other
    /// reasons.
    ///
    /// # Errors
    /// A message that says what is wrong with the file and what to do.
    pub(crate) fn inspect(path: &Path) -> anyhow::Result<Self> {
        let file = file_access::open_existing(path)?;
        let (checked, broken) = match &file {
            Some(file) => chain::scan_chain(BufReader::new(file)),
            None => (VerifiedAuditChain::default(), None),
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            checked,
            broken,
        })
    }

    /// Creates the file if it does not exist, and continues after its intact lines.
    ///
    /// # Errors
    /// A message that says what is wrong with the file and what to do.
    pub(crate) fn resume(
        self,
        store: &StoredTrail,
        clock: Arc<dyn Clock>,
    ) -> anyhow::Result<AuditFile> {
        let Self {
            path,
            file,
            checked,
            broken,
        } = self;
        let name = path.display();
        let is_damaged = broken.is_some();
        if let Some(broken) = broken
            && !is_repairable(&checked.chain, &broken, store)
        {
            return Err(damage_error(&path, &broken));
        }
        let file = match file {
            Some(file) => file,
            None => file_access::create(&path)?,
        };
        let place = FileIdentity::of(&path, &file);
        let place = place
            .with_context(|| format!("the metadata of the audit file {name} cannot be read"))?;
        let state = WrittenState {
            chain: checked.chain,
            length: checked.length,
        };
        let mut opened = AuditFile {
            file,
            file_identity: place,
            clock,
            synced: state.clone(),
            state,
            is_dirty: checked.is_torn || is_damaged,
            previous: None,
        };
        if is_damaged {
            opened.repair()?;
        } else if checked.is_torn {
            tracing::warn!(
                file = %name,
                "the last line of the audit file is incomplete and is written again"
            );
        }
        Ok(opened)
    }
}

/// Whether all events of the damaged lines are still in the store.
fn is_repairable(chain: &HashChain, broken: &AuditChainError, store: &StoredTrail) -> bool {
    let is_same = chain.trail.is_some() && chain.trail == store.trail;
    broken.is_power_loss_possible()
        && is_same
        && chain.lines > 0
        && store.first <= chain.last_seq + 1
}

/// Written part of a file.
#[derive(Debug, Clone)]
struct WrittenState {
    chain: HashChain,
    /// Bytes of the lines in the chain.
    length: u64,
}

/// Members of the events that a file adds to the trail.
#[derive(Serialize)]
struct TrailDetail {
    #[serde(skip_serializing_if = "Option::is_none")]
    trail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

/// Audit sink that writes events as a hash chain into a file that no other process writes.
pub(crate) struct AuditFile {
    file: File,
    file_identity: FileIdentity,
    clock: Arc<dyn Clock>,
    state: WrittenState,
    /// State at the last sync.
    synced: WrittenState,
    /// Whether a failed write may have left data after the lines of the chain.
    is_dirty: bool,
    /// Last hash of the file that this one continues.
    previous: Option<[u8; 32]>,
}

impl AuditFile {
    fn event(&self, operation: &str, detail: TrailDetail) -> AuditEvent {
        let now = self.clock.now().to_string();
        AuditEvent::uncommitted(&Event::new(&now, operation, detail))
    }

    /// Removes damaged lines and records that.
    fn repair(&mut self) -> anyhow::Result<()> {
        let line = self.state.chain.lines + 1;
        let name = self.file_identity.path().display();
        tracing::warn!(
            file = %name, line,
            "the audit file is damaged from this line on, for example by a power loss; the store \
             still has the committed events in it, and they are written again"
        );
        let context = format!("the audit file {name} cannot be written");
        let detail = TrailDetail {
            trail: None,
            previous: None,
            last: None,
            line: Some(line),
        };
        let event = self.event("audit.repair", detail);
        self.append(&[event]).context(context)
    }

    /// Continues in a new file if this one was moved or removed, and checks that no other process wrote to
    /// it. Returns whether the file is a new one.
    fn reopen_if_moved(&mut self) -> io::Result<bool> {
        if self.file_identity.is_moved()? {
            // Its content must not be lost while it is archived.
            self.file.sync_data()?;
            let file = file_access::create(self.file_identity.path())
                .map_err(|error| io::Error::other(output::error_chain(&error)))?;
            let place = FileIdentity::of(self.file_identity.path(), &file)?;
            tracing::info!(
                file = %place.path().display(),
                "the audit file was moved or removed; the trail continues in a new one"
            );
            let state = WrittenState {
                chain: self.state.chain.continuation(),
                length: 0,
            };
            self.previous = Some(self.state.chain.hash);
            (self.file, self.file_identity, self.is_dirty) = (file, place, true);
            (self.synced, self.state) = (state.clone(), state);
            return Ok(true);
        }
        let found = self.file.metadata()?.len();
        file_access::check_length(self.state.length, found, self.is_dirty)?;
        Ok(false)
    }

    fn append(&mut self, events: &[AuditEvent]) -> io::Result<()> {
        let mut chain = self.state.chain.clone();
        let mut lines = String::new();
        let begin = self.previous.filter(|_| chain.lines == 0).map(|previous| {
            let detail = TrailDetail {
                trail: chain.trail.clone(),
                previous: Some(chain::hex(&previous)),
                last: Some(chain.last_seq),
                line: None,
            };
            self.event(BEGIN_OPERATION, detail)
        });
        for event in begin.iter().chain(events) {
            lines.push_str(&chain.append(event));
            lines.push('\n');
        }
        if self.is_dirty {
            self.file.set_len(self.state.length)?;
        }
        self.is_dirty = true;
        self.file.seek(SeekFrom::Start(self.state.length))?;
        self.file.write_all(lines.as_bytes())?;
        self.is_dirty = false;
        let length = self.state.length + u64::try_from(lines.len()).unwrap_or(u64::MAX);
        self.state = WrittenState { chain, length };
        Ok(())
    }
}

impl AuditSink for AuditFile {
    fn position(&self) -> Option<SinkPosition> {
        let chain = &self.state.chain;
        Some(SinkPosition {
            is_empty: chain.lines == 0,
            trail: chain.trail.clone(),
            seq: chain.last_seq,
            digest: chain.last_event.as_deref().map(AuditEvent::digest),
        })
    }

    fn write(&mut self, events: &[AuditEvent]) -> io::Result<()> {
        self.reopen_if_moved()?;
        self.append(events)
    }

    fn reopen(&mut self) -> io::Result<()> {
        if self.reopen_if_moved()? {
            // The first line says what the file continues.
            return self.append(&[]);
        }
        let file = self.file_identity.path().display();
        tracing::info!(%file, "the audit file was not moved, and is continued");
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let outcome = self.file.sync_data();
        if outcome.is_ok() {
            self.synced = self.state.clone();
        } else {
            self.state = self.synced.clone();
            self.is_dirty = true;
        }
        outcome
    }
}

#[cfg(test)]
mod tests;

//! A file of its own for the audit trail.

use super::chain::{self, Broken, Chain, Checked};
use super::place::{self, Place};
use anyhow::{Context as _, anyhow};
use portcullis_app::audit::{AuditEvent, AuditSink, BEGIN, SinkPosition};
use portcullis_domain::audit::Event;
use portcullis_domain::clock::Clock;
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the store still has of the trail, for mending a file that was not written in whole.
#[derive(Debug, Clone)]
pub(crate) struct InStore {
    /// Which trail it has.
    pub(crate) trail: Option<String>,
    /// The number of the first event that is still there.
    pub(crate) first: u64,
}

/// A file that was looked at and not yet changed.
#[derive(Debug)]
pub(crate) struct Found {
    path: PathBuf,
    /// The file, if there is one.
    file: Option<File>,
    checked: Checked,
    broken: Option<Broken>,
}

impl Found {
    /// Looks at the file and checks the chain in it, without a trace: the start may fail for other
    /// reasons.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the file and what to do.
    pub(crate) fn at(path: &Path) -> anyhow::Result<Self> {
        let file = place::open_existing(path)?;
        let (checked, broken) = match &file {
            Some(file) => chain::examine(BufReader::new(file)),
            None => (Checked::default(), None),
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            checked,
            broken,
        })
    }

    /// Makes the file, if there is none, and goes on behind what is whole of it.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the file and what to do.
    pub(crate) fn resume(
        self,
        store: &InStore,
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
            && !can_be_mended(&checked.chain, &broken, store)
        {
            return Err(anyhow!(
                "the audit file {name} is damaged: {broken}; keep it for an investigation under \
                 another name, and start again with a new file"
            ));
        }
        let file = match file {
            Some(file) => file,
            None => place::create(&path)?,
        };
        let place = Place::of(&path, &file);
        let place = place.with_context(|| format!("the audit file {name} cannot be looked at"))?;
        let state = State {
            chain: checked.chain,
            length: checked.length,
        };
        let mut opened = AuditFile {
            file,
            place,
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
                "the last line of the audit file was written only in part, and is written anew"
            );
        }
        Ok(opened)
    }
}

/// Whether everything that is lost with the damaged lines is still in the store.
fn can_be_mended(chain: &Chain, broken: &Broken, store: &InStore) -> bool {
    let is_same = chain.trail.is_some() && chain.trail == store.trail;
    broken.may_be_torn() && is_same && chain.lines > 0 && store.first <= chain.last_seq + 1
}

/// How far a file is written.
#[derive(Debug, Clone)]
struct State {
    chain: Chain,
    /// Bytes of the lines in the chain.
    length: u64,
}

/// What is particular to the events that a file adds.
#[derive(Serialize)]
struct Detail {
    #[serde(skip_serializing_if = "Option::is_none")]
    trail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

/// Writes events as a chain of lines into a file that nobody else writes.
pub(crate) struct AuditFile {
    file: File,
    place: Place,
    clock: Arc<dyn Clock>,
    state: State,
    /// As it was when the disk had everything.
    synced: State,
    /// Whether the file may have more than the lines in the chain: an attempt that failed left it.
    is_dirty: bool,
    /// The last hash of the file that this one continues.
    previous: Option<[u8; 32]>,
}

impl AuditFile {
    fn event(&self, operation: &str, detail: Detail) -> AuditEvent {
        let now = self.clock.now().to_string();
        AuditEvent::uncommitted(&Event::new(&now, operation, detail))
    }

    /// Takes damaged lines away and says so.
    fn repair(&mut self) -> anyhow::Result<()> {
        let line = self.state.chain.lines + 1;
        let name = self.place.path().display();
        tracing::warn!(
            file = %name, line,
            "the audit file is damaged from this line on, as by a loss of power; the store still has \
             the committed events in it, and they are written anew"
        );
        let context = format!("the audit file {name} cannot be written");
        let detail = Detail {
            trail: None,
            previous: None,
            last: None,
            line: Some(line),
        };
        let event = self.event("audit.repair", detail);
        self.append(&[event]).context(context)
    }

    /// Goes on in a new file if this one was moved or removed, and makes sure that nobody else wrote
    /// it.
    fn check_place(&mut self) -> io::Result<()> {
        if self.place.is_moved()? {
            // What it has must not be lost while it is put away.
            self.file.sync_data()?;
            let file = place::create(self.place.path()).map_err(io::Error::other)?;
            let place = Place::of(self.place.path(), &file)?;
            tracing::info!(
                file = %place.path().display(),
                "the audit file was moved or removed; the trail goes on in a new one"
            );
            let state = State {
                chain: self.state.chain.continued(),
                length: 0,
            };
            self.previous = Some(self.state.chain.hash);
            (self.file, self.place, self.is_dirty) = (file, place, true);
            (self.synced, self.state) = (state.clone(), state);
            return Ok(());
        }
        let found = self.file.metadata()?.len();
        place::check_length(self.state.length, found, self.is_dirty)
    }

    fn append(&mut self, events: &[AuditEvent]) -> io::Result<()> {
        let mut chain = self.state.chain.clone();
        let mut lines = String::new();
        let begin = self.previous.filter(|_| chain.lines == 0).map(|previous| {
            let detail = Detail {
                trail: chain.trail.clone(),
                previous: Some(chain::hex(&previous)),
                last: Some(chain.last_seq),
                line: None,
            };
            self.event(BEGIN, detail)
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
        self.state = State { chain, length };
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
        self.check_place()?;
        self.append(events)
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

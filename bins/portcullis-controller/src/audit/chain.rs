//! The chain of hashes that a file of the audit trail is.
//!
//! Each line is an event and a hash, SHA-256 of the hash before it and of the event. So no line can be
//! changed, removed, added or moved without the ones behind it ceasing to fit; the first line says that
//! the chain begins with it.

mod broken;
mod check;

pub(crate) use broken::Broken;
#[cfg(test)]
pub(crate) use check::Note;
pub(crate) use check::{Checked, check, examine};

use portcullis_app::audit::AuditEvent;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;

/// What stands between an event and its hash. The hash is about the bytes of the event, so these are
/// never parsed and written anew.
const SEAM: &str = ",\"hash\":\"";

/// How far a chain has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) hash: [u8; 32],
    /// How many lines it has.
    pub(crate) lines: u64,
    /// The number of the last committed event in it.
    pub(crate) last_seq: u64,
    /// That event, if it is in this file.
    pub(crate) last_event: Option<String>,
    /// Which trail it is, as the chain says.
    pub(crate) trail: Option<String>,
}

/// What of an event matters to the chain.
#[derive(Deserialize)]
struct Event<'e> {
    seq: Option<u64>,
    #[serde(borrow)]
    operation: Cow<'e, str>,
    first: Option<u64>,
    last: Option<u64>,
    next: Option<u64>,
    trail: Option<String>,
    previous: Option<String>,
    line: Option<u64>,
}

impl Chain {
    /// That of a file which continues this one.
    pub(crate) fn continued(&self) -> Self {
        Self {
            hash: [0; 32],
            lines: 0,
            ..self.clone()
        }
    }

    /// The line that an event becomes, without the line break.
    pub(crate) fn append(&mut self, event: &AuditEvent) -> String {
        self.hash = link(&self.hash, &event.text);
        self.lines += 1;
        match event.seq {
            Some(seq) => self.committed(seq, &event.text),
            None => {
                if let Ok(parsed) = serde_json::from_str::<Event<'_>>(&event.text) {
                    self.learn(&parsed);
                }
            },
        }
        let members = event.text.strip_suffix('}').unwrap_or(&event.text);
        format!("{members}{SEAM}{}\"}}", hex(&self.hash))
    }

    fn committed(&mut self, seq: u64, text: &str) {
        self.last_seq = seq;
        text.clone_into(self.last_event.get_or_insert_default());
    }

    /// Takes over what an event about the trail itself says.
    fn learn(&mut self, event: &Event<'_>) {
        if !event.operation.starts_with("audit.") {
            return;
        }
        if event.trail.is_some() {
            self.trail.clone_from(&event.trail);
        }
        let before = event.next.map(|next| next.saturating_sub(1));
        if let Some(last) = event.last.or(before) {
            self.last_seq = last;
            self.last_event = None;
        }
    }
}

fn link(before: &[u8; 32], event: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(before)
        .chain_update(event)
        .finalize()
        .into()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a text does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests;

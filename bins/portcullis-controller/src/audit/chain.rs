//! Hash chain of an audit file.
//!
//! Each line is an event with a hash: SHA-256 of the previous hash and of the event. So no line can be
//! changed, removed, added or moved without invalidating the lines after it; the first line marks the
//! beginning of the chain.

mod error;
mod verify;

pub(crate) use error::AuditChainError;
#[cfg(test)]
pub(crate) use verify::ChainNote;
pub(crate) use verify::{VerifiedAuditChain, scan_chain, verify_chain};

use portcullis_app::audit::AuditEvent;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Separator between an event and its hash. The hash covers the bytes of the event, so these are never
/// parsed and serialized again.
const HASH_MEMBER: &str = ",\"hash\":\"";

/// State of a chain after its last line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HashChain {
    pub(crate) hash: [u8; 32],
    pub(crate) lines: u64,
    /// Number of the last committed event.
    pub(crate) last_seq: u64,
    /// The last committed event, if it is in this file.
    pub(crate) last_event: Option<String>,
    /// Id of the trail, as recorded in the chain.
    pub(crate) trail: Option<String>,
}

/// Members of an event that matter to the chain.
#[derive(Deserialize)]
struct TrailEvent<'e> {
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

impl HashChain {
    /// The initial chain of a file that continues this one.
    pub(crate) fn continuation(&self) -> Self {
        Self {
            hash: [0; 32],
            lines: 0,
            ..self.clone()
        }
    }

    /// Appends an event and returns its line, without the line break.
    pub(crate) fn append(&mut self, event: &AuditEvent) -> String {
        self.hash = chain_hash(&self.hash, &event.text);
        self.lines += 1;
        match event.seq {
            Some(seq) => self.push_committed(seq, &event.text),
            None => {
                if let Ok(parsed) = serde_json::from_str::<TrailEvent<'_>>(&event.text) {
                    self.apply_trail_event(&parsed);
                }
            },
        }
        let members = event.text.strip_suffix('}').unwrap_or(&event.text);
        format!("{members}{HASH_MEMBER}{}\"}}", hex(&self.hash))
    }

    fn push_committed(&mut self, seq: u64, text: &str) {
        self.last_seq = seq;
        text.clone_into(self.last_event.get_or_insert_default());
    }

    /// Applies an event about the trail itself.
    fn apply_trail_event(&mut self, event: &TrailEvent<'_>) {
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

fn chain_hash(before: &[u8; 32], event: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(before)
        .chain_update(event)
        .finalize()
        .into()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests;

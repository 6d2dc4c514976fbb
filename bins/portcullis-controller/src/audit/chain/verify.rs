//! Verification of a chain from its beginning.

use super::{AuditChainError, HASH_MEMBER, HashChain, TrailEvent, chain_hash, hex};
use portcullis_app::audit::BEGIN_OPERATION;
use std::fmt;
use std::io::BufRead;

/// Maximum number of notes about one chain.
const MAX_NOTES: usize = 1000;

/// Noteworthy fact about an intact chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChainNote {
    /// The file continues another one.
    Continues { hash: String, last: u64 },
    /// Numbers of events are missing.
    Missing { line: u64, first: u64, last: u64 },
    /// The numbers restart.
    Restart { line: u64, before: u64, next: u64 },
    /// Damaged lines were removed and written again.
    Repair { line: u64 },
}

impl fmt::Display for ChainNote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continues { hash, last } => write!(
                formatter,
                "it continues a file whose last line has the hash {hash}, and whose last committed \
                 event is number {last}"
            ),
            Self::Missing { line, first, last } => write!(
                formatter,
                "line {line}: the events {first} to {last} are missing: they are in an earlier \
                 file, or were removed or dropped"
            ),
            Self::Restart { line, before, next } => write!(
                formatter,
                "line {line}: the store is not the one that wrote events up to number {before}: a \
                 backup was restored, or the file belonged to another controller; numbers \
                 continue at {next}"
            ),
            Self::Repair { line } => write!(
                formatter,
                "line {line}: the lines from here on were damaged, for example by a power loss; \
                 the committed events in them were written again"
            ),
        }
    }
}

/// A verified chain, and the end of its last complete line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct VerifiedAuditChain {
    pub(crate) chain: HashChain,
    /// Bytes of complete lines.
    pub(crate) length: u64,
    /// Whether an incomplete line follows.
    pub(crate) is_torn: bool,
    pub(crate) notes: Vec<ChainNote>,
}

impl VerifiedAuditChain {
    /// Whether its first line says that it continues `earlier`.
    pub(crate) fn continues(&self, earlier: &HashChain) -> bool {
        let end = hex(&earlier.hash);
        self.notes
            .iter()
            .any(|note| matches!(note, ChainNote::Continues { hash, .. } if *hash == end))
    }

    /// Whether numbers of events are missing.
    pub(crate) fn lacks_events(&self) -> bool {
        let is_gap = |note: &ChainNote| matches!(note, ChainNote::Missing { .. });
        self.notes.iter().any(is_gap)
    }

    fn verify_line(&mut self, line: &[u8]) -> Result<(), AuditChainError> {
        let number = self.chain.lines + 1;
        let form = || AuditChainError::Malformed(number);
        let line = std::str::from_utf8(line).map_err(|_other| form())?;
        let (event, hash) = line.rsplit_once(HASH_MEMBER).ok_or_else(form)?;
        let event = format!("{event}}}");
        let parsed: TrailEvent<'_> = serde_json::from_str(&event).map_err(|_other| form())?;
        if number == 1 && parsed.operation != BEGIN_OPERATION {
            return Err(AuditChainError::MissingBeginning);
        }
        let expected = chain_hash(&self.chain.hash, &event);
        if hash.strip_suffix("\"}") != Some(hex(&expected).as_str()) {
            return Err(AuditChainError::HashMismatch(number));
        }
        let expected_number = self.chain.last_seq + 1;
        match parsed.seq {
            Some(found) if found != expected_number => {
                return Err(AuditChainError::UnexpectedNumber {
                    line: number,
                    found,
                    expected: expected_number,
                });
            },
            Some(found) => self.chain.push_committed(found, &event),
            None => self.push_note(number, &parsed),
        }
        self.chain.hash = expected;
        self.chain.lines = number;
        Ok(())
    }

    fn push_note(&mut self, line: u64, event: &TrailEvent<'_>) {
        let before = self.chain.last_seq;
        self.chain.apply_trail_event(event);
        let last = self.chain.last_seq;
        let note = match &*event.operation {
            BEGIN_OPERATION => event
                .previous
                .clone()
                .map(|hash| ChainNote::Continues { hash, last }),
            "audit.missing" => event
                .first
                .map(|first| ChainNote::Missing { line, first, last }),
            "audit.restart" => event
                .next
                .map(|next| ChainNote::Restart { line, before, next }),
            "audit.repair" => event.line.map(|line| ChainNote::Repair { line }),
            _ => None,
        };
        if self.notes.len() < MAX_NOTES {
            self.notes.extend(note);
        }
    }
}

/// Reads a chain as far as it is intact, and returns the error that ends it, if any.
pub(crate) fn scan_chain(mut file: impl BufRead) -> (VerifiedAuditChain, Option<AuditChainError>) {
    let mut checked = VerifiedAuditChain::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = match file.read_until(b'\n', &mut line) {
            Ok(read) => read,
            Err(error) => return (checked, Some(error.into())),
        };
        let Some(whole) = line.strip_suffix(b"\n") else {
            checked.is_torn = read > 0;
            return (checked, None);
        };
        if let Err(broken) = checked.verify_line(whole) {
            return (checked, Some(broken));
        }
        checked.length += u64::try_from(read).unwrap_or(u64::MAX);
    }
}

/// Reads and verifies a whole chain.
pub(crate) fn verify_chain(file: impl BufRead) -> Result<VerifiedAuditChain, AuditChainError> {
    match scan_chain(file) {
        (_, Some(broken)) => Err(broken),
        (checked, None) => Ok(checked),
    }
}

//! The chain of hashes that a file of the audit trail is.
//!
//! Each line is an event and a hash, SHA-256 of the hash before it and of the event. So no line can be
//! changed, removed, added or moved without the ones behind it ceasing to fit; the first line says that
//! the chain begins with it.

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::{self, BufRead};

/// What stands between an event and its hash.
const SEAM: &str = ",\"hash\":\"";
/// The operation of the first line.
const BEGIN: &str = "audit.begin";
/// The operations after which the numbers need not follow on.
const GAPS: [&str; 2] = ["audit.missing", "audit.restart"];

/// How far a chain has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    hash: [u8; 32],
    /// The number of the last committed event in it.
    pub(crate) last_seq: u64,
    /// How many lines it has.
    pub(crate) lines: u64,
}

/// Why a file is not the chain that it should be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// A line has another form.
    #[error("line {0} is not an event with a hash")]
    Form(u64),
    /// A line does not follow from those before.
    #[error(
        "line {0} does not follow from the one before: it was changed or moved, or a line before it was \
         changed, added or removed"
    )]
    Hash(u64),
    /// It begins in the middle.
    #[error("line 1 is not the beginning of a trail: what stood before it was removed")]
    Beginning,
    /// Numbers of events are missing.
    #[error("line {line} has the number {found}, where {expected} is due")]
    Number {
        /// The line.
        line: u64,
        /// The number that it has.
        found: u64,
        /// The number that would follow.
        expected: u64,
    },
}

/// What of an event matters to the chain.
#[derive(Deserialize)]
struct Event<'e> {
    seq: Option<u64>,
    operation: std::borrow::Cow<'e, str>,
    last: Option<u64>,
    next: Option<u64>,
}

impl Chain {
    /// The line that an event becomes, without the line break.
    pub(crate) fn append(&mut self, event: &str, seq: Option<u64>) -> String {
        self.hash = link(&self.hash, event);
        self.last_seq = seq.unwrap_or(self.last_seq);
        self.lines += 1;
        let event = event.strip_suffix('}').unwrap_or(event);
        format!("{event}{SEAM}{}\"}}", hex(&self.hash))
    }

    /// The event of the line that begins a chain.
    pub(crate) fn beginning(timestamp: &str) -> String {
        format!("{{\"timestamp\":\"{timestamp}\",\"operation\":\"{BEGIN}\"}}")
    }

    /// Checks the next line.
    fn follow(&mut self, line: &str) -> Result<(), Broken> {
        self.lines += 1;
        let number = self.lines;
        let (event, hash) = line.rsplit_once(SEAM).ok_or(Broken::Form(number))?;
        let event = format!("{event}}}");
        let expected = link(&self.hash, &event);
        let parsed: Event<'_> =
            serde_json::from_str(&event).map_err(|_other| Broken::Form(number))?;
        if number == 1 && parsed.operation != BEGIN {
            return Err(Broken::Beginning);
        }
        if hash.strip_suffix("\"}") != Some(hex(&expected).as_str()) {
            return Err(Broken::Hash(number));
        }
        self.hash = expected;
        self.count(&parsed)
    }

    /// Checks that the numbers of the committed events follow one another.
    fn count(&mut self, event: &Event<'_>) -> Result<(), Broken> {
        if GAPS.contains(&&*event.operation) {
            let before = event.next.map(|next| next.saturating_sub(1));
            self.last_seq = event.last.or(before).unwrap_or(self.last_seq);
        }
        let Some(found) = event.seq else {
            return Ok(());
        };
        let expected = self.last_seq + 1;
        if found != expected {
            let line = self.lines;
            return Err(Broken::Number {
                line,
                found,
                expected,
            });
        }
        self.last_seq = found;
        Ok(())
    }
}

/// A chain that was read, and where its last whole line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Checked {
    /// The chain.
    pub(crate) chain: Chain,
    /// Bytes of whole lines.
    pub(crate) length: u64,
    /// Whether something that is no whole line follows.
    pub(crate) is_torn: bool,
}

/// Reads a chain from its beginning and checks it.
pub(crate) fn check(mut file: impl BufRead) -> Result<Checked, Broken> {
    let mut checked = Checked {
        chain: Chain::default(),
        length: 0,
        is_torn: false,
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = file.read_until(b'\n', &mut line)?;
        let Some(whole) = line.strip_suffix(b"\n") else {
            checked.is_torn = read > 0;
            return Ok(checked);
        };
        let number = checked.chain.lines + 1;
        let text = std::str::from_utf8(whole).map_err(|_other| Broken::Form(number))?;
        checked.chain.follow(text)?;
        checked.length += u64::try_from(read).unwrap_or(u64::MAX);
    }
}

fn link(before: &[u8; 32], event: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(before)
        .chain_update(event)
        .finalize()
        .into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a text does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(events: u64) -> Vec<String> {
        let mut chain = Chain::default();
        let mut lines = vec![chain.append(&Chain::beginning("2026-01-01T00:00:00Z"), None)];
        for seq in 1..=events {
            let event = format!(
                "{{\"seq\":{seq},\"operation\":\"identity.create\",\"entity\":\"e{seq}\"}}"
            );
            lines.push(chain.append(&event, Some(seq)));
        }
        lines
    }

    fn checked(lines: &[String]) -> Result<Checked, Broken> {
        let text = lines.join("\n") + "\n";
        check(text.as_bytes())
    }

    #[test]
    fn chain_that_nobody_touched_holds() {
        let checked = checked(&lines(5)).unwrap();
        assert_eq!((checked.chain.last_seq, checked.chain.lines), (5, 6));
        assert!(!checked.is_torn);
        for line in lines(5) {
            serde_json::from_str::<serde_json::Value>(&line).unwrap();
        }
    }

    #[test]
    fn any_line_that_is_changed_removed_added_or_moved_shows() {
        let whole = lines(6);
        for at in 0..whole.len() {
            let mut edited = whole.clone();
            edited[at] = edited[at].replace('e', "E").replace("2026", "2027");
            assert!(checked(&edited).is_err(), "line {at} edited");
            let mut removed = whole.clone();
            removed.remove(at);
            // What is missing at the end shows in the next start: the store knows more.
            assert_eq!(
                checked(&removed).is_err(),
                at + 1 < whole.len(),
                "line {at} removed"
            );
            let mut doubled = whole.clone();
            doubled.insert(at, whole[at].clone());
            assert!(checked(&doubled).is_err(), "line {at} added");
            if at > 0 {
                let mut moved = whole.clone();
                moved.swap(at - 1, at);
                assert!(checked(&moved).is_err(), "line {at} moved");
            }
        }
        assert!(matches!(checked(&whole[2..]), Err(Broken::Beginning)));
    }

    #[test]
    fn missing_numbers_show_unless_the_trail_says_so() {
        let event = |seq: u64| format!("{{\"seq\":{seq},\"operation\":\"o\"}}");
        let begin = Chain::beginning("t");
        let mut chain = Chain::default();
        let mut lines = vec![chain.append(&begin, None), chain.append(&event(2), Some(2))];
        assert!(matches!(
            checked(&lines),
            Err(Broken::Number {
                line: 2,
                found: 2,
                expected: 1
            })
        ));
        let mut chain = Chain::default();
        let missing = r#"{"operation":"audit.missing","first":1,"last":1}"#;
        lines = vec![
            chain.append(&begin, None),
            chain.append(missing, None),
            chain.append(&event(2), Some(2)),
        ];
        assert_eq!(checked(&lines).unwrap().chain.last_seq, 2);
    }

    #[test]
    fn torn_last_line_is_told_apart_from_damage() {
        let mut text = lines(2).join("\n") + "\n";
        let length = text.len() as u64;
        text.push_str("{\"seq\":3,\"opera");
        let checked = check(text.as_bytes()).unwrap();
        assert!(checked.is_torn);
        assert_eq!(checked.length, length);
    }
}

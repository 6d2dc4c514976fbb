//! Checks a chain from its beginning.

use super::{Broken, Chain, Event, SEAM, hex, link};
use portcullis_app::audit::BEGIN;
use std::fmt;
use std::io::BufRead;

/// Things worth telling of one chain that are kept.
const NOTES: usize = 1000;

/// Something about a whole chain that whoever checks it should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// The file goes on where another ended.
    Continues { hash: String, last: u64 },
    /// Numbers are missing.
    Missing { line: u64, first: u64, last: u64 },
    /// The numbers begin anew.
    Restart { line: u64, before: u64, next: u64 },
    /// Damaged lines were taken away, and written anew.
    Repair { line: u64 },
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continues { hash, last } => write!(
                formatter,
                "it continues a file whose last line has the hash {hash}, and whose last committed \
                 event is number {last}"
            ),
            Self::Missing { line, first, last } => write!(
                formatter,
                "line {line}: the events {first} to {last} are missing: they are in a file from \
                 before, or were removed or given up"
            ),
            Self::Restart { line, before, next } => write!(
                formatter,
                "line {line}: the store is not the one that wrote up to number {before}: a backup \
                 was put back, or the file belonged to another controller; numbers go on at {next}"
            ),
            Self::Repair { line } => write!(
                formatter,
                "line {line}: the lines from here on were damaged, as by a loss of power; the \
                 committed events in them were written anew"
            ),
        }
    }
}

/// A chain that was read, and where its last whole line ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    /// The chain.
    pub(crate) chain: Chain,
    /// Bytes of whole lines.
    pub(crate) length: u64,
    /// Whether something that is no whole line follows.
    pub(crate) is_torn: bool,
    /// What is to be told of it.
    pub(crate) notes: Vec<Note>,
}

impl Checked {
    /// Checks the next line.
    fn follow(&mut self, line: &[u8]) -> Result<(), Broken> {
        let number = self.chain.lines + 1;
        let form = || Broken::Form(number);
        let line = std::str::from_utf8(line).map_err(|_other| form())?;
        let (event, hash) = line.rsplit_once(SEAM).ok_or_else(form)?;
        let event = format!("{event}}}");
        let parsed: Event<'_> = serde_json::from_str(&event).map_err(|_other| form())?;
        if number == 1 && parsed.operation != BEGIN {
            return Err(Broken::Beginning);
        }
        let expected = link(&self.chain.hash, &event);
        if hash.strip_suffix("\"}") != Some(hex(&expected).as_str()) {
            return Err(Broken::Hash(number));
        }
        let due = self.chain.last_seq + 1;
        match parsed.seq {
            Some(found) if found != due => {
                return Err(Broken::Number {
                    line: number,
                    found,
                    expected: due,
                });
            },
            Some(found) => self.chain.committed(found, &event),
            None => self.note(number, &parsed),
        }
        self.chain.hash = expected;
        self.chain.lines = number;
        Ok(())
    }

    fn note(&mut self, line: u64, event: &Event<'_>) {
        let before = self.chain.last_seq;
        self.chain.learn(event);
        let last = self.chain.last_seq;
        let note = match &*event.operation {
            BEGIN => event
                .previous
                .clone()
                .map(|hash| Note::Continues { hash, last }),
            "audit.missing" => event.first.map(|first| Note::Missing { line, first, last }),
            "audit.restart" => event.next.map(|next| Note::Restart { line, before, next }),
            "audit.repair" => event.line.map(|line| Note::Repair { line }),
            _ => None,
        };
        if self.notes.len() < NOTES {
            self.notes.extend(note);
        }
    }
}

/// Reads a chain from its beginning, as far as it is whole, and says why if it is not.
pub(crate) fn examine(mut file: impl BufRead) -> (Checked, Option<Broken>) {
    let mut checked = Checked::default();
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
        if let Err(broken) = checked.follow(whole) {
            return (checked, Some(broken));
        }
        checked.length += u64::try_from(read).unwrap_or(u64::MAX);
    }
}

/// Reads a chain from its beginning and checks it.
pub(crate) fn check(file: impl BufRead) -> Result<Checked, Broken> {
    match examine(file) {
        (_, Some(broken)) => Err(broken),
        (checked, None) => Ok(checked),
    }
}

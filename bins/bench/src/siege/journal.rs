//! What honest clients got, by operation.

use parking_lot::Mutex;
use std::time::Duration;

/// What honest clients do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    PasswordLogin,
    CertificateLogin,
    SecondFactor,
    CurrentIdentity,
    List,
    Create,
}

impl Operation {
    /// All of them, in the order of the table.
    pub(super) const ALL: [Self; 6] = [
        Self::PasswordLogin,
        Self::CertificateLogin,
        Self::SecondFactor,
        Self::CurrentIdentity,
        Self::List,
        Self::Create,
    ];

    /// Its name in the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PasswordLogin => "password login",
            Self::CertificateLogin => "certificate login",
            Self::SecondFactor => "TOTP code",
            Self::CurrentIdentity => "current identity",
            Self::List => "list",
            Self::Create => "create",
        }
    }
}

/// How a request of an honest client ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// As it should.
    Done,
    /// With 429 or 503: come again.
    Refused,
    /// Otherwise, or not in time.
    Failed,
}

/// What was got of one operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// How long each took, whatever its end.
    pub(super) times: Vec<Duration>,
    pub(super) refused: u64,
    pub(super) failed: u64,
}

/// What was got of every operation, in the order of [`Operation::ALL`].
pub(super) type Records = [Record; Operation::ALL.len()];

/// What was got since it was last read.
#[derive(Debug, Default)]
pub(super) struct Journal(Mutex<Records>);

impl Journal {
    /// Notes one request.
    pub(super) fn note(&self, operation: Operation, time: Duration, outcome: Outcome) {
        let mut records = self.0.lock();
        let place = Operation::ALL.iter().position(|it| *it == operation);
        if let Some(record) = place.and_then(|place| records.get_mut(place)) {
            record.times.push(time);
            match outcome {
                Outcome::Done => {},
                Outcome::Refused => record.refused += 1,
                Outcome::Failed => record.failed += 1,
            }
        }
    }

    /// Hands over what was noted, times in order, and begins anew.
    pub(super) fn take(&self) -> Records {
        let mut records = {
            let mut noted = self.0.lock();
            std::mem::take(&mut *noted)
        };
        for record in &mut records {
            record.times.sort_unstable();
        }
        records
    }
}

impl Record {
    /// Takes another one in.
    pub(super) fn add(&mut self, other: &Self) {
        self.times.extend_from_slice(&other.times);
        self.times.sort_unstable();
        self.refused += other.refused;
        self.failed += other.failed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_begins_anew_when_it_is_read() {
        let journal = Journal::default();
        let (short, long) = (Duration::from_millis(1), Duration::from_secs(1));
        journal.note(Operation::List, long, Outcome::Refused);
        journal.note(Operation::List, short, Outcome::Done);
        let [.., list, create] = journal.take();
        assert_eq!((list.times, list.refused), (vec![short, long], 1));
        assert_eq!(create, Record::default());
        assert_eq!(journal.take(), Records::default());
    }
}

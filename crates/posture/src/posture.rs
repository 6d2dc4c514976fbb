//! What one API session reported.

mod size;
#[cfg(test)]
mod tests;

use crate::prompts::Prompts;
use crate::report::{Settled, at_place, member};
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{Os, Process, Report, Reported, Statement};
use portcullis_domain::posture_check::ProcessPath;
use size::Texts;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one API session reported, the newest of everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posture {
    os: Option<Reported<Os>>,
    domain: Option<Reported<String>>,
    addresses: Option<Reported<Vec<String>>>,
    processes: BTreeMap<ProcessKey, Reported<Process>>,
    woken_at: Option<Timestamp>,
    unlocked_at: Option<Timestamp>,
}

/// By what a reported process is found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessKey {
    /// Its binary.
    Path(String),
    /// The check that asks for it, where the client named no path.
    Check(PostureCheckId),
}

/// What came of recording reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether something is otherwise than it was: only then can a verdict be.
    pub has_changed: bool,
    /// What happened to the machine.
    pub prompts: Prompts,
}

impl Posture {
    /// Most processes of a session.
    pub const MOST_PROCESSES: usize = 512;
    /// Most bytes of text of a session. About 150 processes with SHA-512 hashes fit.
    pub const MOST_BYTES: usize = 64 * 1024;
    /// Most reports that are made at once.
    pub const MOST_AT_ONCE: usize = 1024;

    /// Records one report.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the member that is of absurd size; nothing is recorded then.
    pub fn record(&mut self, statement: Statement, now: Timestamp) -> Result<Outcome, FieldError> {
        self.take_in(Settled::one(statement)?, now)
    }

    /// Records reports that were made at once, all or none.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the place of the report and its member that is of absurd size, such as
    /// `0.macAddresses`; nothing is recorded then.
    pub fn record_all(
        &mut self,
        statements: Vec<Statement>,
        now: Timestamp,
    ) -> Result<Outcome, FieldError> {
        self.take_in(Settled::several(statements)?, now)
    }

    /// Records what was brought into its form before, all or nothing.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the member that is too much for a session, behind the place of the report
    /// if there are several.
    pub fn take_in(&mut self, settled: Settled, now: Timestamp) -> Result<Outcome, FieldError> {
        let mut next = Growing::from(&*self);
        let mut all = Outcome::default();
        for (place, statement) in settled.into_statements() {
            let outcome = next
                .take_in(statement, now)
                .map_err(|error| at_place(place, error))?;
            all.has_changed |= outcome.has_changed;
            all.prompts = all.prompts.and(outcome.prompts);
        }
        *self = next.posture;
        Ok(all)
    }

    /// Notes what happened to the machine. Each time is a change: it opens the grace anew.
    fn note(&mut self, prompts: Prompts, now: Timestamp) -> bool {
        if prompts.woken {
            self.woken_at = self.woken_at.max(Some(now));
        }
        if prompts.unlocked {
            self.unlocked_at = self.unlocked_at.max(Some(now));
        }
        prompts.any()
    }

    /// The bytes of all texts.
    pub fn bytes(&self) -> usize {
        let processes = self.processes.iter();
        let processes = processes.map(|(key, process)| key.bytes() + process.bytes());
        self.os.bytes() + self.domain.bytes() + self.addresses.bytes() + processes.sum::<usize>()
    }

    /// What sessions of an identity reported, the newest of everything, to be shown to
    /// administrators. Nothing is to be judged by it.
    #[must_use]
    pub fn newest<'a>(postures: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for posture in postures {
            newer(&mut all.os, posture.os.as_ref());
            newer(&mut all.domain, posture.domain.as_ref());
            newer(&mut all.addresses, posture.addresses.as_ref());
            for (key, process) in &posture.processes {
                let mut place = all.processes.remove(key);
                newer(&mut place, Some(process));
                all.processes
                    .extend(place.map(|reported| (key.clone(), reported)));
            }
            all.woken_at = all.woken_at.max(posture.woken_at);
            all.unlocked_at = all.unlocked_at.max(posture.unlocked_at);
        }
        all
    }

    /// The operating system.
    pub fn os(&self) -> Option<&Reported<Os>> {
        self.os.as_ref()
    }

    /// The Windows domain.
    pub fn domain(&self) -> Option<&Reported<String>> {
        self.domain.as_ref()
    }

    /// The MAC addresses as bare lower-case hex, sorted and each there once.
    pub fn addresses(&self) -> Option<&Reported<Vec<String>>> {
        self.addresses.as_ref()
    }

    /// The processes, by path first.
    pub fn processes(&self) -> impl Iterator<Item = (&ProcessKey, &Reported<Process>)> {
        self.processes.iter()
    }

    /// The process of this binary.
    pub fn process_at(&self, path: &ProcessPath) -> Option<&Reported<Process>> {
        let key = ProcessKey::Path(path.as_str().to_owned());
        self.processes.get(&key)
    }

    /// The process that was reported for this check without a path.
    pub fn process_for(&self, check: &PostureCheckId) -> Option<&Reported<Process>> {
        self.processes.get(&ProcessKey::Check(check.clone()))
    }

    /// When the machine last woke up.
    pub fn woken_at(&self) -> Option<Timestamp> {
        self.woken_at
    }

    /// When the machine was last unlocked.
    pub fn unlocked_at(&self) -> Option<Timestamp> {
        self.unlocked_at
    }
}

/// What a session reported while more is taken in, with the bytes of its texts: to count all of them
/// for each of many reports takes long.
struct Growing {
    posture: Posture,
    bytes: usize,
}

impl From<&Posture> for Growing {
    fn from(posture: &Posture) -> Self {
        Self {
            posture: posture.clone(),
            bytes: posture.bytes(),
        }
    }
}

impl Growing {
    fn take_in(&mut self, statement: Statement, now: Timestamp) -> Result<Outcome, FieldError> {
        let Statement { check, report } = statement;
        let member = member(&report);
        let mut prompts = Prompts::default();
        let Self { posture, bytes } = self;
        let has_changed = match report {
            Report::Os(os) => put((&mut posture.os, bytes), check, os, now),
            Report::Domain(domain) => put((&mut posture.domain, bytes), check, domain, now),
            Report::Mac(addresses) => put((&mut posture.addresses, bytes), check, addresses, now),
            Report::Process { path, process } => self.put_process(check, path, process, now)?,
            Report::EndpointState { woken, unlocked } => {
                prompts = Prompts { woken, unlocked };
                posture.note(prompts, now)
            },
        };
        self.bound(member)?;
        Ok(Outcome {
            has_changed,
            prompts,
        })
    }

    fn put_process(
        &mut self,
        check: PostureCheckId,
        path: String,
        process: Process,
        now: Timestamp,
    ) -> Result<bool, FieldError> {
        let key = if path.is_empty() {
            ProcessKey::Check(check.clone())
        } else {
            ProcessKey::Path(path)
        };
        let processes = &mut self.posture.processes;
        let mut place = processes.remove(&key);
        if place.is_none() {
            if processes.len() >= Posture::MOST_PROCESSES {
                let most = Posture::MOST_PROCESSES;
                let reason = format!("at most {most} processes can be reported");
                return Err(FieldError::new("path", reason, "one more"));
            }
            self.bytes += key.bytes();
        }
        let has_changed = put((&mut place, &mut self.bytes), check, process, now);
        processes.extend(place.map(|reported| (key, reported)));
        Ok(has_changed)
    }

    /// Refuses what does not fit into the memory that a session may take.
    fn bound(&self, member: &str) -> Result<(), FieldError> {
        if self.bytes <= Posture::MOST_BYTES {
            return Ok(());
        }
        let most = Posture::MOST_BYTES;
        let reason = format!("the posture data of a session is limited to {most} bytes");
        Err(FieldError::new(member, reason, "more"))
    }
}

/// Puts a report in its place, counts its bytes in that of the one before, and says whether it is
/// another one.
fn put<T: PartialEq + Texts>(
    (place, bytes): (&mut Option<Reported<T>>, &mut usize),
    check: PostureCheckId,
    value: T,
    at: Timestamp,
) -> bool {
    *bytes -= place.bytes();
    let before = place.take().filter(|before| *before.value == value);
    let has_changed = before.is_none();
    // What is quoted elsewhere is shared, as long as it stays the same.
    let value = before.map_or_else(|| Arc::new(value), |before| before.value);
    *place = Some(Reported { check, at, value });
    *bytes += place.bytes();
    has_changed
}

/// Takes over what is newer.
fn newer<T>(place: &mut Option<Reported<T>>, other: Option<&Reported<T>>) {
    let at = place.as_ref().map(|reported| reported.at);
    if let Some(other) = other.filter(|other| at.is_none_or(|at| at < other.at)) {
        *place = Some(Reported {
            check: other.check.clone(),
            at: other.at,
            value: Arc::clone(&other.value),
        });
    }
}

//! Posture data of one API session.

#[cfg(test)]
mod tests;
mod text_size;

use crate::mfa_prompts::MfaPrompts;
use crate::report::{NormalizedReports, at_index, largest_field};
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture::{OsInfo, PostureReport, ProcessInfo, Report, Reported};
use portcullis_domain::posture_check::ProcessPath;
use std::collections::BTreeMap;
use std::sync::Arc;
use text_size::TextSize;

/// The latest posture data that one API session reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Posture {
    os: Option<Reported<OsInfo>>,
    domain: Option<Reported<String>>,
    addresses: Option<Reported<Vec<String>>>,
    processes: BTreeMap<ProcessKey, Reported<ProcessInfo>>,
    woken_at: Option<Timestamp>,
    unlocked_at: Option<Timestamp>,
}

/// Key of a reported process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessKey {
    /// Path of the binary.
    Path(String),
    /// The check that requires it, for clients that report no path.
    Check(PostureCheckId),
}

/// Result of recording reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReportOutcome {
    /// Whether anything changed that a verdict may depend on.
    pub has_changed: bool,
    /// Events that were reported.
    pub prompts: MfaPrompts,
}

impl Posture {
    /// Maximum number of processes of a session.
    pub const MAX_PROCESSES: usize = 512;
    /// Maximum size of all strings of a session, in bytes. About 150 processes with SHA-512 hashes
    /// fit.
    pub const MAX_TEXT_BYTES: usize = 64 * 1024;

    /// # Errors
    ///
    /// [`FieldError`] naming the field that is too large; nothing is recorded then.
    pub fn record(
        &mut self,
        statement: PostureReport,
        now: Timestamp,
    ) -> Result<ReportOutcome, FieldError> {
        self.apply(NormalizedReports::from_one(statement)?, now)
    }

    /// Records normalized reports, all or none.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the field that exceeds the limits of a session, preceded by the index
    /// of the report in a batch.
    pub fn apply(
        &mut self,
        reports: NormalizedReports,
        now: Timestamp,
    ) -> Result<ReportOutcome, FieldError> {
        let mut next = PostureUpdate::from(&*self);
        let mut all = ReportOutcome::default();
        for (place, statement) in reports.into_statements() {
            let outcome = next
                .apply(statement, now)
                .map_err(|error| at_index(place, error))?;
            all.has_changed |= outcome.has_changed;
            all.prompts = all.prompts.union(outcome.prompts);
        }
        *self = next.posture;
        Ok(all)
    }

    /// Records wake-up and unlock events. Each one counts as a change, since it starts a new grace
    /// period.
    fn record_prompts(&mut self, prompts: MfaPrompts, now: Timestamp) -> bool {
        if prompts.woken {
            self.woken_at = self.woken_at.max(Some(now));
        }
        if prompts.unlocked {
            self.unlocked_at = self.unlocked_at.max(Some(now));
        }
        prompts.any()
    }

    /// Size of all strings, in bytes.
    pub fn text_bytes(&self) -> usize {
        let processes = self.processes.iter();
        let processes = processes.map(|(key, process)| key.text_bytes() + process.text_bytes());
        self.os.text_bytes()
            + self.domain.text_bytes()
            + self.addresses.text_bytes()
            + processes.sum::<usize>()
    }

    /// The latest data of several sessions of an identity, for administrators. Never used for
    /// evaluation.
    #[must_use]
    pub fn newest<'a>(postures: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for posture in postures {
            keep_newer(&mut all.os, posture.os.as_ref());
            keep_newer(&mut all.domain, posture.domain.as_ref());
            keep_newer(&mut all.addresses, posture.addresses.as_ref());
            for (key, process) in &posture.processes {
                let mut place = all.processes.remove(key);
                keep_newer(&mut place, Some(process));
                all.processes
                    .extend(place.map(|reported| (key.clone(), reported)));
            }
            all.woken_at = all.woken_at.max(posture.woken_at);
            all.unlocked_at = all.unlocked_at.max(posture.unlocked_at);
        }
        all
    }

    pub fn os(&self) -> Option<&Reported<OsInfo>> {
        self.os.as_ref()
    }

    pub fn domain(&self) -> Option<&Reported<String>> {
        self.domain.as_ref()
    }

    /// The MAC addresses in lower-case hex without separators, sorted and unique.
    pub fn addresses(&self) -> Option<&Reported<Vec<String>>> {
        self.addresses.as_ref()
    }

    /// The processes, those with a path first.
    pub fn processes(&self) -> impl Iterator<Item = (&ProcessKey, &Reported<ProcessInfo>)> {
        self.processes.iter()
    }

    /// The process of this binary.
    pub fn process_at(&self, path: &ProcessPath) -> Option<&Reported<ProcessInfo>> {
        let key = ProcessKey::Path(path.as_str().to_owned());
        self.processes.get(&key)
    }

    /// The process reported for this check without a path.
    pub fn process_for(&self, check: &PostureCheckId) -> Option<&Reported<ProcessInfo>> {
        self.processes.get(&ProcessKey::Check(check.clone()))
    }

    /// Whether anything was reported that checks about the machine ask for.
    pub fn tells_of_machine(&self) -> bool {
        self.os.is_some()
            || self.domain.is_some()
            || self.addresses.is_some()
            || !self.processes.is_empty()
    }

    /// When the device last woke up.
    pub fn woken_at(&self) -> Option<Timestamp> {
        self.woken_at
    }

    /// When the device was last unlocked.
    pub fn unlocked_at(&self) -> Option<Timestamp> {
        self.unlocked_at
    }
}

/// A posture being updated, with a running total of its string sizes: recounting them for each
/// report of a batch would be slow.
struct PostureUpdate {
    posture: Posture,
    bytes: usize,
}

impl From<&Posture> for PostureUpdate {
    fn from(posture: &Posture) -> Self {
        Self {
            posture: posture.clone(),
            bytes: posture.text_bytes(),
        }
    }
}

impl PostureUpdate {
    fn apply(
        &mut self,
        statement: PostureReport,
        now: Timestamp,
    ) -> Result<ReportOutcome, FieldError> {
        let PostureReport { check, report } = statement;
        let member = largest_field(&report);
        let mut prompts = MfaPrompts::default();
        let Self { posture, bytes } = self;
        let has_changed = match report {
            Report::Os(os) => put((&mut posture.os, bytes), check, os, now),
            Report::Domain(domain) => put((&mut posture.domain, bytes), check, domain, now),
            Report::Mac(addresses) => put((&mut posture.addresses, bytes), check, addresses, now),
            Report::Process { path, process } => self.put_process(check, path, process, now)?,
            Report::EndpointState { woken, unlocked } => {
                prompts = MfaPrompts { woken, unlocked };
                posture.record_prompts(prompts, now)
            },
        };
        self.check_size(member)?;
        Ok(ReportOutcome {
            has_changed,
            prompts,
        })
    }

    fn put_process(
        &mut self,
        check: PostureCheckId,
        path: String,
        process: ProcessInfo,
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
            if processes.len() >= Posture::MAX_PROCESSES {
                let most = Posture::MAX_PROCESSES;
                let reason = format!("at most {most} processes can be reported");
                return Err(FieldError::new("path", reason, "one more"));
            }
            self.bytes += key.text_bytes();
        }
        let has_changed = put((&mut place, &mut self.bytes), check, process, now);
        processes.extend(place.map(|reported| (key, reported)));
        Ok(has_changed)
    }

    /// Checks that the posture does not exceed the memory of a session.
    fn check_size(&self, member: &str) -> Result<(), FieldError> {
        if self.bytes <= Posture::MAX_TEXT_BYTES {
            return Ok(());
        }
        let most = Posture::MAX_TEXT_BYTES;
        let reason = format!("the posture data of a session is limited to {most} bytes");
        Err(FieldError::new(member, reason, "more"))
    }
}

/// Replaces a reported value and updates the total size; returns whether the value changed.
fn put<T: PartialEq + TextSize>(
    (place, bytes): (&mut Option<Reported<T>>, &mut usize),
    check: PostureCheckId,
    value: T,
    at: Timestamp,
) -> bool {
    *bytes -= place.text_bytes();
    let before = place.take().filter(|before| *before.value == value);
    let has_changed = before.is_none();
    // An unchanged value keeps its `Arc`, which failures may share.
    let value = before.map_or_else(|| Arc::new(value), |before| before.value);
    *place = Some(Reported { check, at, value });
    *bytes += place.text_bytes();
    has_changed
}

/// Replaces a value by a newer one.
fn keep_newer<T>(place: &mut Option<Reported<T>>, other: Option<&Reported<T>>) {
    let at = place.as_ref().map(|reported| reported.at);
    if let Some(other) = other.filter(|other| at.is_none_or(|at| at < other.at)) {
        *place = Some(Reported {
            check: other.check.clone(),
            at: other.at,
            value: Arc::clone(&other.value),
        });
    }
}

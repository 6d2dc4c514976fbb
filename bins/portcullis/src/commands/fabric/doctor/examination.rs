//! All validations over one channel, at the same time.

use super::check::{Check, Told};
use crate::error::CliError;
use crate::management_channel::ManagementChannel;
use portcullis_wire::management::{Found, ManagementMessage};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long the next detail may take: longer than a controller waits for a router.
const DETAIL: Duration = Duration::from_secs(75);

/// What came of a check.
#[derive(Debug)]
pub(super) struct Examined {
    pub(super) check: Check,
    pub(super) outcome: Outcome,
    pub(super) details: Vec<ManagementMessage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Of all that were announced there are details.
    Complete { count: u64 },
    /// Fewer came, for this reason.
    Incomplete { count: u64, reason: String },
    /// There is no validation, for this reason.
    NotChecked(String),
}

impl Examined {
    /// Whether anything is said of a circuit.
    pub(super) fn names_circuits(&self) -> bool {
        self.details.iter().any(|detail| {
            matches!(detail, ManagementMessage::RouterCircuits(details) if !details.circuits.is_empty())
        })
    }
}

/// What is known of a check so far.
#[derive(Debug, Default)]
struct Progress {
    answer: Option<Found>,
    details: Vec<ManagementMessage>,
}

impl Progress {
    fn is_done(&self) -> bool {
        let came = u64::try_from(self.details.len()).unwrap_or(u64::MAX);
        self.answer
            .as_ref()
            .is_some_and(|found| !found.is_success || came >= found.count)
    }

    fn take(&mut self, told: Told) {
        match told {
            Told::Answer(found) => self.answer = Some(found),
            Told::Detail(detail) => self.details.push(*detail),
        }
    }

    /// The result, unfinished for `reason` if it is.
    fn conclude(self, check: Check, reason: &str) -> Examined {
        let is_done = self.is_done();
        let outcome = match self.answer {
            Some(found) if !found.is_success => Outcome::NotChecked(found.text),
            Some(found) if is_done => Outcome::Complete { count: found.count },
            Some(found) => Outcome::Incomplete {
                count: found.count,
                reason: reason.to_owned(),
            },
            None => Outcome::NotChecked(reason.to_owned()),
        };
        Examined {
            check,
            outcome,
            details: self.details,
        }
    }
}

/// Has the controller make all checks. It has `patience` to answer, and more for details.
///
/// # Errors
///
/// If the channel ends before there is any answer.
pub(super) async fn examine(
    channel: &mut ManagementChannel,
    patience: Duration,
) -> Result<Vec<Examined>, CliError> {
    let mut checks = BTreeMap::new();
    for check in Check::ALL {
        channel.send(&check.request()).await?;
        checks.insert(check, Progress::default());
    }
    let answers_until = Instant::now() + patience;
    let mut details_until = Instant::now() + DETAIL;
    let reason = loop {
        let is_done = |progress: &Progress| progress.is_done();
        if checks.values().all(is_done) {
            break String::new();
        }
        // Controllers that do not know a validation do not answer.
        let is_answered = |progress: &Progress| progress.answer.is_some();
        let begun = checks.values().filter(|progress| is_answered(progress));
        let until = if begun.clone().all(is_done) {
            answers_until
        } else {
            details_until
        };
        let frame = match timeout_at(until, channel.receive()).await {
            Err(_elapsed) => break "the controller does not answer this".to_owned(),
            Ok(Err(end)) if begun.count() == 0 => return Err(end.into()),
            Ok(Err(end)) => break end.to_string(),
            Ok(Ok(frame)) => frame,
        };
        let message = match ManagementMessage::decode(&frame.into_message()) {
            Ok(message) => message,
            Err(error) => break format!("the controller's answer cannot be read: {error}"),
        };
        if let Some((check, told)) = Check::of_message(message) {
            details_until = Instant::now() + DETAIL;
            checks.entry(check).or_default().take(told);
        }
    };
    let concluded = checks.into_iter();
    Ok(concluded
        .map(|(check, progress)| progress.conclude(check, &reason))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_wire::management::LinkDetails;

    fn found(is_success: bool, count: u64) -> Told {
        Told::Answer(Found {
            is_success,
            text: "why".to_owned(),
            count,
        })
    }

    fn outcome(told: impl IntoIterator<Item = Told>) -> Outcome {
        let mut progress = Progress::default();
        told.into_iter().for_each(|told| progress.take(told));
        progress.conclude(Check::Links, "it is gone").outcome
    }

    #[test]
    fn only_what_came_whole_was_checked() {
        let detail = || {
            Told::Detail(Box::new(ManagementMessage::LinkDetails(
                LinkDetails::default(),
            )))
        };
        let not_checked = |text: &str| Outcome::NotChecked(text.to_owned());
        assert_eq!(outcome([]), not_checked("it is gone"));
        assert_eq!(outcome([found(false, 0)]), not_checked("why"));
        assert_eq!(outcome([found(true, 0)]), Outcome::Complete { count: 0 });
        assert_eq!(
            outcome([found(true, 2), detail()]),
            Outcome::Incomplete {
                count: 2,
                reason: "it is gone".to_owned()
            }
        );
        // Details may overtake their answer.
        assert_eq!(
            outcome([detail(), found(true, 1)]),
            Outcome::Complete { count: 1 }
        );
    }
}

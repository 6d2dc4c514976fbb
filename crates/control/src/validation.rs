//! Which terminators a router still has to confirm.
//!
//! A router that was restarted knows nothing of its terminators, and does not say so. It is asked about
//! all of them when it connects, and about each new one a little later, when whoever hosts it may be
//! gone again.

use portcullis_domain::ids::TerminatorId;
use portcullis_fabric::Moment;
use portcullis_wire::control::terminator::{
    TerminatorToValidate, ValidateTerminators, ValidatedTerminators,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// When a new terminator is asked about.
const AFTER_CREATION: Duration = Duration::from_secs(5);
/// How often is looked whether there is something to ask.
const INTERVAL: Duration = Duration::from_secs(30);
/// When a question that was not answered is asked again.
const ASK_AGAIN: Duration = Duration::from_mins(3);
/// Terminators in one message.
const MAX_IN_MESSAGE: usize = 1000;

/// The terminators of one router that are not confirmed yet.
#[derive(Debug)]
pub(crate) struct Validation {
    unconfirmed: BTreeMap<TerminatorId, Unconfirmed>,
    /// Number of the last question.
    marker: u64,
    next: Moment,
    last_asked: Option<Moment>,
}

/// What a router has yet to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnconfirmedTerminators {
    pub(crate) ids: Vec<TerminatorId>,
    /// Whether the router was asked about any of them.
    pub(crate) is_asked: bool,
    /// When it was last asked about any.
    pub(crate) last_asked: Option<Moment>,
}

/// A terminator as its router knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RouterTerminator {
    pub(crate) id: TerminatorId,
    pub(crate) binding: String,
    pub(crate) address: String,
}

#[derive(Debug)]
struct Unconfirmed {
    binding: String,
    address: String,
    due: Moment,
    /// Of the last question about it; 0 before that.
    marker: u64,
}

impl Validation {
    pub(crate) const fn new(now: Moment) -> Self {
        Self {
            unconfirmed: BTreeMap::new(),
            marker: 0,
            next: now,
            last_asked: None,
        }
    }

    /// All terminators of a router that has connected.
    pub(crate) fn add_known(
        &mut self,
        terminators: impl IntoIterator<Item = RouterTerminator>,
        now: Moment,
    ) {
        for terminator in terminators {
            self.add(terminator, now);
        }
        self.next = now;
    }

    /// A terminator was created, or could not be removed.
    pub(crate) fn add_created(&mut self, terminator: RouterTerminator, now: Moment) {
        self.add(terminator, now + AFTER_CREATION);
    }

    fn add(&mut self, terminator: RouterTerminator, due: Moment) {
        let RouterTerminator {
            id,
            binding,
            address,
        } = terminator;
        let marker = 0;
        self.unconfirmed.insert(
            id,
            Unconfirmed {
                binding,
                address,
                due,
                marker,
            },
        );
    }

    /// When to ask next.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        (!self.unconfirmed.is_empty()).then_some(self.next)
    }

    /// What is not confirmed.
    pub(crate) fn unconfirmed(&self) -> UnconfirmedTerminators {
        UnconfirmedTerminators {
            ids: self.unconfirmed.keys().cloned().collect(),
            is_asked: self.unconfirmed.values().any(|each| each.marker != 0),
            last_asked: self.last_asked,
        }
    }

    /// What to ask now.
    pub(crate) fn questions(&mut self, now: Moment) -> Vec<ValidateTerminators> {
        if now < self.next {
            return Vec::new();
        }
        self.next = now + INTERVAL;
        let mut asked = Vec::new();
        for (id, unconfirmed) in &mut self.unconfirmed {
            if unconfirmed.due <= now {
                self.marker += 1;
                unconfirmed.marker = self.marker;
                unconfirmed.due = now + ASK_AGAIN;
                asked.push(TerminatorToValidate {
                    id: id.as_str().to_owned(),
                    binding: unconfirmed.binding.clone(),
                    address: unconfirmed.address.clone(),
                    marker: unconfirmed.marker,
                });
            }
        }
        if !asked.is_empty() {
            self.last_asked = Some(now);
        }
        let messages = asked.chunks(MAX_IN_MESSAGE);
        messages
            .map(|terminators| ValidateTerminators {
                terminators: terminators.to_vec(),
                fixes_invalid: true,
                is_after_creation: true,
            })
            .collect()
    }

    /// Takes the answer of the router; returns the terminators that it does not have. Answers to earlier
    /// questions say nothing: the terminator may have been created anew since.
    pub(crate) fn answered(&mut self, states: &ValidatedTerminators) -> Vec<RouterTerminator> {
        let mut invalid = Vec::new();
        for (id, state) in &states.states {
            let id = TerminatorId::from_wire(id.clone());
            let Some(unconfirmed) = self.unconfirmed.get(&id) else {
                continue;
            };
            if unconfirmed.marker == 0 || unconfirmed.marker != state.marker {
                continue;
            }
            let removed = self.unconfirmed.remove(&id);
            if let Some(removed) = removed.filter(|_| !state.is_valid) {
                invalid.push(RouterTerminator {
                    id,
                    binding: removed.binding,
                    address: removed.address,
                });
            }
        }
        invalid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_wire::control::terminator::TerminatorState;

    fn terminator(id: &str) -> RouterTerminator {
        RouterTerminator {
            id: TerminatorId::from_wire(id),
            binding: "edge".to_owned(),
            address: id.to_owned(),
        }
    }

    fn answer(id: &str, is_valid: bool, marker: u64) -> ValidatedTerminators {
        let state = TerminatorState {
            is_valid,
            marker,
            ..TerminatorState::default()
        };
        ValidatedTerminators {
            states: BTreeMap::from([(id.to_owned(), state)]),
        }
    }

    /// After a router with terminator `a` has connected.
    fn connected() -> Validation {
        let mut validation = Validation::new(at(0));
        validation.add_known([terminator("a")], at(0));
        validation
    }

    fn asked(validation: &mut Validation, now: Moment) -> Vec<(String, u64)> {
        let questions = validation.questions(now);
        let terminators = questions.into_iter().flat_map(|each| each.terminators);
        terminators.map(|each| (each.id, each.marker)).collect()
    }

    fn at(seconds: u64) -> Moment {
        Moment::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn all_are_asked_about_at_once_and_new_ones_later() {
        let mut validation = connected();
        let (ids, [no, yes]) = (vec![TerminatorId::from_wire("a")], [false, true]);
        let waiting = |is_asked, last_asked| UnconfirmedTerminators {
            ids: ids.clone(),
            is_asked,
            last_asked,
        };
        assert_eq!(validation.deadline(), Some(at(0)));
        assert_eq!(validation.unconfirmed(), waiting(no, None));
        assert_eq!(asked(&mut validation, at(0)), [("a".to_owned(), 1)]);
        assert_eq!(validation.unconfirmed(), waiting(yes, Some(at(0))));
        assert_eq!(validation.answered(&answer("a", true, 1)), []);
        assert_eq!(validation.deadline(), None);
        validation.add_created(terminator("b"), at(26));
        assert_eq!(asked(&mut validation, at(30)), []);
        assert_eq!(validation.deadline(), Some(at(60)));
        assert_eq!(asked(&mut validation, at(60)), [("b".to_owned(), 2)]);
    }

    #[test]
    fn what_a_router_does_not_have_is_told_once() {
        let mut validation = connected();
        validation.questions(at(0));
        let gone = [terminator("a")];
        assert_eq!(validation.answered(&answer("a", false, 1)), gone);
        assert_eq!(validation.answered(&answer("a", false, 1)), []);
    }

    #[test]
    fn answer_to_an_earlier_question_says_nothing() {
        let mut validation = connected();
        validation.questions(at(0));
        validation.add_created(terminator("a"), at(1));
        for marker in [0, 1, 2] {
            assert_eq!(validation.answered(&answer("a", false, marker)), []);
        }
        assert_eq!(asked(&mut validation, at(30)), [("a".to_owned(), 2)]);
    }

    #[test]
    fn question_without_an_answer_is_asked_again() {
        let mut validation = connected();
        validation.questions(at(0));
        assert_eq!(asked(&mut validation, at(179)), []);
        assert_eq!(asked(&mut validation, at(210)), [("a".to_owned(), 2)]);
    }
}

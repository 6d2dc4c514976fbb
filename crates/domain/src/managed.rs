//! What administrators make, change and remove: an id, two times, and what they decide.

use crate::FieldError;
use crate::clock::{self, SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// An entity about which everything is decided by administrators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Managed<I, S> {
    /// Its id.
    pub id: I,
    /// When it was created.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// What was decided about it.
    pub spec: S,
}

/// What administrators decide about a kind of entity.
pub trait Spec: Clone {
    /// A partial update: the members to change.
    type Patch;

    /// Writes the members that are set.
    fn apply(&mut self, patch: Self::Patch);

    /// Brings it into the form in which it is kept. What never changes is taken over from what was
    /// decided `before`, if the entity is there already.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the member that cannot be so.
    fn settle(&mut self, before: Option<&Self>) -> Result<(), FieldError>;
}

impl<I, S: Spec> Managed<I, S> {
    /// Makes an entity.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the member that cannot be so.
    pub fn new(id: I, mut spec: S, now: Timestamp) -> Result<Self, FieldError> {
        spec.settle(None)?;
        Ok(Self {
            id,
            created_at: now,
            updated_at: now,
            spec,
        })
    }

    /// Replaces what was decided, apart from what never changes.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the member that cannot be so; nothing is changed then.
    pub fn replace(&mut self, mut spec: S, now: Timestamp) -> Result<(), FieldError> {
        spec.settle(Some(&self.spec))?;
        self.spec = spec;
        self.touch(now);
        Ok(())
    }

    /// Notes that it changed. No two changes have the same time, as it is shown: those who remember
    /// the time of an entity see by it whether it changed since.
    pub(crate) fn touch(&mut self, now: Timestamp) {
        let next = clock::later(self.updated_at, SignedDuration::from_millis(1));
        self.updated_at = now.max(next);
    }

    /// Changes the members that `patch` sets, apart from what never changes.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the member that cannot be so; nothing is changed then.
    pub fn merge(&mut self, patch: S::Patch, now: Timestamp) -> Result<(), FieldError> {
        let mut spec = self.spec.clone();
        spec.apply(patch);
        self.replace(spec, now)
    }
}

//! What the controller knows at several moments.

use super::subject::Subject;
use crate::plane::Plane;
use portcullis_validation::{Answer, Comparison, Known, NoAnswer, Router};
use std::collections::BTreeSet;

/// What the controller knows of a router at one moment.
pub(super) struct Look<S: Subject> {
    pub(super) known: Known<S::Id, S::Known>,
    /// What is coming about, and may be at the router or not.
    pub(super) unsettled: BTreeSet<S::Id>,
}

impl<S: Subject> Look<S> {
    /// One at which nothing is coming about.
    pub(super) fn settled(known: Known<S::Id, S::Known>) -> Self {
        Self {
            known,
            unsettled: BTreeSet::new(),
        }
    }
}

/// What the controller knew, from before a question until now.
pub(super) struct Looks<S: Subject> {
    /// Why it is not known, if it could not be read once.
    last: Result<Known<S::Id, S::Known>, NoAnswer>,
    /// What has not been the same all the time.
    in_motion: BTreeSet<S::Id>,
}

impl<S: Subject> Looks<S> {
    pub(super) fn new(first: Result<Look<S>, NoAnswer>) -> Self {
        let (last, in_motion) = match first {
            Ok(first) => (Ok(first.known), first.unsettled),
            Err(failure) => (Err(failure), BTreeSet::new()),
        };
        Self { last, in_motion }
    }

    pub(super) fn add(&mut self, look: Result<Look<S>, NoAnswer>) {
        let Ok(last) = &self.last else {
            return;
        };
        self.last = look.map(|look| {
            let known = &look.known;
            let ids = last.keys().chain(known.keys());
            let changed = ids.filter(|id| last.get(id) != known.get(id));
            self.in_motion.extend(changed.cloned());
            self.in_motion.extend(look.unsettled);
            look.known
        });
    }

    /// Compares what was the same all the time with what the router has.
    pub(super) fn compare(
        &self,
        plane: &Plane,
        router: &Router,
        answer: Answer<'_>,
    ) -> Comparison<S::Entry> {
        let (nothing, last) = (Known::new(), self.last.as_ref());
        let (known, answer) = match last {
            Ok(known) => (known, answer),
            Err(failure) => (&nothing, Err(failure.clone())),
        };
        let mut compared = S::compare(plane, router, known, answer);
        compared.leave_out(|entry| {
            let id = S::id(entry);
            self.in_motion.contains(id) || S::has_just_ended(plane, id)
        });
        compared
    }
}

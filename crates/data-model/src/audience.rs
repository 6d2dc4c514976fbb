//! Who may see an event.

use portcullis_wire::control::data_model::{Action, Event, Subject};
use std::collections::BTreeSet;

/// Routers, by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Audience {
    Everyone,
    Only(BTreeSet<String>),
}

impl Audience {
    pub(crate) fn one(router: &str) -> Self {
        Self::Only(BTreeSet::from([router.to_owned()]))
    }

    fn includes(&self, router: &str) -> bool {
        match self {
            Self::Everyone => true,
            Self::Only(routers) => routers.contains(router),
        }
    }

    /// Bytes that it takes, about.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Everyone => 0,
            Self::Only(routers) => routers.iter().map(String::len).sum(),
        }
    }
}

/// An event, and who gets it.
#[derive(Debug, Clone)]
pub(crate) struct AddressedEvent {
    pub(crate) event: Event,
    pub(crate) audience: Audience,
}

impl AddressedEvent {
    pub(crate) const fn new(action: Action, subject: Subject, audience: Audience) -> Self {
        Self {
            event: Event {
                action,
                is_synthetic: false,
                subject: Some(subject),
            },
            audience,
        }
    }

    pub(crate) const fn is_for_everyone(&self) -> bool {
        matches!(self.audience, Audience::Everyone)
    }

    /// The event as one that follows from another.
    pub(crate) const fn synthetic(mut self) -> Self {
        self.event.is_synthetic = true;
        self
    }
}

/// The events that `router` gets.
pub(crate) fn visible_to(router: &str, events: &[AddressedEvent]) -> Vec<Event> {
    events
        .iter()
        .filter(|addressed| addressed.audience.includes(router))
        .map(|addressed| addressed.event.clone())
        .collect()
}

//! Where events go.

use crate::event::Event;
use crate::namespace::Namespace;

/// Takes events from whoever notices them, and hands them to all who want them.
pub trait EventPublisher: Send + Sync {
    /// Whether somebody wants events of the namespace. Whoever tells of them need not make them otherwise.
    fn wants(&self, namespace: Namespace) -> bool;

    /// Whether somebody wants changes of entities of a type, one of [`ENTITY_TYPES`](crate::ENTITY_TYPES), or of the
    /// fabric's half of them.
    fn wants_entities(&self, entity_type: &str, is_parent: bool) -> bool;

    /// Hands an event to all who want it, without waiting for any of them.
    fn publish(&self, event: Event);
}

//! Committed changes, from which projections are updated.

use crate::ids::RecordNumber;
use std::sync::Arc;

/// Declares the change of each kind.
macro_rules! changes {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident($($path:tt)+),
        $($rest:tt)*
    })+) => {
        /// One entity that a committed transaction wrote or removed.
        #[derive(Debug, Clone)]
        pub enum Change {
            $(
                #[doc = $doc]
                $entity(EntityChange<crate::$($path)+>),
            )+
        }
    };
}

crate::for_each_kind!(changes);

/// The root record that a dependent record belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// An identity, by the number of its record.
    Identity(RecordNumber),
    /// A router, by the number of its record.
    Router(RecordNumber),
}

/// The change of one entity.
#[derive(Debug)]
pub struct EntityChange<E> {
    /// `None` for root records.
    pub owner: Option<Owner>,
    pub number: RecordNumber,
    /// The state before; `None` when it was inserted, or read to begin with.
    pub before: Option<Arc<E>>,
    /// The new state; `None` when it was removed.
    pub entity: Option<Arc<E>>,
}

impl<E> Clone for EntityChange<E> {
    fn clone(&self) -> Self {
        Self {
            owner: self.owner,
            number: self.number,
            before: self.before.clone(),
            entity: self.entity.clone(),
        }
    }
}

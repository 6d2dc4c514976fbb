//! Committed changes, from which projections are updated.

use crate::audit::Actor;
use crate::clock::Timestamp;
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
        /// One entity that a committed transaction wrote or removed, or who did that.
        #[derive(Debug, Clone)]
        pub enum Change {
            $(
                #[doc = $doc]
                $entity(EntityChange<crate::$($path)+>),
            )+
            /// Who made the changes just before it; recorded only while somebody wants to know.
            Transaction(Arc<Transaction>),
        }

        impl Change {
            /// The number of the record that has changed; `None` for [`Change::Transaction`].
            pub fn number(&self) -> Option<RecordNumber> {
                match self {
                    $(Self::$entity(change) => Some(change.number),)+
                    Self::Transaction(_) => None,
                }
            }
        }
    };
}

crate::for_each_kind!(changes);

/// A committed transaction.
#[derive(Debug)]
pub struct Transaction {
    /// A UUID.
    pub id: String,
    /// How many of the changes before are its own.
    pub changes: usize,
    pub actor: Actor,
    /// Name of the actor, if it is an identity or a router.
    pub actor_name: Option<String>,
    /// When it was submitted.
    pub time: Timestamp,
}

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

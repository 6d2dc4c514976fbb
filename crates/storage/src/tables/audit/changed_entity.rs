//! Changed entities, for those who follow changes.

use super::disclosed::DisclosedEntity;
use super::disclosure::disclose;
use crate::key::Kind;
use crate::tables::kind;
use portcullis_domain::change::{Change, EntityChange};
use serde::Serialize;

/// Whether an entity is meant as it was before a change, or as it is after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeSide {
    Before,
    After,
}

macro_rules! entities {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident $path:tt,
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        $($rest:tt)*
    })+) => {
        /// The collection on the APIs that the changed entity is in; `None` for [`Change::Transaction`].
        pub fn collection_of(change: &Change) -> Option<&'static str> {
            match change {
                $(Change::$entity(_) => Some($collection),)+
                Change::Transaction(_) => None,
            }
        }

        /// What may be told of the entity on one side of a change; `None` where it does not exist, and for
        /// [`Change::Transaction`].
        pub fn disclosed_entity(change: &Change, side: ChangeSide) -> Option<DisclosedEntity> {
            match change {
                $(Change::$entity(change) => one_side(kind::$kind, change, side),)+
                Change::Transaction(_) => None,
            }
        }
    };
}

portcullis_domain::for_each_kind!(entities);

fn one_side<E: Serialize>(
    kind: Kind,
    change: &EntityChange<E>,
    side: ChangeSide,
) -> Option<DisclosedEntity> {
    let entity = match side {
        ChangeSide::Before => &change.before,
        ChangeSide::After => &change.entity,
    };
    Some(disclose(kind, &**entity.as_ref()?))
}

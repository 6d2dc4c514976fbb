//! What the tables take from the rows of the kinds.

use super::managed::{ManagedKind, StoredSpec};
use super::values::IndexedId;
use super::{StoredEnrollment, StoredMfa};
use crate::key::Kind;
use crate::tables::dispatch::EntityVisitor;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::managed::Managed;

/// The values of a unique index, as clients know them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniqueMember {
    /// Nothing that clients choose.
    Generated,
    /// The name.
    Name,
    /// This member of the APIs.
    Member(&'static str),
}

macro_rules! unique_member {
    (generated) => {
        UniqueMember::Generated
    };
    (id) => {
        UniqueMember::Generated
    };
    (name) => {
        UniqueMember::Name
    };
    (setting "name") => {
        UniqueMember::Name
    };
    ($source:ident $member:literal) => {
        UniqueMember::Member($member)
    };
}

macro_rules! is_id {
    (id $($member:literal)?) => {
        true
    };
    ($($source:tt)+) => {
        false
    };
}

macro_rules! is_root {
    (root) => {
        true
    };
    (owned) => {
        false
    };
}

/// The form in which an entity is stored.
macro_rules! stored {
    (sealed Enrollment $($path:tt)+) => { StoredEnrollment };
    (sealed Mfa $($path:tt)+) => { StoredMfa };
    (plain $entity:ident $($path:tt)+) => { portcullis_domain::$($path)+ };
}

macro_rules! indexed_id {
    ($id:ident $index:ident id $($member:literal)?) => {
        impl IndexedId for portcullis_domain::ids::$id {
            const INDEX: UniqueIndex = UniqueIndex::$index;
        }
    };
    ($id:ident $index:ident $($source:tt)+) => {};
}

/// The index of the names, if there is one.
macro_rules! name_index {
    () => { None };
    ($index:ident (name) $($rest:tt)*) => { Some(UniqueIndex::$index) };
    ($index:ident (setting "name") $($rest:tt)*) => { Some(UniqueIndex::$index) };
    ($index:ident $source:tt $($rest:tt)*) => { name_index!($($rest)*) };
}

macro_rules! managed_kind {
    (() $($row:tt)*) => {};
    (($($spec:tt)+) $constant:ident $entity:ident $id:ident $noun:literal [$($unique:tt)*]) => {
        impl ManagedKind for portcullis_domain::$($spec)+ {
            type Id = portcullis_domain::ids::$id;
            const KIND: Kind = $constant;
            const NOUN: &'static str = $noun;
            const NAME: Option<UniqueIndex> = name_index!($($unique)*);

            fn change(change: EntityChange<Managed<Self::Id, Self>>) -> Change {
                Change::$entity(change)
            }
        }
    };
}

macro_rules! stored_spec {
    (unreferring ($($spec:tt)+)) => {
        impl StoredSpec for portcullis_domain::$($spec)+ {}
    };
    (referring $spec:tt) => {};
}

macro_rules! tables {
    ($({
        #[doc = $doc:literal]
        kind: $constant:ident = $byte:literal,
        entity: $entity:ident($($path:tt)+),
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        name: $name:literal,
        subject: $subject:tt,
        noun: $noun:literal,
        stored: ($placement:ident $form:ident $audit:ident $refers:ident),
        unique: [$($index:ident = $number:literal ($($source:tt)+)),*],
    })+) => {
        $(
            #[doc = $doc]
            pub const $constant: Kind = Kind::new::<$byte>();
        )+

        /// All kinds.
        pub const KINDS: &[Kind] = &[$($constant),+];

        const PLACES: &[(Kind, bool)] = &[$(($constant, is_root!($placement))),+];

        /// A unique index.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum UniqueIndex {
            $($($index = $number,)*)+
        }

        impl UniqueIndex {
            #[cfg(test)]
            const ALL: &[Self] = &[$($(Self::$index,)*)+];

            /// What errors call an entity of its kind.
            pub const fn noun(self) -> &'static str {
                match self {
                    $($(Self::$index => $noun,)*)+
                }
            }

            /// Whether its values are the ids of a kind.
            pub const fn is_id(self) -> bool {
                match self {
                    $($(Self::$index => is_id!($($source)+),)*)+
                }
            }

            /// What clients know its values as.
            pub const fn member(self) -> UniqueMember {
                match self {
                    $($(Self::$index => unique_member!($($source)+),)*)+
                }
            }
        }

        /// The collections of the kinds on the APIs.
        pub const COLLECTIONS: &[(&str, Kind)] = &[$(($collection, $constant)),+];

        $($(indexed_id!($id $index $($source)+);)*)+

        $(managed_kind!($spec $constant $entity $id $noun [$($index ($($source)+))*]);)+

        $(stored_spec!($refers $spec);)+

        /// Runs `work` with the entity type of `kind`; `None` for an unknown kind.
        pub fn dispatch<F: EntityVisitor>(
            kind: Kind,
            work: F,
        ) -> Option<F::Output> {
            Some(match kind {
                $($constant => work.visit::<stored!($form $entity $($path)+)>(),)+
                _ => return None,
            })
        }
    };
}

portcullis_domain::for_each_kind!(tables);

/// The kinds whose records lie under no other.
pub fn roots() -> impl Iterator<Item = Kind> {
    PLACES
        .iter()
        .filter(|(_, is_root)| *is_root)
        .map(|(kind, _)| *kind)
}

#[cfg(test)]
mod tests;

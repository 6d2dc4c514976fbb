//! What the tables take from the rows of the kinds.

use super::managed::ManagedKind;
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

macro_rules! tables {
    ($(
        #[doc = $doc:literal]
        $constant:ident = $byte:literal, $entity:ident($($path:tt)+), $placement:ident, $form:ident,
            $id:ident($shape:ident), $noun:literal, $collection:literal,
            [$($index:ident = $number:literal ($($source:tt)+)),*],
            ($($spec:tt)*);
    )+) => {
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

        $(managed_kind!(($($spec)*) $constant $entity $id $noun [$($index ($($source)+))*]);)+

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
mod tests {
    use super::*;

    // These bytes are part of the file format.
    const KIND_BYTES: &[(Kind, u8)] = &[
        (IDENTITY, 1),
        (AUTH_POLICY, 2),
        (ENROLLMENT, 3),
        (AUTHENTICATOR, 4),
        (API_SESSION, 5),
        (CA, 6),
        (SIGNER, 7),
        (SESSION_CERTIFICATE, 8),
        (MFA, 9),
        (CONFIG_TYPE, 10),
        (CONFIG, 11),
        (SERVICE, 12),
        (ROUTER, 13),
        (TERMINATOR, 14),
        (SERVICE_POLICY, 15),
        (EDGE_ROUTER_POLICY, 16),
        (SERVICE_EDGE_ROUTER_POLICY, 17),
        (POSTURE_CHECK, 18),
        (SESSION, 19),
        (REVOCATION, 20),
    ];
    const INDEX_BYTES: &[(UniqueIndex, u8)] = &[
        (UniqueIndex::IdentityId, 1),
        (UniqueIndex::IdentityName, 2),
        (UniqueIndex::IdentityExternalId, 3),
        (UniqueIndex::EnrollmentId, 4),
        (UniqueIndex::EnrollmentToken, 5),
        (UniqueIndex::AuthenticatorId, 6),
        (UniqueIndex::AuthenticatorFingerprint, 7),
        (UniqueIndex::AuthenticatorUsername, 8),
        (UniqueIndex::ApiSessionToken, 9),
        (UniqueIndex::AuthPolicyId, 10),
        (UniqueIndex::AuthPolicyName, 11),
        (UniqueIndex::DefaultAdministrator, 12),
        (UniqueIndex::CaId, 13),
        (UniqueIndex::CaName, 14),
        (UniqueIndex::CaFingerprint, 15),
        (UniqueIndex::SignerId, 16),
        (UniqueIndex::SignerName, 17),
        (UniqueIndex::SignerIssuer, 18),
        (UniqueIndex::SignerKid, 19),
        (UniqueIndex::SignerFingerprint, 20),
        (UniqueIndex::SessionCertificateId, 21),
        (UniqueIndex::ConfigTypeId, 22),
        (UniqueIndex::ConfigTypeName, 23),
        (UniqueIndex::ConfigId, 24),
        (UniqueIndex::ConfigName, 25),
        (UniqueIndex::ServiceId, 26),
        (UniqueIndex::ServiceName, 27),
        (UniqueIndex::RouterId, 28),
        (UniqueIndex::RouterName, 29),
        (UniqueIndex::RouterFingerprint, 30),
        (UniqueIndex::TerminatorId, 31),
        (UniqueIndex::ServicePolicyId, 32),
        (UniqueIndex::ServicePolicyName, 33),
        (UniqueIndex::EdgeRouterPolicyId, 34),
        (UniqueIndex::EdgeRouterPolicyName, 35),
        (UniqueIndex::ServiceEdgeRouterPolicyId, 36),
        (UniqueIndex::ServiceEdgeRouterPolicyName, 37),
        (UniqueIndex::PostureCheckId, 38),
        (UniqueIndex::PostureCheckName, 39),
        (UniqueIndex::SessionId, 40),
        (UniqueIndex::SessionGrant, 41),
        (UniqueIndex::RevocationId, 42),
    ];

    #[test]
    fn bytes_of_kinds_and_indexes_stay() {
        let kinds: Vec<_> = KIND_BYTES.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, KINDS);
        for (kind, byte) in KIND_BYTES {
            assert_eq!(kind.byte(), *byte);
        }
        for (index, byte) in INDEX_BYTES {
            assert_eq!(*index as u8, *byte, "{index:?}");
        }
    }
}

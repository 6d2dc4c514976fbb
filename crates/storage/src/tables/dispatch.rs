//! Dispatch from the kind of a record to its entity type.

use super::kind::Entity;
pub(super) use super::kind::{KINDS, dispatch};

/// A generic operation on the entity type of a record.
pub trait EntityVisitor {
    type Output;

    /// Runs with the entity type `E`.
    fn visit<E: Entity>(self) -> Self::Output;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Kind;

    struct KindOf;
    impl EntityVisitor for KindOf {
        type Output = Kind;
        fn visit<E: Entity>(self) -> Kind {
            E::KIND
        }
    }

    #[test]
    fn every_kind_leads_to_its_own_type() {
        for &kind in KINDS {
            assert_eq!(dispatch(kind, KindOf), Some(kind));
        }
        assert_eq!(dispatch(Kind::new::<0xEE>(), KindOf), None);
    }
}

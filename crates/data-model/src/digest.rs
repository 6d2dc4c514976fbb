//! A number that stands for what the model contains.

use crate::entity::{Entity, Relation};
use portcullis_wire::Content as _;
use portcullis_wire::control::data_model::{Action, ChangeSet, Changes, Event, Subject};
use std::fmt;
use xxhash_rust::xxh3::xxh3_128;

/// The sum of the hashes of all entities and relations, as routers get them. So it follows a change
/// without a look at the rest.
///
/// It tells apart what came about by chance, not what somebody has made to look the same: it is compared
/// with nothing but what this program has kept itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Digest(u128);

impl Digest {
    pub(crate) fn of(entity: &Entity) -> Self {
        let mut digest = hash(entity.subject());
        if let Entity::Policy(policy) = entity {
            for relation in policy.each_relation() {
                digest.add(Self::of_relation(&relation));
            }
        }
        digest
    }

    pub(crate) fn of_relation(relation: &Relation) -> Self {
        hash(Subject::ServicePolicyChange(Box::new(
            relation.change(true),
        )))
    }

    pub(crate) const fn add(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    pub(crate) const fn remove(&mut self, other: Self) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

fn hash(subject: Subject) -> Digest {
    let event = Event {
        action: Action::Create,
        is_synthetic: false,
        subject: Some(subject),
    };
    let set = ChangeSet {
        changes: Changes {
            events: vec![event],
            ..Changes::default()
        },
        subscription_id: None,
    };
    // What cannot be encoded no router has.
    Digest(set.encode().map_or(0, |(_, body)| xxh3_128(&body)))
}

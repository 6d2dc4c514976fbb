//! How the audit trail speaks of each kind of record.

mod kinds;

use super::node::Member;
use crate::key::Kind;

/// How the audit trail speaks of records of one kind. Members go by their path as it is stored, without
/// the wrapper.
#[derive(Debug, Clone, Copy)]
pub(super) struct Described {
    /// What operations call such a record.
    pub(super) noun: &'static str,
    /// The member that holds what the record says of itself.
    pub(super) wrapper: &'static str,
    /// Members of which it is said that they changed, and no more.
    pub(super) secret: &'static [&'static str],
    /// Members that are bookkeeping: a change of these alone is no event.
    pub(super) silent: &'static [&'static str],
    /// Members beside the tags that hold as much as users like, under names that users choose.
    pub(super) attached: &'static [&'static str],
    /// Members that the API calls otherwise than the store, even with other capitals; without a name
    /// where the API has no such level.
    pub(super) names: Names,
    /// What members are that are not stored, where that is neither `false` nor nothing.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// Lists of objects, and what the API calls members of these.
    pub(super) items: &'static [(&'static str, Names)],
    /// What numbers are that are not stored, where that is not nothing.
    pub(super) numbers: &'static [(&'static str, i64)],
    /// Flags that are neither `true` nor `false` where they are not stored.
    pub(super) optional: &'static [&'static str],
    /// Numbers that are instants.
    pub(super) times: &'static [(&'static str, Unit)],
    /// Whether the record has no id that anybody knows, and goes by that of its owner.
    pub(super) goes_by_owner: bool,
}

/// Names of members, each as it is stored and as the API has it.
pub(super) type Names = &'static [(&'static str, &'static str)];

/// What an instant is counted in since 1970.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    Second,
    /// Seconds, with the milliseconds in a member beside.
    SecondAnd(&'static str),
    Millisecond,
}

impl Described {
    /// The whole path by which the API calls a member, if it is not the one that is stored.
    pub(super) fn api_name(&self, path: &str) -> Option<&'static str> {
        find(self.names, path)
    }

    /// The text that a member is when it is not stored.
    pub(super) fn default(&self, path: &str) -> Option<&'static str> {
        find(self.defaults, path)
    }

    /// What the API calls members of the items of a list.
    pub(super) fn item_names(&self, path: &str) -> Names {
        find(self.items, path).unwrap_or_default()
    }

    /// The number that a member is when it is not stored.
    pub(super) fn number(&self, path: &str) -> Option<i64> {
        find(self.numbers, path)
    }

    /// The milliseconds that stand beside an instant of these members; 0 if there are none.
    pub(super) fn milliseconds(&self, members: &[Member<'_>]) -> i64 {
        let beside = self.times.iter().find_map(|(_, unit)| match unit {
            Unit::SecondAnd(beside) => members.iter().find(|(name, _)| name == beside),
            Unit::Second | Unit::Millisecond => None,
        });
        beside.map_or(0, |(_, value)| value.json().parse().unwrap_or(0))
    }

    /// What a member is counted in, if it is an instant.
    pub(super) fn time(&self, path: &str) -> Option<Unit> {
        find(self.times, path)
    }
}

/// What stands beside a path in a table.
pub(super) fn find<T: Copy>(table: &[(&str, T)], path: &str) -> Option<T> {
    let found = table.iter().find(|(stored, _)| *stored == path);
    found.map(|(_, said)| *said)
}

/// Whether a member says nothing that the event does not say anyhow.
pub(super) fn is_said_anyhow(member: &str) -> bool {
    ["id", "created_at", "updated_at"].contains(&member)
}

/// How the audit trail speaks of records of `kind`; `None` for a kind that it does not know, of whose
/// members nothing is said.
pub(super) fn described(kind: Kind) -> Option<&'static Described> {
    let found = kinds::ALL.iter().find(|(known, _)| *known == kind);
    found.map(|(_, described)| described)
}

#[cfg(test)]
mod tests {
    use super::super::super::dispatch::KINDS;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_is_described_by_a_noun_of_its_own() {
        let nouns: BTreeSet<_> = KINDS
            .iter()
            .map(|&kind| described(kind).expect("the trail knows it").noun)
            .collect();
        assert_eq!(nouns.len(), KINDS.len());
    }
}

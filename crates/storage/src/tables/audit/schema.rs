//! Audit schemas by kind of record.

mod kinds;

use super::node::Member;
use crate::key::Kind;

/// Audit schema of one kind of record. Members are identified by their stored path, without the
/// wrapper.
#[derive(Debug, Clone, Copy)]
pub(super) struct AuditSchema {
    /// Name of the kind, with which operations begin.
    pub(super) name: &'static str,
    /// The member that contains the editable members.
    pub(super) wrapper: &'static str,
    /// Members whose values are not disclosed.
    pub(super) secret: &'static [&'static str],
    /// Internal members; changing only these creates no event.
    pub(super) ignored: &'static [&'static str],
    /// Members other than tags with user-defined content.
    pub(super) user_defined: &'static [&'static str],
    /// API names of members that differ from the stored name; empty where the API has no such
    /// level.
    pub(super) names: MemberNames,
    /// Default texts of members that are not stored.
    pub(super) defaults: &'static [(&'static str, &'static str)],
    /// Lists of objects with the API names of their members.
    pub(super) items: &'static [(&'static str, MemberNames)],
    /// Default numbers of members that are not stored.
    pub(super) numbers: &'static [(&'static str, i64)],
    /// Flags without a default.
    pub(super) optional: &'static [&'static str],
    /// Timestamps and their units.
    pub(super) times: &'static [(&'static str, TimeUnit)],
    /// Whether the record is identified by the id of its owner.
    pub(super) is_identified_by_owner: bool,
}

/// Member names as pairs of stored and API name.
pub(super) type MemberNames = &'static [(&'static str, &'static str)];

/// Unit of a Unix timestamp.
#[derive(Debug, Clone, Copy)]
pub(super) enum TimeUnit {
    Second,
    /// Seconds, with milliseconds in another member.
    SecondAnd(&'static str),
    Millisecond,
}

impl AuditSchema {
    /// Full API path of a member, if it differs from the stored path.
    pub(super) fn api_name(&self, path: &str) -> Option<&'static str> {
        find(self.names, path)
    }

    /// Default text of a member that is not stored.
    pub(super) fn default(&self, path: &str) -> Option<&'static str> {
        find(self.defaults, path)
    }

    /// API names of the members of list items.
    pub(super) fn item_names(&self, path: &str) -> MemberNames {
        find(self.items, path).unwrap_or_default()
    }

    /// Default number of a member that is not stored.
    pub(super) fn number(&self, path: &str) -> Option<i64> {
        find(self.numbers, path)
    }

    /// The milliseconds of the split timestamp among these members; 0 if there are none.
    pub(super) fn milliseconds(&self, members: &[Member<'_>]) -> i64 {
        let beside = self.times.iter().find_map(|(_, unit)| match unit {
            TimeUnit::SecondAnd(beside) => members.iter().find(|(name, _)| name == beside),
            TimeUnit::Second | TimeUnit::Millisecond => None,
        });
        beside.map_or(0, |(_, value)| value.json().parse().unwrap_or(0))
    }

    /// Unit of a member, if it is a timestamp.
    pub(super) fn time(&self, path: &str) -> Option<TimeUnit> {
        find(self.times, path)
    }
}

/// Looks up a path in a table.
pub(super) fn find<T: Copy>(table: &[(&str, T)], path: &str) -> Option<T> {
    let found = table.iter().find(|(stored, _)| *stored == path);
    found.map(|(_, said)| *said)
}

/// Whether a member is implied by the event itself.
pub(super) fn is_implied(member: &str) -> bool {
    ["id", "created_at", "updated_at"].contains(&member)
}

/// The audit schema of `kind`; `None` for an unknown kind, whose members are not disclosed.
pub(super) fn audit_schema(kind: Kind) -> Option<&'static AuditSchema> {
    kinds::find(kind)
}

#[cfg(test)]
mod tests {
    use super::super::super::dispatch::KINDS;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_is_described_by_a_name_of_its_own() {
        let names: BTreeSet<_> = KINDS
            .iter()
            .map(|&kind| audit_schema(kind).expect("the trail knows it").name)
            .collect();
        assert_eq!(names.len(), KINDS.len());
    }
}

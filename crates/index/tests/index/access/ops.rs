//! What may happen to entities and policies.

use super::naive::{Kind, Names};
use portcullis_index::{PolicyKind, PolicySide};
use proptest::prelude::*;

/// One thing that happens.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// An entity is made, or gets other attributes. The second member chooses which one.
    Put(Kind, usize, Names),
    /// An entity goes, if there is one.
    Remove(Kind, usize),
    /// A policy is made or replaced. Numbers in its lists choose among the entities.
    Say(PolicyKind, usize, bool, bool, [List; 3]),
    /// A policy goes, if there is one.
    Revoke(PolicyKind, usize),
}

/// A list of selectors, as far as it is known before it is clear whom there is to name.
#[derive(Debug, Clone)]
pub(crate) enum List {
    All,
    Of(Names, Vec<usize>),
}

pub(crate) const KINDS: [Kind; 5] = [
    Kind::Identity,
    Kind::Service,
    Kind::Router,
    Kind::Transit,
    Kind::Check,
];

pub(crate) const POLICY_KINDS: [PolicyKind; 3] = [
    PolicyKind::Service,
    PolicyKind::EdgeRouter,
    PolicyKind::ServiceEdgeRouter,
];

/// What the lists of a kind of policy are about.
pub(crate) const fn lists_of(policy: PolicyKind) -> &'static [Kind] {
    match policy {
        PolicyKind::Service => &[Kind::Identity, Kind::Service, Kind::Check],
        PolicyKind::EdgeRouter => &[Kind::Identity, Kind::Router],
        PolicyKind::ServiceEdgeRouter => &[Kind::Service, Kind::Router],
    }
}

/// Where the entities of a kind stand.
pub(crate) const fn side(kind: Kind) -> PolicySide {
    match kind {
        Kind::Identity => PolicySide::Identities,
        Kind::Service => PolicySide::Services,
        Kind::Router | Kind::Transit => PolicySide::EdgeRouters,
        Kind::Check => PolicySide::PostureChecks,
    }
}

pub(crate) fn any_op() -> impl Strategy<Value = Op> {
    let kind = || prop::sample::select(&KINDS[..]);
    let policy = || prop::sample::select(&POLICY_KINDS[..]);
    prop_oneof![
        // More than there are already makes a new one.
        4 => (kind(), 0..6_usize, any_attributes())
            .prop_map(|(kind, which, attributes)| Op::Put(kind, which, attributes)),
        1 => (kind(), 0..4_usize).prop_map(|(kind, which)| Op::Remove(kind, which)),
        4 => (policy(), 0..4_usize, any::<bool>(), any::<bool>(), [any_list(), any_list(), any_list()])
            .prop_map(|(kind, which, binds, all_of, lists)| Op::Say(kind, which, binds, all_of, lists)),
        1 => (policy(), 0..4_usize).prop_map(|(kind, which)| Op::Revoke(kind, which)),
    ]
}

fn any_attributes() -> impl Strategy<Value = Names> {
    prop::collection::btree_set("[a-d]", 0..4)
}

fn any_list() -> impl Strategy<Value = List> {
    prop_oneof![
        1 => Just(List::All),
        6 => (any_attributes(), prop::collection::vec(0..4_usize, 0..2))
            .prop_map(|(attributes, named)| List::Of(attributes, named)),
    ]
}

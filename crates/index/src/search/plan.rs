//! A predicate with its columns, cheap operands first and negations at the tests.

use super::leaf::{Cost, Leaf, Scope};
use crate::held::Source;
use portcullis_filter::Predicate;
use roaring::RoaringBitmap;

/// A predicate, ready to be answered from columns.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    node: Node<'a>,
    cost: Cost,
}

#[derive(Debug)]
enum Node<'a> {
    Constant(bool),
    /// No column holds what is tested.
    Unknown,
    All(Vec<Plan<'a>>),
    Any(Vec<Plan<'a>>),
    Leaf {
        leaf: Leaf<'a>,
        is_negated: bool,
    },
}

/// What is known of the slots that a predicate was asked about.
#[derive(Debug)]
pub(super) struct Found {
    /// What matches is among these; `None` for all. Slots that were not asked about mean nothing.
    pub(super) slots: Option<RoaringBitmap>,
    /// Whether all of these match.
    pub(super) is_exact: bool,
}

impl<'a> Plan<'a> {
    /// `held` tells the column under a symbol.
    pub(super) fn new(
        predicate: &'a Predicate,
        held: &impl Fn(&str) -> Option<Source<'a>>,
    ) -> Self {
        Self::signed(predicate, false, held)
    }

    fn signed(
        predicate: &'a Predicate,
        is_negated: bool,
        held: &impl Fn(&str) -> Option<Source<'a>>,
    ) -> Self {
        let operands = |operands: &'a [Predicate]| {
            let mut plans: Vec<Self> = operands
                .iter()
                .map(|operand| Self::signed(operand, is_negated, held))
                .collect();
            plans.sort_by_key(|plan| plan.cost);
            plans
        };
        let node = match predicate {
            Predicate::Constant(value) => Node::Constant(*value != is_negated),
            Predicate::Not(inner) => return Self::signed(inner, !is_negated, held),
            Predicate::And(parts) if is_negated => Node::Any(operands(parts)),
            Predicate::Or(parts) if is_negated => Node::All(operands(parts)),
            Predicate::And(parts) => Node::All(operands(parts)),
            Predicate::Or(parts) => Node::Any(operands(parts)),
            Predicate::Test { subject, test } => Leaf::test(subject, test, held)
                .map_or(Node::Unknown, |leaf| Node::Leaf { leaf, is_negated }),
            Predicate::IsEmpty(collection) => Leaf::is_empty(collection, held)
                .map_or(Node::Unknown, |leaf| Node::Leaf { leaf, is_negated }),
        };
        let cost = node.cost();
        Self { node, cost }
    }

    /// Answers for `candidates`; `None` stands for all.
    pub(super) fn run(&self, scope: &Scope<'_>, candidates: Option<&RoaringBitmap>) -> Found {
        match &self.node {
            Node::Constant(true) => Found::EVERYTHING,
            Node::Constant(false) => Found::exactly(RoaringBitmap::new()),
            Node::Unknown => Found {
                slots: None,
                is_exact: false,
            },
            Node::Leaf { leaf, is_negated } => {
                let slots = leaf.run(scope, candidates);
                Found::exactly(if *is_negated {
                    candidates.unwrap_or(scope.live) - slots
                } else {
                    slots
                })
            },
            Node::All(plans) => all(plans, scope, candidates),
            Node::Any(plans) => any(plans, scope, candidates),
        }
    }
}

impl Node<'_> {
    fn cost(&self) -> Cost {
        match self {
            Self::Constant(_) => Cost::LookedUp,
            Self::Unknown => Cost::Undecided,
            Self::Leaf { leaf, .. } => leaf.cost(),
            Self::All(plans) | Self::Any(plans) => plans
                .iter()
                .map(|plan| plan.cost)
                .max()
                .unwrap_or(Cost::LookedUp),
        }
    }
}

impl Found {
    const EVERYTHING: Self = Self {
        slots: None,
        is_exact: true,
    };

    const fn exactly(slots: RoaringBitmap) -> Self {
        Self {
            slots: Some(slots),
            is_exact: true,
        }
    }
}

/// Each operand is asked only about what those before it left over.
fn all(plans: &[Plan<'_>], scope: &Scope<'_>, candidates: Option<&RoaringBitmap>) -> Found {
    let mut left: Option<RoaringBitmap> = None;
    let mut is_exact = true;
    for plan in plans {
        let found = plan.run(scope, left.as_ref().or(candidates));
        is_exact &= found.is_exact;
        left = match (left, found.slots) {
            (Some(left), Some(slots)) => Some(left & slots),
            (None, Some(slots)) => Some(match candidates {
                Some(candidates) => slots & candidates,
                None => slots,
            }),
            (left, None) => left,
        };
        if left.as_ref().is_some_and(RoaringBitmap::is_empty) {
            return Found::exactly(RoaringBitmap::new());
        }
    }
    Found {
        slots: left,
        is_exact,
    }
}

/// What one operand is sure of needs no other: each is asked only about the rest.
fn any(plans: &[Plan<'_>], scope: &Scope<'_>, candidates: Option<&RoaringBitmap>) -> Found {
    let mut certain = RoaringBitmap::new();
    let mut possible = Some(RoaringBitmap::new());
    for plan in plans {
        let rest = (!certain.is_empty()).then(|| candidates.unwrap_or(scope.live) - &certain);
        let found = plan.run(scope, rest.as_ref().or(candidates));
        let slots = match (found.slots, rest) {
            (Some(slots), Some(rest)) => Some(slots & rest),
            (slots, _) => slots,
        };
        match (slots, found.is_exact) {
            (None, true) => return Found::EVERYTHING,
            (Some(slots), true) => certain |= slots,
            (slots, false) => possible = possible.zip(slots).map(|(some, more)| some | more),
        }
    }
    let is_exact = possible.as_ref().is_some_and(RoaringBitmap::is_empty);
    Found {
        slots: possible.map(|possible| possible | certain),
        is_exact,
    }
}

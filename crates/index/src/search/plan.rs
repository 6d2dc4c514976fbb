//! Query plans: predicates with their columns, cheap operands first, negations pushed to the tests.

use super::leaf::{Cost, Leaf, SlotScope};
use crate::column::ColumnData;
use portcullis_filter::Predicate;
use roaring::RoaringBitmap;

/// A predicate prepared for evaluation on columns.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    node: Node<'a>,
    cost: Cost,
}

#[derive(Debug)]
enum Node<'a> {
    Constant(bool),
    /// A test without a column.
    Unknown,
    All(Vec<Plan<'a>>),
    Any(Vec<Plan<'a>>),
    Leaf {
        leaf: Leaf<'a>,
        is_negated: bool,
    },
}

/// Result of a plan for the candidates.
#[derive(Debug)]
pub(super) struct PlanResult {
    /// The possible matches; `None` for all. Only defined for candidates.
    pub(super) slots: Option<RoaringBitmap>,
    /// Whether all of these match.
    pub(super) is_exact: bool,
}

impl<'a> Plan<'a> {
    /// `column` returns the column of a symbol.
    pub(super) fn new(
        predicate: &'a Predicate,
        column: &impl Fn(&str) -> Option<ColumnData<'a>>,
    ) -> Self {
        Self::with_sign(predicate, false, column)
    }

    fn with_sign(
        predicate: &'a Predicate,
        is_negated: bool,
        column: &impl Fn(&str) -> Option<ColumnData<'a>>,
    ) -> Self {
        let operands = |operands: &'a [Predicate]| {
            let mut plans: Vec<Self> = operands
                .iter()
                .map(|operand| Self::with_sign(operand, is_negated, column))
                .collect();
            plans.sort_by_key(|plan| plan.cost);
            plans
        };
        let node = match predicate {
            Predicate::Constant(value) => Node::Constant(*value != is_negated),
            Predicate::Not(inner) => return Self::with_sign(inner, !is_negated, column),
            Predicate::And(parts) if is_negated => Node::Any(operands(parts)),
            Predicate::Or(parts) if is_negated => Node::All(operands(parts)),
            Predicate::And(parts) => Node::All(operands(parts)),
            Predicate::Or(parts) => Node::Any(operands(parts)),
            Predicate::Test {
                field: subject,
                test,
            } => Leaf::test(subject, test, column)
                .map_or(Node::Unknown, |leaf| Node::Leaf { leaf, is_negated }),
            Predicate::IsEmpty(collection) => Leaf::is_empty(collection, column)
                .map_or(Node::Unknown, |leaf| Node::Leaf { leaf, is_negated }),
        };
        let cost = node.cost();
        Self { node, cost }
    }

    /// Evaluates the plan for `candidates`, `None` for all.
    pub(super) fn run(
        &self,
        scope: &SlotScope<'_>,
        candidates: Option<&RoaringBitmap>,
    ) -> PlanResult {
        match &self.node {
            Node::Constant(true) => PlanResult::EVERYTHING,
            Node::Constant(false) => PlanResult::exact(RoaringBitmap::new()),
            Node::Unknown => PlanResult {
                slots: None,
                is_exact: false,
            },
            Node::Leaf { leaf, is_negated } => {
                let slots = leaf.run(scope, candidates);
                PlanResult::exact(if *is_negated {
                    candidates.unwrap_or(scope.live) - slots
                } else {
                    slots
                })
            },
            Node::All(plans) => run_all(plans, scope, candidates),
            Node::Any(plans) => run_any(plans, scope, candidates),
        }
    }
}

impl Node<'_> {
    fn cost(&self) -> Cost {
        match self {
            Self::Constant(_) => Cost::Lookup,
            Self::Unknown => Cost::Undecided,
            Self::Leaf { leaf, .. } => leaf.cost(),
            Self::All(plans) | Self::Any(plans) => plans
                .iter()
                .map(|plan| plan.cost)
                .max()
                .unwrap_or(Cost::Lookup),
        }
    }
}

impl PlanResult {
    const EVERYTHING: Self = Self {
        slots: None,
        is_exact: true,
    };

    const fn exact(slots: RoaringBitmap) -> Self {
        Self {
            slots: Some(slots),
            is_exact: true,
        }
    }
}

/// Each operand only gets the candidates that those before it left.
fn run_all(
    plans: &[Plan<'_>],
    scope: &SlotScope<'_>,
    candidates: Option<&RoaringBitmap>,
) -> PlanResult {
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
            return PlanResult::exact(RoaringBitmap::new());
        }
    }
    PlanResult {
        slots: left,
        is_exact,
    }
}

/// Each operand only gets the candidates that no operand before it matched for certain.
fn run_any(
    plans: &[Plan<'_>],
    scope: &SlotScope<'_>,
    candidates: Option<&RoaringBitmap>,
) -> PlanResult {
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
            (None, true) => return PlanResult::EVERYTHING,
            (Some(slots), true) => certain |= slots,
            (slots, false) => possible = possible.zip(slots).map(|(some, more)| some | more),
        }
    }
    let is_exact = possible.as_ref().is_some_and(RoaringBitmap::is_empty);
    PlanResult {
        slots: possible.map(|possible| possible | certain),
        is_exact,
    }
}

//! Evaluation of queries on rows.
//!
//! Recursion follows the predicate, whose depth is bounded; the work per row is bounded by the number of
//! tests and the sizes of the sets that they use.

use crate::fold::upper_case;
use crate::page::Limit;
use crate::query::{Collection, CompareOp, Comparison, FieldExpr, Predicate, Query, Test};
use crate::row::AnyRow;
use crate::schema::SymbolId;
use crate::value::{Number, Value};
use std::cmp::Ordering;
use std::ops::ControlFlow;

impl Predicate {
    /// Whether `row` matches. The predicate must have been parsed for the schema of the row.
    pub fn matches(&self, row: &dyn AnyRow) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Not(inner) => !inner.matches(row),
            Self::And(operands) => operands.iter().all(|operand| operand.matches(row)),
            Self::Or(operands) => operands.iter().any(|operand| operand.matches(row)),
            Self::Test {
                field: subject,
                test,
            } => subject.passes(test, row),
            Self::IsEmpty(collection) => collection.count(row, 1) == 0,
        }
    }
}

impl FieldExpr {
    fn passes(&self, test: &Test, row: &dyn AnyRow) -> bool {
        match self {
            Self::Value(symbol) => test.accepts(&row.value_of(*symbol)),
            Self::Entry { map, key } => test.accepts(&row.entry_of(*map, key)),
            Self::AnyOf(set) => has_element(row, *set, |element| test.accepts(&element.into())),
            Self::AllOf(set) => !has_element(row, *set, |element| !test.accepts(&element.into())),
            Self::Count(collection) => {
                let count = collection.count(row, usize::MAX);
                test.accepts(&Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
            },
        }
    }
}

fn has_element(row: &dyn AnyRow, set: SymbolId, wanted: impl Fn(&str) -> bool) -> bool {
    let mut visit = |element: &str| {
        if wanted(element) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    row.elements_of(set, &mut visit).is_break()
}

impl Collection {
    /// The number of elements, counted up to `enough`.
    fn count(&self, row: &dyn AnyRow, enough: usize) -> usize {
        let mut count = 0_usize;
        match self {
            Self::Set(set) => {
                let mut visit = |_: &str| {
                    count += 1;
                    if count < enough {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                };
                // `count` already tells how the visit ended.
                let _ = row.elements_of(*set, &mut visit);
                count
            },
            Self::SubQuery { references, query } => {
                let skipped = query.skip.unwrap_or_default().rows();
                let most = query.limit.and_then(Limit::rows).unwrap_or(usize::MAX);
                let enough = enough.min(most).saturating_add(skipped);
                let mut visit = |row: &dyn AnyRow| {
                    count += usize::from(query.matches(row));
                    if count < enough {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                };
                let _ = row.referenced_by(*references, &mut visit);
                count.saturating_sub(skipped)
            },
        }
    }
}

impl Query {
    /// Whether `row` matches the predicate, whatever its position in the order.
    pub fn matches(&self, row: &dyn AnyRow) -> bool {
        self.predicate.matches(row)
    }
}

impl Test {
    /// Whether a single value passes.
    pub fn accepts(&self, value: &Value<'_>) -> bool {
        match self {
            Self::Null => value.is_missing(),
            Self::Present => !value.is_missing(),
            Self::Boolean(expected) => (*value == Value::Boolean(true)) == *expected,
            Self::Text(comparison) => {
                let text = value.as_text();
                comparison.accepts(text.map(|text| move |operand: &String| (*text).cmp(operand)))
            },
            Self::Number(comparison) => {
                let number = value.as_number();
                comparison
                    .accepts(number.map(|number| move |operand: &Number| number.order(*operand)))
            },
            Self::Datetime(comparison) => comparison.accepts(
                value
                    .as_datetime()
                    .map(|instant| move |operand: &_| instant.cmp(operand)),
            ),
            Self::NumberBetween { low, high } => value
                .as_number()
                .is_some_and(|number| number.order(*low).is_ge() && number.order(*high).is_lt()),
            Self::DatetimeBetween { low, high } => value
                .as_datetime()
                .is_some_and(|instant| (*low..*high).contains(&instant)),
            Self::Contains {
                needle,
                ignore_case,
                negated,
            } => {
                let found = value.as_text().is_some_and(|text| {
                    if *ignore_case {
                        upper_case(&text).contains(needle.as_str())
                    } else {
                        text.contains(needle.as_str())
                    }
                });
                found != *negated
            },
        }
    }
}

impl<T> Comparison<T> {
    /// Whether a value passes, given its order to an operand; `None` for a missing value.
    fn accepts(&self, order: Option<impl Fn(&T) -> Ordering>) -> bool {
        match (self, order) {
            (Self::Is { op, operand }, Some(order)) => op.holds(order(operand)),
            (Self::Is { op, .. }, None) => *op == CompareOp::NotEqual,
            // The search needs the order of the element relative to the value, which is the reverse.
            (Self::OneOf(list), Some(order)) => list
                .binary_search_by(|element| order(element).reverse())
                .is_ok(),
            (Self::OneOf(_), None) => false,
        }
    }
}

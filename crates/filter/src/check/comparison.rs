//! Type rules of comparison operators.

use super::{LeftType, field_expr};
use crate::error::{Problem, SpannedError};
use crate::fold::upper_case;
use crate::parser::truncated;
use crate::query::{CompareOp, Comparison, Predicate, Test};
use crate::schema::{Schema, ValueType};
use crate::tree::{self, Literal, Literals, Operation};
use crate::value::Number;

/// Checks one comparison.
pub(super) fn comparison(
    tree: tree::Comparison<'_>,
    schema: &'static Schema,
) -> Result<Predicate, SpannedError> {
    let written = display_field(&tree.field);
    let (subject, left) = field_expr(tree.field, schema)?;
    let (operator, operand) = (operator(&tree.operation), operand(&tree.operation));
    let negated = matches!(
        tree.operation,
        Operation::In { negated: true, .. } | Operation::Between { negated: true, .. }
    );
    let Some(test) = test(left, tree.operation) else {
        let actual = left.description();
        let problem = Problem::TypeMismatch {
            subject: written,
            actual,
            operator,
            operand,
        };
        return Err(SpannedError::new(tree.span, problem));
    };
    let test = Predicate::Test {
        field: subject,
        test,
    };
    // Negates the whole test, outside of a set function: no element is in the list.
    Ok(if negated {
        Predicate::Not(Box::new(test))
    } else {
        test
    })
}

/// The test for the left side; `None` when the types do not match.
fn test(left: LeftType, operation: Operation) -> Option<Test> {
    match operation {
        Operation::Compare(op, literal) => compare(left, op, literal),
        Operation::In { list, .. } => is_in_list(left, list),
        Operation::Between { bounds, .. } => between(left, bounds),
        Operation::Contains {
            negated,
            ignore_case,
            needle,
        } => contains(left, needle, ignore_case).map(|needle| Test::Contains {
            needle,
            ignore_case,
            negated,
        }),
    }
}

fn compare(left: LeftType, op: CompareOp, literal: Literal) -> Option<Test> {
    use ValueType::{Boolean, Datetime, Float, Integer, String};
    let equal = matches!(op, CompareOp::Equal);
    match (left, literal) {
        (_, Literal::Null) => Some(if equal { Test::Null } else { Test::Present }),
        (LeftType::Any | LeftType::One(String), Literal::Text(operand)) => {
            Some(Test::Text(Comparison::Is { op, operand }))
        },
        (LeftType::One(String), Literal::Number(number)) => Some(Test::Text(Comparison::Is {
            op,
            operand: number.to_text(),
        })),
        (LeftType::Any | LeftType::One(Integer | Float), Literal::Number(operand)) => {
            Some(Test::Number(Comparison::Is { op, operand }))
        },
        // A missing boolean counts as false, so `!=` is the same as `=` with the other value.
        (LeftType::Any | LeftType::One(Boolean), Literal::Boolean(operand)) => {
            Some(Test::Boolean(operand == equal))
        },
        (LeftType::Any | LeftType::One(Datetime), Literal::Datetime(operand)) => {
            Some(Test::Datetime(Comparison::Is { op, operand }))
        },
        _ => None,
    }
}

fn is_in_list(left: LeftType, list: Literals) -> Option<Test> {
    use ValueType::{Datetime, Float, Integer, String};
    match (left, list) {
        (LeftType::Any | LeftType::One(String | Integer | Float), Literals::Texts(list)) => {
            Some(Test::Text(texts(list)))
        },
        (LeftType::One(String), Literals::Numbers(list)) => Some(Test::Text(texts(
            list.into_iter().map(Number::to_text).collect(),
        ))),
        (LeftType::Any | LeftType::One(Integer | Float), Literals::Numbers(list)) => {
            let mut list = of_one_type(list);
            list.sort_by(|left, right| left.order(*right));
            list.dedup();
            Some(Test::Number(Comparison::OneOf(list)))
        },
        (LeftType::Any | LeftType::One(Datetime), Literals::Datetimes(mut list)) => {
            list.sort_unstable();
            list.dedup();
            Some(Test::Datetime(Comparison::OneOf(list)))
        },
        _ => None,
    }
}

fn texts(mut list: Vec<String>) -> Comparison<String> {
    list.sort_unstable();
    list.dedup();
    Comparison::OneOf(list)
}

/// Converts a list with any float in it to floats.
fn of_one_type(list: Vec<Number>) -> Vec<Number> {
    if list
        .iter()
        .all(|number| matches!(number, Number::Integer(_)))
    {
        return list;
    }
    list.into_iter()
        .map(|number| Number::Float(number.as_float()))
        .collect()
}

fn between(left: LeftType, bounds: Literals) -> Option<Test> {
    use ValueType::{Datetime, Float, Integer};
    match (left, bounds) {
        (LeftType::Any | LeftType::One(Integer | Float), Literals::Numbers(bounds)) => {
            match of_one_type(bounds).as_slice() {
                [low, high] => Some(Test::NumberBetween {
                    low: *low,
                    high: *high,
                }),
                _ => None,
            }
        },
        (LeftType::Any | LeftType::One(Datetime), Literals::Datetimes(bounds)) => {
            match bounds.as_slice() {
                [low, high] => Some(Test::DatetimeBetween {
                    low: *low,
                    high: *high,
                }),
                _ => None,
            }
        },
        _ => None,
    }
}

/// The text to search for.
fn contains(left: LeftType, needle: Literal, ignore_case: bool) -> Option<String> {
    use ValueType::{Float, Integer, String};
    match (left, needle, ignore_case) {
        (LeftType::Any | LeftType::One(String), Literal::Text(text), true) => {
            Some(upper_case(&text))
        },
        (LeftType::Any | LeftType::One(String | Integer | Float), Literal::Text(text), false) => {
            Some(text)
        },
        (
            LeftType::Any | LeftType::One(String | Integer | Float),
            Literal::Number(number),
            false,
        ) => Some(number.to_text()),
        _ => None,
    }
}

/// The left side, for error messages.
fn display_field(subject: &tree::FieldExpr<'_>) -> String {
    match subject {
        tree::FieldExpr::Symbol(name) => truncated(name.text),
        tree::FieldExpr::AnyOf(name) => format!("anyOf({})", truncated(name.text)),
        tree::FieldExpr::AllOf(name) => format!("allOf({})", truncated(name.text)),
        tree::FieldExpr::Count(_) => "count(...)".to_owned(),
    }
}

/// The operator, for error messages.
const fn operator(operation: &Operation) -> &'static str {
    match operation {
        Operation::Compare(op, _) => op.sign(),
        Operation::In { negated: false, .. } => "in",
        Operation::In { negated: true, .. } => "not in",
        Operation::Between { negated: false, .. } => "between",
        Operation::Between { negated: true, .. } => "not between",
        Operation::Contains {
            negated: false,
            ignore_case: false,
            ..
        } => "contains",
        Operation::Contains {
            negated: true,
            ignore_case: false,
            ..
        } => "not contains",
        Operation::Contains {
            negated: false,
            ignore_case: true,
            ..
        } => "icontains",
        Operation::Contains {
            negated: true,
            ignore_case: true,
            ..
        } => "not icontains",
    }
}

/// The type of the right side, for error messages.
const fn operand(operation: &Operation) -> &'static str {
    match operation {
        Operation::Compare(_, literal)
        | Operation::Contains {
            needle: literal, ..
        } => match literal {
            Literal::Text(_) => "a string",
            Literal::Number(_) => "a number",
            Literal::Datetime(_) => "a datetime",
            Literal::Boolean(_) => "a boolean",
            Literal::Null => "null",
        },
        Operation::In { list, .. } | Operation::Between { bounds: list, .. } => match list {
            Literals::Texts(_) => "strings",
            Literals::Numbers(_) => "numbers",
            Literals::Datetimes(_) => "datetimes",
        },
    }
}

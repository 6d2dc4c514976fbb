//! Which operator takes which operands.

use super::{Left, subject};
use crate::error::{Fault, Problem};
use crate::fold::upper_case;
use crate::parser::shown;
use crate::query::{CompareOp, Comparison, Predicate, Test};
use crate::schema::{Schema, ValueType};
use crate::tree::{self, Literal, Literals, Operation};
use crate::value::Number;

/// Checks one comparison.
pub(super) fn comparison(
    tree: tree::Comparison<'_>,
    schema: &'static Schema,
) -> Result<Predicate, Fault> {
    let written = written(&tree.subject);
    let (subject, left) = subject(tree.subject, schema)?;
    let (operator, operand) = (operator(&tree.operation), operand(&tree.operation));
    let negated = matches!(
        tree.operation,
        Operation::In { negated: true, .. } | Operation::Between { negated: true, .. }
    );
    let Some(test) = test(left, tree.operation) else {
        let actual = left.described();
        let problem = Problem::TypeMismatch {
            subject: written,
            actual,
            operator,
            operand,
        };
        return Err(Fault::new(tree.span, problem));
    };
    let test = Predicate::Test { subject, test };
    // These negate the whole test, outside of a set function: no element is in the list.
    Ok(if negated {
        Predicate::Not(Box::new(test))
    } else {
        test
    })
}

/// The test that the operation is for the left side, `None` when they do not fit.
fn test(left: Left, operation: Operation) -> Option<Test> {
    match operation {
        Operation::Compare(op, literal) => compare(left, op, literal),
        Operation::In { list, .. } => one_of(left, list),
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

fn compare(left: Left, op: CompareOp, literal: Literal) -> Option<Test> {
    use ValueType::{Boolean, Datetime, Float, Integer, String};
    let equal = matches!(op, CompareOp::Equal);
    match (left, literal) {
        (_, Literal::Null) => Some(if equal { Test::Null } else { Test::Present }),
        (Left::Any | Left::One(String), Literal::Text(operand)) => {
            Some(Test::Text(Comparison::Is { op, operand }))
        },
        (Left::One(String), Literal::Number(number)) => Some(Test::Text(Comparison::Is {
            op,
            operand: number.to_text(),
        })),
        (Left::Any | Left::One(Integer | Float), Literal::Number(operand)) => {
            Some(Test::Number(Comparison::Is { op, operand }))
        },
        // A missing boolean counts as false, so `!=` is the same as `=` with the other word.
        (Left::Any | Left::One(Boolean), Literal::Boolean(operand)) => {
            Some(Test::Boolean(operand == equal))
        },
        (Left::Any | Left::One(Datetime), Literal::Datetime(operand)) => {
            Some(Test::Datetime(Comparison::Is { op, operand }))
        },
        _ => None,
    }
}

fn one_of(left: Left, list: Literals) -> Option<Test> {
    use ValueType::{Datetime, Float, Integer, String};
    match (left, list) {
        (Left::Any | Left::One(String | Integer | Float), Literals::Texts(list)) => {
            Some(Test::Text(texts(list)))
        },
        (Left::One(String), Literals::Numbers(list)) => Some(Test::Text(texts(
            list.into_iter().map(Number::to_text).collect(),
        ))),
        (Left::Any | Left::One(Integer | Float), Literals::Numbers(list)) => {
            let mut list = of_one_type(list);
            list.sort_by(|left, right| left.order(*right));
            list.dedup();
            Some(Test::Number(Comparison::OneOf(list)))
        },
        (Left::Any | Left::One(Datetime), Literals::Datetimes(mut list)) => {
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

/// A list with one float in it is a list of floats.
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

fn between(left: Left, bounds: Literals) -> Option<Test> {
    use ValueType::{Datetime, Float, Integer};
    match (left, bounds) {
        (Left::Any | Left::One(Integer | Float), Literals::Numbers(bounds)) => {
            match of_one_type(bounds).as_slice() {
                [low, high] => Some(Test::NumberBetween {
                    low: *low,
                    high: *high,
                }),
                _ => None,
            }
        },
        (Left::Any | Left::One(Datetime), Literals::Datetimes(bounds)) => match bounds.as_slice() {
            [low, high] => Some(Test::DatetimeBetween {
                low: *low,
                high: *high,
            }),
            _ => None,
        },
        _ => None,
    }
}

/// The text to look for.
fn contains(left: Left, needle: Literal, ignore_case: bool) -> Option<String> {
    use ValueType::{Float, Integer, String};
    match (left, needle, ignore_case) {
        (Left::Any | Left::One(String), Literal::Text(text), true) => Some(upper_case(&text)),
        (Left::Any | Left::One(String | Integer | Float), Literal::Text(text), false) => Some(text),
        (Left::Any | Left::One(String | Integer | Float), Literal::Number(number), false) => {
            Some(number.to_text())
        },
        _ => None,
    }
}

/// The left side for a message.
fn written(subject: &tree::Subject<'_>) -> String {
    match subject {
        tree::Subject::Symbol(name) => shown(name.text),
        tree::Subject::AnyOf(name) => format!("anyOf({})", shown(name.text)),
        tree::Subject::AllOf(name) => format!("allOf({})", shown(name.text)),
        tree::Subject::Count(_) => "count(...)".to_owned(),
    }
}

/// The operator for a message.
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

/// The right side for a message.
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

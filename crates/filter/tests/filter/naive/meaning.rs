//! What a condition means for a row.

use super::{Chain, Collection, Leaf, Left, Literal, Naive};
use crate::support::Entity;
use jiff::Timestamp;
use portcullis_filter::Value;
use std::cmp::Ordering;
use std::slice::from_ref;

impl Naive {
    /// Rows to skip.
    pub(crate) fn skipped(&self) -> usize {
        match self.skip.as_deref() {
            None => 0,
            Some(number) if number.starts_with('-') => 0,
            Some(number) => number.parse().unwrap_or(usize::MAX).min(100_000),
        }
    }

    /// Most rows to give, if the query says something about it and sets a bound.
    pub(crate) fn most(&self) -> Option<usize> {
        match self.limit.as_deref() {
            None | Some("-1") => None,
            Some(none) if none.eq_ignore_ascii_case("none") => None,
            Some("0") => Some(10),
            Some(number) if number.starts_with('-') => Some(10),
            Some(number) => Some(number.parse().unwrap_or(usize::MAX).min(500)),
        }
    }
}

impl Chain {
    pub(crate) fn holds(&self, row: &Entity) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.holds(row),
            Self::Group(inner) => inner.holds(row),
            Self::Not(inner) => !inner.holds(row),
            Self::Join(left, true, rest) => left.holds(row) & rest.holds(row),
            Self::Join(left, false, rest) => left.holds(row) | rest.holds(row),
        }
    }
}

impl Leaf {
    fn holds(&self, row: &Entity) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Bare(name) => is_true(&value(row, name)),
            Self::IsEmpty(collection) => collection.count(row) == 0,
            Self::Test {
                left,
                operator,
                right,
            } => {
                let textual = left.is_textual();
                let passes = |positive: &str, value: &_| passes(value, positive, right, textual);
                match operator.strip_prefix("not ") {
                    None => left.holds(row, |value| passes(operator, value)),
                    // This negation is about the single element, the others are about the whole test.
                    Some(positive) if positive.ends_with("contains") => {
                        left.holds(row, |value| !passes(positive, value))
                    },
                    Some(positive) => !left.holds(row, |value| passes(positive, value)),
                }
            },
        }
    }
}

impl Left {
    /// Whether numbers on the right side are texts.
    fn is_textual(&self) -> bool {
        match self {
            Self::Symbol(name) => name == "name" || name == "id",
            Self::AnyOf(_) | Self::AllOf(_) => true,
            Self::Count(_) => false,
        }
    }

    fn holds(&self, row: &Entity, test: impl Fn(&Value<'static>) -> bool) -> bool {
        let element = |text: &String| test(&Value::from(text.clone()));
        match self {
            Self::Symbol(name) => test(&value(row, name)),
            Self::AnyOf(set) => row.set(set).iter().any(element),
            Self::AllOf(set) => row.set(set).iter().all(element),
            Self::Count(collection) => {
                let count = i64::try_from(collection.count(row)).unwrap();
                test(&Value::Integer(count))
            },
        }
    }
}

impl Collection {
    fn count(&self, row: &Entity) -> usize {
        match self {
            Self::Set(set) => row.set(set).len(),
            Self::From(set, query) => {
                let found = row.rows(set).iter();
                let found = found.filter(|referenced| query.condition.holds(referenced));
                let behind = found.count().saturating_sub(query.skipped());
                behind.min(query.most().unwrap_or(usize::MAX))
            },
        }
    }
}

/// What a row has; not-a-number is nothing.
fn value(row: &Entity, name: &str) -> Value<'static> {
    match row.get(name) {
        Value::Float(number) if number.is_nan() => Value::Missing,
        value => value,
    }
}

/// A test without negation, of one value.
fn passes(value: &Value<'_>, operator: &str, right: &[Literal], textual: bool) -> bool {
    let compare = |sign, literal| passes(value, sign, from_ref(literal), textual);
    match (operator, right) {
        ("in", list) => list.iter().any(|element| compare("=", element)),
        ("between", [low, high]) => compare(">=", low) && compare("<", high),
        ("contains", [part]) => text(value).is_some_and(|text| text.contains(&part.as_text())),
        ("icontains", [part]) => {
            let part = part.as_text().to_uppercase();
            text(value).is_some_and(|text| text.to_uppercase().contains(&part))
        },
        ("=", [Literal::Null]) => *value == Value::Missing,
        ("!=", [Literal::Null]) => *value != Value::Missing,
        ("=", [Literal::Boolean(wanted)]) => is_true(value) == *wanted,
        ("!=", [Literal::Boolean(wanted)]) => is_true(value) != *wanted,
        (sign, [literal]) => match order(value, literal, textual) {
            Some(order) => relates(sign, order),
            None => sign == "!=",
        },
        (operator, right) => panic!("no operator of the language: {operator} {right:?}"),
    }
}

fn relates(sign: &str, order: Ordering) -> bool {
    match sign {
        "=" => order == Ordering::Equal,
        "!=" => order != Ordering::Equal,
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        ">=" => order != Ordering::Less,
        other => panic!("no sign of the language: {other}"),
    }
}

/// How a value stands to a literal, if the literal sees a value there.
fn order(value: &Value<'_>, literal: &Literal, textual: bool) -> Option<Ordering> {
    match literal {
        Literal::Number(number) if !textual => {
            float(value)?.partial_cmp(&number.parse::<f64>().unwrap())
        },
        Literal::Number(_) | Literal::Text(_) => Some(text(value)?.cmp(&literal.as_text())),
        Literal::Instant(inside) => match value {
            Value::Datetime(instant) => Some(instant.cmp(&parsed(inside))),
            _ => None,
        },
        Literal::Boolean(_) | Literal::Null => None,
    }
}

impl Literal {
    fn as_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => match number.parse::<i64>() {
                Ok(integer) => integer.to_string(),
                Err(_) => number.parse::<f64>().unwrap().to_string(),
            },
            other => panic!("not a text: {other:?}"),
        }
    }
}

fn is_true(value: &Value<'_>) -> bool {
    *value == Value::Boolean(true)
}

fn text(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Integer(value) => Some(value.to_string()),
        Value::Float(value) => Some(value.to_string()),
        Value::Boolean(value) => Some(value.to_string()),
        Value::Datetime(_) | Value::Missing => None,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "all integers of these rows are small"
)]
fn float(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    }
}

/// The instant; what is too late to be one is the last there is.
fn parsed(inside: &str) -> Timestamp {
    let inside = inside.trim();
    let nine_digits = inside.split_once('.').map(|(seconds, rest)| {
        let zone = rest.trim_start_matches(|character: char| character.is_ascii_digit());
        let digits = &rest[..rest.len() - zone.len()];
        format!("{seconds}.{}{zone}", &digits[..digits.len().min(9)])
    });
    let text = nine_digits.as_deref().unwrap_or(inside);
    text.parse().unwrap_or(Timestamp::MAX)
}

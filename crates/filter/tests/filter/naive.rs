//! A second, simple-minded reading of the language: trees that know their text and their meaning.

use crate::support::Entity;
use portcullis_filter::{Schema, Symbol, Value};
use proptest::prelude::*;
use proptest::sample::select;

/// A kind with every type of symbol.
pub(crate) static KIND: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::integer("cost"),
    Symbol::boolean("flag"),
    Symbol::datetime("seen"),
    Symbol::set("roles"),
    Symbol::references("friends", &KIND),
]);

/// A condition in the shape of its text: what stands to the right of an operator belongs to it.
#[derive(Debug, Clone)]
pub(crate) enum Chain {
    Leaf(Leaf),
    Group(Box<Self>),
    Not(Box<Self>),
    /// `left operator rest`, where left is a leaf or a group; `true` stands for `and`.
    Join(Box<Self>, bool, Box<Self>),
}

#[derive(Debug, Clone)]
pub(crate) enum Leaf {
    Constant(bool),
    Bare(&'static str),
    Null {
        left: &'static str,
        negated: bool,
    },
    Boolean {
        left: &'static str,
        op: &'static str,
        right: bool,
    },
    Text {
        left: Left,
        op: &'static str,
        right: String,
    },
    Number {
        left: Left,
        op: &'static str,
        right: f64,
    },
    Instant {
        op: &'static str,
        right: i64,
    },
    TextIn {
        left: Left,
        negated: bool,
        list: Vec<String>,
    },
    NumberIn {
        left: Left,
        negated: bool,
        list: Vec<f64>,
    },
    Between {
        left: Left,
        negated: bool,
        low: f64,
        high: f64,
    },
    Contains {
        left: Left,
        ignore_case: bool,
        negated: bool,
        needle: String,
    },
    IsEmpty,
    SubQuery {
        inner: Box<Chain>,
        skip: usize,
        least: usize,
    },
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Left {
    Symbol(&'static str),
    AnyOf,
    AllOf,
    Count,
}

impl Left {
    fn text(self) -> &'static str {
        match self {
            Self::Symbol(name) => name,
            Self::AnyOf => "anyOf(roles)",
            Self::AllOf => "allOf( roles )",
            Self::Count => "COUNT(roles)",
        }
    }

    /// Applies a test to the value or to the elements.
    fn passes(self, row: &Entity, test: impl Fn(&Value<'static>) -> bool) -> bool {
        let mut elements = row
            .set("roles")
            .iter()
            .map(|element| element.clone().into());
        match self {
            Self::Symbol(name) => test(&row.get(name)),
            Self::AnyOf => elements.any(|element| test(&element)),
            Self::AllOf => elements.all(|element| test(&element)),
            Self::Count => test(&Value::Integer(i64::try_from(elements.count()).unwrap())),
        }
    }
}

impl Chain {
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Leaf(leaf) => leaf.text(),
            Self::Group(inner) => format!("( {})", inner.text()),
            Self::Not(inner) => format!("not {}", inner.text()),
            Self::Join(left, true, rest) => format!("{} and {}", left.text(), rest.text()),
            Self::Join(left, false, rest) => format!("{}\tOR  {}", left.text(), rest.text()),
        }
    }

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
    fn text(&self) -> String {
        let not = |negated: &bool| if *negated { "not " } else { "" };
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Bare(left) => (*left).to_owned(),
            Self::Null { left, negated } => {
                format!("{left} {} null", if *negated { "!=" } else { "=" })
            },
            Self::Boolean { left, op, right } => format!("{left} {op} {right}"),
            Self::Text { left, op, right } => format!("{}{op}{right:?}", left.text()),
            Self::Number { left, op, right } => format!("{} {op} {}", left.text(), number(*right)),
            Self::Instant { op, right } => format!("seen {op} {}", instant(*right)),
            Self::TextIn {
                left,
                negated,
                list,
            } => {
                format!("{} {}in {list:?}", left.text(), not(negated))
            },
            Self::NumberIn {
                left,
                negated,
                list,
            } => {
                let list: Vec<_> = list.iter().map(|value| number(*value)).collect();
                format!("{} {}in [{}]", left.text(), not(negated), list.join(" ,"))
            },
            Self::Between {
                left,
                negated,
                low,
                high,
            } => {
                let (low, high) = (number(*low), number(*high));
                format!("{} {}between {low} and {high}", left.text(), not(negated))
            },
            Self::Contains {
                left,
                ignore_case,
                negated,
                needle,
            } => {
                let operator = if *ignore_case {
                    "icontains"
                } else {
                    "contains"
                };
                format!("{} {}{operator} {needle:?}", left.text(), not(negated))
            },
            Self::IsEmpty => "isEmpty(roles)".to_owned(),
            Self::SubQuery { inner, skip, least } => {
                format!(
                    "count(from friends where {} skip {skip}) >= {least}",
                    inner.text()
                )
            },
        }
    }

    fn holds(&self, row: &Entity) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Bare(left) => row.get(left) == Value::Boolean(true),
            Self::Null { left, negated } => (row.get(left) == Value::Missing) != *negated,
            Self::Boolean { left, op, right } => {
                relates(op, &(row.get(left) == Value::Boolean(true)), right)
            },
            Self::Text { left, op, right } => left.passes(row, |value| {
                text(value).map_or(*op == "!=", |value| relates(op, &value, right))
            }),
            Self::Number { left, op, right } => left.passes(row, |value| {
                float(value).map_or(*op == "!=", |value| relates(op, &value, right))
            }),
            Self::Instant { op, right } => match row.get("seen") {
                Value::Datetime(seen) => relates(op, &seen.as_second(), right),
                _ => *op == "!=",
            },
            Self::TextIn {
                left,
                negated,
                list,
            } => {
                let listed = |value: &_| text(value).is_some_and(|value| list.contains(&value));
                left.passes(row, listed) != *negated
            },
            Self::NumberIn {
                left,
                negated,
                list,
            } => {
                let listed = |value: &_| float(value).is_some_and(|value| list.contains(&value));
                left.passes(row, listed) != *negated
            },
            Self::Between {
                left,
                negated,
                low,
                high,
            } => {
                let within =
                    |value: &_| float(value).is_some_and(|value| *low <= value && value < *high);
                left.passes(row, within) != *negated
            },
            Self::Contains {
                left,
                ignore_case,
                negated,
                needle,
            } => left.passes(row, |value| {
                let found = text(value).is_some_and(|value| {
                    if *ignore_case {
                        value.to_uppercase().contains(&needle.to_uppercase())
                    } else {
                        value.contains(needle.as_str())
                    }
                });
                found != *negated
            }),
            Self::IsEmpty => row.set("roles").is_empty(),
            Self::SubQuery { inner, skip, least } => {
                let found = row
                    .rows("friends")
                    .iter()
                    .filter(|friend| inner.holds(friend))
                    .count();
                found.saturating_sub(*skip) >= *least
            },
        }
    }
}

fn relates<T: PartialOrd>(op: &str, left: &T, right: &T) -> bool {
    match op {
        "=" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        _ => left >= right,
    }
}

fn text(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Integer(value) => Some(value.to_string()),
        Value::Float(value) => Some(value.to_string()),
        Value::Boolean(value) => Some(value.to_string()),
        _ => None,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "all integers of these tests are small"
)]
fn float(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        _ => None,
    }
}

/// Whole numbers without a fraction, so that both kinds of literals occur.
fn number(value: f64) -> String {
    value.to_string()
}

fn instant(second: i64) -> String {
    format!(
        "datetime({})",
        jiff::Timestamp::from_second(second).unwrap()
    )
}

const OPS: &[&str] = &["=", "!=", "<", "<=", ">", ">="];
const SINGLE: &[&str] = &["name", "tags.x", "tags.y-z"];

fn word() -> impl Strategy<Value = String> {
    // A small alphabet, so that words meet; letters in both cases and what strings have to escape.
    "[abAB2\"\\\\]{0,3}"
}

fn amount() -> impl Strategy<Value = f64> {
    select(vec![-1.0, 0.0, 1.0, 1.5, 2.0, 3.0])
}

fn textual() -> impl Strategy<Value = Left> {
    prop_oneof![
        select(SINGLE).prop_map(Left::Symbol),
        Just(Left::AnyOf),
        Just(Left::AllOf)
    ]
}

fn numeric() -> impl Strategy<Value = Left> {
    prop_oneof![
        select(vec!["cost", "tags.x"]).prop_map(Left::Symbol),
        Just(Left::Count)
    ]
}

fn leaf() -> impl Strategy<Value = Leaf> {
    let symbol = || select(vec!["name", "cost", "flag", "seen", "tags.x"]);
    let truth = || select(vec!["flag", "tags.x"]);
    prop_oneof![
        any::<bool>().prop_map(Leaf::Constant),
        truth().prop_map(Leaf::Bare),
        (symbol(), any::<bool>()).prop_map(|(left, negated)| Leaf::Null { left, negated }),
        (truth(), select(vec!["=", "!="]), any::<bool>())
            .prop_map(|(left, op, right)| Leaf::Boolean { left, op, right }),
        (textual(), select(OPS), word()).prop_map(|(left, op, right)| Leaf::Text {
            left,
            op,
            right
        }),
        (numeric(), select(OPS), amount()).prop_map(|(left, op, right)| Leaf::Number {
            left,
            op,
            right
        }),
        (select(OPS), 0..3_i64).prop_map(|(op, right)| Leaf::Instant { op, right }),
        (
            textual(),
            any::<bool>(),
            prop::collection::vec(word(), 1..4)
        )
            .prop_map(|(left, negated, list)| Leaf::TextIn {
                left,
                negated,
                list
            }),
        (
            numeric(),
            any::<bool>(),
            prop::collection::vec(amount(), 1..4)
        )
            .prop_map(|(left, negated, list)| Leaf::NumberIn {
                left,
                negated,
                list
            }),
        (numeric(), any::<bool>(), amount(), amount()).prop_map(|(left, negated, low, high)| {
            Leaf::Between {
                left,
                negated,
                low,
                high,
            }
        }),
        (textual(), any::<bool>(), any::<bool>(), word()).prop_map(
            |(left, ignore_case, negated, needle)| Leaf::Contains {
                left,
                ignore_case,
                negated,
                needle
            }
        ),
        Just(Leaf::IsEmpty),
    ]
}

/// Conditions with at most one level of sub-queries, so that their number stays in bounds.
pub(crate) fn chain() -> impl Strategy<Value = Chain> {
    let sub_query = (without_sub_queries(leaf().boxed()), 0..2_usize, 0..3_usize).prop_map(
        |(inner, skip, least)| Leaf::SubQuery {
            inner: Box::new(inner),
            skip,
            least,
        },
    );
    (
        without_sub_queries(leaf().boxed()),
        prop::option::of((sub_query, any::<bool>())),
    )
        .prop_map(|(chain, sub_query)| match sub_query {
            Some((leaf, and)) => Chain::Join(Box::new(Chain::Leaf(leaf)), and, Box::new(chain)),
            None => chain,
        })
}

fn without_sub_queries(leaf: BoxedStrategy<Leaf>) -> impl Strategy<Value = Chain> {
    leaf.prop_map(Chain::Leaf)
        .prop_recursive(5, 24, 2, |inner| {
            let group = inner
                .clone()
                .prop_map(|inner| Chain::Group(Box::new(inner)));
            prop_oneof![
                group.clone(),
                inner.clone().prop_map(|inner| Chain::Not(Box::new(inner))),
                (inner.clone(), any::<bool>(), inner).prop_map(|(left, and, rest)| {
                    // Whatever would reach beyond the operator needs brackets.
                    let left = match left {
                        Chain::Leaf(_) | Chain::Group(_) => left,
                        _ => Chain::Group(Box::new(left)),
                    };
                    Chain::Join(Box::new(left), and, Box::new(rest))
                }),
            ]
        })
}

fn tag() -> impl Strategy<Value = Value<'static>> {
    prop_oneof![
        Just(Value::Missing),
        word().prop_map(Value::from),
        amount().prop_map(Value::from),
        (-1..4_i64).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
    ]
}

fn stranger() -> impl Strategy<Value = Entity> {
    (
        "[a-z]{1,2}",
        prop::option::of(word()),
        prop::option::of(-1..4_i64),
        prop::option::of(any::<bool>()),
        prop::option::of(0..3_i64),
        prop::collection::btree_set(word(), 0..3),
        (tag(), tag()),
    )
        .prop_map(|(id, name, cost, flag, seen, roles, (x, y))| {
            let roles: Vec<_> = roles.iter().map(String::as_str).collect();
            Entity::new(&id)
                .with("name", name)
                .with("cost", cost)
                .with("flag", flag)
                .with(
                    "seen",
                    seen.map(|second| jiff::Timestamp::from_second(second).unwrap()),
                )
                .with("tags.x", x)
                .with("tags.y-z", y)
                .with_set("roles", &roles)
        })
}

/// Rows of [`KIND`] with a few friends.
pub(crate) fn row() -> impl Strategy<Value = Entity> {
    (stranger(), prop::collection::vec(stranger(), 0..3))
        .prop_map(|(row, friends)| row.with_references("friends", friends))
}

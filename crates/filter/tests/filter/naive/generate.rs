//! Random conditions and rows, and the text of a condition.

use super::{Chain, Collection, Leaf, Left, Literal, Naive};
use crate::support::Entity;
use jiff::Timestamp;
use portcullis_filter::Value;
use proptest::collection::{btree_set, vec};
use proptest::option::{self, weighted};
use proptest::prelude::*;
use proptest::sample::select;

const SIGNS: &[&str] = &["=", "!=", "<", "<=", ">", ">="];
const EQUALITIES: &[&str] = &["=", "!="];
const LISTS: &[&str] = &["in", "not in"];
const BOUNDS: &[&str] = &["between", "not between"];
const PARTS: &[&str] = &["contains", "not contains"];
const FOLDED_PARTS: &[&str] = &["icontains", "not icontains"];

const NUMBERS: &[&str] = &["-1", "0", "-0", "1", "1.0", "1.5", "2", "20e-1", "3"];
const INSTANTS: &[&str] = &[
    "1970-01-01T00:00:00Z",
    " 1970-01-01t00:00:01z ",
    "1970-01-01T02:00:02+02:00",
    "1969-12-31T23:30:02-00:30",
    "1970-01-01T00:00:01.5Z",
];

impl Chain {
    /// The text, with blanks and letter cases that the language leaves open.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Leaf(leaf) => leaf.text(),
            Self::Group(inner) => format!("( {})", inner.text()),
            Self::Not(inner) => format!("not {}", inner.text()),
            Self::Join(left, true, rest) => format!("{} and {}", left.text(), rest.text()),
            Self::Join(left, false, rest) => format!("{}\tOR  {}", left.text(), rest.text()),
        }
    }
}

impl Leaf {
    fn text(&self) -> String {
        let (left, operator, right) = match self {
            Self::Constant(value) => return value.to_string(),
            Self::Bare(name) => return name.clone(),
            Self::IsEmpty(collection) => return format!("isEmpty({})", collection.text()),
            Self::Test {
                left,
                operator,
                right,
            } => (left.text(), operator, right),
        };
        let right: Vec<_> = right.iter().map(Literal::text).collect();
        match operator.as_str() {
            "in" | "not in" => format!("{left} {operator} [{}]", right.join(" ,")),
            sign if SIGNS.contains(&sign) => format!("{left}{sign}{}", right.join("")),
            operator => format!("{left} {operator}\n{}", right.join(" And ")),
        }
    }
}

impl Left {
    fn text(&self) -> String {
        match self {
            Self::Symbol(name) => name.clone(),
            Self::AnyOf(set) => format!("anyOf({set})"),
            Self::AllOf(set) => format!("allOf( {set} )"),
            Self::Count(collection) => format!("COUNT({})", collection.text()),
        }
    }
}

impl Collection {
    fn text(&self) -> String {
        match self {
            Self::Set(set) => set.clone(),
            Self::From(set, query) => {
                let clause = |word, value: &Option<String>| {
                    let value = value.as_deref();
                    value.map_or_else(String::new, |value| format!(" {word} {value}"))
                };
                format!(
                    "from {set} where {} sort by name desc , id{}{}",
                    query.condition.text(),
                    clause("skip", &query.skip),
                    clause("limit", &query.limit)
                )
            },
        }
    }
}

impl Literal {
    fn text(&self) -> String {
        match self {
            // The words of these tests hold nothing that Rust escapes in another way.
            Self::Text(text) => format!("{text:?}"),
            Self::Number(number) => number.clone(),
            Self::Instant(inside) => format!("datetime({inside})"),
            Self::Boolean(value) => value.to_string(),
            Self::Null => "null".to_owned(),
        }
    }
}

/// Conditions with sub-queries in sub-queries, but only a few, as the language allows no more.
pub(crate) fn chain() -> impl Strategy<Value = Chain> {
    with_sub_query(with_sub_query(chain_of(leaf())))
}

fn with_sub_query(inner: impl Strategy<Value = Chain> + 'static) -> BoxedStrategy<Chain> {
    let query = (
        inner,
        option::of(select(vec!["0", "1", "-3"])),
        option::of(select(vec!["1", "2", "none", "-1"])),
    );
    let collection = query.prop_map(|(condition, skip, limit)| {
        let query = Naive {
            condition,
            skip: skip.map(str::to_owned),
            limit: limit.map(str::to_owned),
        };
        Collection::From("friends".to_owned(), Box::new(query))
    });
    let leaf = collection.prop_flat_map(|collection| {
        let count = Just(Left::Count(collection.clone())).boxed();
        prop_oneof![
            Just(Leaf::IsEmpty(collection)),
            test(count.clone(), SIGNS, number(), 1..=1),
            test(count, BOUNDS, number(), 2..=2),
        ]
    });
    (chain_of(self::leaf()), weighted(0.4, (leaf, any::<bool>())))
        .prop_map(|(chain, leaf)| match leaf {
            Some((leaf, and)) => Chain::Join(Box::new(Chain::Leaf(leaf)), and, Box::new(chain)),
            None => chain,
        })
        .boxed()
}

fn chain_of(leaf: impl Strategy<Value = Leaf> + 'static) -> impl Strategy<Value = Chain> {
    let leaf = leaf.prop_map(Chain::Leaf);
    leaf.prop_recursive(5, 24, 2, |inner| {
        let group = |inner| Chain::Group(Box::new(inner));
        prop_oneof![
            inner.clone().prop_map(group),
            inner.clone().prop_map(|inner| Chain::Not(Box::new(inner))),
            (inner.clone(), any::<bool>(), inner).prop_map(move |(left, and, rest)| {
                // Whatever would reach beyond the operator needs brackets.
                let left = match left {
                    Chain::Leaf(_) | Chain::Group(_) => left,
                    _ => group(left),
                };
                Chain::Join(Box::new(left), and, Box::new(rest))
            }),
        ]
    })
}

/// Every operator on every left side that takes it, with every type of literal that it takes there.
fn leaf() -> impl Strategy<Value = Leaf> {
    let truth = || select(vec!["flag", "tags.x"]).prop_map(str::to_owned);
    let truths = || truth().prop_map(Left::Symbol).boxed();
    let texts = || prop_oneof![symbol(&["name", "id"]), set()].boxed();
    let tags = || symbol(&["tags.x", "tags.y-z"]).boxed();
    let numbers = || prop_oneof![symbol(&["cost", "load"]), count()].boxed();
    let instants = || symbol(&["seen", "createdAt", "tags.x"]).boxed();
    let open = || prop_oneof![texts(), tags()].boxed();
    let valued = || prop_oneof![numbers(), tags()].boxed();
    let all = || prop_oneof![texts(), tags(), numbers()].boxed();
    let null = || Just(Literal::Null).boxed();
    let boolean = any::<bool>().prop_map(Literal::Boolean).boxed();
    prop_oneof![
        1 => any::<bool>().prop_map(Leaf::Constant),
        1 => truth().prop_map(Leaf::Bare),
        1 => select(vec!["roles", "friends"])
            .prop_map(|set| Leaf::IsEmpty(Collection::Set(set.to_owned()))),
        1 => test(all(), EQUALITIES, null(), 1..=1),
        1 => test(instants(), EQUALITIES, null(), 1..=1),
        2 => test(truths(), EQUALITIES, boolean, 1..=1),
        3 => test(open(), SIGNS, text(), 1..=1),
        3 => test(all(), SIGNS, number(), 1..=1),
        2 => test(instants(), SIGNS, instant(), 1..=1),
        2 => test(all(), LISTS, text(), 1..=4),
        2 => test(all(), LISTS, number(), 1..=4),
        1 => test(instants(), LISTS, instant(), 1..=3),
        2 => test(valued(), BOUNDS, number(), 2..=2),
        1 => test(instants(), BOUNDS, instant(), 2..=2),
        2 => test(all(), PARTS, text(), 1..=1),
        1 => test(all(), PARTS, number(), 1..=1),
        2 => test(open(), FOLDED_PARTS, text(), 1..=1),
    ]
}

fn test(
    left: BoxedStrategy<Left>,
    operators: &'static [&str],
    literal: BoxedStrategy<Literal>,
    literals: std::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = Leaf> {
    (left, select(operators), vec(literal, literals)).prop_map(|(left, operator, right)| {
        Leaf::Test {
            left,
            operator: operator.to_owned(),
            right,
        }
    })
}

fn symbol(names: &'static [&str]) -> impl Strategy<Value = Left> {
    select(names).prop_map(|name| Left::Symbol(name.to_owned()))
}

fn set() -> impl Strategy<Value = Left> {
    (select(vec!["roles", "friends"]), any::<bool>()).prop_map(|(set, any)| {
        if any {
            Left::AnyOf(set.to_owned())
        } else {
            Left::AllOf(set.to_owned())
        }
    })
}

fn count() -> impl Strategy<Value = Left> {
    select(vec!["roles", "friends"]).prop_map(|set| Left::Count(Collection::Set(set.to_owned())))
}

fn text() -> BoxedStrategy<Literal> {
    prop_oneof![4 => word(), 1 => select(vec!["true", "1", "1.5"]).prop_map(str::to_owned)]
        .prop_map(Literal::Text)
        .boxed()
}

fn number() -> BoxedStrategy<Literal> {
    select(NUMBERS)
        .prop_map(|number| Literal::Number(number.to_owned()))
        .boxed()
}

fn instant() -> BoxedStrategy<Literal> {
    select(INSTANTS)
        .prop_map(|inside| Literal::Instant(inside.to_owned()))
        .boxed()
}

/// A small alphabet, so that words meet; letters in both cases and what strings have to escape.
fn word() -> impl Strategy<Value = String> {
    "[abAB2\"\\\\]{0,3}"
}

fn moment() -> impl Strategy<Value = Value<'static>> {
    select(vec![0, 1000, 1500, 2000])
        .prop_map(|millisecond| Timestamp::from_millisecond(millisecond).unwrap().into())
}

fn amount() -> impl Strategy<Value = Value<'static>> {
    select(vec![-1.0, 0.0, 1.0, 1.5, 2.0, 3.0, f64::NAN]).prop_map(Value::from)
}

fn tag() -> impl Strategy<Value = Value<'static>> {
    prop_oneof![
        Just(Value::Missing),
        word().prop_map(Value::from),
        amount(),
        (-1..4_i64).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        moment(),
    ]
}

fn stranger() -> impl Strategy<Value = Entity> {
    (
        "[aB2]{1,2}",
        (
            option::of(word()),
            option::of(-1..4_i64),
            option::of(amount()),
        ),
        (option::of(any::<bool>()), option::of(moment())),
        btree_set(word(), 0..3),
        (tag(), tag()),
    )
        .prop_map(|(id, (name, cost, load), (flag, seen), roles, (x, y))| {
            let roles: Vec<_> = roles.iter().map(String::as_str).collect();
            Entity::new(&id)
                .with("name", name)
                .with("cost", cost)
                .with("load", load.unwrap_or(Value::Missing))
                .with("flag", flag)
                .with("seen", seen.unwrap_or(Value::Missing))
                .with("tags.x", x)
                .with("tags.y-z", y)
                .with_set("roles", &roles)
        })
}

/// Rows of the kind with a few friends, who have some, too.
pub(crate) fn row() -> impl Strategy<Value = Entity> {
    befriended(befriended(stranger()))
}

fn befriended(friend: impl Strategy<Value = Entity>) -> impl Strategy<Value = Entity> {
    (stranger(), vec(friend, 0..3))
        .prop_map(|(row, friends)| row.with_references("friends", friends))
}

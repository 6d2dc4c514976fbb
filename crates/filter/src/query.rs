//! Typed queries: what a text means for the rows of one kind.

use crate::error::QueryError;
use crate::page::{Limit, Offset};
use crate::schema::{Schema, SymbolId};
use crate::value::Number;
use crate::{check, parser};
use jiff::Timestamp;
use std::cmp::Ordering;

/// A query that fits its kind.
///
/// Printing one gives a text that is read as the same query again, with brackets wherever a reader might
/// expect another grouping. (With these and its blanks, what is near [`MAX_BYTES`](crate::MAX_BYTES) may
/// print as a text that is longer than that.)
///
/// # Examples
///
/// ```
/// use portcullis_filter::{Query, Schema, Symbol};
///
/// static KIND: Schema = Schema::entity(&[Symbol::string("name"), Symbol::boolean("isAdmin")]);
/// let query = Query::parse(&KIND, r#"not isAdmin and name = "a" limit 5"#)?;
/// assert_eq!(query.to_string(), r#"not (isAdmin = true and name = "a") limit 5"#);
///
/// let error = Query::parse(&KIND, r#"nmae = "a""#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 1, column 1: unknown field `nmae`; did you mean `name`?"
/// );
/// # Ok::<(), portcullis_filter::QueryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Which rows match.
    pub predicate: Predicate,
    /// The order asked for; the final order by `id` is not in it.
    pub sort: Vec<SortKey>,
    /// Rows to skip.
    pub skip: Option<Offset>,
    /// Most rows to give.
    pub limit: Option<Limit>,
}

impl Query {
    /// Reads `text` as a query on rows of the kind `schema`.
    ///
    /// # Errors
    ///
    /// The first mistake in the text; mistakes of grammar come before those of symbols and types.
    pub fn parse(schema: &'static Schema, text: &str) -> Result<Self, QueryError> {
        parser::query(text)
            .and_then(|tree| check::query(tree, schema))
            .map_err(|fault| fault.locate(text))
    }

    /// The query of an empty text: every row.
    pub const fn everything() -> Self {
        Self {
            predicate: Predicate::Constant(true),
            sort: Vec::new(),
            skip: None,
            limit: None,
        }
    }
}

/// Reads what follows the words "sort by", as the `sort` parameter of a list has it.
///
/// # Errors
///
/// As [`Query::parse`]. A `skip` or `limit` behind the fields is read and ignored, as OpenZiti does.
pub fn parse_sort(schema: &'static Schema, text: &str) -> Result<Vec<SortKey>, QueryError> {
    parser::sort(text)
        .and_then(|fields| check::sort(&fields, schema))
        .map_err(|fault| fault.locate(text))
}

/// A condition on a row.
///
/// Some spellings are brought into one form, so that there is less to look at: a bare boolean symbol and
/// `!= false` are `= true`; `not in` and `not between` are [`Predicate::Not`]; numbers compared with a
/// string are texts; lists are sorted. Nesting is at most [`MAX_DEPTH`](crate::MAX_DEPTH) deep.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// The same answer for every row.
    Constant(bool),
    /// The opposite.
    Not(Box<Self>),
    /// All of them, tried from left to right; at least two.
    And(Vec<Self>),
    /// One of them, tried from left to right; at least two.
    Or(Vec<Self>),
    /// A test of a value.
    Test {
        /// What is tested.
        subject: Subject,
        /// The test.
        test: Test,
    },
    /// A collection has no elements.
    IsEmpty(Collection),
}

/// What a test is applied to.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// The value of a symbol.
    Value(SymbolId),
    /// An entry of a map, whose type is not known beforehand.
    Entry {
        /// The map.
        map: SymbolId,
        /// The key; it may contain dots.
        key: String,
    },
    /// Some element of a set passes.
    AnyOf(SymbolId),
    /// Every element of a set passes, also when there is none.
    AllOf(SymbolId),
    /// The number of elements.
    Count(Collection),
}

/// A set, or the part of it that a sub-query picks.
#[derive(Debug, Clone, PartialEq)]
pub enum Collection {
    /// All elements of a set.
    Set(SymbolId),
    /// The referenced entities that match.
    SubQuery {
        /// The set of references.
        references: SymbolId,
        /// The query on the referenced entities. Its order is without effect.
        query: Box<Query>,
    },
}

/// A test of one value.
///
/// A missing value fails every test but [`Null`](Self::Null), a comparison by
/// [`NotEqual`](CompareOp::NotEqual), `Boolean(false)` and a negated [`Contains`](Self::Contains). A value
/// of a type that the test is not for counts as missing, except that numbers and booleans are texts for
/// the tests of texts.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// There is no value.
    Null,
    /// There is a value.
    Present,
    /// The value is this; a missing one counts as `false`.
    Boolean(bool),
    /// A comparison of texts by the bytes of their UTF-8.
    Text(Comparison<String>),
    /// A comparison of numbers: as integers if both sides are, else as floats.
    Number(Comparison<Number>),
    /// A comparison of instants.
    Datetime(Comparison<Timestamp>),
    /// From `low`, included, to `high`, excluded.
    NumberBetween {
        /// The smallest number that passes.
        low: Number,
        /// The smallest number above that does not pass any more.
        high: Number,
    },
    /// From `low`, included, to `high`, excluded.
    DatetimeBetween {
        /// The first instant that passes.
        low: Timestamp,
        /// The first instant after it that does not pass any more.
        high: Timestamp,
    },
    /// A part of the text is `needle`.
    Contains {
        /// What to look for; in upper case when `ignore_case` is set.
        needle: String,
        /// Whether both sides are compared in upper case.
        ignore_case: bool,
        /// Whether the test passes when the part is *not* there. Inside `anyOf` and `allOf` this is about
        /// the single element.
        negated: bool,
    },
}

/// A comparison with one or several operands.
#[derive(Debug, Clone, PartialEq)]
pub enum Comparison<T> {
    /// With one.
    Is {
        /// How the value has to relate to the operand.
        op: CompareOp,
        /// The right side.
        operand: T,
    },
    /// Equal to one of these, which are in ascending order without duplicates.
    OneOf(Vec<T>),
}

/// The signs of comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl CompareOp {
    /// Whether the relation holds when the left side has this order to the right side.
    pub const fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The sign.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// One field to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    /// The symbol, which has a single value.
    pub symbol: SymbolId,
    /// Which way.
    pub direction: Direction,
}

/// Which way to sort.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first, missing values before all.
    #[default]
    Ascending,
    /// Largest first, missing values after all.
    Descending,
}

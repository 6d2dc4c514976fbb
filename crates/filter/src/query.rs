//! Typed queries.

use crate::error::QueryError;
use crate::page::{Limit, Offset};
use crate::schema::{Schema, SymbolId};
use crate::value::Number;
use crate::{check, parser};
use jiff::Timestamp;
use std::cmp::Ordering;

/// A query that is valid for a schema.
///
/// Its text form parses as the same query again, with parentheses wherever a reader might expect another
/// grouping. (With these and its spaces, a query near [`MAX_BYTES`](crate::MAX_BYTES) may have a longer
/// text form.)
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
    pub predicate: Predicate,
    /// The requested order, without the final order by `id`.
    pub sort: Vec<SortKey>,
    pub skip: Option<Offset>,
    pub limit: Option<Limit>,
}

impl Query {
    /// Parses `text` as a query on rows of the kind `schema`.
    ///
    /// # Errors
    ///
    /// The first mistake in the text; syntax errors come before unknown symbols and type errors.
    pub fn parse(schema: &'static Schema, text: &str) -> Result<Self, QueryError> {
        parser::query(text)
            .and_then(|tree| check::query(tree, schema))
            .map_err(|fault| fault.locate(text))
    }

    /// The query of an empty text: every row.
    pub const fn match_all() -> Self {
        Self {
            predicate: Predicate::Constant(true),
            sort: Vec::new(),
            skip: None,
            limit: None,
        }
    }
}

/// Parses sort fields, as in the `sort` parameter of a list. A following `skip` or `limit` is parsed and
/// ignored, like in OpenZiti.
///
/// # Errors
///
/// Like [`Query::parse`].
pub fn parse_sort(schema: &'static Schema, text: &str) -> Result<Vec<SortKey>, QueryError> {
    parser::sort(text)
        .and_then(|fields| check::sort(&fields, schema))
        .map_err(|fault| fault.locate(text))
}

/// A condition on a row.
///
/// Equivalent forms are normalized: a bare boolean symbol and `!= false` are `= true`; `not in` and
/// `not between` are [`Predicate::Not`]; numbers compared with a string are strings; lists are sorted.
/// Nesting is at most [`MAX_DEPTH`](crate::MAX_DEPTH) deep.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// The same result for every row.
    Constant(bool),
    /// Negation.
    Not(Box<Self>),
    /// Conjunction of at least two operands, evaluated from left to right.
    And(Vec<Self>),
    /// Disjunction of at least two operands, evaluated from left to right.
    Or(Vec<Self>),
    /// A test of a value.
    Test {
        /// The tested value.
        field: FieldExpr,
        /// The test.
        test: Test,
    },
    /// A collection has no elements.
    IsEmpty(Collection),
}

/// The left side of a test.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldExpr {
    /// The value of a symbol.
    Value(SymbolId),
    /// An entry of a map, which may be of any type.
    Entry {
        /// The map.
        map: SymbolId,
        /// The key; it may contain dots.
        key: String,
    },
    /// Any element of a set.
    AnyOf(SymbolId),
    /// Every element of a set; true for an empty set.
    AllOf(SymbolId),
    /// The number of elements.
    Count(Collection),
}

/// A set, or the part of it that matches a sub-query.
#[derive(Debug, Clone, PartialEq)]
pub enum Collection {
    /// All elements of a set.
    Set(SymbolId),
    /// The referenced entities that match.
    SubQuery {
        /// The set of references.
        references: SymbolId,
        /// The query on the referenced entities. Its order has no effect.
        query: Box<Query>,
    },
}

/// A test of one value.
///
/// A missing value fails every test except [`Null`](Self::Null), a comparison by
/// [`NotEqual`](CompareOp::NotEqual), `Boolean(false)` and a negated [`Contains`](Self::Contains). A value
/// of another type than that of the test counts as missing, except that string tests use the text of
/// numbers and booleans.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// There is no value.
    Null,
    /// There is a value.
    Present,
    /// The value is this; a missing one counts as `false`.
    Boolean(bool),
    /// A comparison of strings by their UTF-8 bytes.
    Text(Comparison<String>),
    /// A comparison of numbers: as integers if both sides are, else as floats.
    Number(Comparison<Number>),
    /// A comparison of instants.
    Datetime(Comparison<Timestamp>),
    /// From `low`, included, to `high`, excluded.
    NumberBetween {
        /// The smallest number that passes.
        low: Number,
        /// The smallest number above `low` that fails.
        high: Number,
    },
    /// From `low`, included, to `high`, excluded.
    DatetimeBetween {
        /// The first instant that passes.
        low: Timestamp,
        /// The first instant after `low` that fails.
        high: Timestamp,
    },
    /// The text contains `needle`.
    Contains {
        /// The text to search for; in upper case if `ignore_case` is set.
        needle: String,
        /// Whether both sides are compared in upper case.
        ignore_case: bool,
        /// Whether the test passes if the text does *not* contain `needle`. Inside `anyOf` and `allOf` this
        /// applies to the single element.
        negated: bool,
    },
}

/// A comparison with one or several operands.
#[derive(Debug, Clone, PartialEq)]
pub enum Comparison<T> {
    /// With one operand.
    Is {
        op: CompareOp,
        /// The right side.
        operand: T,
    },
    /// Equal to one of these operands, which are in ascending order without duplicates.
    OneOf(Vec<T>),
}

/// Comparison operators.
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
    /// Whether the relation holds if the left side has this order relative to the right side.
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
    pub direction: Direction,
}

/// Sort direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first; missing values come first.
    #[default]
    Ascending,
    /// Largest first; missing values come last.
    Descending,
}

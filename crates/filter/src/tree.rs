//! Syntax tree, before symbols are resolved.

use crate::query::{CompareOp, Direction};
use crate::span::Span;
use crate::value::Number;
use jiff::Timestamp;

pub(crate) struct Query<'t> {
    pub(crate) expression: Option<Expression<'t>>,
    pub(crate) sort: Vec<SortField<'t>>,
    pub(crate) skip: Option<Count>,
    pub(crate) limit: Option<LimitClause>,
}

/// Operands of `and` and `or` are flat only where the text has no parentheses between them.
pub(crate) enum Expression<'t> {
    Constant(bool),
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
    Symbol(Name<'t>),
    IsEmpty(Collection<'t>),
    Comparison(Comparison<'t>),
}

#[derive(Clone, Copy)]
pub(crate) struct Name<'t> {
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

pub(crate) struct Comparison<'t> {
    pub(crate) field: FieldExpr<'t>,
    pub(crate) operation: Operation,
    /// Span for errors about an operation that does not match the type of the field.
    pub(crate) span: Span,
}

pub(crate) enum FieldExpr<'t> {
    Symbol(Name<'t>),
    AnyOf(Name<'t>),
    AllOf(Name<'t>),
    Count(Collection<'t>),
}

pub(crate) enum Collection<'t> {
    Symbol(Name<'t>),
    SubQuery(Name<'t>, Box<Query<'t>>),
}

pub(crate) enum Operation {
    Compare(CompareOp, Literal),
    In {
        negated: bool,
        list: Literals,
    },
    Between {
        negated: bool,
        bounds: Literals,
    },
    Contains {
        negated: bool,
        ignore_case: bool,
        needle: Literal,
    },
}

pub(crate) enum Literal {
    Text(String),
    Number(Number),
    Datetime(Timestamp),
    Boolean(bool),
    Null,
}

/// Literals of one type.
pub(crate) enum Literals {
    Texts(Vec<String>),
    Numbers(Vec<Number>),
    Datetimes(Vec<Timestamp>),
}

pub(crate) struct SortField<'t> {
    pub(crate) name: Name<'t>,
    pub(crate) direction: Direction,
}

/// The number of `skip` or `limit`; `None` when it was not written as an integer.
#[derive(Clone, Copy)]
pub(crate) struct Count {
    pub(crate) value: Option<i64>,
    pub(crate) span: Span,
}

pub(crate) enum LimitClause {
    None,
    Rows(Count),
}

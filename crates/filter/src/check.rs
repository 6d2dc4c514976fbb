//! Type checker: converts the syntax tree to a typed query.

mod comparison;

use crate::error::{Problem, SpannedError};
use crate::page::{Limit, Offset};
use crate::parser::truncated;
use crate::query::{Collection, FieldExpr, Predicate, Query, SortKey, Test};
use crate::schema::{Resolved, Schema, SymbolId, SymbolKind, ValueType};
use crate::tree::{self, Count, Expression, LimitClause, Name, SortField};

/// Checks a query on rows of the kind `schema`. The recursion is bounded by the depth of the tree.
pub(crate) fn query(tree: tree::Query<'_>, schema: &'static Schema) -> Result<Query, SpannedError> {
    let predicate = match tree.expression {
        Some(expression) => predicate(expression, schema)?,
        None => Predicate::Constant(true),
    };
    let sort = sort(&tree.sort, schema)?;
    let skip = tree
        .skip
        .map(|skip| integer(skip, "skip").map(Offset::clamped))
        .transpose()?;
    let limit = match tree.limit {
        None => None,
        Some(LimitClause::None) => Some(Limit::NONE),
        Some(LimitClause::Rows(rows)) => Some(Limit::clamped(integer(rows, "limit")?)),
    };
    Ok(Query {
        predicate,
        sort,
        skip,
        limit,
    })
}

/// Checks the fields to sort by.
pub(crate) fn sort(
    fields: &[SortField<'_>],
    schema: &'static Schema,
) -> Result<Vec<SortKey>, SpannedError> {
    fields.iter().map(|field| sort_key(field, schema)).collect()
}

fn sort_key(field: &SortField<'_>, schema: &Schema) -> Result<SortKey, SpannedError> {
    let resolved = resolve(field.name, schema)?;
    if !matches!(resolved.kind, SymbolKind::One(_)) {
        let symbol = truncated(field.name.text);
        return Err(SpannedError::new(
            field.name.span,
            Problem::NotSortable { symbol },
        ));
    }
    Ok(SortKey {
        symbol: resolved.id,
        direction: field.direction,
    })
}

fn integer(count: Count, clause: &'static str) -> Result<i64, SpannedError> {
    count
        .value
        .ok_or_else(|| SpannedError::new(count.span, Problem::NotAnInteger { clause }))
}

fn predicate(
    expression: Expression<'_>,
    schema: &'static Schema,
) -> Result<Predicate, SpannedError> {
    let all = |operands: Vec<Expression<'_>>| {
        operands
            .into_iter()
            .map(|operand| predicate(operand, schema))
            .collect::<Result<_, _>>()
    };
    match expression {
        Expression::Constant(value) => Ok(Predicate::Constant(value)),
        Expression::Not(inner) => Ok(Predicate::Not(Box::new(predicate(*inner, schema)?))),
        Expression::And(operands) => all(operands).map(Predicate::And),
        Expression::Or(operands) => all(operands).map(Predicate::Or),
        Expression::Symbol(name) => bare_symbol(name, schema),
        Expression::IsEmpty(inner) => collection(inner, schema, "isEmpty").map(Predicate::IsEmpty),
        Expression::Comparison(inner) => comparison::comparison(inner, schema),
    }
}

/// A symbol without an operator tests whether it is true.
fn bare_symbol(name: Name<'_>, schema: &Schema) -> Result<Predicate, SpannedError> {
    let (subject, left) = resolve_value(name, schema)?;
    match left {
        LeftType::Any | LeftType::One(ValueType::Boolean) => Ok(Predicate::Test {
            field: subject,
            test: Test::Boolean(true),
        }),
        LeftType::One(_) => {
            let symbol = truncated(name.text);
            let actual = left.description();
            Err(SpannedError::new(
                name.span,
                Problem::NotBoolean { symbol, actual },
            ))
        },
    }
}

/// Type of the left side of an operator.
#[derive(Clone, Copy)]
enum LeftType {
    One(ValueType),
    /// An entry of a map takes the type of the literal.
    Any,
}

impl LeftType {
    const fn description(self) -> &'static str {
        match self {
            Self::One(value_type) => value_type.description(),
            Self::Any => "a map entry",
        }
    }
}

fn field_expr(
    subject: tree::FieldExpr<'_>,
    schema: &'static Schema,
) -> Result<(FieldExpr, LeftType), SpannedError> {
    // The elements of all sets are strings: attributes or ids.
    let element = LeftType::One(ValueType::String);
    match subject {
        tree::FieldExpr::Symbol(name) => resolve_value(name, schema),
        tree::FieldExpr::AnyOf(name) => Ok((
            FieldExpr::AnyOf(resolve_set(name, schema, "anyOf")?),
            element,
        )),
        tree::FieldExpr::AllOf(name) => Ok((
            FieldExpr::AllOf(resolve_set(name, schema, "allOf")?),
            element,
        )),
        tree::FieldExpr::Count(inner) => {
            let collection = collection(inner, schema, "count")?;
            Ok((
                FieldExpr::Count(collection),
                LeftType::One(ValueType::Integer),
            ))
        },
    }
}

/// Resolves a symbol outside of a set function.
fn resolve_value(name: Name<'_>, schema: &Schema) -> Result<(FieldExpr, LeftType), SpannedError> {
    let Resolved { id, kind, key } = resolve(name, schema)?;
    match (kind, key) {
        (SymbolKind::One(value_type), _) => Ok((FieldExpr::Value(id), LeftType::One(value_type))),
        (SymbolKind::Map, Some(key)) => Ok((
            FieldExpr::Entry {
                map: id,
                key: key.to_owned(),
            },
            LeftType::Any,
        )),
        (SymbolKind::Map, None) => Err(SpannedError::new(
            name.span,
            Problem::MapWithoutKey { symbol: id.name() },
        )),
        (SymbolKind::Set | SymbolKind::References(_), _) => Err(SpannedError::new(
            name.span,
            Problem::SetWithoutFunction { symbol: id.name() },
        )),
    }
}

/// Resolves a symbol inside of a set function.
fn resolve_set(
    name: Name<'_>,
    schema: &Schema,
    function: &'static str,
) -> Result<SymbolId, SpannedError> {
    let resolved = resolve(name, schema)?;
    match resolved.kind {
        SymbolKind::Set | SymbolKind::References(_) => Ok(resolved.id),
        SymbolKind::One(_) | SymbolKind::Map => {
            let symbol = truncated(name.text);
            Err(SpannedError::new(
                name.span,
                Problem::NotASet { symbol, function },
            ))
        },
    }
}

fn collection(
    collection: tree::Collection<'_>,
    schema: &'static Schema,
    function: &'static str,
) -> Result<Collection, SpannedError> {
    match collection {
        tree::Collection::Symbol(name) => resolve_set(name, schema, function).map(Collection::Set),
        tree::Collection::SubQuery(name, inner) => {
            let resolved = resolve(name, schema)?;
            let SymbolKind::References(target) = resolved.kind else {
                let symbol = truncated(name.text);
                return Err(SpannedError::new(
                    name.span,
                    Problem::NotReferences { symbol },
                ));
            };
            // Checked against the inner kind; OpenZiti requires the names to be public in the outer kind too.
            let inner = query(*inner, target.0)?;
            Ok(Collection::SubQuery {
                references: resolved.id,
                query: Box::new(inner),
            })
        },
    }
}

fn resolve<'n>(name: Name<'n>, schema: &Schema) -> Result<Resolved<'n>, SpannedError> {
    schema.resolve(name.text).ok_or_else(|| {
        let nearest = schema.nearest(name.text).map(|name| truncated(&name));
        SpannedError::new(
            name.span,
            Problem::UnknownSymbol {
                name: truncated(name.text),
                nearest,
            },
        )
    })
}

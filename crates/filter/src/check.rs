//! Untyped tree to typed query: every symbol has to be known, every operator has to fit.

mod comparison;

use crate::error::{Fault, Problem};
use crate::page::{Limit, Offset};
use crate::parser::shown;
use crate::query::{Collection, Predicate, Query, SortKey, Subject, Test};
use crate::schema::{Resolved, Schema, SymbolId, SymbolKind, ValueType};
use crate::tree::{self, Count, Expression, LimitClause, Name, SortField};

/// Checks a query on rows of the kind `schema`. The recursion is bounded by the depth of the tree.
pub(crate) fn query(tree: tree::Query<'_>, schema: &'static Schema) -> Result<Query, Fault> {
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
) -> Result<Vec<SortKey>, Fault> {
    fields.iter().map(|field| sort_key(field, schema)).collect()
}

fn sort_key(field: &SortField<'_>, schema: &Schema) -> Result<SortKey, Fault> {
    let resolved = resolve(field.name, schema)?;
    if !matches!(resolved.kind, SymbolKind::One(_)) {
        let symbol = shown(field.name.text);
        return Err(Fault::new(field.name.span, Problem::NotSortable { symbol }));
    }
    Ok(SortKey {
        symbol: resolved.id,
        direction: field.direction,
    })
}

fn integer(count: Count, clause: &'static str) -> Result<i64, Fault> {
    count
        .value
        .ok_or_else(|| Fault::new(count.span, Problem::NotAnInteger { clause }))
}

fn predicate(expression: Expression<'_>, schema: &'static Schema) -> Result<Predicate, Fault> {
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
        Expression::Symbol(name) => standing_alone(name, schema),
        Expression::IsEmpty(inner) => collection(inner, schema, "isEmpty").map(Predicate::IsEmpty),
        Expression::Comparison(inner) => comparison::comparison(inner, schema),
    }
}

/// A symbol without an operator asks whether it is true.
fn standing_alone(name: Name<'_>, schema: &Schema) -> Result<Predicate, Fault> {
    let (subject, left) = single(name, schema)?;
    match left {
        Left::Any | Left::One(ValueType::Boolean) => Ok(Predicate::Test {
            subject,
            test: Test::Boolean(true),
        }),
        Left::One(_) => {
            let symbol = shown(name.text);
            let actual = left.described();
            Err(Fault::new(
                name.span,
                Problem::NotBoolean { symbol, actual },
            ))
        },
    }
}

/// What is known about the left side of an operator.
#[derive(Clone, Copy)]
enum Left {
    One(ValueType),
    /// An entry of a map takes the type of the literal.
    Any,
}

impl Left {
    const fn described(self) -> &'static str {
        match self {
            Self::One(value_type) => value_type.described(),
            Self::Any => "a map entry",
        }
    }
}

fn subject(subject: tree::Subject<'_>, schema: &'static Schema) -> Result<(Subject, Left), Fault> {
    // The elements of all sets are texts: attributes or ids.
    let element = Left::One(ValueType::String);
    match subject {
        tree::Subject::Symbol(name) => single(name, schema),
        tree::Subject::AnyOf(name) => Ok((Subject::AnyOf(set(name, schema, "anyOf")?), element)),
        tree::Subject::AllOf(name) => Ok((Subject::AllOf(set(name, schema, "allOf")?), element)),
        tree::Subject::Count(inner) => {
            let collection = collection(inner, schema, "count")?;
            Ok((Subject::Count(collection), Left::One(ValueType::Integer)))
        },
    }
}

/// A symbol outside of a set function.
fn single(name: Name<'_>, schema: &Schema) -> Result<(Subject, Left), Fault> {
    let Resolved { id, kind, key } = resolve(name, schema)?;
    match (kind, key) {
        (SymbolKind::One(value_type), _) => Ok((Subject::Value(id), Left::One(value_type))),
        (SymbolKind::Map, Some(key)) => Ok((
            Subject::Entry {
                map: id,
                key: key.to_owned(),
            },
            Left::Any,
        )),
        (SymbolKind::Map, None) => Err(Fault::new(
            name.span,
            Problem::MapWithoutKey { symbol: id.name() },
        )),
        (SymbolKind::Set | SymbolKind::References(_), _) => Err(Fault::new(
            name.span,
            Problem::SetWithoutFunction { symbol: id.name() },
        )),
    }
}

/// A symbol inside of a set function.
fn set(name: Name<'_>, schema: &Schema, function: &'static str) -> Result<SymbolId, Fault> {
    let resolved = resolve(name, schema)?;
    match resolved.kind {
        SymbolKind::Set | SymbolKind::References(_) => Ok(resolved.id),
        SymbolKind::One(_) | SymbolKind::Map => {
            let symbol = shown(name.text);
            Err(Fault::new(name.span, Problem::NotASet { symbol, function }))
        },
    }
}

fn collection(
    collection: tree::Collection<'_>,
    schema: &'static Schema,
    function: &'static str,
) -> Result<Collection, Fault> {
    match collection {
        tree::Collection::Symbol(name) => set(name, schema, function).map(Collection::Set),
        tree::Collection::SubQuery(name, inner) => {
            let resolved = resolve(name, schema)?;
            let SymbolKind::References(target) = resolved.kind else {
                let symbol = shown(name.text);
                return Err(Fault::new(name.span, Problem::NotReferences { symbol }));
            };
            // Checked against the inner kind; OpenZiti wants the names to be public in the outer kind too.
            let inner = query(*inner, target.0)?;
            Ok(Collection::SubQuery {
                references: resolved.id,
                query: Box::new(inner),
            })
        },
    }
}

fn resolve<'n>(name: Name<'n>, schema: &Schema) -> Result<Resolved<'n>, Fault> {
    schema.resolve(name.text).ok_or_else(|| {
        let nearest = schema.nearest(name.text).map(|name| shown(&name));
        Fault::new(
            name.span,
            Problem::UnknownSymbol {
                name: shown(name.text),
                nearest,
            },
        )
    })
}

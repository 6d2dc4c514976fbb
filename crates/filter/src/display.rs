//! Display of typed queries as text.

use crate::page::Limit;
use crate::query::{Collection, Comparison, Direction, FieldExpr, Predicate, Query, SortKey, Test};
use std::fmt::{self, Display, Formatter, Write as _};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.predicate)?;
        if !self.sort.is_empty() {
            f.write_str(" sort by ")?;
            separated(f, &self.sort)?;
        }
        if let Some(skip) = self.skip {
            write!(f, " skip {}", skip.on_wire())?;
        }
        match self.limit {
            None => Ok(()),
            Some(Limit::NONE) => f.write_str(" limit none"),
            Some(limit) => write!(f, " limit {}", limit.on_wire()),
        }
    }
}

impl Display for SortKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol.name())?;
        match self.direction {
            Direction::Ascending => Ok(()),
            Direction::Descending => f.write_str(" desc"),
        }
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::And(operands) => connected(f, operands, " and "),
            Self::Or(operands) => connected(f, operands, " or "),
            Self::Test {
                field: subject,
                test,
            } => DisplayedTest {
                field: subject,
                test,
                negated: false,
            }
            .fmt(f),
            Self::IsEmpty(collection) => write!(f, "isEmpty({collection})"),
            Self::Not(inner) => match &**inner {
                Self::Test {
                    field: subject,
                    test,
                } if inner.has_negation() => DisplayedTest {
                    field: subject,
                    test,
                    negated: true,
                }
                .fmt(f),
                Self::And(_) | Self::Or(_) => write!(f, "not ({inner})"),
                _ => write!(f, "not {inner}"),
            },
        }
    }
}

impl Predicate {
    /// Whether its negation has an operator of its own, which unlike `not` does not extend to the right.
    const fn has_negation(&self) -> bool {
        let Self::Test { test, .. } = self else {
            return false;
        };
        matches!(
            test,
            Test::NumberBetween { .. }
                | Test::DatetimeBetween { .. }
                | Test::Text(Comparison::OneOf(_))
                | Test::Number(Comparison::OneOf(_))
                | Test::Datetime(Comparison::OneOf(_))
        )
    }
}

/// Operands, in parentheses where they would include what follows or be misread.
fn connected(f: &mut Formatter<'_>, operands: &[Predicate], operator: &str) -> fmt::Result {
    for (index, operand) in operands.iter().enumerate() {
        if index > 0 {
            f.write_str(operator)?;
        }
        let last = index + 1 == operands.len();
        match operand {
            Predicate::And(_) | Predicate::Or(_) => write!(f, "({operand})")?,
            Predicate::Not(inner) if !last && !inner.has_negation() => write!(f, "({operand})")?,
            _ => write!(f, "{operand}")?,
        }
    }
    Ok(())
}

impl Display for FieldExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(symbol) => f.write_str(symbol.name()),
            Self::Entry { map, key } => write!(f, "{}.{key}", map.name()),
            Self::AnyOf(set) => write!(f, "anyOf({})", set.name()),
            Self::AllOf(set) => write!(f, "allOf({})", set.name()),
            Self::Count(collection) => write!(f, "count({collection})"),
        }
    }
}

impl Display for Collection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(set) => f.write_str(set.name()),
            Self::SubQuery { references, query } => {
                write!(f, "from {} where {query}", references.name())
            },
        }
    }
}

/// A test of a field, with the negation that belongs to its operator.
struct DisplayedTest<'q> {
    field: &'q FieldExpr,
    test: &'q Test,
    negated: bool,
}

impl Display for DisplayedTest<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let not = if self.negated { "not " } else { "" };
        write!(f, "{} ", self.field)?;
        match self.test {
            Test::Null => f.write_str("= null"),
            Test::Present => f.write_str("!= null"),
            Test::Boolean(value) => write!(f, "= {value}"),
            Test::Text(comparison) => compared(f, not, comparison, |text| Quoted(text)),
            Test::Number(comparison) => compared(f, not, comparison, |number| *number),
            Test::Datetime(comparison) => {
                compared(f, not, comparison, |i| format!("datetime({i})"))
            },
            Test::NumberBetween { low, high } => write!(f, "{not}between {low} and {high}"),
            Test::DatetimeBetween { low, high } => {
                write!(f, "{not}between datetime({low}) and datetime({high})")
            },
            Test::Contains {
                needle,
                ignore_case,
                negated,
            } => {
                f.write_str(if *negated { "not " } else { "" })?;
                f.write_str(if *ignore_case {
                    "icontains "
                } else {
                    "contains "
                })?;
                Quoted(needle).fmt(f)
            },
        }
    }
}

fn compared<'q, T, D: Display>(
    f: &mut Formatter<'_>,
    not: &str,
    comparison: &'q Comparison<T>,
    literal: impl Fn(&'q T) -> D,
) -> fmt::Result {
    match comparison {
        Comparison::Is { op, operand } => write!(f, "{} {}", op.sign(), literal(operand)),
        Comparison::OneOf(list) => {
            write!(f, "{not}in [")?;
            separated(f, &list.iter().map(literal).collect::<Vec<_>>())?;
            f.write_char(']')
        },
    }
}

fn separated(f: &mut Formatter<'_>, items: &[impl Display]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
    }
    Ok(())
}

/// A string literal of the language.
struct Quoted<'q>(&'q str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' => f.write_str("\\\""),
                '\\' => f.write_str("\\\\"),
                '\u{c}' => f.write_str("\\f"),
                '\n' => f.write_str("\\n"),
                '\r' => f.write_str("\\r"),
                '\t' => f.write_str("\\t"),
                other => f.write_char(other),
            }?;
        }
        f.write_char('"')
    }
}

//! Predicates built by programs.

use crate::query::{CompareOp, Comparison, FieldExpr, Predicate, Test};
use crate::schema::{Schema, SymbolKind, ValueType};

/// Conditions in addition to a filter, such as the `roleFilter` of a list.
///
/// # Examples
///
/// ```
/// use portcullis_filter::{Listing, Parameters, Predicate, Schema, Symbol};
///
/// static KIND: Schema = Schema::entity(&[Symbol::string("name"), Symbol::set("roleAttributes")]);
/// let parameters = Parameters { filter: Some(r#"name contains "a""#), ..Default::default() };
/// let listing = Listing::from_parameters(&KIND, &parameters)?;
///
/// let roles = Predicate::any(
///     [
///         Predicate::has_element(&KIND, "roleAttributes", "sales"),
///         Predicate::equals(&KIND, "id", "x7"),
///     ]
///     .into_iter()
///     .flatten(),
/// );
/// let listing = Listing { predicate: Predicate::all([roles, listing.predicate]), ..listing };
/// assert_eq!(
///     listing.predicate.to_string(),
///     r#"(anyOf(roleAttributes) = "sales" or id = "x7") and name contains "a""#
/// );
/// assert_eq!(Predicate::has_element(&KIND, "name", "x"), None, "a name is not a set");
/// # Ok::<(), portcullis_filter::ListingError>(())
/// ```
impl Predicate {
    /// `symbol = "text"`; `None` if the kind has no such symbol of type string.
    pub fn equals(schema: &Schema, symbol: &str, text: impl Into<String>) -> Option<Self> {
        let (id, symbol) = schema.find(symbol)?;
        matches!(symbol.kind, SymbolKind::One(ValueType::String))
            .then(|| equality(FieldExpr::Value(id), text.into()))
    }

    /// `anyOf(set) = "element"`; `None` if the kind has no such set.
    pub fn has_element(schema: &Schema, set: &str, element: impl Into<String>) -> Option<Self> {
        let (id, symbol) = schema.find(set)?;
        symbol
            .is_set()
            .then(|| equality(FieldExpr::AnyOf(id), element.into()))
    }

    /// Conjunction of `operands` in order; true if there are none.
    ///
    /// Nested conjunctions are flattened and constants are folded, so a predicate with the same result for
    /// every row is a [`Constant`](Self::Constant).
    pub fn all(operands: impl IntoIterator<Item = Self>) -> Self {
        connect(operands, true)
    }

    /// Disjunction of `operands` in order; false if there are none.
    ///
    /// Flattens and folds like [`all`](Self::all).
    pub fn any(operands: impl IntoIterator<Item = Self>) -> Self {
        connect(operands, false)
    }
}

const fn equality(subject: FieldExpr, operand: String) -> Predicate {
    Predicate::Test {
        field: subject,
        test: Test::Text(Comparison::Is {
            op: CompareOp::Equal,
            operand,
        }),
    }
}

/// Connects by `and` if `neutral` is true, else by `or`: the neutral constant is dropped, the other one
/// is the result.
fn connect(operands: impl IntoIterator<Item = Predicate>, neutral: bool) -> Predicate {
    let mut kept = Vec::new();
    for operand in operands {
        match operand {
            Predicate::Constant(value) if value == neutral => {},
            Predicate::Constant(value) => return Predicate::Constant(value),
            Predicate::And(inner) if neutral => kept.extend(inner),
            Predicate::Or(inner) if !neutral => kept.extend(inner),
            other => kept.push(other),
        }
    }
    match kept.pop() {
        None => Predicate::Constant(neutral),
        Some(only) if kept.is_empty() => only,
        Some(last) => {
            kept.push(last);
            if neutral {
                Predicate::And(kept)
            } else {
                Predicate::Or(kept)
            }
        },
    }
}

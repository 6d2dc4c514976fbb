//! Uses of symbols in predicates and orders.

use super::Listing;
use portcullis_filter::{Collection, CompareOp, Comparison, FieldExpr, Predicate, SymbolId, Test};

/// The operand, if the predicate is nothing but `symbol = "operand"`.
pub(crate) fn find_equality<'p>(predicate: &'p Predicate, symbol: &str) -> Option<&'p str> {
    match (predicate, equalities(predicate).next()) {
        (Predicate::Test { .. }, Some((tested, text))) if tested.name() == symbol => Some(text),
        _ => None,
    }
}

/// The symbols with the texts that every match has to equal.
pub(crate) fn equalities(predicate: &Predicate) -> impl Iterator<Item = (SymbolId, &str)> {
    let parts = match predicate {
        Predicate::And(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    parts.iter().filter_map(|part| match part {
        Predicate::Test {
            field: FieldExpr::Value(tested),
            test:
                Test::Text(Comparison::Is {
                    op: CompareOp::Equal,
                    operand,
                }),
        } => Some((*tested, operand.as_str())),
        _ => None,
    })
}

/// Number of tests in a predicate that have no index and may scan all rows.
pub(crate) fn count_costly_tests(predicate: &Predicate) -> usize {
    match predicate {
        Predicate::Constant(_) => 0,
        Predicate::Not(inner) => count_costly_tests(inner),
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().map(count_costly_tests).sum(),
        Predicate::Test {
            field: subject,
            test,
        } => usize::from(!is_cheap(subject, test)),
        Predicate::IsEmpty(_) => 1,
    }
}

/// Equality is indexed, except for texts that are long and mostly distinct.
fn is_cheap(subject: &FieldExpr, test: &Test) -> bool {
    let is_equality = match test {
        Test::Boolean(_) | Test::Text(Comparison::OneOf(_)) => true,
        Test::Text(Comparison::Is { op, .. }) => *op == CompareOp::Equal,
        _ => false,
    };
    match subject {
        FieldExpr::Value(symbol) => is_equality && symbol.name() != "externalId",
        FieldExpr::AnyOf(_) => is_equality,
        FieldExpr::Entry { .. } | FieldExpr::AllOf(_) | FieldExpr::Count(_) => false,
    }
}

/// Whether a listing filters or sorts by `symbol`.
pub(crate) fn mentions(listing: &Listing, symbol: &str) -> bool {
    is_sorted_by(listing, symbol) || is_tested(&listing.predicate, symbol)
}

pub(crate) fn is_sorted_by(listing: &Listing, symbol: &str) -> bool {
    let mut keys = listing.order.keys().iter();
    keys.any(|key| key.symbol.name() == symbol)
}

fn is_tested(predicate: &Predicate, symbol: &str) -> bool {
    let is_it = |tested: &SymbolId| tested.name() == symbol;
    match predicate {
        Predicate::Constant(_) => false,
        Predicate::Not(inner) => is_tested(inner, symbol),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().any(|part| is_tested(part, symbol))
        },
        Predicate::Test { field: subject, .. } => match subject {
            FieldExpr::Value(tested) | FieldExpr::AnyOf(tested) | FieldExpr::AllOf(tested) => {
                is_it(tested)
            },
            FieldExpr::Entry { map, .. } => is_it(map),
            FieldExpr::Count(collection) => refers_to(collection, symbol),
        },
        Predicate::IsEmpty(collection) => refers_to(collection, symbol),
    }
}

/// The symbols inside a sub-query belong to another kind.
fn refers_to(collection: &Collection, symbol: &str) -> bool {
    match collection {
        Collection::Set(set)
        | Collection::SubQuery {
            references: set, ..
        } => set.name() == symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::{Parameters, kinds, parse};

    fn listing(filter: &str) -> Listing {
        let parameters = Parameters {
            filter: Some(filter),
            ..Parameters::default()
        };
        parse(&kinds::ENROLLMENTS, &parameters).unwrap()
    }

    #[test]
    fn tests_that_look_at_every_row_are_counted() {
        let count = |filter| {
            let parameters = Parameters {
                filter: Some(filter),
                ..Parameters::default()
            };
            count_costly_tests(&parse(&kinds::IDENTITIES, &parameters).unwrap().predicate)
        };
        for (filter, costly) in [
            ("true", 0),
            (r#"id = "x" or name in ["y", "z"]"#, 0),
            (r#"isAdmin and anyOf(roleAttributes) = "red""#, 0),
            (r#"externalId = "x""#, 1),
            (r#"externalId = null or name contains "x""#, 2),
            (
                r#"not (name < "x" and (count(roleAttributes) > 1 or tags.a = 1))"#,
                3,
            ),
            (
                "isEmpty(roleAttributes) or updatedAt > datetime(2031-01-02T03:04:05Z)",
                2,
            ),
        ] {
            assert_eq!(count(filter), costly, "{filter}");
        }
    }

    #[test]
    fn uses_of_a_symbol_are_found_wherever_they_stand() {
        for (filter, is_used) in [
            ("true", false),
            (r#"identity = "x""#, false),
            (r#"token = "x""#, true),
            (r#"not (identity = "y" and token contains "x")"#, true),
            ("sort by token", true),
        ] {
            assert_eq!(mentions(&listing(filter), "token"), is_used, "{filter}");
        }
        assert_eq!(
            find_equality(&listing(r#"token = "x""#).predicate, "token"),
            Some("x")
        );
        assert_eq!(
            find_equality(&listing(r#"token != "x""#).predicate, "token"),
            None
        );
    }
}

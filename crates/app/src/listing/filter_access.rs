//! Permissions for filters that look into other kinds of entities.

use super::Listing;
use crate::error::AppError;
use portcullis_domain::access::{Access, Caller};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_filter::{Collection, FieldExpr as Tested, Predicate};

/// Checks that a caller may read every kind that the filter of a list looks into. Sets whose ids
/// the list shows anyway need no permission; the entities that a policy selects are not shown
/// there, and do.
///
/// # Errors
///
/// [`AppError::Denied`] otherwise.
pub(crate) fn check_filter(listing: &Listing, caller: &Caller) -> Result<(), AppError> {
    if is_allowed(&listing.predicate, caller) {
        Ok(())
    } else {
        Err(AppError::Denied {
            rule: Some("the filter refers to entities that you have no permission to read"),
        })
    }
}

fn is_allowed(predicate: &Predicate, caller: &Caller) -> bool {
    match predicate {
        Predicate::Not(inner) => is_allowed(inner, caller),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().all(|part| is_allowed(part, caller))
        },
        Predicate::Test {
            field: Tested::Count(collection),
            ..
        }
        | Predicate::IsEmpty(collection) => is_collection_allowed(collection, caller),
        Predicate::Test {
            field: Tested::AnyOf(set) | Tested::AllOf(set),
            ..
        } => are_members_visible(set.name(), caller),
        Predicate::Constant(_) | Predicate::Test { .. } => true,
    }
}

fn is_collection_allowed(collection: &Collection, caller: &Caller) -> bool {
    match collection {
        Collection::Set(set) => are_members_visible(set.name(), caller),
        Collection::SubQuery { references, query } => {
            caller.has_access(required_access(references.name()))
                && is_allowed(&query.predicate, caller)
        },
    }
}

/// Whether a caller may see the members of a set.
fn are_members_visible(set: &str, caller: &Caller) -> bool {
    !matches!(set, "identities" | "services") || caller.has_access(required_access(set))
}

/// Access that is required to read the entities of a set of references.
fn required_access(references: &str) -> Access {
    let subject = match references {
        "identities" => Subject::Identity,
        "services" => Subject::Service,
        "configs" => Subject::Config,
        _ => return Access::Admin,
    };
    Access::Granted(subject, Verb::Read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::kinds;
    use portcullis_filter::SymbolKind;

    #[test]
    fn what_references_lead_to_is_known() {
        for schema in [
            &kinds::SERVICE_POLICIES,
            &kinds::SERVICES,
            &kinds::EDGE_ROUTERS,
            &kinds::TRANSIT_ROUTERS,
        ] {
            let references = schema
                .symbols()
                .filter(|symbol| matches!(symbol.kind, SymbolKind::References(_)));
            let names: Vec<_> = references.map(|symbol| symbol.name).collect();
            assert!(!names.is_empty());
            for name in names {
                assert!(
                    matches!(required_access(name), Access::Granted(..)),
                    "{name}"
                );
            }
        }
    }
}

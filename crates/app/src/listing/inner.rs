//! Filters that look into another kind: by them the list of one kind tells about the other.

use super::Listing;
use crate::error::AppError;
use portcullis_domain::access::{Access, Caller};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_filter::{Collection, Predicate, Subject as Tested};

/// Checks that a caller may read whatever the filter of a list looks into. The members of a set of
/// which the list shows ids anyway are free; whom a policy selects is not shown there.
///
/// # Errors
///
/// [`AppError::Denied`] otherwise.
pub(crate) fn check_filter(listing: &Listing, caller: &Caller) -> Result<(), AppError> {
    if is_open(&listing.predicate, caller) {
        Ok(())
    } else {
        Err(AppError::Denied {
            rule: Some("the filter refers to entities that you have no permission to read"),
        })
    }
}

fn is_open(predicate: &Predicate, caller: &Caller) -> bool {
    match predicate {
        Predicate::Not(inner) => is_open(inner, caller),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().all(|part| is_open(part, caller))
        },
        Predicate::Test {
            subject: Tested::Count(collection),
            ..
        }
        | Predicate::IsEmpty(collection) => is_open_within(collection, caller),
        Predicate::Test {
            subject: Tested::AnyOf(set) | Tested::AllOf(set),
            ..
        } => are_members_open(set.name(), caller),
        Predicate::Constant(_) | Predicate::Test { .. } => true,
    }
}

fn is_open_within(collection: &Collection, caller: &Caller) -> bool {
    match collection {
        Collection::Set(set) => are_members_open(set.name(), caller),
        Collection::SubQuery { references, query } => {
            caller.may(access(references.name())) && is_open(&query.predicate, caller)
        },
    }
}

/// Whether a caller may know who is in a set.
fn are_members_open(set: &str, caller: &Caller) -> bool {
    !matches!(set, "identities" | "services") || caller.may(access(set))
}

/// What reading the entities of a set of references demands.
fn access(references: &str) -> Access {
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
                assert!(matches!(access(name), Access::Granted(..)), "{name}");
            }
        }
    }
}

//! Property S-57: whatever changes something is in the audit trail, with who did it from where, and
//! with each member before and after.
//!
//! Each area performs operations and holds what was told of them against what lists show; together
//! they perform every operation of the table that changes something.

mod authenticators;
mod enrollments;
mod expected;
mod fabric;
mod identities;
mod mfa;
mod own_authenticators;
mod policies;
mod routers;
mod services;
mod sessions;
mod signers;
mod trust;
mod walk;

use portcullis_http::path::Api;
use portcullis_testkit::Harness;
use std::collections::BTreeSet;
use walk::case;

/// What is performed in each area.
const AREAS: [&[&str]; 12] = [
    authenticators::CASES,
    enrollments::CASES,
    fabric::CASES,
    identities::CASES,
    mfa::CASES,
    own_authenticators::CASES,
    policies::CASES,
    routers::CASES,
    services::CASES,
    sessions::CASES,
    signers::CASES,
    trust::CASES,
];

/// Fails when an operation is added that no area performs: add it to the area that is about its noun.
#[tokio::test]
async fn every_operation_that_changes_something_is_performed() {
    let controller = Harness::start().await;
    let routes = controller.table().routes().iter();
    let there: BTreeSet<String> = routes
        .filter(|route| route.is_mutating && route.is_implemented)
        // Those of a login only work in their order; its own tests perform them.
        .filter(|route| route.apis != [Api::Oidc])
        .map(case)
        .collect();
    let performed = AREAS.concat().into_iter().map(str::to_owned).collect();
    let missing: Vec<_> = there.difference(&performed).collect();
    assert!(missing.is_empty(), "no area performs {missing:#?}");
    let unknown: Vec<_> = performed.difference(&there).collect();
    assert!(unknown.is_empty(), "there is no {unknown:#?}");
}

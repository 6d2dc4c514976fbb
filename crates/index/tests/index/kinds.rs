//! What the projections have of each kind, and what goes with its owner.

use crate::changes::{
    loaded, of_others, put_authenticator, put_enrollment, put_identity, put_policy,
    put_service_session, put_session, remove_authenticator, remove_identity, remove_session,
};
use crate::support;
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::router::RouterKind;
use portcullis_index::{Direction, Projections, SortKey};
use std::sync::Arc;

#[test]
fn what_lives_under_an_identity_goes_with_it() {
    let projections = loaded(&[
        put_identity(1, "one"),
        put_identity(2, "two"),
        put_enrollment(1, 1),
        put_enrollment(2, 2),
        put_authenticator(1, 1),
        put_authenticator(2, 1),
        put_authenticator(3, 2),
        put_session(1, 1),
        put_session(2, 1),
        put_session(3, 2),
    ]);
    assert_eq!(projections.sessions().owned_count(RecordNumber(1)), 2);
    projections.apply(11, &[remove_identity(1)]);
    let all = |direction| projections.sessions().page(direction, 0, 9);
    assert_eq!(all(Direction::Ascending), [RecordNumber(3)]);
    assert_eq!(
        projections
            .enrollments()
            .owned_by(Owner::Identity(RecordNumber(1)), 0, 9),
        []
    );
    assert_eq!(
        projections
            .enrollments()
            .owned_by(Owner::Identity(RecordNumber(2)), 0, 9),
        [RecordNumber(2)]
    );
    let authenticators = || {
        let authenticators = projections.authenticators();
        authenticators.page(SortKey::Id, Direction::Ascending, 0, 9)
    };
    assert_eq!(authenticators(), [RecordNumber(3)]);
    projections.apply(12, &[put_authenticator(4, 2), remove_authenticator(3)]);
    assert_eq!(authenticators(), [RecordNumber(4)]);
    projections.apply(13, &[remove_session(3)]);
    assert!(projections.sessions().is_empty());
}

#[test]
fn what_lives_under_a_router_goes_with_it() {
    let owner = Owner::Router(RecordNumber(1));
    let mut of_router = put_enrollment(1, 1);
    if let Change::Enrollment(change) = &mut of_router {
        change.owner = Some(owner);
    }
    let router = |now| {
        Change::Router(EntityChange {
            owner: None,
            number: RecordNumber(1),
            before: None,
            entity: now,
        })
    };
    let put_router = router(Some(Arc::new(support::router("r1", RouterKind::Transit))));
    let projections = loaded(&[
        put_router,
        put_identity(1, "one"),
        of_router,
        put_enrollment(2, 1),
        put_session(1, 1),
        put_service_session(1, 1),
    ]);
    assert_eq!(
        projections.enrollments().owned_by(owner, 0, 9),
        [RecordNumber(1)]
    );
    projections.apply(11, &[router(None)]);
    assert!(projections.routers().is_empty());
    let left = |projections: &Projections| {
        [
            projections.enrollments().len(),
            projections.sessions().len(),
            projections.service_sessions().len(),
        ]
    };
    assert_eq!(left(&projections), [1, 1, 1], "the identity has its number");
    projections.apply(12, &[remove_identity(1)]);
    assert_eq!(left(&projections), [0, 0, 0]);
}

#[test]
fn other_kinds_are_loaded_and_followed() {
    let projections = loaded(&of_others(1));
    projections.apply(11, &of_others(2));
    for number in [1, 2].map(RecordNumber) {
        assert!(projections.config_types().contains(number));
        assert!(projections.configs().contains(number));
        assert!(projections.terminators().contains(number));
        assert!(projections.service_sessions().contains(number));
        assert!(projections.edge_router_policies().contains(number));
    }
}

#[test]
fn policies_are_loaded_and_followed() {
    let projections = loaded(&[put_policy(1, "Default")]);
    let named = |name| projections.auth_policies().find_by_name(name);
    assert_eq!(named("Default"), Some(RecordNumber(1)));
    projections.apply(11, &[put_policy(2, "strict"), put_policy(1, "default")]);
    assert_eq!(
        (named("Default"), named("default")),
        (None, Some(RecordNumber(1)))
    );
    let removal = Change::AuthPolicy(EntityChange {
        owner: None,
        number: RecordNumber(2),
        before: None,
        entity: None,
    });
    projections.apply(12, &[removal, remove_identity(1)]);
    assert_eq!(
        (named("strict"), named("default")),
        (None, Some(RecordNumber(1)))
    );
}

//! Unique values and references of each kind.

use crate::entities::{ids, router_enrollment, service};
use crate::exact_rows::assert_rows_exact;
use crate::network::network;
use crate::support::{changes, store, write};
use portcullis_domain::change::{Change, Owner};
use portcullis_domain::config::{Config, ConfigType};
use portcullis_domain::ids::{RecordNumber, SessionId};
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::revocation::Revocation;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::terminator::Terminator;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::*;
use std::collections::BTreeSet;

/// Finds an entity of the network by each of `values`, which have to be complete. Answers its kind.
fn check_values<E: Entity>(values: &[(UniqueIndex, &str)]) -> Kind {
    let store = network();
    let snapshot = store.snapshot().unwrap();
    for (index, value) in values {
        let value = UniqueValue::new(*index, *value);
        let found = Rows::new(&*snapshot).find::<E>(&value).unwrap();
        let found = found.unwrap_or_else(|| panic!("{value:?} is not found"));
        assert_eq!(found.key.id(), (E::KIND, 1));
        let indexes: Vec<UniqueIndex> = found
            .entity
            .unique_values()
            .iter()
            .map(|value| value.index)
            .collect();
        let expected: Vec<UniqueIndex> = values.iter().map(|(index, _)| *index).collect();
        assert_eq!(indexes, expected);
    }
    E::KIND
}

#[test]
fn each_kind_is_found_by_its_unique_values() {
    let dialing = format!("{}\0s", "\u{1}".repeat(16));
    let checked = [
        check_values::<ConfigType>(&[
            (UniqueIndex::ConfigTypeId, "t"),
            (UniqueIndex::ConfigTypeName, "type"),
        ]),
        check_values::<Config>(&[
            (UniqueIndex::ConfigId, "c"),
            (UniqueIndex::ConfigName, "config"),
        ]),
        check_values::<Service>(&[
            (UniqueIndex::ServiceId, "s"),
            (UniqueIndex::ServiceName, "service"),
        ]),
        check_values::<Router>(&[
            (UniqueIndex::RouterId, "r"),
            (UniqueIndex::RouterName, "router"),
            (UniqueIndex::RouterFingerprint, "print of r"),
        ]),
        check_values::<Terminator>(&[(UniqueIndex::TerminatorId, "x")]),
        check_values::<Revocation>(&[(UniqueIndex::RevocationId, "v")]),
        check_values::<ServicePolicy>(&[
            (UniqueIndex::ServicePolicyId, "sp"),
            (UniqueIndex::ServicePolicyName, "one"),
        ]),
        check_values::<EdgeRouterPolicy>(&[
            (UniqueIndex::EdgeRouterPolicyId, "ep"),
            (UniqueIndex::EdgeRouterPolicyName, "one"),
        ]),
        check_values::<ServiceEdgeRouterPolicy>(&[
            (UniqueIndex::ServiceEdgeRouterPolicyId, "sep"),
            (UniqueIndex::ServiceEdgeRouterPolicyName, "one"),
        ]),
        check_values::<PostureCheck>(&[
            (UniqueIndex::PostureCheckId, "p"),
            (UniqueIndex::PostureCheckName, "check"),
        ]),
        check_values::<Session>(&[
            (UniqueIndex::SessionId, "z"),
            (UniqueIndex::SessionGrant, &dialing),
        ]),
    ];
    let unchecked: Vec<Kind> = KINDS
        .iter()
        .copied()
        .filter(|kind| !checked.contains(kind))
        .collect();
    let elsewhere = [
        IDENTITY,
        AUTH_POLICY,
        ENROLLMENT,
        AUTHENTICATOR,
        API_SESSION,
        CA,
        SIGNER,
        SESSION_CERTIFICATE,
        MFA,
    ];
    assert_eq!(unchecked, elsewhere, "other files have tests of these");
}

#[test]
fn each_kind_refers_to_what_it_names() {
    let store = network();
    assert_rows_exact(&store);
    let expected = [
        (CONFIG_TYPE, &[CONFIG] as &[Kind]),
        (CONFIG, &[SERVICE, ROUTER]),
        (
            SERVICE,
            &[
                IDENTITY,
                TERMINATOR,
                SERVICE_POLICY,
                SERVICE_EDGE_ROUTER_POLICY,
                SESSION,
            ],
        ),
        (
            ROUTER,
            &[TERMINATOR, EDGE_ROUTER_POLICY, SERVICE_EDGE_ROUTER_POLICY],
        ),
        (IDENTITY, &[TERMINATOR, SERVICE_POLICY, EDGE_ROUTER_POLICY]),
        (POSTURE_CHECK, &[SERVICE_POLICY]),
    ];
    let snapshot = store.snapshot().unwrap();
    for (target, by) in expected {
        let target = RecordKey::root(target, 1);
        let referring: Vec<Kind> = KINDS
            .iter()
            .copied()
            .filter(|kind| {
                let referrers = Rows::new(&*snapshot).referrers(&target, *kind, 9).unwrap();
                assert!(target.id().0 == CONFIG_TYPE || referrers.len() < 2);
                !referrers.is_empty()
            })
            .collect();
        assert_eq!(referring, by, "{target}");
    }
}

#[test]
fn nothing_is_named_that_is_not_there() {
    let store = store();
    let named = service("s", "service", ids(&["c"]));
    let error = write(&store, move |rows| {
        rows.insert(&RecordKey::root(SERVICE, 1), &named)
    });
    assert!(
        matches!(error, Err(WriteError::MissingReference(value)) if value.index == UniqueIndex::ConfigId),
        "the configuration is missing"
    );
    assert_rows_exact(&store);
}

#[test]
fn dependents_belong_to_an_identity_or_to_a_router() {
    let store = network();
    let mut owners = BTreeSet::new();
    for change in changes(&store, 0) {
        match change {
            Change::Enrollment(change) => owners.extend(change.owner.map(|owner| (owner, 'e'))),
            Change::Session(change) => owners.extend(change.owner.map(|owner| (owner, 's'))),
            Change::Service(change) => assert_eq!(change.owner, None),
            _ => {},
        }
    }
    let (identity, router) = (
        Owner::Identity(RecordNumber(1)),
        Owner::Router(RecordNumber(1)),
    );
    assert_eq!(owners, [(identity, 's'), (router, 'e')].into());

    let stray = RecordKey::root(SERVICE, 1).dependent(ENROLLMENT, 2);
    let enrollment = router_enrollment("e2", "r", 2);
    let error = write(&store, move |rows| rows.insert(&stray, &enrollment)).unwrap_err();
    assert!(matches!(error, WriteError::Store(_)), "{error}");
    assert_rows_exact(&store);
}

#[test]
fn an_id_leads_to_its_own_kind() {
    let id = SessionId::from_wire("z");
    assert_eq!(
        reference(&id),
        UniqueValue::new(UniqueIndex::SessionId, "z")
    );
}

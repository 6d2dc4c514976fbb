//! Unique values and references of each kind.

use super::super::*;
use super::entities::{ids, router_enrollment, service};
use super::exact_rows::assert_rows_exact;
use super::network::network;
use super::support::{changes, store, write};
use crate::engine::Engine as _;
use crate::key::{Kind, RecordKey};
use portcullis_domain::change::{Change, Owner};
use portcullis_domain::config::{Config, ConfigType};
use portcullis_domain::ids::{Number, SessionId};
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::terminator::Terminator;
use std::collections::BTreeSet;

/// Finds an entity of the network by each of `values`, which have to be complete.
fn check_values<E: Entity>(values: &[(Index, &str)]) {
    let store = network();
    let snapshot = store.snapshot().unwrap();
    for (index, value) in values {
        let value = UniqueValue::new(*index, *value);
        let found = Rows::new(&*snapshot).find::<E>(&value).unwrap();
        let found = found.unwrap_or_else(|| panic!("{value:?} is not found"));
        assert_eq!(found.key.id(), (E::KIND, 1));
        let indexes: Vec<Index> = found
            .entity
            .unique_values()
            .iter()
            .map(|value| value.index)
            .collect();
        let expected: Vec<Index> = values.iter().map(|(index, _)| *index).collect();
        assert_eq!(indexes, expected);
    }
}

#[test]
fn each_kind_is_found_by_its_unique_values() {
    check_values::<ConfigType>(&[(Index::ConfigTypeId, "t"), (Index::ConfigTypeName, "type")]);
    check_values::<Config>(&[(Index::ConfigId, "c"), (Index::ConfigName, "config")]);
    check_values::<Service>(&[(Index::ServiceId, "s"), (Index::ServiceName, "service")]);
    check_values::<Router>(&[
        (Index::RouterId, "r"),
        (Index::RouterName, "router"),
        (Index::RouterFingerprint, "print of r"),
    ]);
    check_values::<Terminator>(&[(Index::TerminatorId, "x")]);
    check_values::<ServicePolicy>(&[
        (Index::ServicePolicyId, "sp"),
        (Index::ServicePolicyName, "one"),
    ]);
    check_values::<EdgeRouterPolicy>(&[
        (Index::EdgeRouterPolicyId, "ep"),
        (Index::EdgeRouterPolicyName, "one"),
    ]);
    check_values::<ServiceEdgeRouterPolicy>(&[
        (Index::ServiceEdgeRouterPolicyId, "sep"),
        (Index::ServiceEdgeRouterPolicyName, "one"),
    ]);
    check_values::<PostureCheck>(&[
        (Index::PostureCheckId, "p"),
        (Index::PostureCheckName, "check"),
    ]);
    let dialing = format!("{}\0s", "\u{1}".repeat(16));
    check_values::<Session>(&[(Index::SessionId, "z"), (Index::SessionGrant, &dialing)]);
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
        (IDENTITY, &[SERVICE_POLICY, EDGE_ROUTER_POLICY]),
        (POSTURE_CHECK, &[SERVICE_POLICY]),
    ];
    let snapshot = store.snapshot().unwrap();
    for (target, by) in expected {
        let target = RecordKey::root(target, 1);
        let referring: Vec<Kind> = dispatch::KINDS
            .into_iter()
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
        matches!(error, Err(WriteError::Missing(value)) if value.index == Index::ConfigId),
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
    let (identity, router) = (Owner::Identity(Number(1)), Owner::Router(Number(1)));
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
    assert_eq!(reference(&id), UniqueValue::new(Index::SessionId, "z"));
}

//! Unlinking and cascading on removal.

use crate::exact_rows::assert_rows_exact;
use crate::network::network;
use crate::support::{Store, changes, write};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::config::Config;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::*;

/// Changes made by `remove`: writes (`+`) and removals (`-`), in order.
fn changes_of(
    store: &Store,
    remove: impl FnMut(&mut RowsMut<'_>) -> Result<(), WriteError> + Send + 'static,
) -> Vec<String> {
    let before = store.feed().revision();
    write(store, remove).unwrap();
    assert_rows_exact(store);
    changes(store, before).iter().map(describe).collect()
}

fn describe(change: &Change) -> String {
    fn mark<E>(name: &str, change: &EntityChange<E>) -> String {
        let sign = if change.entity.is_some() { '+' } else { '-' };
        format!("{sign}{name}")
    }
    match change {
        Change::Identity(change) => mark("identity", change),
        Change::ApiSession(change) => mark("api session", change),
        Change::Enrollment(change) => mark("enrollment", change),
        Change::Config(change) => mark("config", change),
        Change::Service(change) => mark("service", change),
        Change::Router(change) => mark("router", change),
        Change::Terminator(change) => mark("terminator", change),
        Change::ServicePolicy(change) => mark("service policy", change),
        Change::EdgeRouterPolicy(change) => mark("router policy", change),
        Change::ServiceEdgeRouterPolicy(change) => mark("service router policy", change),
        Change::PostureCheck(change) => mark("check", change),
        Change::Session(change) => mark("session", change),
        other => panic!("nobody asked for {other:?}"),
    }
}

fn first<E: Entity>(store: &Store) -> E {
    let snapshot = store.snapshot().unwrap();
    let key = RecordKey::root(E::KIND, 1);
    Rows::new(&*snapshot).get(&key).unwrap().unwrap()
}

#[test]
fn a_service_is_forgotten_and_takes_terminators_and_sessions_along() {
    let store = network();
    let changes = changes_of(&store, |rows| {
        Ok(rows.remove_at::<Service>(&RecordKey::root(SERVICE, 1))?)
    });
    let expected = [
        "+service policy",
        "+service router policy",
        "+identity",
        "-terminator",
        "-session",
        "-service",
    ];
    assert_eq!(changes, expected);
    let policy: ServicePolicy = first(&store);
    assert!(policy.spec.service_roles.is_empty());
    assert!(!policy.spec.identity_roles.is_empty());
    let policy: ServiceEdgeRouterPolicy = first(&store);
    assert!(policy.spec.service_roles.is_empty());
    let identity: Identity = first(&store);
    assert!(identity.services().is_empty() && identity.configs().is_empty());
}

#[test]
fn a_router_is_forgotten_and_takes_terminators_along_and_what_is_its_own() {
    let store = network();
    let changes = changes_of(&store, |rows| {
        let key = router_key(RecordNumber(1));
        let entity: Router = rows.rows().get(&key)?.unwrap();
        Ok(rows.remove_router(&Found { key, entity })?)
    });
    let expected = [
        "+router policy",
        "+service router policy",
        "-terminator",
        "-router",
        "-enrollment",
    ];
    assert_eq!(changes, expected);
    let policy: EdgeRouterPolicy = first(&store);
    assert!(policy.spec.edge_router_roles.is_empty());
    let policy: ServiceEdgeRouterPolicy = first(&store);
    assert!(policy.spec.edge_router_roles.is_empty());
}

#[test]
fn an_identity_is_forgotten_and_goes_with_all_its_sessions() {
    let store = network();
    let changes = changes_of(&store, |rows| {
        let key = identity_key(RecordNumber(1));
        let entity: Identity = rows.rows().get(&key)?.unwrap();
        Ok(rows.remove_identity(&Found { key, entity })?)
    });
    let expected = [
        "+service policy",
        "+router policy",
        "-terminator",
        "-identity",
        "-session",
        "-api session",
    ];
    assert_eq!(changes, expected);
    let policy: ServicePolicy = first(&store);
    assert!(policy.spec.identity_roles.is_empty());
    let policy: EdgeRouterPolicy = first(&store);
    assert!(policy.spec.identity_roles.is_empty());
}

#[test]
fn an_api_session_takes_its_service_sessions_along() {
    let store = network();
    let changes = changes_of(&store, |rows| {
        let key = identity_key(RecordNumber(1)).dependent(API_SESSION, 1);
        Ok(rows.remove_at::<ApiSession>(&key)?)
    });
    assert_eq!(changes, ["-terminator", "-session", "-api session"]);
}

#[test]
fn a_posture_check_is_forgotten() {
    let store = network();
    let changes = changes_of(&store, |rows| {
        let key = RecordKey::root(POSTURE_CHECK, 1);
        Ok(rows.remove_at::<PostureCheck>(&key)?)
    });
    assert_eq!(changes, ["+service policy", "-check"]);
    let policy: ServicePolicy = first(&store);
    assert!(policy.spec.posture_check_roles.is_empty());
}

#[test]
fn a_configuration_is_forgotten_by_services_and_routers() {
    let store = network();
    let changes = changes_of(&store, |rows| {
        Ok(rows.remove_at::<Config>(&RecordKey::root(CONFIG, 1))?)
    });
    assert_eq!(changes, ["+service", "+router", "-config"]);
    assert!(first::<Service>(&store).spec.configs.is_empty());
    assert!(first::<Router>(&store).spec.configs.is_empty());
}

#[test]
fn whoever_is_shown_a_configuration_guards_it() {
    let store = network();
    let snapshot = store.snapshot().unwrap();
    let shown = RecordKey::root(CONFIG, 2);
    let guards = Rows::new(&*snapshot).referrers(&shown, IDENTITY, 9);
    assert_eq!(guards.unwrap(), [identity_key(RecordNumber(1))]);
}

//! Answers about routers have their forms.

use super::{TIME, tags, written};
use portcullis_api::edge_router::{
    CurrentIdentityEdgeRouter, EdgeRouterDetail, ServiceEdgeRouters,
};
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::{Enrollment, EnrollmentPurpose, EnrollmentSecrets};
use portcullis_domain::ids::{ConfigId, EnrollmentId, RouterId};
use portcullis_domain::router::{
    EdgeRouterSettings, Router, RouterCertificate, RouterKind, RouterSpec,
};
use portcullis_domain::view::{
    ManagedRouterView, RouterConnection, RouterVersion, RouterView, SyncStatus,
};
use serde_json::{Value, json};

pub(super) fn router(kind: RouterKind) -> Router {
    let spec = RouterSpec {
        kind,
        cost: 7,
        no_traversal: true,
        disabled: true,
        ctrl_chan_listeners: [("tls:r:1".to_owned(), None)].into(),
        configs: [ConfigId::from_wire("c")].into(),
        tags: tags(),
        ..RouterSpec::edge_router("r")
    };
    Router::new(RouterId::from_wire("r"), spec, Timestamp::UNIX_EPOCH).unwrap()
}

pub(super) fn edge() -> RouterKind {
    RouterKind::Edge(EdgeRouterSettings {
        app_data: tags(),
        ..EdgeRouterSettings::default()
    })
}

pub(super) fn connection() -> RouterConnection {
    RouterConnection {
        connected_since: Some(Timestamp::UNIX_EPOCH),
        hostname: "host".to_owned(),
        supported_protocols: [("tls".to_owned(), "tls://host:1".to_owned())].into(),
        sync_status: SyncStatus::Done,
        version: RouterVersion {
            version: "v1".to_owned(),
            ..RouterVersion::default()
        },
        ..RouterConnection::default()
    }
}

fn managed(router: Router, has_enrollment: bool) -> ManagedRouterView {
    let enrollment = Enrollment::new(
        EnrollmentId::from_wire("e"),
        EnrollmentPurpose::Router {
            router: router.id.clone(),
            is_edge: router.spec.edge().is_some(),
        },
        Timestamp::UNIX_EPOCH,
        Timestamp::UNIX_EPOCH,
    );
    let secrets = EnrollmentSecrets {
        token: "opentoken".into(),
        jwt: "openjwt".into(),
    };
    ManagedRouterView {
        router,
        connection: connection(),
        enrollment: has_enrollment.then_some((enrollment, Some(secrets))),
    }
}

/// A router as clients see it, who want to connect.
pub(super) fn seen() -> Value {
    json!({
        "capabilities": null, "cost": 7, "disabled": true, "hostname": "host", "isOnline": true,
        "name": "r", "noTraversal": true, "supportedProtocols": {"tls": "tls://host:1"},
        "syncStatus": "SYNC_DONE", "version": "v1"
    })
}

#[test]
fn edge_routers_are_shown_to_administrators() {
    let mut router = router(edge());
    let shown = written(&EdgeRouterDetail::from(managed(router.clone(), true)));
    assert_eq!(shown["appData"], json!({"t": true}));
    assert_eq!(shown["ctrlChanListeners"], json!({"tls:r:1": null}));
    assert_eq!(
        (&shown["enrollmentToken"], &shown["enrollmentJwt"]),
        (&json!("opentoken"), &json!("openjwt"))
    );
    assert_eq!(
        (&shown["certPem"], shown.get("fingerprint")),
        (&Value::Null, None)
    );
    assert_eq!(shown["versionInfo"]["version"], "v1");
    assert_eq!(shown.get("version"), None);

    let certificate = RouterCertificate::new("pem".to_owned(), "ff".to_owned());
    router.set_certificate(certificate, Timestamp::UNIX_EPOCH);
    let shown = written(&EdgeRouterDetail::from(managed(router, false)));
    assert_eq!(shown["isVerified"], true);
    assert_eq!(
        (&shown["certPem"], &shown["fingerprint"]),
        (&json!("pem"), &json!("ff"))
    );
    let pending = shown.as_object().unwrap().keys();
    assert_eq!(
        pending
            .filter(|name| name.starts_with("enrollment"))
            .count(),
        0
    );
}

#[test]
fn router_secrets_are_not_shown_in_logs() {
    let detail = EdgeRouterDetail::from(managed(router(edge()), true));
    let shown = format!("{detail:?} {:?}", managed(router(edge()), true));
    assert!(!shown.contains("open"), "{shown}");
}

#[test]
fn every_router_is_among_the_transit_routers() {
    let shown = written(&TransitRouterDetail::from(managed(
        router(RouterKind::Transit),
        true,
    )));
    assert_eq!(
        shown,
        json!({
            "_links": {"self": {"href": "./transit-routers/r"}},
            "createdAt": TIME, "id": "r", "tags": {"t": true}, "updatedAt": TIME,
            "configs": ["c"], "cost": 7, "ctrlChanListeners": {"tls:r:1": null}, "disabled": true,
            "enrollmentCreatedAt": TIME, "enrollmentExpiresAt": TIME, "enrollmentJwt": "openjwt",
            "enrollmentToken": "opentoken", "fingerprint": null, "interfaces": null,
            "isOnline": true, "isVerified": false, "name": "r", "noTraversal": true,
            "unverifiedCertPem": null, "unverifiedFingerprint": null
        })
    );
    let shown = written(&TransitRouterDetail::from(managed(router(edge()), true)));
    assert_eq!(shown["isVerified"], true);
    assert_eq!(shown.get("enrollmentToken"), None);
    assert_eq!(shown["_links"]["self"]["href"], "./transit-routers/r");
}

#[test]
fn clients_see_what_they_need_to_connect() {
    let view = RouterView {
        router: router(edge()),
        connection: connection(),
    };
    let mut own = written(&CurrentIdentityEdgeRouter::from(view.clone()));
    assert_eq!(
        own["_links"]["edge-router-policies"]["href"],
        "./edge-routers/r/edge-router-policies"
    );
    for member in ["_links", "createdAt", "id", "tags", "updatedAt"] {
        assert!(own.as_object_mut().unwrap().remove(member).is_some());
    }
    assert_eq!(own, seen());
    let routers: ServiceEdgeRouters = [view].into_iter().collect();
    assert_eq!(written(&routers), json!({"edgeRouters": [seen()]}));
    let none: ServiceEdgeRouters = [].into_iter().collect();
    assert_eq!(written(&none), json!({"edgeRouters": null}));
}

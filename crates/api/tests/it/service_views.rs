//! Answers about services, and about what is needed to use them, have their forms.

mod routers;

use portcullis_api::link::EntityRef;
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::service::ServiceDetail;
use portcullis_api::service_config::ServiceConfigDetail;
use portcullis_api::session::{SessionDetail, SessionRoutePath};
use portcullis_api::terminator::TerminatorClientDetail;
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{
    ApiSessionId, AuthPolicyId, ConfigId, IdentityId, RouterId, ServiceId, ServicePolicyId,
    SessionId, TerminatorId,
};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::{Service, ServiceSpec, TerminatorStrategy};
use portcullis_domain::session::Session;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_domain::view::{
    CommonRouter, IdentityRef, NamedRef, PolicyAdviceView, PolicyPosture, RouterRef, RouterView,
    ServiceConfigView, ServiceGrants, ServiceView, SessionView, TerminatorView,
};
use routers::{connection, edge, router, seen};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TIME: &str = "1970-01-01T00:00:00.000Z";

fn written(value: &impl Serialize) -> Value {
    serde_json::from_slice(&portcullis_api::json::to_bytes(value)).unwrap()
}

fn named<I>(id: I) -> NamedRef<I> {
    NamedRef {
        id,
        name: "n".to_owned(),
    }
}

fn tags() -> Tags {
    [("t".to_owned(), TagValue::Bool(true))]
        .into_iter()
        .collect()
}

fn service() -> Service {
    let spec = ServiceSpec {
        terminator_strategy: TerminatorStrategy::Sticky,
        max_idle_time_millis: u64::MAX,
        tags: tags(),
        ..ServiceSpec::named("web")
    };
    Service::new(ServiceId::from_wire("s"), spec, Timestamp::UNIX_EPOCH).unwrap()
}

#[test]
fn services_say_what_the_viewer_may_do() {
    let placeholder = |kind: &str| {
        let word = kind.to_lowercase();
        json!({
            "isPassing": true, "policyId": format!("dummy {word} policy: no posture checks defined"),
            "policyType": kind, "postureQueries": []
        })
    };
    let all = ServiceGrants {
        bind: true,
        dial: true,
    };
    for (grants, permissions, queries) in [
        (None, Value::Null, json!([])),
        (
            Some(ServiceGrants::default()),
            json!(["Invalid"]),
            json!([placeholder("Invalid")]),
        ),
        (
            Some(all),
            json!(["Bind", "Dial"]),
            json!([placeholder("Bind"), placeholder("Dial")]),
        ),
    ] {
        let view = ServiceView {
            grants,
            ..ServiceView::from_service(service())
        };
        let shown = written(&ServiceDetail::from(view));
        assert_eq!(shown["permissions"], permissions);
        assert_eq!(shown["postureQueries"], queries);
    }
}

#[test]
fn services_say_how_posture_stands() {
    let view = ServiceView {
        grants: Some([ServiceGrant::Dial].into_iter().collect()),
        posture: vec![PolicyPosture {
            policy: ServicePolicyId::from_wire("p"),
            grant: ServiceGrant::Dial,
            is_passing: false,
            checks: Vec::new(),
        }],
        config: Some(BTreeMap::new()),
        ..ServiceView::from_service(service())
    };
    let mut shown = written(&ServiceDetail::from(view));
    assert_eq!(
        shown["postureQueries"],
        json!([{
            "isPassing": false, "policyId": "p", "policyType": "Dial", "postureQueries": []
        }])
    );
    shown["_links"].take();
    shown["postureQueries"].take();
    assert_eq!(
        shown,
        json!({
            "_links": null, "createdAt": TIME, "id": "s", "tags": {"t": true}, "updatedAt": TIME,
            "config": {}, "configs": null, "encryptionRequired": true,
            "maxIdleTimeMillis": i64::MAX, "name": "web", "permissions": ["Dial"],
            "postureQueries": null, "roleAttributes": null, "terminatorStrategy": "sticky"
        })
    );
}

#[test]
fn sessions_are_shown_to_holders_and_administrators() {
    let view = SessionView {
        session: Session {
            id: SessionId::from_wire("x"),
            created_at: Timestamp::UNIX_EPOCH,
            api_session: ApiSessionId::from_wire("a"),
            api_session_token: TokenHash([0; 16]),
            identity: IdentityId::from_wire("i"),
            service: ServiceId::from_wire("s"),
            grant: ServiceGrant::Bind,
            tags: Tags::default(),
        },
        service: NamedRef::from(&service()),
        edge_routers: vec![RouterView {
            router: router(edge()),
            connection: connection(),
        }],
        policies: vec![named(ServicePolicyId::from_wire("p"))],
    };
    let holder = SessionDetail::for_holder(view.clone(), "opensesame".into());
    assert!(!format!("{holder:?}").contains("opensesame"));
    let shown = written(&holder);
    let mut router = seen();
    router["urls"] = json!({"tls": "tls://host:1"});
    let service = written(&EntityRef::from(named(ServiceId::from_wire("s"))));
    let expected = json!({
        "_links": {
            "route-path": {"href": "./sessions/x/route-path"}, "self": {"href": "./sessions/x"}
        },
        "createdAt": TIME, "id": "x", "tags": {}, "updatedAt": TIME,
        "apiSession": {
            "_links": {
                "self": {"href": "./api-sessions/a"},
                "sessions": {"href": "./api-sessions/a/sessions"}
            },
            "entity": "api-sessions", "id": "a"
        },
        "apiSessionId": "a", "edgeRouters": [router], "identityId": "i",
        "service": {"_links": service["_links"], "entity": "services", "id": "s", "name": "web"},
        "serviceId": "s", "token": "opensesame", "type": "Bind"
    });
    assert_eq!(shown, expected);

    let mut administrator = written(&SessionDetail::for_administrator(view));
    let policies = administrator["servicePolicies"].take();
    assert_eq!(policies[0]["entity"], "service-policies");
    assert_eq!(administrator["token"], "x");
    administrator["token"] = json!("opensesame");
    administrator
        .as_object_mut()
        .unwrap()
        .remove("servicePolicies");
    assert_eq!(administrator, expected);
    assert_eq!(
        written(&SessionRoutePath::default()),
        json!({"routePath": []})
    );
}

#[test]
fn clients_see_little_of_terminators() {
    let spec = TerminatorSpec {
        cost: 1,
        precedence: Precedence::Failed,
        instance_id: "one".to_owned(),
        tags: tags(),
        ..TerminatorSpec::new(
            ServiceId::from_wire("s"),
            RouterId::from_wire("r"),
            "tcp:secret-host:1",
        )
    };
    let id = TerminatorId::from_wire("t");
    let view = TerminatorView {
        terminator: Terminator::new(id, spec, Timestamp::UNIX_EPOCH).unwrap(),
        service: NamedRef::from(&service()),
        router: RouterRef::from(&router(edge())),
        dynamic_cost: 3,
    };
    let mut shown = written(&TerminatorClientDetail::from(view));
    assert_eq!(shown["service"]["name"], "web");
    shown["service"].take();
    assert_eq!(
        shown,
        json!({
            "_links": {"self": {"href": "./terminators/t"}}, "createdAt": TIME, "id": "t",
            "tags": {"t": true}, "updatedAt": TIME, "identity": "one", "routerId": "r",
            "service": null, "serviceId": "s"
        })
    );
}

#[test]
fn advice_leaves_out_what_is_missing() {
    let advice = |grants, count, common_routers| {
        written(&PolicyAdvice::from(PolicyAdviceView {
            identity: IdentityRef {
                id: IdentityId::from_wire("i"),
                name: "n".to_owned(),
                auth_policy: AuthPolicyId::from_wire("default"),
            },
            service: named(ServiceId::from_wire("s")),
            grants,
            identity_router_count: count,
            service_router_count: count,
            common_routers,
        }))
    };
    let members = |advice: &Value| {
        advice
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let nothing = advice(ServiceGrants::default(), 0, vec![]);
    assert_eq!(
        members(&nothing),
        [
            "commonRouters",
            "identity",
            "identityId",
            "service",
            "serviceId"
        ]
    );
    assert_eq!(nothing["commonRouters"], Value::Null);
    let common = CommonRouter {
        router: RouterRef::from(&router(edge())),
        is_online: true,
    };
    let dial = [ServiceGrant::Dial].into_iter().collect();
    let something = advice(dial, 2, vec![common]);
    assert_eq!(something["isDialAllowed"], true);
    assert_eq!(something.get("isBindAllowed"), None);
    assert_eq!(something["serviceRouterCount"], 2);
    let router = &something["commonRouters"][0];
    assert_eq!(
        (&router["entity"], &router["isOnline"]),
        (&json!("edge-routers"), &json!(true))
    );
}

#[test]
fn service_configurations_come_on_one_page() {
    let view = ServiceConfigView {
        service: named(ServiceId::from_wire("s")),
        config: named(ConfigId::from_wire("c")),
    };
    let list = written(&ServiceConfigDetail::list([view]));
    let item = &list["data"][0];
    assert_eq!(
        (&item["configId"], &item["config"]["entity"]),
        (&json!("c"), &json!("configs"))
    );
    assert_eq!(
        (&item["serviceId"], &item["service"]["name"]),
        (&json!("s"), &json!("n"))
    );
    let meta = json!({"pagination": {"limit": 1, "offset": 0, "totalCount": 1}});
    assert_eq!(list["meta"], meta);
}

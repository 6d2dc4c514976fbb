//! Services, and sessions of them.

use crate::network::{Network, until, within};
use http::Method;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_edge_session::{EdgeSession, ExposeSecret as _, LoginProtocol, SessionError};
use serde_json::json;
use std::sync::Arc;

const BOTH: [LoginProtocol; 2] = [LoginProtocol::Legacy, LoginProtocol::Oidc];

#[tokio::test]
async fn services_come_and_go() {
    let network = Network::start().await;
    for (name, protocol) in [("laptop", BOTH[0]), ("server", BOTH[1])] {
        let session = network.open(name, protocol).await;
        let service = format!("printers of {name}");
        let mut services = session.services();
        until(&mut services, |all| {
            all.as_ref().is_some_and(|all| all.is_empty())
        })
        .await;

        let types = network
            .get("config-types?filter=name=%22intercept.v1%22")
            .await;
        let config = network
            .create(
                "configs",
                &json!({
                    "name": format!("of {name}"), "configTypeId": types[0]["id"],
                    "data": {
                        "addresses": ["printer.test"], "protocols": ["tcp"],
                        "portRanges": [{"low": 80, "high": 80}],
                    },
                }),
            )
            .await;
        let id = network.service(&service, "Dial", &json!([])).await;
        network
            .change(
                Method::PATCH,
                &format!("services/{id}"),
                &json!({"configs": [config]}),
            )
            .await;
        let all = until(&mut services, |all| {
            let printers = all.as_ref().and_then(|all| all.get(&service));
            printers.is_some_and(|printers| !printers.configs.is_empty())
        });
        let all = all.await.unwrap();
        let printers = all.get(&service).unwrap();
        assert_eq!(
            (printers.id.as_str(), printers.may_dial, printers.may_bind),
            (&*id, true, false)
        );
        assert!(printers.encryption_required && printers.allows(ServiceGrant::Dial));
        assert_eq!(
            printers.configs["intercept.v1"]["addresses"],
            json!(["printer.test"])
        );
        assert!(Arc::ptr_eq(printers, all.by_id(&printers.id).unwrap()));

        network.delete(&format!("services/{id}")).await;
        until(&mut services, |all| {
            all.as_ref().is_some_and(|all| all.is_empty())
        })
        .await;
        within(session.close()).await;
    }
}

#[tokio::test]
async fn services_of_many_pages_are_read() {
    let network = Network::start().await;
    for number in 0..600 {
        let body = json!({"name": format!("s{number:03}"), "encryptionRequired": false});
        network.create("services", &body).await;
    }
    let policy = json!({
        "name": "all", "type": "Bind", "semantic": "AnyOf",
        "identityRoles": ["#all"], "serviceRoles": ["#all"],
    });
    network.create("service-policies", &policy).await;
    let session = network.open("server", LoginProtocol::default()).await;
    let all = until(&mut session.services(), Option::is_some)
        .await
        .unwrap();
    assert_eq!(all.len(), 600);
    assert!(
        all.iter()
            .all(|service| service.may_bind && !service.may_dial)
    );
}

#[tokio::test]
async fn unknown_service_is_asked_for_once_more() {
    let network = Network::start().await;
    let identity = network.identity("laptop").await;
    // It does not find out by itself.
    let mut options = network.options(LoginProtocol::Legacy);
    options.poll_interval = std::time::Duration::from_hours(1);
    let session = EdgeSession::start(identity, options).unwrap();
    assert!(within(session.service("printers")).await.unwrap().is_none());
    let id = network.service("printers", "Dial", &json!([])).await;
    let found = within(session.service("printers")).await.unwrap().unwrap();
    assert_eq!(found.id.as_str(), id);
}

#[tokio::test]
async fn session_of_a_service_is_kept_until_it_does_not_count() {
    let network = Network::start().await;
    let id = ServiceId::from_wire(network.service("printers", "Dial", &json!([])).await);
    for (name, protocol) in [("laptop", BOTH[0]), ("server", BOTH[1])] {
        let session = network.open(name, protocol).await;
        let create = || within(session.service_session(&id, ServiceGrant::Dial));
        let (first, second) = tokio::join!(create(), create());
        let (first, second) = (first.unwrap(), second.unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(first.edge_routers.len(), 1);
        assert_eq!(first.edge_routers[0].tls(), Some("localhost:3022"));
        let shown = format!("{first:?}");
        assert!(!shown.contains(first.token.expose_secret()), "{shown}");
        session.forget_service_session(&first);
        let third = create().await.unwrap();
        assert!(!Arc::ptr_eq(&first, &third));
        session.forget_service_session(&first);
        assert_eq!(
            Arc::ptr_eq(&third, &create().await.unwrap()),
            first.id != third.id
        );

        let bind = within(session.service_session(&id, ServiceGrant::Bind)).await;
        assert!(matches!(bind, Err(SessionError::NotGranted(_))), "{bind:?}");
        let unknown = ServiceId::from_wire("nothing");
        let unknown = within(session.service_session(&unknown, ServiceGrant::Dial)).await;
        assert!(
            matches!(unknown, Err(SessionError::NotGranted(_))),
            "{unknown:?}"
        );
    }
}

#[tokio::test]
async fn session_of_a_service_needs_a_session_that_counts() {
    let network = Network::start().await;
    let id = ServiceId::from_wire(network.service("printers", "Dial", &json!([])).await);
    let identity = network.identity("laptop").await;
    let mut options = network.options(LoginProtocol::Legacy);
    options.poll_interval = std::time::Duration::from_hours(1);
    let session = EdgeSession::start(identity, options).unwrap();
    let open = within(session.opened()).await.unwrap();
    until(&mut session.services(), Option::is_some).await;
    for api_session in network.api_sessions(&open.identity).await {
        network.delete(&format!("api-sessions/{api_session}")).await;
    }
    within(session.service_session(&id, ServiceGrant::Dial))
        .await
        .unwrap();
}

#[tokio::test]
async fn own_identity_says_how_it_hosts() {
    let network = Network::start().await;
    let id = network.service("printers", "Bind", &json!([])).await;
    let session = network.open("server", LoginProtocol::default()).await;
    let identity = session.opened().await.unwrap().identity.clone();
    let change = json!({
        "defaultHostingCost": 7, "defaultHostingPrecedence": "required",
        "serviceHostingCosts": {&id: 9}, "appData": {"floor": "3"},
    });
    network
        .change(Method::PATCH, &format!("identities/{identity}"), &change)
        .await;
    let mut own = session.own_identity();
    let own = until(&mut own, |own| {
        own.as_ref().is_some_and(|own| own.default_cost == 7)
    });
    let own = own.await.unwrap();
    let other = ServiceId::from_wire("other");
    assert_eq!(
        own.hosting(&ServiceId::from_wire(id)),
        (Precedence::Required, 9)
    );
    assert_eq!(own.hosting(&other), (Precedence::Required, 7));
    assert_eq!(
        serde_json::to_value(&own.app_data).unwrap(),
        json!({"floor": "3"})
    );
}

/// Policies may allow fewer routers for a service than for the identity.
#[tokio::test]
async fn routers_of_a_service_are_those_of_its_policies() {
    let network = Network::start().await;
    for (name, protocol) in [("laptop", BOTH[0]), ("server", BOTH[1])] {
        let session = network.open(name, protocol).await;
        let service = network
            .service(&format!("of {name}"), "Dial", &json!([]))
            .await;
        let service = ServiceId::from_wire(&service);
        let routers = async || {
            session
                .service_routers(&service, ServiceGrant::Dial)
                .await
                .unwrap()
        };
        let listed = routers().await;
        let [router] = &listed[..] else {
            panic!("{listed:?}");
        };
        assert_eq!(router.name, "r1");
        assert!(router.tls().is_some());

        let policies = network.get("service-edge-router-policies").await;
        let policy = format!(
            "service-edge-router-policies/{}",
            policies[0]["id"].as_str().unwrap()
        );
        let roles = |roles| json!({"edgeRouterRoles": [roles]});
        network
            .change(Method::PATCH, &policy, &roles("#others"))
            .await;
        session.forget_service_routers(&service);
        assert!(routers().await.is_empty());
        network.change(Method::PATCH, &policy, &roles("#all")).await;
        within(session.close()).await;
    }
}

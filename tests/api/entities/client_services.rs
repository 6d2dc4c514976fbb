//! Services as those see them who use them.

use crate::support::network::Network;
use crate::support::{create, merge};
use http::Method;
use portcullis_domain::clock::{Clock as _, SignedDuration};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// A user who carries the attribute `staff`: id and session.
async fn user(network: &Network) -> (String, String) {
    let more = json!({"roleAttributes": ["staff"]});
    let session = network
        .controller
        .create_user(&network.admin, "user", more)
        .await;
    let id = network.ask(&session, "/current-identity").await.data()["id"].clone();
    (id.as_str().unwrap().to_owned(), session)
}

async fn last_change(network: &Network, session: &str) -> String {
    let reply = network
        .ask(session, "/current-api-session/service-updates")
        .await;
    reply.data()["lastChangeAt"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_client_sees_what_policies_let_it_use_and_nothing_else() {
    let network = Network::new().await;
    let (_id, session) = user(&network).await;
    let web = network.service("web", &["web"]).await;
    let hidden = network.service("hidden", &[]).await;
    assert!(network.services_of(&session).await.is_empty());
    network
        .grant("dial", "Dial", (&["#staff"], &["#web"]))
        .await;
    let listed = network.ask(&session, "/services").await.data();
    assert_eq!(listed[0]["name"], "web");
    assert_eq!(listed[0]["permissions"], json!(["Dial"]));
    network.grant("bind", "Bind", (&["#all"], &["#web"])).await;
    let read = network
        .ask(&session, &format!("/services/{web}"))
        .await
        .data();
    assert_eq!(read["permissions"], json!(["Bind", "Dial"]));

    let missing = network.ask(&session, "/services/nope").await;
    let secret = network.ask(&session, &format!("/services/{hidden}")).await;
    assert_eq!(
        (missing.status, secret.status),
        (missing.status, missing.status)
    );
    let told =
        |reply: &portcullis_testkit::Reply| reply.json()["error"]["cause"]["message"].clone();
    assert_eq!(told(&missing), "service with id nope not found");
    assert_eq!(told(&secret), format!("service with id {hidden} not found"));
    let filtered = network
        .ask(&session, "/services?filter=name%3D%22hidden%22")
        .await;
    assert_eq!(filtered.data(), json!([]));
}

#[tokio::test]
async fn configurations_are_shown_by_type_and_those_of_the_identity_first() {
    let network = Network::new().await;
    let (id, _session) = user(&network).await;
    let host = network.host_config("host", json!({})).await;
    let body = json!({"name": "web", "encryptionRequired": true, "configs": [host]});
    let web = network.make("/services", body).await;
    network.grant("dial", "Dial", (&["#all"], &["#all"])).await;
    let login = async |types: Value| {
        let path = "/edge/client/v1/authenticate?method=password";
        let mut body = json!({"username": "user", "password": portcullis_testkit::PASSWORD});
        merge(&mut body, json!({"configTypes": types}));
        let request = network.controller.request(Method::POST, path).json(&body);
        let reply = request.send().await.data();
        reply["token"].as_str().unwrap().to_owned()
    };
    let port = async |session: &str, query: &str| {
        let listed = network
            .ask(session, &format!("/services{query}"))
            .await
            .data();
        listed[0]["config"]["host.v1"]["port"].clone()
    };
    let (plain, all) = (login(json!([])).await, login(json!(["all"])).await);
    assert_eq!(port(&plain, "").await, Value::Null);
    assert_eq!(port(&plain, "?configTypes=host.v1").await, 5432);
    assert_eq!(port(&all, "").await, 5432);
    assert_eq!(port(&all, "?configTypes=intercept.v1").await, Value::Null);
    for (named, shown) in [
        (json!(["host.v1"]), json!(5432)),
        (json!(["nope", "NH5p4FpGR"]), json!(5432)),
        (json!(["intercept.v1"]), Value::Null),
    ] {
        assert_eq!(
            port(&login(named.clone()).await, "").await,
            shown,
            "{named}"
        );
    }

    let own = network.host_config("own", json!({"port": 1})).await;
    let below = format!("/identities/{id}/service-configs");
    let assigned = json!([{"serviceId": web, "configId": own}]);
    network.send(Method::POST, &below, &assigned).await.data();
    assert_eq!(port(&all, "").await, 1);
    let read = network.ask(&all, &format!("/services/{web}")).await.data();
    assert_eq!(read["config"]["host.v1"]["port"], 1);
}

#[tokio::test]
async fn pollers_hear_of_what_changes_for_them_alone() {
    let network = Network::new().await;
    let (id, session) = user(&network).await;
    let web = network.service("web", &["web"]).await;
    let policy = network
        .grant("dial", "Dial", (&["#staff"], &["#web"]))
        .await;
    let first = last_change(&network, &session).await;
    assert_eq!(last_change(&network, &session).await, first);

    // What is none of its business.
    network.service("other", &[]).await;
    network
        .grant("elsewhere", "Dial", (&["#nobody"], &["#all"]))
        .await;
    create(&network.controller, &network.admin, "bob", json!({})).await;
    let unrelated = network.host_config("unrelated", json!({})).await;
    network
        .make("/config-types", json!({"name": "own.v1"}))
        .await;
    network
        .controller
        .clock
        .advance(SignedDuration::from_secs(60));
    assert_eq!(last_change(&network, &session).await, first);

    let mut last = first;
    let config = network.host_config("c", json!({})).await;
    for (path, body) in [
        (format!("/services/{web}"), json!({"configs": [config]})),
        (format!("/configs/{config}"), json!({"name": "d"})),
        (
            format!("/services/{web}"),
            json!({"encryptionRequired": false}),
        ),
        (
            format!("/service-policies/{policy}"),
            json!({"type": "Bind"}),
        ),
        (format!("/identities/{id}"), json!({"roleAttributes": []})),
    ] {
        network.patch(&path, body.clone()).await;
        let next = last_change(&network, &session).await;
        assert!(next > last, "{path} {body}: {last} {next}");
        assert_eq!(last_change(&network, &session).await, next);
        last = next;
    }
    network.delete(&format!("/configs/{unrelated}")).await;
    assert_eq!(last_change(&network, &session).await, last);
}

#[tokio::test]
async fn a_change_after_the_first_listing_is_heard_of() {
    let network = Network::new().await;
    let (_id, session) = user(&network).await;
    assert!(network.services_of(&session).await.is_empty());
    let clock = &network.controller.clock;
    let listed_at = clock.now().to_string();
    clock.advance(SignedDuration::from_secs(5));
    network.service("web", &["web"]).await;
    network
        .grant("dial", "Dial", (&["#staff"], &["#web"]))
        .await;
    assert!(last_change(&network, &session).await > listed_at);
}

#[tokio::test]
async fn a_poller_that_listed_meanwhile_hears_that_everything_is_as_before() {
    let network = Network::new().await;
    let (id, session) = user(&network).await;
    network.service("web", &["web"]).await;
    network
        .grant("dial", "Dial", (&["#staff"], &["#web"]))
        .await;
    let attributes = json!({"roleAttributes": ["staff"]});
    let path = format!("/identities/{id}");
    network.patch(&path, attributes.clone()).await;
    let first = last_change(&network, &session).await;

    network.patch(&path, json!({"roleAttributes": []})).await;
    assert!(network.services_of(&session).await.is_empty());
    network.patch(&path, attributes).await;
    assert!(last_change(&network, &session).await > first);
}

#[tokio::test]
async fn pollers_hear_of_grants_that_came_and_went() {
    let network = Network::new().await;
    let (id, session) = user(&network).await;
    let other = network
        .controller
        .create_user(&network.admin, "other", json!({}));
    let other = other.await;
    network.service("web", &["web"]).await;
    let mut last = last_change(&network, &session).await;
    let others = last_change(&network, &other).await;
    for what in ["policy", "service", "attribute"] {
        match what {
            "policy" => {
                let roles: (&[_], &[_]) = (&["#staff"], &["#web"]);
                let policy = network.grant("dial", "Dial", roles).await;
                network.delete(&format!("/service-policies/{policy}")).await;
                network
                    .grant("again", "Dial", (&["#staff"], &["#brief"]))
                    .await;
                network.grant("ops", "Dial", (&["#ops"], &["#web"])).await;
                // What grants nothing changes nothing.
                let next = last_change(&network, &session).await;
                assert!(next > last, "{what}");
                last = next;
                continue;
            },
            "service" => {
                let service = network.service("brief", &["brief"]).await;
                network.delete(&format!("/services/{service}")).await;
            },
            _ => {
                for attributes in [json!(["ops", "staff"]), json!(["staff"])] {
                    let body = json!({"roleAttributes": attributes});
                    network.patch(&format!("/identities/{id}"), body).await;
                }
            },
        }
        let next = last_change(&network, &session).await;
        assert!(next > last, "{what}: {last} {next}");
        assert_eq!(last_change(&network, &session).await, next, "{what}");
        last = next;
    }
    assert_eq!(last_change(&network, &other).await, others);
}

#[tokio::test]
async fn policies_that_grant_nothing_concern_no_poller() {
    let network = Network::new().await;
    let (id, session) = user(&network).await;
    network.service("web", &["web"]).await;
    let last = last_change(&network, &session).await;
    let policy = network
        .grant("empty", "Dial", (&["#staff"], &["#nothing"]))
        .await;
    assert_eq!(last_change(&network, &session).await, last, "created");
    let path = format!("/service-policies/{policy}");
    network.patch(&path, json!({"name": "void"})).await;
    assert_eq!(last_change(&network, &session).await, last, "renamed");
    network.delete(&path).await;
    assert_eq!(last_change(&network, &session).await, last, "deleted");
    let named = json!({"name": "named"});
    network.patch(&format!("/identities/{id}"), named).await;
    assert_eq!(
        last_change(&network, &session).await,
        last,
        "of an identity"
    );
}

#[tokio::test]
async fn changes_that_change_no_grant_concern_no_poller() {
    let network = Network::new().await;
    let (id, session) = user(&network).await;
    network.service("web", &["web"]).await;
    network.service("db", &["db"]).await;
    let policy = network
        .grant("dial", "Dial", (&["#staff"], &["#web"]))
        .await;
    let last = last_change(&network, &session).await;
    let (own, policy) = (
        format!("/identities/{id}"),
        format!("/service-policies/{policy}"),
    );
    for (path, body) in [
        (&own, json!({"roleAttributes": ["staff", "irrelevant"]})),
        (&own, json!({"roleAttributes": ["staff"]})),
        (&policy, json!({"tags": {"note": "x"}})),
        (&policy, json!({"name": "renamed"})),
        (&policy, json!({"identityRoles": ["#staff", "#others"]})),
    ] {
        network.patch(path, body.clone()).await;
        assert_eq!(last_change(&network, &session).await, last, "{body}");
    }
    let mut last = last;
    for body in [
        json!({"serviceRoles": ["#web", "#db"]}),
        json!({"type": "Bind"}),
        json!({"identityRoles": ["#others"]}),
        json!({"identityRoles": ["#staff"]}),
    ] {
        network.patch(&policy, body.clone()).await;
        let next = last_change(&network, &session).await;
        assert!(next > last, "{body}: {last} {next}");
        last = next;
    }
}

/// S-18: what was acknowledged holds for every later request, on any connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_sees_a_grant_after_its_end_was_acknowledged() {
    let network = Arc::new(Network::new().await);
    let (_id, session) = user(&network).await;
    network.service("web", &["web"]).await;
    let is_over = Arc::new(AtomicBool::new(false));
    // Grants that were asked for, and those whose end was acknowledged.
    let (begun, ended) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let readers = (0..4).map(|_| {
        let (network, session) = (Arc::clone(&network), session.clone());
        let is_over = Arc::clone(&is_over);
        let (begun, ended) = (Arc::clone(&begun), Arc::clone(&ended));
        tokio::spawn(async move {
            let mut looks = 0_u32;
            while !is_over.load(Ordering::SeqCst) {
                let over = ended.load(Ordering::SeqCst);
                let sees = !network.services_of(&session).await.is_empty();
                let has_been = begun.load(Ordering::SeqCst) > over;
                assert!(!sees || has_been, "a grant is seen that is over");
                looks += 1;
            }
            looks
        })
    });
    let readers: Vec<_> = readers.collect();
    for _ in 0..20 {
        begun.fetch_add(1, Ordering::SeqCst);
        let policy = network
            .grant("dial", "Dial", (&["#staff"], &["#web"]))
            .await;
        assert_eq!(
            network.services_of(&session).await,
            ["web"],
            "it holds at once"
        );
        network.delete(&format!("/service-policies/{policy}")).await;
        ended.fetch_add(1, Ordering::SeqCst);
        assert!(
            network.services_of(&session).await.is_empty(),
            "it ends at once"
        );
        tokio::task::yield_now().await;
    }
    is_over.store(true, Ordering::SeqCst);
    for reader in readers {
        let looks = tokio::time::timeout(Duration::from_secs(30), reader)
            .await
            .unwrap()
            .unwrap();
        assert!(looks > 0);
    }
}

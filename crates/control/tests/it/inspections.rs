//! What the controller asks routers of their insides.

use crate::data_model::subscribe;
use crate::stage::Stage;
use http::Method;
use portcullis_app::network_inspection::InspectionError;
use portcullis_channel::{ContentType, ReplyTo};
use portcullis_domain::ids::RouterId;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::inspection::{InspectRequest, InspectResponse, InspectedValue};
use serde_json::{Value, json};
use std::time::Duration;

const RESPONSE: ContentType = ContentType(1014);

/// Far more than anything here takes.
const LONG: Duration = Duration::from_mins(1);

/// The question for these values.
async fn asked(router: &mut SimulatedRouter, names: &[&str]) -> ReplyTo {
    let (question, ()) = router
        .expect(|message| match message {
            ControlMessage::InspectRequest(request) if request.names == names => Some(()),
            _ => None,
        })
        .await;
    question
}

fn response(values: &[(&str, &str)], errors: &[&str]) -> ControlMessage {
    let values = values.iter().map(|(name, value)| InspectedValue {
        name: (*name).to_owned(),
        value: (*value).to_owned().into(),
    });
    ControlMessage::InspectResponse(InspectResponse {
        is_success: errors.is_empty(),
        errors: errors.iter().map(|error| (*error).to_owned()).collect(),
        values: values.collect(),
    })
}

async fn inspect(stage: &Stage, expression: &str, names: &[&str]) -> Value {
    let body = json!({"appRegex": expression, "requestedValues": names});
    let request = stage
        .controller
        .request(Method::POST, "/fabric/v1/inspections");
    let reply = request.session(&stage.admin).json(&body).send().await;
    assert!(reply.status.is_success(), "{reply:?}");
    reply.json()
}

#[tokio::test]
async fn answers_that_come_are_shown_and_routers_without_one_are_named() {
    let stage = Stage::start_promptly().await;
    let mut tells = stage.connect("tells").await;
    let mut silent = stage.connect("silent").await;
    let mut leaves = stage.connect("leaves").await;
    let mut babbles = stage.connect("babbles").await;
    let ids = [&tells, &silent, &leaves, &babbles].map(|router| router.id.clone());
    let names = ["Router-Circuits", "stackdump", "router-controllers"];
    let answers = async {
        let question = asked(&mut tells, &names).await;
        let values = [
            ("ROUTER-circuits", r#"{"circuits": {}}"#),
            ("router-circuits", "a second time"),
            ("stackdump", "{no JSON"),
            ("config", "not asked for"),
        ];
        tells.reply(&question, &response(&values, &["no\ncontrollers"]));
        // An answer that nobody has asked for.
        tells.reply(&question, &response(&values, &[]));
        asked(&mut leaves, &names).await;
        leaves.close();
        let question = asked(&mut babbles, &names).await;
        babbles.reply_anything(&question, RESPONSE, b"\x1a\xff");
        asked(&mut silent, &names).await;
    };
    let expression = format!("^({})$", ids.join("|"));
    // Nothing but routers is waited for from here on.
    tokio::time::pause();
    let (seen, ()) = tokio::join!(inspect(&stage, &expression, &names), answers);
    assert_eq!(
        seen["values"],
        json!([
            {"appId": ids[0], "name": "Router-Circuits", "value": {"circuits": {}}},
            {"appId": ids[0], "name": "stackdump", "value": "{no JSON"},
        ])
    );
    assert_eq!(seen["success"], false);
    let errors = seen["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 4, "{errors:?}");
    for (id, text) in [
        (&ids[0], "no controllers"),
        (&ids[1], "the router has not answered in time"),
        (&ids[2], "the router was disconnected before it answered"),
        (&ids[3], "the router's answer cannot be read"),
    ] {
        let expected = format!("{id}: {text}");
        let has = |error: &Value| error.as_str().unwrap().starts_with(&expected);
        assert!(errors.iter().any(has), "{errors:?} has no {expected:?}");
    }
    stage.stop().await;
}

#[tokio::test]
async fn end_of_a_channel_answers_at_once() {
    let stage = Stage::start().await;
    let mut router = stage.connect("r1").await;
    let id = RouterId::from_wire(router.id.clone());
    let asking = stage.plane.inspect_router(&id, &["links"], LONG);
    let (answer, ()) = tokio::join!(asking, async {
        asked(&mut router, &["links"]).await;
        router.close();
    });
    assert_eq!(answer, Err(InspectionError::Disconnected));
    // It is gone by now, or about to be.
    let answer = stage.plane.inspect_router(&id, &["links"], LONG).await;
    assert!(
        matches!(
            answer,
            Err(InspectionError::Disconnected | InspectionError::NotConnected)
        ),
        "{answer:?}"
    );
    stage.stop().await;
}

#[tokio::test]
async fn router_is_asked_few_questions_at_a_time() {
    let stage = Stage::start().await;
    let mut router = stage.connect("r1").await;
    let id = RouterId::from_wire(router.id.clone());
    let soon = Duration::from_millis(100);
    let ask = |name: &'static str| {
        let (plane, id) = (stage.plane.clone(), id.clone());
        tokio::spawn(async move { plane.inspect_router(&id, &[name], LONG).await })
    };
    let waiting = ["a", "b", "c", "d"].map(ask);
    let mut questions = Vec::new();
    for name in ["a", "b", "c", "d"] {
        questions.push(asked(&mut router, &[name]).await);
    }
    let answer = stage.plane.inspect_router(&id, &["e"], soon).await;
    assert_eq!(answer, Err(InspectionError::TimedOut));
    let last = ask("f");
    router.reply(&questions[2], &response(&[("c", "3")], &[]));
    // The one that has given up is not asked.
    let question = asked(&mut router, &["f"]).await;
    router.reply(&question, &response(&[], &[]));
    assert_eq!(last.await.unwrap().unwrap().values, []);
    for (waiting, question) in waiting.into_iter().zip(&questions) {
        router.reply(question, &response(&[("x", "1")], &[]));
        let values = waiting.await.unwrap().unwrap().values;
        assert_eq!(values.len(), 1);
    }
    stage.stop().await;
}

#[tokio::test]
async fn answers_are_bounded_and_say_what_was_left_out() {
    let stage = Stage::start().await;
    let mut router = stage.connect("r1").await;
    let id = router.id.clone();
    let large = "x".repeat(16 * 1024 * 1024);
    let names = ["router-data-model", "links", "sdk-terminators", "stackdump"];
    let answers = async {
        let question = asked(&mut router, &names).await;
        let values = [
            ("router-data-model", &*format!("{large}x")),
            ("links", "[]"),
            ("sdk-terminators", &large),
            ("stackdump", &large),
        ];
        router.reply(&question, &response(&values, &[]));
    };
    let (seen, ()) = tokio::join!(inspect(&stage, &id, &names), answers);
    let shown: Vec<_> = seen["values"].as_array().unwrap().iter().collect();
    let shown: Vec<_> = shown.iter().map(|value| &value["name"]).collect();
    assert_eq!(shown, ["links", "sdk-terminators"]);
    let errors = seen["errors"].to_string();
    for name in ["router-data-model", "stackdump"] {
        assert!(
            errors.contains(&format!(r#"\"{name}\" is too large"#)),
            "{errors}"
        );
    }
    stage.stop().await;
}

#[tokio::test]
async fn tokens_of_a_router_of_openziti_are_not_shown() {
    let stage = Stage::start().await;
    let mut router = stage.connect("r1").await;
    let answers = async {
        let names = ["sdk-terminators", "config"];
        let question = asked(&mut router, &names).await;
        let entries =
            r#"{"entries":[{"id":"t","token":"eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzIn0.c2ln"}]}"#;
        let config = r#"{"identity":{"key":"pem:secret","cert":"c.pem"}}"#;
        let values = [("sdk-terminators", entries), ("config", config)];
        router.reply(&question, &response(&values, &[]));
    };
    // The name of a router selects it too.
    let asking = inspect(&stage, "^r1$", &["sdk-terminators", "config"]);
    let (seen, ()) = tokio::join!(asking, answers);
    let shown = |index: usize| &seen["values"][index]["value"];
    assert_eq!(
        shown(0),
        &json!({"entries": [{"id": "t", "token": "redacted"}]})
    );
    assert_eq!(
        shown(1),
        &json!({"identity": {"key": "redacted", "cert": "c.pem"}})
    );
    stage.stop().await;
}

#[tokio::test]
async fn data_model_is_shown_without_what_may_be_secret() {
    let stage = Stage::start().await;
    let wiki = stage.service("wiki").await;
    let names = ["router-data-model", "router-data-model-index"];
    let before = inspect(&stage, "^ctrl-1$", &names).await;
    assert_eq!(
        (&before["success"], &before["values"]),
        (&json!(true), &json!(null)),
        "no router has wanted it"
    );
    let config = json!({
        "name": "web", "configTypeId": "NH5p4FpGR",
        "data": {"protocol": "tcp", "address": "SECRET", "port": 80},
    });
    let config = stage.create("configs", &config).await;
    let router = stage.connect("r1").await;
    subscribe(&router);
    let seen = tokio::time::timeout(LONG, async {
        loop {
            let seen = inspect(&stage, "^ctrl-1$", &names).await;
            if seen["values"][0]["value"]["configs"][&config].is_object() {
                break seen;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let seen = seen.await.unwrap();
    assert!(!seen.to_string().contains("SECRET"), "{seen}");
    let [model, index] = [0, 1].map(|place: usize| &seen["values"][place]["value"]);
    assert_eq!(
        (&model["timeline"], &model["index"]),
        (&index["timeline"], &index["index"])
    );
    let keys = model["publicKeys"].as_object().unwrap();
    assert!(!keys.is_empty());
    for (id, key) in keys {
        assert_eq!((id.len(), &key["kid"]), (40, &json!(id)), "{key}");
        assert_eq!(key["format"], "X509CertDer");
    }
    let signs = |key: &Value| key["usages"] == json!(["JWTValidation", "ClientX509CertValidation"]);
    assert!(keys.values().any(signs), "{keys:?}");
    let service = &model["services"][&wiki];
    let expected = json!({
        "id": wiki, "name": "wiki", "encryptionRequired": service["encryptionRequired"], "configs": [],
    });
    assert_eq!(*service, expected);
    let digest = model["configs"][&config]["dataSha256"].as_str().unwrap();
    assert_eq!(digest.len(), 64);
    assert!(model["routers"][&router.id]["fingerprint"].is_string());
    assert_eq!(model["revocations"], json!({}));
    stage.stop().await;
}

#[tokio::test]
async fn controller_shows_what_it_keeps_for_routers() {
    let network = crate::circuits::Network::start().await;
    let stage = &network.stage;
    let names = [
        "terminator-costs",
        "router-messaging",
        "identity-connection-statuses",
        "stackdump",
        "ctrl-dialer",
    ];
    let seen = inspect(stage, "^ctrl-1$", &names).await;
    assert_eq!(
        (&seen["success"], &seen["errors"]),
        (&json!(true), &json!(null))
    );
    let values = seen["values"].as_array().unwrap();
    let shown: Vec<_> = values.iter().map(|value| &value["name"]).collect();
    assert_eq!(shown, names[..4]);
    assert_eq!(
        values[0]["value"],
        json!({"terminators": [{
            "terminatorId": "t1", "circuitCount": 0, "failureCost": 0, "currentCost": 0,
        }]})
    );
    let messaging = &values[1]["value"];
    let waiting = json!([{
        "router": {"id": network.second.id, "name": "r2"}, "terminators": ["t1"],
        "checkInProgress": false, "lastSend": "0001-01-01 00:00:00",
    }]);
    assert_eq!(messaging["terminatorValidations"], waiting);
    // What is there to be told is told at once.
    for update in messaging["routerUpdates"].as_array().into_iter().flatten() {
        let names: Vec<_> = update.as_object().unwrap().keys().collect();
        let expected = ["changedRouters", "router", "sendInProgress", "version"];
        assert_eq!(names, expected);
        assert!(update["changedRouters"][0]["name"].is_string(), "{update}");
    }
    assert_eq!(values[2]["value"]["scanInterval"], "1m0s");
    let connections = values[2]["value"]["connections"].as_object().unwrap();
    assert_eq!(connections.len(), 2, "the tunnelers of two routers");
    for (identity, connection) in connections {
        let routers = json!({identity: {"router_id": identity, "closed": false}});
        let expected = json!({"connected_routers": routers, "last_reported_state": "online"});
        assert_eq!(*connection, expected);
    }
    network.stage.stop().await;
}

#[tokio::test]
async fn routers_hear_what_the_controller_can_do_and_nothing_else() {
    let stage = Stage::start().await;
    let router = stage.connect("r1").await;
    let ask = async |names: &[&str]| {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let question = ControlMessage::InspectRequest(InspectRequest { names });
        router.request(&question).await
    };
    let capabilities = [("Capability", "ziti.fabric"), ("Capability", "ziti.edge")];
    assert_eq!(ask(&["Capability"]).await, response(&capabilities, &[]));
    let others = ["config", "stackdump", "Capability", "capability", "metrics"];
    assert_eq!(ask(&others).await, response(&capabilities, &[]));
    assert_eq!(ask(&["config", "stackdump"]).await, response(&[], &[]));
    stage.stop().await;
}

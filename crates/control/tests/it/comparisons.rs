//! What routers have beside what the controller knows.

use crate::circuits::{Network, host, next_unroute};
use crate::stage::{Stage, orders};
use futures_util::StreamExt as _;
use portcullis_app::fabric::OpenChannel;
use portcullis_app::sessions::{self, PresentedCredentials};
use portcullis_app::signers::BearerTokens;
use portcullis_channel::ReplyTo;
use portcullis_domain::access::{ApiSurface, Origin, Permit};
use portcullis_domain::ids::RequestId;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_testkit::AuditTrail;
use portcullis_validation::split_time;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::connect_event::{ConnectEvent, ConnectEvents};
use portcullis_wire::control::data_model::{DataStateDiff, DataStateValidation, Subscription};
use portcullis_wire::control::inspection::{InspectResponse, InspectedValue};
use portcullis_wire::control::link::{Fault, FaultSubject};
use portcullis_wire::control::terminator::{InvalidReason, TerminatorState, ValidatedTerminators};
use portcullis_wire::management::{
    ComponentDetails, ErtTerminatorDetails, LinkDetails, RouterCircuits, TerminatorDetail,
    TerminatorValidity, ValidateDataModel, ValidateTerminators,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) async fn permit(stage: &Stage) -> Permit<OpenChannel> {
    let presented = PresentedCredentials {
        token: &stage.admin,
        certificates: &[],
        tokens: BearerTokens::new(std::iter::empty()),
    };
    let origin = Origin::new(RequestId::from_wire("r"), ([127, 0, 0, 1], 1).into());
    let app = &stage.controller.app;
    let caller = sessions::resolve(app, presented, origin).await.unwrap();
    Permit::request(ApiSurface::Edge, caller.unwrap()).unwrap()
}

async fn answer_links(router: &mut SimulatedRouter, links: &str) {
    let question = asked_for(router, &["links"]).await;
    answer(router, &question, "links", links);
}

async fn asked_for(router: &mut SimulatedRouter, names: &[&str]) -> ReplyTo {
    let question = router.expect(|message| match message {
        ControlMessage::InspectRequest(request) if request.names == names => Some(()),
        _ => None,
    });
    question.await.0
}

fn answer(router: &SimulatedRouter, question: &ReplyTo, name: &str, value: &str) {
    let value = InspectedValue {
        name: name.to_owned(),
        value: value.to_owned().into(),
    };
    let response = InspectResponse {
        is_success: true,
        errors: Vec::new(),
        values: vec![value],
    };
    router.reply(question, &ControlMessage::InspectResponse(response));
}

#[tokio::test]
async fn links_of_all_routers_are_compared_and_absent_routers_are_named() {
    let stage = Stage::start().await;
    let mut here = stage.connect("here").await;
    let gone = stage.connect("gone").await;
    let gone_id = gone.id.clone();
    gone.close();
    // OpenZiti's controllers ask ten at most.
    for number in 0..10 {
        stage.enroll(&format!("never there {number}")).await;
    }
    let links = format!(
        r#"{{"links":[{{"id":"l1","dest":"{}","dialed":true}}]}}"#,
        here.id
    );
    let permit = permit(&stage).await;
    let begun = stage.plane.validate_links(permit, String::new()).await;
    let begun = begun.unwrap();
    assert_eq!(begun.count, 12);
    let (details, ()) = tokio::join!(
        begun.details.collect::<Vec<LinkDetails>>(),
        answer_links(&mut here, &links)
    );
    assert_eq!(details.len(), 12);
    let of = |id: &str| details.iter().find(|each| each.router_id == id).unwrap();
    let compared = of(&here.id);
    assert!(compared.is_success, "{}", compared.text);
    assert_eq!(compared.router_name, "here");
    assert_eq!(compared.links.len(), 1);
    assert!(
        !compared.links[0].is_valid,
        "the controller has no such link"
    );
    let absent = of(&gone_id);
    assert!(!absent.is_success);
    assert_eq!(absent.text, "router not connected");
    stage.stop().await;
}

async fn close(network: &mut Network, circuit: &str) {
    network.second.send(&ControlMessage::Fault(Fault {
        subject: FaultSubject::Egress,
        id: circuit.to_owned(),
        iteration: 0,
    }));
    for router in [&mut network.first, &mut network.second] {
        assert_eq!(next_unroute(router).await.circuit_id, circuit);
    }
}

#[tokio::test]
async fn circuits_that_come_and_go_while_a_router_answers_are_no_findings() {
    let mut network = Network::start().await;
    let lost = network.open().await;
    let ending = network.open().await;
    let just_ended = network.open().await;
    close(&mut network, &just_ended).await;
    let permit = permit(&network.stage).await;
    let filter = format!(r#"id = "{}""#, network.first.id);
    let plane = network.stage.plane.clone();
    let begun = plane.validate_circuits(permit, filter).await.unwrap();
    let app = &network.stage.controller.app;
    let controller = app.network().serving_state().controller.id.clone();
    let answering = async {
        let names = [
            "router-circuits",
            "router-edge-circuits",
            "router-sdk-circuits",
        ];
        let question = asked_for(&mut network.first, &names).await;
        let beginning = network.open().await;
        close(&mut network, &ending).await;
        let told = [&ending, &just_ended, "of nobody"];
        let told = told.map(|id| (id, json!({"id": id, "ctrlId": controller.as_str()})));
        let told = json!({"circuits": BTreeMap::from(told)}).to_string();
        answer(&network.first, &question, names[0], &told);
        beginning
    };
    let (details, _beginning) =
        tokio::join!(begun.details.collect::<Vec<RouterCircuits>>(), answering);
    assert!(details[0].is_success, "{}", details[0].text);
    let differing = details[0].circuits.values().map(|circuit| {
        let id = circuit.circuit_id.as_str();
        (
            id,
            circuit.is_missing_in_controller,
            circuit.is_missing_in_forwarder,
        )
    });
    let differing: BTreeSet<_> = differing.filter(|(_, one, other)| *one || *other).collect();
    let expected = [(&*lost, false, true), ("of nobody", true, false)];
    assert_eq!(differing, expected.into());
    network.stage.stop().await;
}

#[tokio::test]
async fn terminators_that_come_and_go_while_a_router_answers_are_no_findings() {
    let mut network = Network::start().await;
    for address in ["lost", "leaving"] {
        host(&network.second, &network.service, address).await;
    }
    let permit = permit(&network.stage).await;
    let filter = format!(r#"id = "{}""#, network.second.id);
    let plane = network.stage.plane.clone();
    let begun = plane
        .validate_ert_terminators(permit, filter)
        .await
        .unwrap();
    let answering = async {
        let name = "ert-terminators";
        let question = asked_for(&mut network.second, &[name]).await;
        host(&network.second, &network.service, "coming").await;
        network.stage.delete("terminators/leaving").await;
        let told = ["t1", "leaving", "of nobody"];
        let told = told.map(|id| json!({"id": id, "state": "established"}));
        let told = json!({"entries": told}).to_string();
        answer(&network.second, &question, name, &told);
    };
    let (details, ()) = tokio::join!(
        begun.details.collect::<Vec<ErtTerminatorDetails>>(),
        answering
    );
    assert!(details[0].is_success, "{}", details[0].text);
    let all = details[0].terminators.iter();
    let invalid = all.filter(|terminator| !terminator.is_valid);
    let invalid = invalid.map(|terminator| {
        let id = terminator.terminator_id.as_str();
        (id, terminator.router_state.as_str())
    });
    let expected = [("lost", "unknown"), ("of nobody", "established")];
    assert_eq!(invalid.collect::<BTreeSet<_>>(), expected.into());
    network.stage.stop().await;
}

#[tokio::test]
async fn terminator_that_is_deleted_while_its_router_answers_is_no_finding() {
    let mut network = Network::start().await;
    host(&network.second, &network.service, "leaving").await;
    let permit = permit(&network.stage).await;
    let plane = network.stage.plane.clone();
    let request = ValidateTerminators::default();
    let begun = plane.validate_terminators(permit, request).await.unwrap();
    let answering = async {
        network.stage.delete("terminators/leaving").await;
        answer_about_terminators(&mut network.second, &["t1", "leaving"]).await
    };
    let (details, _asked) =
        tokio::join!(begun.details.collect::<Vec<TerminatorDetail>>(), answering);
    let state = |id: &str| {
        let mut details = details.iter();
        let detail = details.find(|detail| detail.terminator_id == id).unwrap();
        (detail.state, detail.detail.as_str())
    };
    let invalid = TerminatorValidity::InvalidTerminator;
    assert_eq!(state("t1"), (invalid, "as the router says"));
    let gone = "the terminator was deleted meanwhile";
    assert_eq!(state("leaving"), (TerminatorValidity::Valid, gone));
    network.stage.stop().await;
}

#[tokio::test]
async fn it_is_told_since_when_there_is_what_a_router_does_not_have() {
    let mut network = Network::start().await;
    let event = ConnectEvent {
        identity_id: "i1".to_owned(),
        is_connected: true,
        connections: Vec::new(),
    };
    let events = ConnectEvents {
        events: vec![event],
        is_full_state: false,
    };
    network.first.send(&ControlMessage::ConnectEvents(events));
    // Messages of a router are handled in their order.
    host(&network.first, &network.service, "t2").await;
    let permit = permit(&network.stage).await;
    let filter = format!(r#"id = "{}""#, network.first.id);
    let plane = network.stage.plane.clone();
    let begun = plane.validate_links(permit.clone(), filter.clone()).await;
    let (links, ()) = tokio::join!(
        begun.unwrap().details.collect::<Vec<LinkDetails>>(),
        answer_links(&mut network.first, r#"{"links":[]}"#)
    );
    let [link] = &links[0].links[..] else {
        panic!("{links:?}");
    };
    let (text, since) = split_time(&link.texts[0]);
    assert!(text.starts_with("the controller has link l1"), "{text}");
    assert!(since.is_some());

    let begun = plane.validate_identity_connections(permit, filter).await;
    let answering = async {
        let name = "identity-connection-statuses";
        let question = asked_for(&mut network.first, &[name]).await;
        answer(
            &network.first,
            &question,
            name,
            r#"{"identity_connections":{}}"#,
        );
    };
    let (connections, ()) = tokio::join!(
        begun.unwrap().details.collect::<Vec<ComponentDetails>>(),
        answering
    );
    let [error] = &connections[0].errors[..] else {
        panic!("{connections:?}");
    };
    let (text, since) = split_time(error);
    let expected = "ctrl reports identity i1 is connected, but router disagrees";
    assert_eq!(text, expected);
    assert!(since.is_some());
    network.stage.stop().await;
}

#[tokio::test]
async fn filters_select_routers_and_bad_ones_are_told() {
    let stage = Stage::start().await;
    let mut one = stage.connect("one").await;
    let _two = stage.connect("two").await;
    let admin = permit(&stage).await;
    let filter = r#"name = "one""#.to_owned();
    let begun = stage.plane.validate_links(admin.clone(), filter).await;
    let begun = begun.unwrap();
    assert_eq!(begun.count, 1);
    let (details, ()) = tokio::join!(
        begun.details.collect::<Vec<LinkDetails>>(),
        answer_links(&mut one, r#"{"links":[]}"#)
    );
    assert!(details[0].is_success && details[0].links.is_empty());
    let bad = stage.plane.validate_links(admin, "bogus(".to_owned()).await;
    assert!(bad.is_err());
    stage.stop().await;
}

/// Answers the next question about terminators that an operator asks; returns which they were.
async fn answer_about_terminators(
    router: &mut SimulatedRouter,
    invalid: &[&str],
) -> (Vec<String>, bool) {
    let (frame, question) = router
        .expect(|message| match message {
            ControlMessage::ValidateTerminators(asked) if !asked.is_after_creation => Some(asked),
            _ => None,
        })
        .await;
    let asked = question.terminators.into_iter().map(|each| each.id);
    let asked: Vec<String> = asked.collect();
    let state = |id: &String| TerminatorState {
        is_valid: !invalid.contains(&id.as_str()),
        reason: InvalidReason::UnknownTerminator,
        detail: "as the router says".to_owned(),
        marker: 0,
    };
    let states = asked.iter().map(|id| (id.clone(), state(id))).collect();
    let answer = ControlMessage::ValidatedTerminators(ValidatedTerminators { states });
    router.reply(&frame, &answer);
    (asked, question.fixes_invalid)
}

/// The entities that events say were deleted since the last look, with the type of what asked for it.
fn deleted_with_source(stage: &Stage) -> Vec<(Value, Value)> {
    let changes = stage.events.take().into_iter();
    let changes = changes.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    changes
        .filter(|change| change["eventType"] == "deleted")
        .map(|change| {
            let source = change["metadata"]["source"]["type"].clone();
            (change["initialState"]["id"].clone(), source)
        })
        .collect()
}

#[tokio::test]
async fn terminators_get_their_results_and_invalid_ones_are_deleted_on_request() {
    let stage = Stage::start().await;
    let service = stage.service("wiki").await;
    let mut here = stage.connect("here").await;
    let gone = stage.connect("gone").await;
    let identity = json!({"name": "h", "type": "Default", "isAdmin": false});
    let host = stage.create("identities", &identity).await;
    let terminator = async |router: &str, address: &str| {
        let body = json!({
            "service": service, "router": router, "binding": "transport", "address": address,
            "hostId": host,
        });
        let path = "/fabric/v1/terminators";
        let request = stage.controller.request(http::Method::POST, path);
        let reply = request.session(&stage.admin).json(&body).send().await;
        reply.data()["id"].as_str().unwrap().to_owned()
    };
    let good = terminator(&here.id, "tcp:127.0.0.1:1").await;
    let bad = terminator(&here.id, "tcp:127.0.0.1:2").await;
    let far = terminator(&gone.id, "tcp:127.0.0.1:3").await;
    gone.close();
    stage.events.want("entityChange", &json!({}));
    let (permit, invalid) = (permit(&stage).await, [bad.as_str()]);
    for fixes in [false, true] {
        let request = ValidateTerminators {
            fixes_invalid: fixes,
            expected_per_service_and_host: 2,
            ..ValidateTerminators::default()
        };
        let begun = stage
            .plane
            .validate_terminators(permit.clone(), request)
            .await;
        let begun = begun.unwrap();
        assert_eq!(begun.count, 3);
        assert_eq!(begun.hosts.len(), 1);
        assert_eq!(begun.hosts[0].identity_id, host);
        assert_eq!(begun.hosts[0].text, "expected 2 terminators, but had 3");
        let (details, (mut asked, is_to_fix)) = tokio::join!(
            begun.details.collect::<Vec<TerminatorDetail>>(),
            answer_about_terminators(&mut here, &invalid)
        );
        asked.sort();
        let mut expected = [good.clone(), bad.clone()];
        expected.sort();
        assert_eq!((asked, is_to_fix), (expected.to_vec(), fixes));
        let of = |id: &str| {
            details
                .iter()
                .find(|each| each.terminator_id == id)
                .unwrap()
        };
        assert_eq!(of(&good).state, TerminatorValidity::Valid);
        assert_eq!(of(&good).service_name, "wiki");
        assert_eq!(of(&good).host_id, host);
        assert_eq!(of(&bad).state, TerminatorValidity::InvalidTerminator);
        assert_eq!(of(&bad).detail, "as the router says");
        assert_eq!(of(&far).state, TerminatorValidity::Unknown);
        assert_eq!(of(&far).detail, "router off-line");
        for detail in &details {
            assert_eq!(detail.is_fixed, fixes && detail.terminator_id == bad);
        }
    }
    let deleted = deleted_with_source(&stage);
    assert_eq!(deleted, [(json!(bad), json!("websocket"))]);
    let left = stage.get("terminators").await;
    let left = left
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap());
    let mut left: Vec<_> = left.collect();
    left.sort_unstable();
    let mut expected = [good.as_str(), &far];
    expected.sort_unstable();
    assert_eq!(left, expected, "what an absent router says of none is kept");
    stage.stop().await;
}

#[tokio::test]
async fn hosts_are_counted_and_a_bad_filter_for_them_is_told() {
    let stage = Stage::start().await;
    let identity = json!({"name": "h", "type": "Default", "isAdmin": false});
    let host = stage.create("identities", &identity).await;
    let admin = permit(&stage).await;
    let validate = async |filter: &str, identities: &str| {
        let request = ValidateTerminators {
            filter: filter.to_owned(),
            identities_filter: identities.to_owned(),
            expected_per_host: 1,
            ..ValidateTerminators::default()
        };
        stage
            .plane
            .validate_terminators(admin.clone(), request)
            .await
    };
    let begun = validate("", "").await.unwrap();
    let [told] = &begun.hosts[..] else {
        panic!("{:?}", begun.hosts);
    };
    assert_eq!(
        (&told.identity_id, &told.service_id),
        (&host, &String::new())
    );
    assert_eq!(told.text, "expected 1 terminators, but had 0");
    let begun = validate("true", "bogus(").await.unwrap();
    assert_eq!(begun.hosts[0].identity_id, "invalid identities query");
    assert!(validate("bogus(", "").await.is_err());
    stage.stop().await;
}

#[tokio::test]
async fn copies_of_the_data_model_are_compared_and_so_is_the_controllers_own() {
    let stage = Stage::start().await;
    let service = stage.service("wiki").await;
    let mut here = stage.connect("here").await;
    let without = stage.connect("without").await;
    here.send(&ControlMessage::Subscription(Subscription {
        duration_seconds: 300,
        ..Subscription::default()
    }));
    // There is a model from here on.
    here.expect(|message| matches!(message, ControlMessage::DataState(_)).then_some(()))
        .await;
    let admin = permit(&stage).await;
    for fixes in [false, true] {
        let request = ValidateDataModel {
            filter: String::new(),
            includes_controller: true,
            fixes,
        };
        let trail = AuditTrail::from_now(&stage.controller);
        let begun = stage
            .plane
            .validate_data_model(admin.clone(), request)
            .await;
        let begun = begun.unwrap();
        assert_eq!(begun.count, 3);
        let told = |router: &SimulatedRouter| {
            let operation = "router.fix-data-model".to_owned();
            fixes.then(|| (operation, router.id.clone()))
        };
        let told: BTreeSet<_> = [&here, &without].into_iter().filter_map(told).collect();
        assert_eq!(orders(&trail).into_iter().collect::<BTreeSet<_>>(), told);
        let answering = async {
            let question = here.expect(|message| match message {
                ControlMessage::ValidateDataState(question) => Some(question),
                _ => None,
            });
            let (frame, question) = question.await;
            let model = question.state.unwrap();
            let names = |event: &_| format!("{event:?}").contains(&service);
            assert!(model.events.iter().any(names), "{model:?}");
            let difference = DataStateDiff {
                entity_type: "service".to_owned(),
                entity_id: service.clone(),
                kind: "missing".to_owned(),
                detail: "it is not here".to_owned(),
            };
            let answer = DataStateValidation {
                differences: vec![difference],
                ..DataStateValidation::default()
            };
            here.reply(&frame, &ControlMessage::DataStateValidation(answer));
            question.fixes
        };
        let (details, is_to_fix) =
            tokio::join!(begun.details.collect::<Vec<ComponentDetails>>(), answering);
        assert_eq!(is_to_fix, fixes);
        let of = |id: &str| details.iter().find(|each| each.component_id == id).unwrap();
        assert!(of(&without.id).is_success, "it has no copy");
        let router = of(&here.id);
        assert!(!router.is_success);
        let told = format!("service id: {service} missing: it is not here");
        assert_eq!(router.errors, [told]);
        let mut controllers = details.iter();
        let controller = controllers.find(|each| each.component_type == "controller");
        let controller = controller.unwrap();
        assert!(controller.is_success, "{:?}", controller.errors);
    }
    stage.stop().await;
}

//! What routers have beside what the controller knows.

use crate::stage::Stage;
use futures_util::StreamExt as _;
use portcullis_app::fabric::OpenChannel;
use portcullis_app::sessions::{self, PresentedCredentials};
use portcullis_app::signers::BearerTokens;
use portcullis_domain::access::{ApiSurface, Origin, Permit};
use portcullis_domain::ids::RequestId;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_testkit::AuditTrail;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{DataStateDiff, DataStateValidation, Subscription};
use portcullis_wire::control::inspection::{InspectResponse, InspectedValue};
use portcullis_wire::control::terminator::{InvalidReason, TerminatorState, ValidatedTerminators};
use portcullis_wire::management::{
    ComponentDetails, LinkDetails, TerminatorDetail, TerminatorValidity, ValidateDataModel,
    ValidateTerminators,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::IpAddr;

pub(crate) async fn permit(stage: &Stage) -> Permit<OpenChannel> {
    let presented = PresentedCredentials {
        token: &stage.admin,
        certificates: &[],
        tokens: BearerTokens::new(std::iter::empty()),
    };
    let origin = Origin {
        request: RequestId::from_wire("r"),
        address: IpAddr::from([127, 0, 0, 1]),
    };
    let app = &stage.controller.app;
    let caller = sessions::resolve(app, presented, origin).await.unwrap();
    Permit::request(ApiSurface::Edge, caller.unwrap()).unwrap()
}

async fn answer_links(router: &mut SimulatedRouter, links: &str) {
    let (question, ()) = router
        .expect(|message| match message {
            ControlMessage::InspectRequest(request) if request.names == ["links"] => Some(()),
            _ => None,
        })
        .await;
    let value = InspectedValue {
        name: "links".to_owned(),
        value: links.to_owned().into(),
    };
    let response = InspectResponse {
        is_success: true,
        errors: Vec::new(),
        values: vec![value],
    };
    router.reply(&question, &ControlMessage::InspectResponse(response));
}

#[tokio::test]
async fn links_of_all_routers_are_compared_and_absent_routers_are_named() {
    let stage = Stage::start().await;
    let mut here = stage.connect("here").await;
    let gone = stage.connect("gone").await;
    let gone_id = gone.id.clone();
    gone.close();
    let links = format!(
        r#"{{"links":[{{"id":"l1","dest":"{}","dialed":true}}]}}"#,
        here.id
    );
    let permit = permit(&stage).await;
    let begun = stage.plane.validate_links(permit, String::new()).await;
    let begun = begun.unwrap();
    assert_eq!(begun.count, 2);
    let (details, ()) = tokio::join!(
        begun.details.collect::<Vec<LinkDetails>>(),
        answer_links(&mut here, &links)
    );
    assert_eq!(details.len(), 2);
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
    let changes = stage.events.take().into_iter();
    let changes = changes.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let deleted: Vec<_> = changes
        .filter(|change| change["eventType"] == "deleted")
        .map(|change| {
            let source = change["metadata"]["source"]["type"].clone();
            (change["initialState"]["id"].clone(), source)
        })
        .collect();
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
        assert_eq!(
            trail.operations().into_iter().collect::<BTreeSet<_>>(),
            told
        );
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

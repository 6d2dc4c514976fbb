//! What routers have beside what the controller knows.

use crate::stage::Stage;
use futures_util::StreamExt as _;
use portcullis_app::fabric::OpenChannel;
use portcullis_app::sessions::{self, PresentedCredentials};
use portcullis_app::signers::BearerTokens;
use portcullis_domain::access::{ApiSurface, Origin, Permit};
use portcullis_domain::ids::RequestId;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::inspection::{InspectResponse, InspectedValue};
use portcullis_wire::management::LinkDetails;
use std::net::IpAddr;

async fn permit(stage: &Stage) -> Permit<OpenChannel> {
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

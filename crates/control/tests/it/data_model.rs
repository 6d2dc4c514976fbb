//! The router data model.

use crate::stage::Stage;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{Action, Changes, State, Subject, Subscription};
use serde_json::json;

pub(crate) fn subscribe(router: &SimulatedRouter) {
    subscribe_at(router, 0, "");
}

/// Subscribes with a model that is at `index` of a timeline.
fn subscribe_at(router: &SimulatedRouter, index: u64, timeline: &str) {
    router.send(&ControlMessage::Subscription(Subscription {
        current_index: index,
        duration_seconds: 300,
        timeline_id: timeline.to_owned(),
        subscription_id: "first".to_owned(),
        ..Subscription::default()
    }));
}

async fn full_state(router: &mut SimulatedRouter) -> State {
    let state = router.expect(|message| match message {
        ControlMessage::DataState(state) => Some(state),
        _ => None,
    });
    let (_, state) = state.await;
    assert_eq!(state.subscription_id.as_deref(), Some("first"));
    state.state
}

async fn changes(router: &mut SimulatedRouter) -> Changes {
    let set = router.expect(|message| match message {
        ControlMessage::ChangeSet(set) => Some(set.changes),
        _ => None,
    });
    set.await.1
}

#[tokio::test]
async fn routers_that_subscribe_get_the_model_and_its_changes() {
    let stage = Stage::start().await;
    let wiki = stage.service("wiki").await;
    let mut paris = stage.connect("paris").await;
    subscribe(&paris);
    let model = full_state(&mut paris).await;
    let has = |wanted: &dyn Fn(&Subject) -> bool| {
        let mut subjects = model
            .events
            .iter()
            .filter_map(|event| event.subject.as_ref());
        subjects.any(wanted)
    };
    assert!(has(
        &|subject| matches!(subject, Subject::Service(found) if found.id == wiki)
    ));
    assert!(has(&|subject| matches!(subject, Subject::PublicKey(_))));
    let own = |subject: &Subject| matches!(subject, Subject::Router(found) if found.id == paris.id && !found.fingerprint.is_empty());
    assert!(has(&own));

    stage
        .patch(&format!("services/{wiki}"), &json!({"name": "mail"}))
        .await;
    let mut last = model.end_index;
    let renamed = loop {
        let set = changes(&mut paris).await;
        assert_eq!(set.previous_index, last);
        last = set.index;
        if let [event] = set.events.as_slice()
            && event.action == Action::Update
            && let Some(Subject::Service(service)) = &event.subject
        {
            break service.name.clone();
        }
    };
    assert_eq!(renamed, "mail");
    stage.stop().await;
}

#[tokio::test]
async fn routers_keep_their_model_over_a_restart_of_the_controller() {
    let stage = Stage::start().await;
    let wiki = stage.service("wiki").await;
    let paris = stage.enroll("paris").await;
    let tokyo = stage.enroll("tokyo").await;
    let mut router = stage.dial(&paris).await.unwrap();
    subscribe(&router);
    let model = full_state(&mut router).await;
    let (index, timeline) = (model.end_index, model.timeline_id);

    let stage = stage.start_again().await;
    let mut router = stage.dial(&paris).await.unwrap();
    subscribe_at(&router, index, &timeline);
    let keys = changes(&mut router).await;
    assert!(keys.is_synthetic && keys.index == 0);
    stage
        .patch(&format!("services/{wiki}"), &json!({"name": "mail"}))
        .await;
    let renamed = changes(&mut router).await;
    assert_eq!(renamed.previous_index, index);
    assert_eq!(renamed.events.len(), 1);

    // What is behind gets everything, and is on the same timeline.
    let mut other = stage.dial(&tokyo).await.unwrap();
    subscribe_at(&other, index - 1, &timeline);
    let model = full_state(&mut other).await;
    assert_eq!(model.end_index, renamed.index);
    assert_eq!(model.timeline_id, timeline);
    stage.stop().await;
}

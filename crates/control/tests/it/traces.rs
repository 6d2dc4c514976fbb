//! Messages of control channels for whoever watches them.

use crate::comparisons::permit;
use crate::stage::{Stage, orders};
use http::Method;
use portcullis_testkit::AuditTrail;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::trace::{PipeTraces, TraceEvent};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;

fn toggle(is_enabled: bool, apps: &str, pipes: &str) -> PipeTraces {
    PipeTraces {
        is_enabled,
        verbosity: 3,
        app_regex: apps.to_owned(),
        pipe_regex: pipes.to_owned(),
    }
}

async fn next(traces: &mut Receiver<TraceEvent>) -> TraceEvent {
    let waiting = timeout(Duration::from_secs(10), traces.recv());
    waiting.await.unwrap().unwrap()
}

#[tokio::test]
async fn channels_of_the_controller_are_traced_while_that_is_on() {
    let stage = Stage::start().await;
    let one = stage.connect("one").await;
    let two = stage.connect("two").await;
    let admin = permit(&stage).await;
    let mut traces = stage.plane.traces(&admin);
    let controller = stage.controller.app.network().serving_state();
    let controller = controller.controller.id.to_string();
    let apps = format!("^{controller}$");
    let on = toggle(true, &apps, &one.id);
    let trail = AuditTrail::from_now(&stage.controller);
    let told = stage.plane.toggle_traces(admin.clone(), on).await.unwrap();
    let begun = ("controller.trace".to_owned(), controller.clone());
    assert_eq!(orders(&trail), [begun]);
    let matched = format!(
        "Link {controller}.{} matched? true. Old trace state: false, New trace state: true",
        one.id
    );
    assert!(
        told.starts_with(&format!("App {controller} matched? true\n")),
        "{told}"
    );
    assert!(told.lines().any(|line| line == matched), "{told}");
    two.send(&ControlMessage::RequestClusterMembers);
    one.send(&ControlMessage::RequestClusterMembers);
    let asked = loop {
        let event = next(&mut traces).await;
        assert_eq!((&event.identity, &event.channel), (&controller, &one.id));
        if event.is_received {
            break event;
        }
    };
    let decoded: serde_json::Value = serde_json::from_slice(asked.decoded.expose()).unwrap();
    assert_eq!(decoded["__message__"], "RequestClusterMembers");
    let off = toggle(false, &apps, ".*");
    stage.plane.toggle_traces(admin, off).await.unwrap();
    let ended = ("controller.end-trace".to_owned(), controller.clone());
    assert_eq!(orders(&trail), [ended]);
    while traces.try_recv().is_ok() {}
    one.send(&ControlMessage::RequestClusterMembers);
    assert!(
        timeout(Duration::from_millis(200), traces.recv())
            .await
            .is_err()
    );
    stage.stop().await;
}

#[tokio::test]
async fn routers_are_told_and_what_they_trace_is_shown_as_theirs() {
    let stage = Stage::start().await;
    let mut one = stage.connect("one").await;
    let admin = permit(&stage).await;
    let mut traces = stage.plane.traces(&admin);
    let request = toggle(true, &format!("^{}$", one.id), "ctrl");
    let trail = AuditTrail::from_now(&stage.controller);
    let toggling = stage.plane.toggle_traces(admin.clone(), request.clone());
    let answering = async {
        let asked = one.expect(|message| match message {
            ControlMessage::TogglePipeTraces(asked) => Some(asked),
            _ => None,
        });
        let (frame, asked) = asked.await;
        one.reply_result(&frame, true, "App one matched? true");
        asked
    };
    let (told, asked) = tokio::join!(toggling, answering);
    assert_eq!(asked, request);
    assert!(told.unwrap().ends_with("\nApp one matched? true"));
    one.send(&ControlMessage::TraceEvent(TraceEvent {
        identity: "another".to_owned(),
        channel: "ctrl".to_owned(),
        content_type: 1006,
        ..TraceEvent::default()
    }));
    let event = next(&mut traces).await;
    assert_eq!((&event.identity, event.content_type), (&one.id, 1006));

    let begun = ("router.trace".to_owned(), one.id.clone());
    assert_eq!(orders(&trail), [begun]);
    let off = toggle(false, &format!("^{}$", one.id), ".*");
    let toggling = stage.plane.toggle_traces(admin.clone(), off);
    let answering = async {
        let asked = one
            .expect(|message| matches!(message, ControlMessage::TogglePipeTraces(_)).then_some(()));
        let (frame, ()) = asked.await;
        one.reply_result(&frame, true, "");
    };
    let (told, ()) = tokio::join!(toggling, answering);
    told.unwrap();
    let ended = ("router.end-trace".to_owned(), one.id.clone());
    assert_eq!(orders(&trail), [ended]);
    one.send(&ControlMessage::TraceEvent(TraceEvent::default()));
    let unasked = timeout(Duration::from_millis(200), traces.recv());
    assert!(unasked.await.is_err(), "nobody has asked for it");

    let id = one.id.clone();
    let toggling = stage.plane.toggle_traces(admin.clone(), request);
    let answering = async {
        let asked = one
            .expect(|message| matches!(message, ControlMessage::TogglePipeTraces(_)).then_some(()));
        let (frame, ()) = asked.await;
        one.reply_result(&frame, false, "tracing is not possible here");
    };
    let (told, ()) = tokio::join!(toggling, answering);
    let told = told.unwrap_err();
    assert!(
        told.ends_with(&format!("{id}: tracing is not possible here")),
        "{told}"
    );
    let bad = stage
        .plane
        .toggle_traces(admin, toggle(true, "(", ""))
        .await;
    assert!(bad.unwrap_err().starts_with("the app regex cannot be used"));
    stage.stop().await;
}

#[tokio::test]
async fn whoever_may_not_any_more_turns_nothing_on() {
    let stage = Stage::start().await;
    let mut one = stage.connect("one").await;
    let admin = permit(&stage).await;
    let path = "/edge/management/v1/current-api-session";
    let logout = stage.controller.request(Method::DELETE, path);
    let reply = logout.session(&stage.admin).send().await;
    assert!(reply.status.is_success(), "{reply:?}");
    let on = stage.plane.toggle_traces(admin, toggle(true, ".*", ".*"));
    let answering =
        one.expect(|message| matches!(message, ControlMessage::TogglePipeTraces(_)).then_some(()));
    tokio::select! {
        told = on => assert!(told.is_err(), "{told:?}"),
        _ = answering => panic!("a router is told to trace"),
    }
    stage.stop().await;
}

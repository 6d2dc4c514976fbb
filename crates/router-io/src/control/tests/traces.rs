//! Controllers that follow the channels of a router.

use std::time::Duration;

use portcullis_channel::{Priority, ResultMessage, ResultStatus};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::route::Unroute;
use portcullis_wire::trace::{PipeTraces, TraceEvent};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use super::controller::{FakeController, RouterChannel};
use super::world::{Authority, Router, soon};

fn toggle(is_enabled: bool, apps: &str, pipes: &str) -> ControlMessage {
    ControlMessage::TogglePipeTraces(PipeTraces {
        is_enabled,
        verbosity: 3,
        app_regex: apps.to_owned(),
        pipe_regex: pipes.to_owned(),
    })
}

fn unroute(circuit: &str) -> ControlMessage {
    ControlMessage::Unroute(Unroute {
        circuit_id: circuit.to_owned(),
        is_immediate: true,
    })
}

async fn ask(channel: &RouterChannel, question: &ControlMessage) -> ResultMessage {
    let question = question.encode().unwrap();
    let time = Duration::from_secs(5);
    let reply = channel.handle.request(Priority::Default, question, time);
    let reply = soon(reply.unwrap()).await.unwrap();
    ResultMessage::from_frame(&reply).unwrap()
}

/// Follows the control channel of another controller. That one has it before the router has read its answer.
async fn follow(channel: &RouterChannel, other: &str) -> ResultMessage {
    let matched = format!("Link r1.{other} matched? true.");
    let following = async {
        loop {
            let result = ask(channel, &toggle(true, "r1", &format!("^{other}$"))).await;
            if result.text.contains(&matched) {
                return result;
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    soon(following).await
}

/// The next trace of a kind of message.
async fn trace(channel: &mut RouterChannel, kind: i32) -> TraceEvent {
    let trace = channel.expect(|_, message| match message {
        ControlMessage::TraceEvent(event) => {
            assert_ne!(event.content_type, 1008, "traces of traces");
            assert_ne!(event.content_type, 1010, "traces of traces");
            (event.content_type == kind).then_some(event)
        },
        _ => None,
    });
    trace.await
}

#[tokio::test]
async fn a_controller_follows_its_channel_until_it_has_enough() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut controller = FakeController::start("c1", &authority).await;
    let router = Router::at(&authority, &directory, &[controller.place()]).start();
    let mut channel = controller.router().await;

    let result = ask(&channel, &toggle(true, "^r1$", "^ctrl$")).await;
    assert_eq!(result.status, ResultStatus::Success);
    let expected = "App r1 matched? true\n\
        Link r1.c1 matched? true. Old trace state: false, New trace state: true";
    assert_eq!(result.text, expected);

    channel.send(&unroute("circuit-1"));
    let event = trace(&mut channel, 1006).await;
    assert_eq!((&*event.identity, &*event.channel), ("r1", "c1"));
    assert!(event.is_received);
    assert_eq!(event.reply_for, -1);
    assert!(event.time_nanos > 1_700_000_000_000_000_000);
    let decoded: serde_json::Value = serde_json::from_slice(event.decoded.expose()).unwrap();
    assert_eq!(decoded["__message__"], "Unroute");
    assert!(decoded["message"].as_str().unwrap().contains("circuit-1"));

    let result = ask(&channel, &toggle(false, "", "c1")).await;
    let expected = "App r1 matched? true\n\
        Link r1.c1 matched? true. Old trace state: true, New trace state: false";
    assert_eq!(result.text, expected);
    channel.send(&unroute("circuit-2"));
    let waiting = Duration::from_millis(300);
    assert!(timeout(waiting, trace(&mut channel, 1006)).await.is_err());
    router.stop().await;
}

#[tokio::test]
async fn others_see_nothing_and_what_is_wrong_is_refused() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut first = FakeController::start("c1", &authority).await;
    let mut second = FakeController::start("c2", &authority).await;
    let places = [first.place(), second.place()];
    let router = Router::at(&authority, &directory, &places).start();
    let mut first = first.router().await;
    let mut second = second.router().await;

    let result = ask(&first, &toggle(true, "r1", "(")).await;
    assert_eq!(result.status, ResultStatus::Failure);
    assert!(result.text.starts_with("the pipe regex cannot be used"));
    let result = ask(&first, &toggle(true, &"x".repeat(1025), "")).await;
    assert_eq!(
        result.text,
        "the app regex is 1025 bytes long; at most 1024 are allowed"
    );
    let result = ask(&first, &toggle(true, "^another$", "")).await;
    assert_eq!(result.text, "App r1 matched? false");

    let result = follow(&first, "c2").await;
    assert_eq!(result.status, ResultStatus::Success);
    second.send(&unroute("circuit-1"));
    let event = trace(&mut first, 1006).await;
    assert_eq!(event.channel, "c2");
    let waiting = Duration::from_millis(300);
    assert!(timeout(waiting, trace(&mut second, 1006)).await.is_err());
    router.stop().await;
}

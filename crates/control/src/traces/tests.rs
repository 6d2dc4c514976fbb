use super::*;
use portcullis_channel::{FrameLimits, Sequence, UnixNanos};
use portcullis_wire::control::route::Unroute;
use tokio::sync::broadcast::error::TryRecvError;

fn unroute() -> Frame {
    let message = ControlMessage::Unroute(Unroute {
        circuit_id: "c1".to_owned(),
        ..Unroute::default()
    });
    let message = message.encode().unwrap();
    Frame::new(message, Sequence(7), &FrameLimits::default()).unwrap()
}

fn traces() -> (Traces, GroupId) {
    let traces = Traces::new(Clock::start(UnixNanos(1_700_000_000_000_000_000)));
    traces.controller.set("ctrl".to_owned()).unwrap();
    let channel = GroupId::new("channel").unwrap();
    traces.opened(channel.clone(), RouterId::from_wire("r1"));
    (traces, channel)
}

#[tokio::test]
async fn messages_of_traced_routers_are_seen_by_whoever_watches() {
    let (traces, channel) = traces();
    let router = RouterId::from_wire("r1");
    assert!(!traces.is_watching());
    assert!(!traces.set(&router, true));
    assert!(!traces.is_watching(), "nobody watches");
    let mut watcher = traces.subscribe();
    assert!(traces.is_watching());
    traces.observe(&channel, Direction::Received, &unroute());
    let event = watcher.recv().await.unwrap();
    assert_eq!(
        (event.identity.as_str(), event.channel.as_str()),
        ("ctrl", "r1")
    );
    assert_eq!(
        (event.content_type, event.sequence, event.reply_for),
        (1006, 7, -1)
    );
    assert!(event.is_received);
    let decoded: serde_json::Value = serde_json::from_slice(event.decoded.expose()).unwrap();
    assert_eq!(decoded["__message__"], "Unroute");
    assert!(decoded["message"].as_str().unwrap().contains("c1"));
    assert!(traces.set(&router, false));
    assert!(!traces.is_watching());
}

#[tokio::test]
async fn other_channels_and_closed_ones_are_not_seen() {
    let (traces, channel) = traces();
    let mut watcher = traces.subscribe();
    traces.set(&RouterId::from_wire("r2"), true);
    traces.observe(&channel, Direction::Sent, &unroute());
    assert_eq!(watcher.try_recv().unwrap_err(), TryRecvError::Empty);
    traces.set(&RouterId::from_wire("r1"), true);
    traces.closed(&channel);
    traces.observe(&channel, Direction::Sent, &unroute());
    assert_eq!(watcher.try_recv().unwrap_err(), TryRecvError::Empty);
}

#[tokio::test]
async fn whoever_watches_slowly_misses_some() {
    let (traces, channel) = traces();
    let mut watcher = traces.subscribe();
    traces.set(&RouterId::from_wire("r1"), true);
    for _ in 0..2 * CAPACITY {
        traces.observe(&channel, Direction::Sent, &unroute());
    }
    assert!(watcher.recv().await.is_err());
    assert!(!watcher.recv().await.unwrap().is_received);
}

#[test]
fn reports_say_as_much_as_is_wanted() {
    let request = |verbosity, pipes: &str| PipeTraces {
        is_enabled: true,
        verbosity,
        app_regex: "^c".to_owned(),
        pipe_regex: pipes.to_owned(),
    };
    let hit = "Link ctrl.r1 matched? true. Old trace state: false, New trace state: true";
    let miss = "Link ctrl.r1 matched? false. Old trace state: false, New trace state: false";
    for (verbosity, hit, miss) in [
        (0, None, None),
        (1, Some(hit), None),
        (2, None, Some(miss)),
        (3, Some(hit), Some(miss)),
    ] {
        let toggle = Toggle::parse(&request(verbosity, "r")).unwrap();
        assert!(toggle.names_program("ctrl") && !toggle.names_program("r1"));
        let line = |is_matched| toggle.pipe_line(("ctrl", "r1"), is_matched, false);
        assert_eq!(line(true).as_deref(), hit, "{verbosity}");
        assert_eq!(line(false).as_deref(), miss, "{verbosity}");
    }
    for bad in [
        "(".to_owned(),
        "x".repeat(MAX_LENGTH),
        "(a{1000}){1000}".to_owned(),
    ] {
        let error = Toggle::parse(&request(3, &bad)).unwrap_err();
        assert!(error.starts_with("the pipe regex"), "{error}");
    }
}

/// Longer than an expression may be.
const MAX_LENGTH: usize = 5000;

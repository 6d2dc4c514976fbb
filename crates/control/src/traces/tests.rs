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

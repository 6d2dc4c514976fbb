//! Peers that stall, break off or send what is no frame, and connections that are lost.

use crate::support::{
    NOTE, PIPE, Pair, assert_no_tasks, controller, frame, note, number, router, send_notes,
    transport, with_bare_peer,
};
use portcullis_channel::{ChannelOptions, CloseReason, Message, Priority};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::time::{Instant, sleep};

/// The limit of [`TransportLimits`](portcullis_transport::TransportLimits).
const STALL: Duration = Duration::from_secs(20);
const ALMOST: Duration = Duration::from_secs(19);

/// The controller's end without heartbeats, so that nothing else ends it.
fn deaf() -> ChannelOptions {
    ChannelOptions {
        heartbeats: None,
        ..controller()
    }
}

#[tokio::test(start_paused = true)]
async fn peer_that_reads_nothing_is_left_after_the_limit() {
    let transport = transport();
    let (end, far) = with_bare_peer(&transport, deaf(), 256).await;
    let long = Message::new(NOTE).with_body(vec![0; 1000]);
    let written = end.handle.send_tracked(Priority::Default, long).unwrap();
    let start = Instant::now();
    assert_eq!(end.handle.closed().await, CloseReason::ConnectionsLost);
    assert_eq!(start.elapsed(), STALL);
    written.await;
    assert_no_tasks(&transport).await;
    drop(far);
}

#[tokio::test(start_paused = true)]
async fn peer_that_reads_slowly_gets_everything() {
    let transport = transport();
    let (mut end, mut far) = with_bare_peer(&transport, deaf(), 64).await;
    let long = Message::new(NOTE).with_body(vec![7; 1000]);
    end.handle.send(Priority::Default, long).unwrap();
    end.handle.send(Priority::Default, note(1)).unwrap();
    let expected = 1020 + 21;
    let mut read = 0;
    while read < expected {
        sleep(ALMOST).await;
        read += far.read(&mut [0; 64]).await.unwrap();
    }
    assert_eq!(read, expected);
    assert_eq!(end.handle.close_reason(), None);
    drop(far);
    assert_eq!(end.inbox.next().await, None);
    assert_no_tasks(&transport).await;
}

#[tokio::test(start_paused = true)]
async fn half_a_frame_is_waited_for_until_the_limit() {
    let transport = transport();
    let (mut end, mut far) = with_bare_peer(&transport, deaf(), PIPE).await;
    let bytes = frame(note(5), 1);
    // It may come in pieces.
    for piece in [&bytes[..3], &bytes[3..20], &bytes[20..]] {
        sleep(ALMOST).await;
        far.write_all(piece).await.unwrap();
    }
    assert_eq!(number(&end.inbox.next().await.unwrap()), 5);
    // Silence between frames is none of its business.
    sleep(Duration::from_hours(1)).await;
    far.write_all(&bytes[..20]).await.unwrap();
    let start = Instant::now();
    assert_eq!(end.handle.closed().await, CloseReason::ConnectionsLost);
    assert_eq!(start.elapsed(), STALL);
    assert_no_tasks(&transport).await;
}

#[tokio::test(start_paused = true)]
async fn frame_that_is_too_long_is_refused_by_its_prefix() {
    let transport = transport();
    let (end, mut far) = with_bare_peer(&transport, deaf(), PIPE).await;
    let mut prefix = frame(note(0), 1)[..20].to_vec();
    prefix[16..20].copy_from_slice(&(64 * 1024 * 1024 + 1_u32).to_le_bytes());
    far.write_all(&prefix).await.unwrap();
    let start = Instant::now();
    assert_eq!(end.handle.closed().await, CloseReason::ConnectionsLost);
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_no_tasks(&transport).await;
    assert_eq!(far.read(&mut [0; 1]).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn channel_lives_on_with_its_other_connection() {
    let transport = transport();
    let mut pair = Pair::open(&transport).await;
    let (near, between) = duplex(PIPE);
    let (far, between_too) = duplex(PIPE);
    let wire = tokio::spawn(async move {
        let (mut left, mut right) = (between, between_too);
        tokio::io::copy_bidirectional(&mut left, &mut right).await
    });
    pair.extend_over(near, far).await;
    assert_eq!(pair.controller.handle.connections(), 2);
    wire.abort();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(pair.controller.handle.connections(), 1);
    assert_eq!(pair.router.handle.connections(), 1);
    pair.controller
        .handle
        .send(Priority::High, note(1))
        .unwrap();
    assert_eq!(number(&pair.router.inbox.next().await.unwrap()), 1);
    assert_eq!(pair.controller.handle.close_reason(), None);
}

#[tokio::test(start_paused = true)]
async fn both_ends_may_close_at_once() {
    let transport = transport();
    let pair = Pair::open(&transport).await;
    send_notes(&pair.router.handle, 0..10);
    send_notes(&pair.controller.handle, 0..10);
    pair.router.handle.close();
    pair.controller.handle.close();
    assert_no_tasks(&transport).await;
}

#[tokio::test(start_paused = true)]
async fn closing_waits_a_second_for_a_peer_that_reads_nothing() {
    let transport = transport();
    let (end, far) = with_bare_peer(&transport, deaf(), 256).await;
    let long = Message::new(NOTE).with_body(vec![0; 1000]);
    let written = end.handle.send_tracked(Priority::Default, long).unwrap();
    sleep(Duration::from_millis(1)).await;
    let unwritten = end.handle.send_tracked(Priority::Default, note(1)).unwrap();
    let start = Instant::now();
    end.handle.close();
    assert_no_tasks(&transport).await;
    assert_eq!(start.elapsed(), Duration::from_secs(1));
    written.await;
    unwritten.await;
    drop(far);
}

#[tokio::test(start_paused = true)]
async fn dropped_inbox_closes_the_channel() {
    let transport = transport();
    let Pair {
        router, controller, ..
    } = Pair::open(&transport).await;
    drop(controller.inbox);
    assert_eq!(controller.handle.closed().await, CloseReason::Requested);
    drop(router.inbox);
    assert_no_tasks(&transport).await;
}

#[tokio::test(start_paused = true)]
async fn task_that_panics_with_its_inbox_closes_the_channel() {
    let transport = transport();
    let pair = Pair::open(&transport).await;
    let mut inbox = pair.controller.inbox;
    let owner = tokio::spawn(async move {
        let frame = inbox.next().await.unwrap();
        panic!("{frame:?}");
    });
    pair.router.handle.send(Priority::Default, note(1)).unwrap();
    assert_eq!(
        pair.controller.handle.closed().await,
        CloseReason::Requested
    );
    assert!(owner.await.unwrap_err().is_panic());
}

#[tokio::test(start_paused = true)]
async fn silent_peer_is_closed_by_its_heartbeats() {
    let transport = transport();
    let (end, far) = with_bare_peer(&transport, controller(), PIPE).await;
    let start = Instant::now();
    assert_eq!(end.handle.closed().await, CloseReason::PeerUnresponsive);
    // A minute of grace after the first connection.
    assert_eq!(start.elapsed().as_secs(), 90);
    assert_no_tasks(&transport).await;
    let (end, far_too) = with_bare_peer(&self::transport(), router(), PIPE).await;
    let start = Instant::now();
    assert_eq!(end.handle.closed().await, CloseReason::PeerUnresponsive);
    assert_eq!(start.elapsed().as_secs(), 30);
    drop((far, far_too));
}

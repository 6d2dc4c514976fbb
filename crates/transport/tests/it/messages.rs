//! Messages, requests and replies.

use crate::support::{
    NOTE, PIPE, Pair, QUESTION, controller, frame, note, number, read_frame, send_notes, transport,
    with_bare_peer,
};
use portcullis_channel::group::GroupId;
use portcullis_channel::{CloseReason, ContentType, Frame, Message, Priority, RequestFailure};
use portcullis_transport::{Direction, Observer};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

#[test]
fn handles_are_shared_between_threads() {
    fn is_shareable<T: Clone + Send + Sync>() {}
    is_shareable::<portcullis_transport::ChannelHandle>();
}

#[tokio::test(start_paused = true)]
async fn request_is_answered_over_another_connection_of_the_group() {
    let mut pair = Pair::open(&transport()).await;
    pair.extend().await;
    assert_eq!(pair.controller.handle.connections(), 2);
    let question = Message::new(QUESTION).with_body("?");
    // Urgent messages have a connection of their own.
    let reply = pair
        .router
        .handle
        .request(Priority::High, question, Duration::from_secs(30))
        .unwrap();
    let request = pair.controller.inbox.next().await.unwrap();
    assert_eq!(request.content_type(), QUESTION);
    let answer = Message::new(ContentType::RESULT).with_body("!");
    pair.controller
        .handle
        .reply(&request.reply_to(), Priority::Default, answer)
        .unwrap();
    assert_eq!(reply.await.unwrap().body(), "!");
}

#[tokio::test(start_paused = true)]
async fn order_is_kept_and_requests_are_queued_at_once() {
    let mut pair = Pair::open(&transport()).await;
    send_notes(&pair.router.handle, 0..100);
    let reply = pair
        .router
        .handle
        .request(Priority::Default, note(100), Duration::from_secs(1))
        .unwrap();
    send_notes(&pair.router.handle, 101..200);
    for expected in 0..200 {
        let frame = pair.controller.inbox.next().await.unwrap();
        assert_eq!(number(&frame), expected);
    }
    assert_eq!(reply.await, Err(RequestFailure::TimedOut));
}

#[tokio::test(start_paused = true)]
async fn reply_that_nobody_waits_for_is_a_message() {
    let mut pair = Pair::open(&transport()).await;
    let reply = pair
        .router
        .handle
        .request(Priority::Default, note(0), Duration::from_secs(1))
        .unwrap();
    let request = pair.controller.inbox.next().await.unwrap();
    drop(reply);
    pair.controller
        .handle
        .reply(&request.reply_to(), Priority::Default, note(1))
        .unwrap();
    assert_eq!(number(&pair.router.inbox.next().await.unwrap()), 1);
}

#[tokio::test(start_paused = true)]
async fn request_that_is_dropped_in_its_queue_is_not_sent() {
    let mut pair = Pair::open(&transport()).await;
    let reply = pair
        .router
        .handle
        .request(Priority::Default, note(0), Duration::from_secs(1))
        .unwrap();
    drop(reply);
    send_notes(&pair.router.handle, 1..2);
    assert_eq!(number(&pair.controller.inbox.next().await.unwrap()), 1);
}

#[tokio::test(start_paused = true)]
async fn long_bodies_arrive_whole_and_in_order() {
    let mut pair = Pair::open(&transport()).await;
    let long: Vec<u8> = (0..5_000_000_u32)
        .map(|each| each.to_le_bytes()[0])
        .collect();
    send_notes(&pair.router.handle, 0..1);
    let message = Message::new(QUESTION).with_body(long.clone());
    let written = pair
        .router
        .handle
        .send_tracked(Priority::Default, message)
        .unwrap();
    send_notes(&pair.router.handle, 2..3);
    assert_eq!(number(&pair.controller.inbox.next().await.unwrap()), 0);
    written.await;
    assert_eq!(pair.controller.inbox.next().await.unwrap().body(), &long);
    assert_eq!(number(&pair.controller.inbox.next().await.unwrap()), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_queued_before_closing_arrives_and_both_sides_end() {
    let transport = transport();
    let mut pair = Pair::open(&transport).await;
    send_notes(&pair.controller.handle, 0..100);
    let unanswered = pair
        .controller
        .handle
        .request(Priority::Default, note(100), Duration::from_secs(1))
        .unwrap();
    pair.controller.handle.close();
    assert_eq!(unanswered.await, Err(RequestFailure::Closed));
    assert!(
        pair.controller
            .handle
            .send(Priority::High, note(0))
            .is_err()
    );
    assert_eq!(
        pair.controller.handle.closed().await,
        CloseReason::Requested
    );
    assert_eq!(pair.controller.inbox.next().await, None);
    for expected in 0..=100 {
        let frame = pair.router.inbox.next().await.unwrap();
        assert_eq!(number(&frame), expected);
    }
    // A router waits for another connection.
    assert_eq!(pair.router.handle.close_reason(), None);
    assert_eq!(pair.router.handle.connections(), 0);
    drop(pair.router.inbox);
    assert_eq!(pair.router.handle.closed().await, CloseReason::Requested);
    transport.tasks().close();
    transport.tasks().wait().await;
}

/// Remembers the messages that it sees.
#[derive(Debug, Default)]
struct Seen(std::sync::Mutex<Vec<(String, Direction, ContentType)>>);

impl Observer for Seen {
    fn observe(&self, channel: &GroupId, direction: Direction, frame: &Frame) {
        let seen = (channel.as_str().to_owned(), direction, frame.content_type());
        self.0.lock().unwrap().push(seen);
    }
}

#[tokio::test]
async fn observers_see_what_is_sent_and_what_is_received() {
    let seen = Arc::new(Seen::default());
    let transport = transport().observed(Some(Arc::clone(&seen) as _));
    let (mut end, mut far) = with_bare_peer(&transport, controller(), PIPE).await;
    end.handle.send(Priority::Default, note(1)).unwrap();
    read_frame(&mut far).await;
    far.write_all(&frame(Message::new(QUESTION), 5))
        .await
        .unwrap();
    end.inbox.next().await.unwrap();
    let of_channel = |direction, content_type| ("bare".to_owned(), direction, content_type);
    assert_eq!(
        *seen.0.lock().unwrap(),
        [
            of_channel(Direction::Sent, NOTE),
            of_channel(Direction::Received, QUESTION),
        ]
    );
}

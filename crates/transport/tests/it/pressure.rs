//! Queues and inboxes that are full.

use crate::support::{
    NOTE, Pair, QUESTION, controller, frame, note, number, router, send_notes, transport,
    with_bare_peer, with_limits,
};
use portcullis_channel::{
    ChannelOptions, CloseReason, ContentType, Message, Priority, SendErrorKind,
};
use portcullis_memory_budget::{Account, MemoryBudget};
use portcullis_transport::TransportLimits;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{sleep, timeout};

#[tokio::test(start_paused = true)]
async fn full_queue_refuses_and_what_was_accepted_arrives() {
    let mut pair = Pair::open(&transport()).await;
    let mut accepted = Vec::new();
    let mut refused = 0;
    for each in 0..20_000 {
        match pair.controller.handle.send(Priority::Default, note(each)) {
            Ok(_sequence) => accepted.push(each),
            Err(error) => {
                assert_eq!(error.why, SendErrorKind::QueueFull);
                assert_eq!(error.message, note(each));
                refused += 1;
            },
        }
        if each % 7000 == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    }
    assert_eq!(accepted.len() + refused, 20_000);
    assert!(refused > 10_000);
    for expected in accepted {
        assert_eq!(number(&pair.router.inbox.next().await.unwrap()), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_was_refused_is_told_of_room_and_of_the_end() {
    let limits = TransportLimits {
        inbox_bytes: 1,
        ..TransportLimits::default()
    };
    let mut pair = Pair::open(&with_limits(limits)).await;
    let handle = pair.controller.handle.clone();
    handle.writable(Priority::Default).await;
    // Until connections and pipes are full as well.
    let fill = async || loop {
        while handle.send(Priority::Default, note(0)).is_ok() {}
        let writable = handle.writable(Priority::Default);
        if timeout(Duration::from_secs(1), writable).await.is_err() {
            return;
        }
    };
    for _ in 0..3 {
        fill().await;
        handle.writable(Priority::High).await;
        let reading = async { while pair.router.inbox.next().await.is_some() {} };
        tokio::select! {
            () = handle.writable(Priority::Default) => {},
            () = reading => panic!("the channel is closed"),
        }
        handle.send(Priority::Default, note(1)).unwrap();
    }
    fill().await;
    handle.close();
    handle.writable(Priority::Default).await;
}

#[tokio::test(start_paused = true)]
async fn full_inbox_stops_the_peer_and_loses_nothing() {
    let limits = TransportLimits {
        inbox_bytes: 4096,
        ..TransportLimits::default()
    };
    let mut pair = Pair::open(&with_limits(limits)).await;
    let body = vec![1; 1000];
    let message = Message::new(NOTE).with_body(body.clone());
    let mut sent = 0;
    while pair
        .controller
        .handle
        .send(Priority::Default, message.clone())
        .is_ok()
    {
        sent += 1;
        // Time for connections, as long as they take anything.
        sleep(Duration::from_micros(1)).await;
        assert!(sent < 2000, "nothing makes the sender wait");
    }
    for _ in 0..sent {
        assert_eq!(pair.router.inbox.next().await.unwrap().body(), &body);
    }
}

#[tokio::test(start_paused = true)]
async fn owner_that_stops_for_a_while_loses_nothing() {
    let limits = TransportLimits {
        inbox_bytes: 1,
        ..TransportLimits::default()
    };
    let mut pair = Pair::open(&with_limits(limits)).await;
    send_notes(&pair.router.handle, 0..100);
    // Heartbeats wait behind messages that wait.
    sleep(Duration::from_secs(25)).await;
    for expected in 0..100 {
        let frame = pair.controller.inbox.next().await.unwrap();
        assert_eq!(number(&frame), expected);
    }
    sleep(Duration::from_mins(10)).await;
    assert_eq!(pair.controller.handle.close_reason(), None);
    assert_eq!(pair.router.handle.close_reason(), None);
}

#[tokio::test(start_paused = true)]
async fn owner_that_takes_nothing_loses_the_channel() {
    let limits = TransportLimits {
        inbox_bytes: 1,
        ..TransportLimits::default()
    };
    let pair = Pair::open(&with_limits(limits)).await;
    send_notes(&pair.router.handle, 0..100);
    let reason = timeout(Duration::from_mins(2), pair.router.handle.closed()).await;
    assert_eq!(reason, Ok(CloseReason::PeerUnresponsive));
}

#[tokio::test(start_paused = true)]
async fn one_long_message_fits_into_an_empty_inbox() {
    let limits = TransportLimits {
        inbox_bytes: 100,
        ..TransportLimits::default()
    };
    let mut pair = Pair::open(&with_limits(limits)).await;
    let long = Message::new(NOTE).with_body(vec![1; 1_000_000]);
    for _ in 0..2 {
        pair.router
            .handle
            .send(Priority::Default, long.clone())
            .unwrap();
    }
    for _ in 0..2 {
        let frame = pair.controller.inbox.next().await.unwrap();
        assert_eq!(frame.body().len(), 1_000_000);
    }
}

#[tokio::test(start_paused = true)]
async fn tracked_messages_pace_the_sender() {
    let mut pair = Pair::open(&transport()).await;
    let sender = pair.controller.handle.clone();
    let sending = tokio::spawn(async move {
        for each in 0..5000 {
            let written = sender.send_tracked(Priority::Default, note(each)).unwrap();
            assert_eq!(sender.queued_frames(Priority::Default), 1);
            written.await;
        }
    });
    for expected in 0..5000 {
        assert_eq!(number(&pair.router.inbox.next().await.unwrap()), expected);
    }
    sending.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn requests_beyond_the_limit_are_refused() {
    let few = ChannelOptions {
        max_requests: 2,
        ..controller()
    };
    let mut pair = Pair::open_with(&transport(), few, router()).await;
    let ask = |number| {
        let message = Message::new(QUESTION).with_body(usize::to_string(&number));
        pair.controller
            .handle
            .request(Priority::Default, message, Duration::from_secs(30))
    };
    let (first, second) = (ask(0).unwrap(), ask(1).unwrap());
    let refused = ask(2).unwrap_err();
    assert_eq!(refused.why, SendErrorKind::TooManyRequests { limit: 2 });
    drop(second);
    let third = ask(3).unwrap();
    let mut asked = Vec::new();
    for _ in 0..2 {
        let request = pair.router.inbox.next().await.unwrap();
        asked.push(number(&request));
        let answer = Message::new(ContentType::RESULT);
        let reply_to = request.reply_to();
        pair.router
            .handle
            .reply(&reply_to, Priority::Default, answer)
            .unwrap();
    }
    assert_eq!(asked, [0, 3]);
    assert!(first.await.is_ok());
    assert!(third.await.is_ok());
}

const MEMORY: usize = 4 << 20;

/// Channels of one transport, which share memory.
async fn pairs_within(memory: &Arc<MemoryBudget>, count: usize) -> Vec<Pair> {
    let transport = transport().within(Arc::clone(memory));
    let mut pairs = Vec::new();
    for _ in 0..count {
        pairs.push(Pair::open(&transport).await);
    }
    pairs
}

#[tokio::test(start_paused = true)]
async fn channels_that_nobody_reads_share_memory_and_lose_nothing() {
    let memory = Arc::new(MemoryBudget::new(MEMORY));
    let mut pairs = pairs_within(&memory, 16).await;
    let message = Message::new(NOTE).with_body(vec![1; 10_000]);
    let mut sent = vec![0; pairs.len()];
    for _ in 0..100 {
        for (pair, sent) in pairs.iter().zip(&mut sent) {
            while pair
                .controller
                .handle
                .send(Priority::Default, message.clone())
                .is_ok()
            {
                *sent += 1;
            }
        }
        sleep(Duration::from_millis(100)).await;
    }
    assert!(memory.used() <= MEMORY, "{} bytes", memory.used());
    assert!(memory.used() > MEMORY / 16, "{} bytes", memory.used());
    for (pair, sent) in pairs.iter_mut().zip(&sent) {
        assert!(*sent > 5, "{sent}");
        for _ in 0..*sent {
            let frame = pair.router.inbox.next().await.unwrap();
            assert_eq!(frame.body().len(), 10_000);
        }
    }
    drop(pairs);
    sleep(Duration::from_secs(5)).await;
    assert_eq!(memory.used(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_frame_for_which_there_is_no_memory_ends_its_connection() {
    let memory = Arc::new(MemoryBudget::new(64 << 20));
    let transport = transport().within(Arc::clone(&memory));
    let (mut end, mut peer) = with_bare_peer(&transport, controller(), 16 << 10).await;
    let long = frame(Message::new(NOTE).with_body(vec![1; 400_000]), 1);
    // All but a little is taken by others.
    let mut others = Account::new(&memory);
    others.set((64 << 20) - (200 << 10));
    let sending = peer.write_all(&long);
    assert!(
        timeout(Duration::from_secs(15), sending).await.is_err(),
        "it waits for memory"
    );
    // What it has taken by then is about that of a usual frame.
    assert!(memory.used() <= memory.limit() + (256 << 10));
    assert_eq!(
        end.handle.closed().await,
        CloseReason::ConnectionsLost,
        "nobody waits for ever"
    );
    assert!(end.inbox.next().await.is_none());

    // Others give theirs back in time.
    let (mut end, mut peer) = with_bare_peer(&transport, controller(), 16 << 10).await;
    let sending = tokio::spawn(async move {
        peer.write_all(&long).await.unwrap();
        peer
    });
    sleep(Duration::from_secs(5)).await;
    assert!(!sending.is_finished());
    drop(others);
    assert_eq!(end.inbox.next().await.unwrap().body().len(), 400_000);
    sending.await.unwrap();
}

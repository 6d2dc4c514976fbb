//! What an idle channel costs, and programs that were suspended.

use crate::support::{
    PIPE, Pair, controller, frame, read_frame, router, transport, with_bare_peer,
};
use portcullis_channel::headers::key;
use portcullis_channel::{ChannelOptions, CloseReason, ContentType, Headers, Message};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, DuplexStream, ReadBuf, duplex};
use tokio::time::{advance, sleep};

/// A stream that counts how often it is asked for anything.
struct Counted {
    stream: DuplexStream,
    polls: Arc<AtomicUsize>,
}

impl Counted {
    fn stream(self: Pin<&mut Self>) -> Pin<&mut DuplexStream> {
        let counted = self.get_mut();
        counted.polls.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut counted.stream)
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(cx, buffer)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}

/// How often an idle connection is polled in an hour, as its task is.
async fn polls_in_an_hour(controller: ChannelOptions, router: ChannelOptions) -> usize {
    let polls = Arc::new(AtomicUsize::new(0));
    let (stream, far) = duplex(PIPE);
    let near = Counted {
        stream,
        polls: Arc::clone(&polls),
    };
    let pair = Pair::open_over(&transport(), controller, router, near, far).await;
    sleep(Duration::from_mins(1)).await;
    let before = polls.load(Ordering::Relaxed);
    sleep(Duration::from_hours(1)).await;
    assert_eq!(pair.controller.handle.close_reason(), None);
    assert_eq!(pair.router.handle.close_reason(), None);
    polls.load(Ordering::Relaxed) - before
}

#[tokio::test(start_paused = true)]
async fn idle_channel_wakes_for_heartbeats_only() {
    let polls = polls_in_an_hour(controller(), router()).await;
    // Both sides send one in 11 s, and answer it: four messages, each with a few polls.
    assert!((300..10_000).contains(&polls), "{polls} polls");
}

#[tokio::test(start_paused = true)]
async fn without_heartbeats_an_idle_channel_does_not_wake() {
    let quiet = |options| ChannelOptions {
        heartbeats: None,
        ..options
    };
    let polls = polls_in_an_hour(quiet(controller()), quiet(router())).await;
    assert_eq!(polls, 0);
}

#[tokio::test(start_paused = true)]
async fn program_that_was_suspended_reads_before_it_judges() {
    let (end, mut far) = with_bare_peer(&transport(), router(), PIPE).await;
    let heartbeat = read_frame(&mut far).await;
    let sent = heartbeat.headers().u64(key::HEARTBEAT).unwrap();
    let headers = Headers::builder()
        .u64(key::HEARTBEAT_RESPONSE, sent)
        .build();
    // It is out of time when it wakes, and has not read the answer yet.
    advance(Duration::from_secs(35)).await;
    sleep(Duration::from_millis(50)).await;
    let answer = Message::new(ContentType::HEARTBEAT).with_headers(headers);
    far.write_all(&frame(answer, 1)).await.unwrap();
    sleep(Duration::from_secs(20)).await;
    assert_eq!(end.handle.close_reason(), None);
    assert!(end.handle.liveness().unwrap().latency.is_some());
    assert_eq!(end.handle.closed().await, CloseReason::PeerUnresponsive);
}

//! Room that there is again before an end asks for it.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use futures_util::future::BoxFuture;
use portcullis_xgress::Side;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;

use super::{LINK, START, open_end};
use crate::circuit_message::CircuitMessage;
use crate::ends::Start;
use crate::relay::Destination;
use crate::testing::TestRouter;

/// A link that refuses every second message, though it has room whenever somebody asks.
struct Fickle {
    refuses: AtomicBool,
    taken: mpsc::UnboundedSender<CircuitMessage>,
}

impl Destination for Fickle {
    fn deliver(&self, message: CircuitMessage) -> Result<(), CircuitMessage> {
        if self.refuses.fetch_not(Ordering::Relaxed) {
            return Err(message);
        }
        self.taken.send(message).unwrap();
        Ok(())
    }

    /// As others are, a future that is not to be polled once it has completed.
    fn room(&self, _message: &CircuitMessage) -> BoxFuture<'static, ()> {
        let mut is_over = false;
        Box::pin(poll_fn(move |_| {
            assert!(!is_over, "asked again after there was room");
            is_over = true;
            Poll::Ready(())
        }))
    }

    fn unrouted(&self, _circuit: &str) {}
}

#[tokio::test(start_paused = true)]
async fn end_goes_on_if_there_is_room_by_the_time_that_it_asks() {
    let router = TestRouter::new("only");
    let (sender, mut taken) = mpsc::unbounded_channel();
    let link = Fickle {
        refuses: AtomicBool::new(true),
        taken: sender,
    };
    router.relay.attach(LINK.0, Arc::new(link));
    router.route(START, LINK);
    let (mut client, _end) = open_end(&router.ends, Side::Initiator, Start::AtOnce);
    let mut arrived = 0;
    for _ in 0..8 {
        client.write_all(&[7; 1_000]).await.unwrap();
        while arrived < 1_000 {
            arrived += taken.recv().await.unwrap().data_len();
        }
        arrived -= 1_000;
    }
}

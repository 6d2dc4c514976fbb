//! What connections carry when their SDKs are the ends of the circuits.

use std::time::Duration;

use portcullis_channel::Now;
use portcullis_transport::Clock;
use portcullis_wire::edge::EdgeMessage;
use portcullis_xgress::{Endpoint, Received, Segment};
use tokio::time::timeout;

use crate::sdk::Sdk;

/// Carries messages between an end of a circuit and the router, until `done`.
pub async fn carry(
    sdk: &mut Sdk,
    endpoint: &mut Endpoint,
    clock: &Clock,
    mut done: impl FnMut(&mut Endpoint, Now) -> bool,
) {
    loop {
        let now = clock.now();
        let is_done = done(endpoint, now);
        while let Some(acknowledgement) = endpoint.poll_acknowledgement() {
            sdk.says(EdgeMessage::Acknowledgement(acknowledgement))
                .await;
        }
        while let Some(payload) = endpoint.poll_payload(now) {
            sdk.says(EdgeMessage::Payload(payload)).await;
        }
        if is_done {
            return;
        }
        let wait = endpoint
            .poll_timeout()
            .map_or(Duration::from_secs(20), |(at, _)| {
                at.since(clock.now().mono)
            });
        match timeout(wait, sdk.hears()).await {
            Ok(message) => match message.expect("the channel is open").0 {
                EdgeMessage::Payload(payload) => {
                    assert!(payload.connection.is_some(), "SDKs find it by that");
                    endpoint.handle_payload(payload, clock.now());
                },
                EdgeMessage::Acknowledgement(acknowledgement) => {
                    endpoint.handle_acknowledgement(&acknowledgement, clock.now());
                },
                other => panic!("{other:?}"),
            },
            Err(_elapsed) => endpoint.handle_timeout(clock.now()),
        }
    }
}

/// Writes so many thousands of bytes, ends the data, and is done when all of it is acknowledged.
pub fn writer(total: usize) -> impl FnMut(&mut Endpoint, Now) -> bool {
    let mut written = 0;
    let mut is_finished = false;
    move |endpoint, now| {
        while written < total && endpoint.is_writable() {
            let byte = u8::try_from(written / 1000 % 251).unwrap();
            endpoint
                .write(Segment::from(vec![byte; 1000]), now)
                .unwrap();
            written += 1000;
        }
        if written >= total && !is_finished {
            endpoint.finish(now);
            is_finished = true;
        }
        is_finished && endpoint.poll_timeout().is_none()
    }
}

/// Reads what a [`writer`] of as many bytes writes, and is done when the data has ended.
pub fn reader(total: usize) -> impl FnMut(&mut Endpoint, Now) -> bool {
    let mut read = 0;
    move |endpoint, now| {
        while let Some(received) = endpoint.read(now) {
            let Received::Segment(segment) = received else {
                assert_eq!(read, total);
                return true;
            };
            let bytes = segment.data.expose();
            if bytes.is_empty() {
                continue;
            }
            let byte = u8::try_from(read / 1000 % 251).unwrap();
            assert_eq!(bytes, &vec![byte; 1000]);
            read += bytes.len();
        }
        false
    }
}

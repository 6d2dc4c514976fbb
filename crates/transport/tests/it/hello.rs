//! Connections before they belong to a channel.

use crate::support::{deadline, hello};
use portcullis_channel::Role;
use portcullis_channel::group::DialFailure;
use portcullis_channel::hello::{Grouping, HelloError, RejectClass, Rejection, VERSIONS_ANSWER};
use portcullis_transport::{DialError, Incoming, IncomingError, dial};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn half_a_hello_is_waited_for_until_the_deadline_only() {
    let (near, mut far) = duplex(4096);
    let bytes = hello(Role::Default, Grouping::Ungrouped).encode().unwrap();
    far.write_all(&bytes[..bytes.len() - 1]).await.unwrap();
    let start = Instant::now();
    let error = Incoming::read(near, deadline()).await.unwrap_err();
    assert!(matches!(error, IncomingError::Hello(HelloError::TimedOut)));
    assert_eq!(start.elapsed(), Duration::from_secs(5));
    let mut rest = Vec::new();
    far.read_to_end(&mut rest).await.unwrap();
    assert_eq!(rest, b"", "closed without an answer");
}

#[tokio::test(start_paused = true)]
async fn hello_that_arrives_byte_by_byte_is_read() {
    let (near, mut far) = duplex(1);
    let bytes = hello(Role::High, Grouping::Ungrouped).encode().unwrap();
    let (incoming, _far) = tokio::join!(Incoming::read(near, deadline()), async move {
        far.write_all(&bytes).await.unwrap();
        far
    });
    assert_eq!(
        incoming.unwrap().hello().underlay_type.as_deref(),
        Some("ctrl.high")
    );
}

#[tokio::test(start_paused = true)]
async fn peer_that_closes_within_its_hello_is_told_apart() {
    let (near, mut far) = duplex(4096);
    far.write_all(&[3, 6]).await.unwrap();
    drop(far);
    let error = Incoming::read(near, deadline()).await.unwrap_err();
    assert!(matches!(error, IncomingError::Closed));
}

#[tokio::test(start_paused = true)]
async fn another_version_gets_the_list_of_supported_ones() {
    let (near, mut far) = duplex(4096);
    far.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let (result, read) = tokio::join!(
        Incoming::read(near, deadline()),
        far.read_to_end(&mut answer)
    );
    assert!(matches!(
        result,
        Err(IncomingError::Hello(HelloError::Frame(_)))
    ));
    read.unwrap();
    assert_eq!(answer, VERSIONS_ANSWER);
}

#[tokio::test(start_paused = true)]
async fn rejection_reaches_the_dialer_with_its_reason() {
    let (near, far) = duplex(4096);
    let hello = hello(Role::Default, Grouping::Ungrouped);
    let rejecting = async {
        let incoming = Incoming::read(near, deadline()).await.unwrap();
        incoming
            .reject(RejectClass::NotPermitted, "router disabled")
            .await;
    };
    let ((), dialed) = tokio::join!(rejecting, dial(far, &hello, deadline()));
    let error = dialed.unwrap_err();
    assert_eq!(error.failure(), DialFailure::Rejected);
    let DialError::Rejected(rejection) = error else {
        panic!("{error}");
    };
    let expected = Rejection {
        class: RejectClass::NotPermitted,
        reason: "router disabled".to_owned(),
    };
    assert_eq!(rejection, expected);
}

#[tokio::test(start_paused = true)]
async fn connection_that_is_dropped_gets_no_answer() {
    let (near, far) = duplex(4096);
    let hello = hello(Role::Default, Grouping::Ungrouped);
    let dropping = async { drop(Incoming::read(near, deadline()).await.unwrap()) };
    let ((), dialed) = tokio::join!(dropping, dial(far, &hello, deadline()));
    assert_eq!(dialed.unwrap_err().failure(), DialFailure::Closed);
}

#[tokio::test(start_paused = true)]
async fn listener_that_says_nothing_is_waited_for_until_the_deadline() {
    let (_near, far) = duplex(4096);
    let hello = hello(Role::Default, Grouping::Ungrouped);
    let start = Instant::now();
    let error = dial(far, &hello, deadline()).await.unwrap_err();
    assert_eq!(error.failure(), DialFailure::Unreachable);
    assert_eq!(start.elapsed(), Duration::from_secs(5));
}

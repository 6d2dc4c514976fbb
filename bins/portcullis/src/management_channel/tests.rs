//! A channel to a controller that does what a test wants.

use super::*;
use portcullis_channel::ResultMessage;
use portcullis_wire::management::StreamEvents;
use tokio::io::{DuplexStream, duplex};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

const HASTY: Patience = Patience {
    silence: Duration::from_millis(40),
    pong: Duration::from_millis(40),
};

type Controller = WebSocketStream<DuplexStream>;

async fn pair(patience: Patience) -> (ManagementChannel<DuplexStream>, Controller) {
    let (here, there) = duplex(64 * 1024);
    let channel = ManagementChannel::over(here, patience).await;
    let controller = WebSocketStream::from_raw_socket(there, Role::Server, None).await;
    (channel, controller)
}

async fn end(mut channel: ManagementChannel<DuplexStream>) -> String {
    match channel.receive().await {
        Ok(frame) => format!("{frame:?}"),
        Err(end) => end.to_string(),
    }
}

/// The bytes of the facts: a request of a subscription, and the controller's agreement.
#[tokio::test]
async fn requests_are_numbered_and_answers_say_which_they_are_for() {
    const SUCCESS: &[u8] = b"\x03\x06\x09\x0c\x02\0\0\0\x01\0\0\0\x15\0\0\0\x07\0\0\0\
        \x02\0\0\0\x01\0\0\0\x01\x01\0\0\0\x04\0\0\0\x01\0\0\0success";
    let (mut channel, mut controller) = pair(PATIENCE).await;
    let json = "{}".to_owned();
    let request = ManagementMessage::StreamEvents(StreamEvents { json });
    assert_eq!(channel.send(&request).await.unwrap(), Sequence(1));
    assert_eq!(channel.send(&request).await.unwrap(), Sequence(2));
    let heard = controller.next().await.unwrap().unwrap().into_data();
    let begin = b"\x03\x06\x09\x0c\x38\x27\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0{}";
    assert_eq!(&heard[..], begin);
    controller
        .send(Message::Binary(SUCCESS.into()))
        .await
        .unwrap();
    let answer = channel.receive().await.unwrap();
    assert_eq!(answer.reply_for(), Some(Sequence(1)));
    assert_eq!(ResultMessage::from_frame(&answer).unwrap().text, "success");
}

#[tokio::test]
async fn a_silent_controller_is_asked_and_given_up() {
    let (channel, mut controller) = pair(HASTY).await;
    let given_up = tokio::spawn(end(channel));
    // It is not read any further, and so does not answer.
    let heard = controller.next().await.unwrap().unwrap();
    assert!(heard.is_ping(), "{heard:?}");
    assert_eq!(
        given_up.await.unwrap(),
        "the controller does not answer any more"
    );
}

#[tokio::test]
async fn a_controller_that_answers_may_be_silent_for_long() {
    let (mut channel, mut controller) = pair(HASTY).await;
    let answering = tokio::spawn(async move {
        let mut asked = 0;
        while asked < 5 {
            asked += usize::from(controller.next().await.unwrap().unwrap().is_ping());
            // Reading has the answer made, and writing has it sent.
            controller.flush().await.unwrap();
        }
        let closing = CloseFrame {
            code: CloseCode::Away,
            reason: "the controller stops".into(),
        };
        controller.close(Some(closing)).await.unwrap();
    });
    let end = channel.receive().await.unwrap_err();
    answering.await.unwrap();
    assert_eq!(
        end.to_string(),
        "the controller has closed the channel: the controller stops"
    );
}

#[tokio::test]
async fn what_is_no_frame_ends_it() {
    for (message, expected) in [
        (Message::Text("hello".into()), "it is text"),
        (Message::Binary(vec![0; 30].into()), "cannot be read"),
        (Message::Binary(vec![3, 6, 9].into()), "cannot be read"),
    ] {
        let (channel, mut controller) = pair(PATIENCE).await;
        controller.send(message).await.unwrap();
        let end = end(channel).await;
        assert!(end.contains(expected), "{end}");
    }
    let (channel, controller) = pair(PATIENCE).await;
    drop(controller);
    assert_eq!(
        end(channel).await,
        "the connection to the controller was lost"
    );
}

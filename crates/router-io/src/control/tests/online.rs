//! What happens on a channel.

use portcullis_channel::{ContentType, Message, Priority};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::edge_hello::ServerHello;
use portcullis_wire::control::route::Unroute;
use tempfile::TempDir;

use super::controller::FakeController;
use super::world::{Authority, Event, Router, soon};

#[tokio::test]
async fn router_is_greeted_answers_and_hands_messages_on_in_order() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut controller = FakeController::start("c1", &authority).await;
    let mut router = Router::at(&authority, &directory, &[controller.place()]).start();
    let mut channel = controller.router().await;
    assert_eq!(channel.router, "r1");
    assert_eq!(channel.hello.version.version, "v2.1.0");
    router.connects_to("c1").await;
    router.control.first_contact().await.unwrap();

    let greeting = ControlMessage::ServerHello(ServerHello::default())
        .encode()
        .unwrap();
    let asked = channel.handle.send(Priority::High, greeting).unwrap();
    let hello = channel
        .expect(|frame, message| match message {
            ControlMessage::ClientHello(hello) => {
                assert_eq!(frame.reply_for(), Some(asked));
                Some(hello)
            },
            _ => None,
        })
        .await;
    assert_eq!(hello.model_index, Some(17));
    assert_eq!(hello.hello.hostname, "r.test");

    let unknown = Message::new(ContentType(1777));
    channel.handle.send(Priority::Default, unknown).unwrap();
    let unreadable = Message::new(ContentType(1006)).with_body(&b"\xff\xff"[..]);
    channel.handle.send(Priority::Default, unreadable).unwrap();
    for number in 0..100 {
        channel.send(&ControlMessage::Unroute(Unroute {
            circuit_id: number.to_string(),
            is_immediate: false,
        }));
    }
    let mut expected = 0;
    while expected < 100 {
        let Event::Message(from, message) = router.event().await else {
            panic!("only messages follow");
        };
        let ControlMessage::Unroute(unroute) = *message else {
            panic!("nothing else was sent: {message:?}");
        };
        assert_eq!(
            (from.as_str(), unroute.circuit_id),
            ("c1", expected.to_string())
        );
        expected += 1;
    }
    router.stop().await;
    soon(channel.handle.closed()).await;
}

#[tokio::test]
async fn interfaces_are_reported() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut controller = FakeController::start("c1", &authority).await;
    let router = Router {
        reports_interfaces: true,
        ..Router::at(&authority, &directory, &[controller.place()])
    };
    let router = router.start();
    let mut channel = controller.router().await;
    let report = channel
        .expect(|_, message| match message {
            ControlMessage::RouterInterfaces(report) => Some(report),
            _ => None,
        })
        .await;
    assert!(report.interfaces.iter().any(|one| one.name == "lo"));
    router.stop().await;
}

#[tokio::test]
async fn second_connection_is_for_urgent_messages() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut controller = FakeController::start("c1", &authority).await;
    let router = Router::at(&authority, &directory, &[controller.place()]).start();
    let channel = controller.router().await;
    soon(async {
        while channel.handle.connections() < 2 {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    })
    .await;
    router.stop().await;
}

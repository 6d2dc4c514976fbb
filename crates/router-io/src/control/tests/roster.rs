//! Which controllers a router is connected to.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use bytes::Bytes;
use portcullis_router::edge::Recipient;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::address::{
    ClusterLeader, Controller, ControllerAddresses, Endpoint, Settings,
};
use portcullis_wire::control::route::Unroute;
use tempfile::TempDir;

use super::controller::FakeController;
use super::world::{Authority, Router, endpoints_file, soon, until_file_has};

fn list(index: u64, controllers: &[(&str, &FakeController)]) -> ControlMessage {
    let controllers = controllers.iter().map(|(id, at)| Controller {
        id: (*id).to_owned(),
        endpoints: vec![Endpoint {
            address: at.place(),
            groups: Vec::new(),
        }],
    });
    ControlMessage::ControllerAddresses(ControllerAddresses {
        index,
        is_leader: true,
        controllers: controllers.collect(),
        ..ControllerAddresses::default()
    })
}

#[tokio::test]
async fn list_of_controllers_is_followed_and_kept_for_the_next_start() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut first = FakeController::start("c1", &authority).await;
    let mut second = FakeController::start("c2", &authority).await;
    let mut router = Router::at(&authority, &directory, &[first.place()]).start();
    let to_first = first.router().await;
    router.connects_to("c1").await;

    to_first.send(&list(1, &[("c1", &first), ("c2", &second)]));
    let to_second = second.router().await;
    router.connects_to("c2").await;
    let file = endpoints_file(&directory);
    until_file_has(&file, &second.place()).await;
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );

    to_second.send(&list(2, &[("c2", &second)]));
    router.loses("c1").await;
    soon(to_first.handle.closed()).await;
    soon(async {
        while fs::read_to_string(&file).unwrap().contains("c1") {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    })
    .await;
    router.stop().await;

    // The configuration does not lead there.
    let mut again = Router::at(&authority, &directory, &[first.place()]).start();
    again.connects_to("c2").await;
    let _channel = second.router().await;
    assert!(again.has_no_event());
    again.stop().await;
}

#[tokio::test]
async fn what_is_known_of_connected_controllers_is_shown() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut first = FakeController::start("c1", &authority).await;
    let mut second = FakeController::start("c2", &authority).await;
    let places = [first.place(), second.place()];
    let mut router = Router::at(&authority, &directory, &places).start();
    let (to_first, to_second) = (first.router().await, second.router().await);
    for _ in ["c1", "c2"] {
        router.event().await;
    }
    let shown = router.controllers.views().into_iter();
    let shown: Vec<_> = shown
        .map(|view| (view.controller.to_string(), view.address, view.version))
        .collect();
    let version = super::controller::version().version;
    let expected = [("c1", &first), ("c2", &second)];
    let expected =
        expected.map(|(id, controller)| (id.to_owned(), controller.place(), version.clone()));
    assert_eq!(shown, expected);
    assert_eq!(router.leader(), None, "nobody has said it");

    let leads = async |leader: &str| {
        while router.leader() != Some(leader.into()) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    to_first.send(&list(1, &[("c1", &first), ("c2", &second)]));
    soon(leads("c1")).await;
    to_second.send(&ControlMessage::ClusterLeader(ClusterLeader { index: 9 }));
    soon(leads("c2")).await;
    router.stop().await;
}

#[tokio::test]
async fn both_controllers_of_the_configuration_are_connected_and_one_is_found_by_two_addresses() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut first = FakeController::start("c1", &authority).await;
    let mut twin = FakeController::start("c1", &authority).await;
    let mut second = FakeController::start("c2", &authority).await;
    let places = [first.place(), twin.place(), second.place()];
    let mut router = Router::at(&authority, &directory, &places).start();
    let mut connected = Vec::new();
    for _ in 0..2 {
        match router.event().await {
            super::world::Event::Connected(controller) => connected.push(controller),
            other => panic!("{other:?}"),
        }
    }
    connected.sort();
    assert_eq!(connected, ["c1", "c2"]);
    let _channel = second.router().await;
    let (first, twin) = (first.router().await, twin.router().await);
    soon(async {
        tokio::select! {
            _ = first.handle.closed() => {},
            _ = twin.handle.closed() => {},
        }
    })
    .await;
    assert!(router.has_no_event(), "a second channel is closed unseen");
    router.stop().await;
}

#[tokio::test]
async fn what_no_list_names_is_given_up() {
    let (authority, other) = (Authority::new(), Authority::new());
    let directory = TempDir::new().unwrap();
    let mut first = FakeController::start("c1", &authority).await;
    let stranger = FakeController::start("c2", &other).await;
    let away = FakeController::start("c3", &authority).await;
    let places = [first.place(), stranger.place(), away.place()];
    away.stop().await;
    let mut router = Router::at(&authority, &directory, &places).start();
    let channel = first.router().await;
    router.connects_to("c1").await;
    router.control.first_contact().await.unwrap();

    channel.send(&list(1, &[("c1", &first)]));
    let file = endpoints_file(&directory);
    until_file_has(&file, &first.place()).await;
    let kept = fs::read_to_string(&file).unwrap();
    for place in &places[1..] {
        assert!(!kept.contains(place.as_str()), "{kept}");
    }
    assert!(router.has_no_event());
    router.stop().await;
}

#[tokio::test]
async fn controller_that_the_list_of_another_one_leaves_out_is_kept_until_the_leader_says_so() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut first = FakeController::start("c1", &authority).await;
    let mut second = FakeController::start("c2", &authority).await;
    let places = [first.place(), second.place()];
    let mut router = Router::at(&authority, &directory, &places).start();
    let (to_first, to_second) = (first.router().await, second.router().await);
    router.event().await;
    router.event().await;

    let ControlMessage::ControllerAddresses(told) = list(1, &[("c1", &first)]) else {
        panic!("it is a list");
    };
    to_first.send(&ControlMessage::ControllerAddresses(ControllerAddresses {
        is_leader: false,
        ..told
    }));
    let file = endpoints_file(&directory);
    until_file_has(&file, &first.place()).await;
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.contains(&second.place()), "{kept}");
    assert!(router.has_no_event());

    to_first.send(&list(2, &[("c1", &first)]));
    router.loses("c2").await;
    soon(to_second.handle.closed()).await;
    router.stop().await;
}

#[tokio::test]
async fn controller_that_moves_is_found_again() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut old = FakeController::start("c1", &authority).await;
    let mut new = FakeController::start("c1", &authority).await;
    let mut router = Router::at(&authority, &directory, &[old.place()]).start();
    let channel = old.router().await;
    router.connects_to("c1").await;
    let settings = [(Settings::NEW_CONTROL_ADDRESS, Bytes::from(new.place()))];
    channel.send(&ControlMessage::Settings(Settings {
        values: settings.into_iter().collect(),
    }));
    until_file_has(&endpoints_file(&directory), &new.place()).await;
    assert!(router.has_no_event(), "the channel goes on");
    old.stop().await;
    router.loses("c1").await;
    let _channel = new.router().await;
    router.connects_to("c1").await;
    router.stop().await;
}

#[tokio::test]
async fn message_for_any_controller_goes_to_one_that_is_there() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut first = FakeController::start("c1", &authority).await;
    let mut second = FakeController::start("c2", &authority).await;
    let places = [first.place(), second.place()];
    let mut router = Router::at(&authority, &directory, &places).start();
    let _channel = first.router().await;
    let mut to_second = second.router().await;
    router.event().await;
    router.event().await;
    first.stop().await;
    router.loses("c1").await;
    let message = ControlMessage::Unroute(Unroute::default());
    let told = router.controllers.tell(&Recipient::Any, &message).unwrap();
    assert_eq!(told.as_str(), "c2");
    to_second
        .expect(|_, message| matches!(message, ControlMessage::Unroute(_)).then_some(()))
        .await;
    router.stop().await;
}

//! Controllers that are away, refuse, or cannot do what is needed.

use std::time::Duration;

use portcullis_wire::capability::ControllerCapability;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::controller::{FakeController, Says};
use super::world::{Authority, Router, soon};
use crate::testing::Proxy;

#[tokio::test]
async fn router_is_back_soon_after_its_controller() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut controller = FakeController::start("c1", &authority).await;
    let at = controller.address;
    let mut router = Router::at(&authority, &directory, &[controller.place()]).start();
    let _channel = controller.router().await;
    router.connects_to("c1").await;

    controller.stop().await;
    router.loses("c1").await;
    sleep(Duration::from_secs(1)).await;
    let mut controller = FakeController::start_at(at, Says::usual("c1"), &authority).await;
    let start = Instant::now();
    let _again = controller.router().await;
    router.connects_to("c1").await;
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    router.stop().await;
}

/// Its connection stays open, and so do those that are made anew: nothing passes through them.
#[tokio::test]
async fn controller_that_falls_silent_is_given_up_and_dialed_again_with_growing_pauses() {
    const SILENCE: Duration = Duration::from_secs(1);
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut controller = FakeController::start("c1", &authority).await;
    let line = Proxy::start(controller.address).await;
    let section = format!(
        "{{endpoint: 'tls:localhost:{}', options: {{connectTimeout: 1s}}, heartbeats: \
         {{sendInterval: 200ms, checkInterval: 100ms, closeUnresponsiveTimeout: 1s}}}}",
        line.address.port()
    );
    let router = Router {
        section,
        ..Router::at(&authority, &directory, &[])
    };
    let mut router = router.start();
    let _channel = controller.router().await;
    router.connects_to("c1").await;
    sleep(SILENCE * 3 / 2).await;
    assert!(router.has_no_event(), "heartbeats are answered");

    line.stall();
    let (start, before) = (Instant::now(), line.accepted().len());
    router.loses("c1").await;
    let noticed = start.elapsed();
    assert!(noticed >= SILENCE / 2, "{noticed:?}");
    // An attempt takes a second, and so does the first pause at most.
    let pauses = soon(async {
        loop {
            let attempts = line.accepted().split_off(before);
            let pauses = attempts.windows(2).map(|pair| pair[1] - pair[0]);
            let pauses: Vec<_> = pauses.collect();
            if pauses.last() > pauses.first().map(|first| *first * 3 / 2).as_ref() {
                return pauses;
            }
            sleep(SILENCE / 10).await;
        }
    });
    let pauses = pauses.await;
    println!("pauses between attempts: {pauses:?}");
    assert!(pauses.iter().min() > Some(&(SILENCE / 4)), "{pauses:?}");
    assert!(router.has_no_event());

    line.go_on();
    let _again = controller.router().await;
    router.connects_to("c1").await;
    router.stop().await;
}

#[tokio::test]
async fn channel_goes_on_when_only_its_connections_were_lost() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let mut controller = FakeController::start("c1", &authority).await;
    let middle = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = format!("tls:localhost:{}", middle.local_addr().unwrap().port());
    let (cut, cuts) = watch::channel(0);
    let to = controller.address;
    tokio::spawn(async move {
        loop {
            let (mut near, _) = middle.accept().await.unwrap();
            let mut cuts = cuts.clone();
            cuts.mark_unchanged();
            tokio::spawn(async move {
                let mut far = TcpStream::connect(to).await.unwrap();
                tokio::select! {
                    _ = cuts.changed() => {
                        // The controller does not notice.
                        drop(near);
                        sleep(Duration::from_mins(1)).await;
                    },
                    _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {},
                }
            });
        }
    });
    let mut router = Router::at(&authority, &directory, &[place]).start();
    let channel = controller.router().await;
    router.connects_to("c1").await;
    cut.send_modify(|cuts| *cuts += 1);
    router.loses("c1").await;
    router.connects_to("c1").await;
    assert_eq!(channel.handle.close_reason(), None);
    assert!(
        channel.handle.connections() >= 2,
        "the new connection joined it"
    );
    router.stop().await;
}

#[tokio::test]
async fn refused_router_is_told_why_and_gives_up_if_that_was_never_otherwise() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let says = Says {
        refusal: Some("the certificate is not the one that it enrolled with"),
        ..Says::usual("c1")
    };
    let at = "127.0.0.1:0".parse().unwrap();
    let mut controller = FakeController::start_at(at, says, &authority).await;
    let place = controller.place();
    let section = format!("{{endpoint: '{place}', startupTimeout: 300ms}}");
    let router = Router {
        section,
        ..Router::at(&authority, &directory, &[])
    };
    let mut router = router.start();
    let error = router.control.first_contact().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "no controller was reached within 300ms (ctrl.startupTimeout): {place}: the connection \
             was rejected: the certificate is not the one that it enrolled with"
        )
    );
    controller.refuse(None);
    let _channel = controller.router().await;
    router.connects_to("c1").await;
    router.control.first_contact().await.unwrap();
    router.stop().await;
}

#[tokio::test]
async fn controller_that_is_too_old_or_of_another_authority_is_none() {
    let (authority, other) = (Authority::new(), Authority::new());
    let directory = TempDir::new().unwrap();
    let old = Says {
        capability: ControllerCapability::RouterDataModel,
        ..Says::usual("c1")
    };
    let at = "127.0.0.1:0".parse().unwrap();
    let old = FakeController::start_at(at, old, &authority).await;
    let stranger = FakeController::start("c2", &other).await;
    let section = format!(
        "{{endpoints: ['{}', '{}'], startupTimeout: 1s}}",
        old.place(),
        stranger.place()
    );
    let router = Router {
        section,
        ..Router::at(&authority, &directory, &[])
    };
    let mut router = router.start();
    let error = router
        .control
        .first_contact()
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("is too old"), "{error}");
    assert!(error.contains("invalid peer certificate"), "{error}");
    assert!(router.has_no_event());
    router.stop().await;
}

#[tokio::test]
async fn certificate_of_another_controller_is_no_answer() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let certified = |spiffe_id| Says {
        spiffe_id: Some(spiffe_id),
        ..Says::usual("c1")
    };
    let at = "127.0.0.1:0".parse().unwrap();
    let other = certified("spiffe://example.test/controller/c2");
    let other = FakeController::start_at(at, other, &authority).await;
    let section = format!("{{endpoint: '{}', startupTimeout: 300ms}}", other.place());
    let router = Router {
        section,
        ..Router::at(&authority, &directory, &[])
    };
    let mut router = router.start();
    let error = router.control.first_contact().await.unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("controller c1 answers with the certificate of controller c2"),
        "{error}"
    );
    assert!(router.has_no_event());

    let place = other.address;
    other.stop().await;
    let own = certified("spiffe://example.test/controller/c1");
    let mut own = FakeController::start_at(place, own, &authority).await;
    let _channel = own.router().await;
    router.connects_to("c1").await;
    router.stop().await;
}

#[tokio::test]
async fn router_without_controllers_says_that_there_is_none() {
    let (authority, directory) = (Authority::new(), TempDir::new().unwrap());
    let router = Router {
        section: "{startupTimeout: 10ms}".to_owned(),
        ..Router::at(&authority, &directory, &[])
    };
    let router = router.start();
    let error = router
        .control
        .first_contact()
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("there is none to be dialed"), "{error}");
    router.stop().await;
}

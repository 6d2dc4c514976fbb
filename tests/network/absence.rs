//! A controller that is away.

use crate::controller::{Controller, PATIENCE};
use crate::line::Line;
use crate::network::{Flow, Network};
use crate::router::DIALER;
use portcullis_simulated_sdk::accept;
use std::pin::pin;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};

/// What a router waits between two looks at anything, at the most.
const STEP: Duration = Duration::from_secs(5);
const TENTH: Duration = Duration::from_millis(100);
/// Real time for what follows from a step.
const SETTLE: Duration = Duration::from_millis(4);

/// Time that passes only when a test says so, while sockets are as fast as ever.
struct FrozenTime {
    /// Time would go on by itself if nothing were blocked.
    _blocked: mpsc::Sender<()>,
}

impl FrozenTime {
    /// From now on.
    fn begin() -> Self {
        tokio::time::pause();
        let (blocked, end) = mpsc::channel::<()>();
        let _task = spawn_blocking(move || end.recv());
        Self { _blocked: blocked }
    }

    /// Lets everybody do what there is to be done.
    async fn settle(&self) {
        spawn_blocking(|| thread::park_timeout(SETTLE))
            .await
            .unwrap();
    }

    async fn pass(&self, time: Duration) {
        let mut left = time;
        while !left.is_zero() {
            let step = left.min(STEP);
            tokio::time::advance(step).await;
            self.settle().await;
            left -= step;
        }
    }

    /// Lets time pass, a tenth of a second after the other, until something has been done.
    async fn during<F: Future>(&self, doing: F) -> F::Output {
        let mut doing = pin!(doing);
        let mut passed = Duration::ZERO;
        loop {
            tokio::select! {
                biased;
                done = &mut doing => {
                    println!("done after {passed:?}");
                    return done;
                },
                () = self.settle() => {},
            }
            passed += TENTH;
            tokio::time::advance(TENTH).await;
        }
    }

    /// Lets time pass until something holds.
    async fn until(&self, what: &str, mut holds: impl AsyncFnMut() -> bool) {
        for steps in 0..120 {
            if holds().await {
                println!("{what} after {:?}", STEP * steps);
                return;
            }
            self.pass(STEP).await;
        }
        panic!("{what}: it is not so in ten minutes");
    }
}

async fn is_online(controller: &Controller) -> bool {
    let routers = controller.get("edge-routers").await;
    routers[0]["isOnline"] == true
}

/// Nobody has to log in anew: sessions that were in use when the controller went are told of when it is back.
#[tokio::test]
async fn controller_that_is_away_for_an_hour() {
    let mut network = Network::new(1).await;
    let _router = network.routers[0].start().await;
    network.controller.until_online(1).await;
    let mut host = network.host("bob", 0, Flow::Legacy).await;
    let mut client = network.client("alice", 0).await;
    let circuit = client.dials(1, &mut host, Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut host).await;
    let late = network.controller.person("carol").await;
    let leaver = network.client("dave", 0).await;
    let hour = Duration::from_hours(1);
    let time = FrozenTime::begin();

    let killed = network.controller.kill().await;
    for _ in 0..12 {
        time.pass(hour / 12).await;
        circuit.echoes(&mut client.sdk, &mut host).await;
    }
    // Who was known is let in, but nobody can lead a circuit.
    let edge = network.routers[0].edge();
    let _sdk = time.during(late.connect(edge)).await.unwrap();
    let refused = time.during(client.tries(2, Flow::Legacy)).await;
    let refused = refused.unwrap_err();
    assert!(
        refused.reason.contains("no controller"),
        "{}",
        refused.reason
    );

    network.controller = Controller::restart(killed, hour).await;
    let controller = &network.controller;
    // Before the router is there again.
    controller
        .delete(&format!("identities/{}", leaver.person.id))
        .await;
    let new = controller.person("erin").await;
    time.until("the router is online again", async || {
        is_online(controller).await
    })
    .await;
    time.until("one that was deleted is put off", async || {
        leaver.sdk.channel.close_reason().is_some()
    })
    .await;
    let _sdk = time.during(new.connect(edge)).await.unwrap();
    circuit.echoes(&mut client.sdk, &mut host).await;
    assert_eq!(controller.terminators(&network.service).await, 1);
    let dialing = client.dials(3, &mut host, Flow::Legacy);
    let again = time.during(dialing).await;
    again.echoes(&mut client.sdk, &mut host).await;
}

/// It has lost what was stored last.
#[tokio::test]
async fn controller_that_comes_back_with_older_data() {
    let mut network = Network::new(1).await;
    let _router = network.routers[0].start().await;
    network.controller.until_online(1).await;
    let mut host = network.host("bob", 0, Flow::Legacy).await;
    let mut client = network.client("alice", 0).await;
    let circuit = client.dials(1, &mut host, Flow::Legacy).await;
    let older = network.controller.remains();
    let lost = network.client("carol", 0).await;
    let time = FrozenTime::begin();
    network.controller.kill().await;
    network.controller = Controller::restart(older, Duration::ZERO).await;
    time.until("the router is online again", async || {
        is_online(&network.controller).await
    })
    .await;
    time.until("one that is unknown now is put off", async || {
        lost.sdk.channel.close_reason().is_some()
    })
    .await;
    circuit.echoes(&mut client.sdk, &mut host).await;
    let dialing = client.dials(2, &mut host, Flow::Legacy);
    let again = time.during(dialing).await;
    again.echoes(&mut client.sdk, &mut host).await;
}

/// Its connection stays open. A router that has noticed refuses dials at once, and carries on what there is.
#[tokio::test]
async fn controller_that_falls_silent() {
    const SILENCE: Duration = Duration::from_secs(2);
    let mut network = Network::new(1).await;
    let router = &mut network.routers[0];
    let line = Line::start(router.controller).await;
    router.controller = line.address;
    router.control_options = "heartbeats: {sendInterval: 500ms, closeUnresponsiveTimeout: 2s}";
    router.configure(router.link, DIALER);
    let _router = router.start().await;
    network.controller.until_online(1).await;
    let mut host = network.host("bob", 0, Flow::Legacy).await;
    let mut client = network.client("alice", 0).await;
    let circuit = client.dials(1, &mut host, Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut host).await;

    line.fall_silent();
    let start = Instant::now();
    let mut numbers = 2..;
    let noticing = async {
        loop {
            let number = numbers.next().unwrap();
            let refused = client.tries(number, Flow::Legacy).await.unwrap_err();
            if refused.reason.contains("no controller") {
                return;
            }
        }
    };
    timeout(PATIENCE, noticing).await.unwrap();
    println!("it is noticed after {:.1?}", start.elapsed());
    circuit.echoes(&mut client.sdk, &mut host).await;
    sleep(SILENCE).await;
    circuit.echoes(&mut client.sdk, &mut host).await;

    line.cut();
    let dialing = async {
        loop {
            let number = numbers.next().unwrap();
            if client.tries(number, Flow::Legacy).await.is_ok() {
                return;
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    let (_, dialed) = tokio::join!(accept(&mut host), timeout(PATIENCE, dialing));
    dialed.unwrap();
    circuit.echoes(&mut client.sdk, &mut host).await;
}

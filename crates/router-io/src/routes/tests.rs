//! Routes, dials, and what controllers are answered.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portcullis_channel::Frame;
use portcullis_forwarding::ForwardingOptions;
use portcullis_memory_budget::{Account, MemoryBudget};
use portcullis_router::circuits::{ForwarderSettings, QueueSize};
use portcullis_wire::Secret;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::FaultSubject;
use portcullis_wire::control::route::{
    DestinationKind, Egress, Route, RouteFailure, RouteOutcome, RouteResult, Unroute,
};
use portcullis_wire::peer_data::{self, PeerData};
use portcullis_xgress::{Options, Side};
use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::task::TaskTracker;

use super::{DialFailure, DialRequest, Dialer, Dialers, Routes};
use crate::ends::{EndTerms, Ends, SocketSide, Start};
use crate::relay::Relay;
use crate::testing::{
    CIRCUIT, Recorder, TestController, TestRouter, controller_id, fault, forward,
};

/// Answers after a while, with an end whose program is kept here.
struct SlowDialer {
    ends: Ends,
    takes: Duration,
    failure: Option<DialFailure>,
    programs: Mutex<Vec<DuplexStream>>,
}

impl Dialer for SlowDialer {
    fn dial(&self, request: DialRequest) -> BoxFuture<'static, Result<PeerData, DialFailure>> {
        let (ours, theirs) = duplex(1 << 10);
        self.programs.lock().push(ours);
        let (ends, takes, failure) = (self.ends.clone(), self.takes, self.failure.clone());
        Box::pin(async move {
            sleep(takes).await;
            if let Some(failure) = failure {
                return Err(failure);
            }
            let terms = EndTerms {
                circuit: request.circuit,
                address: request.address,
                side: Side::Terminator,
                options: Arc::new(Options::default()),
                start: Start::AtOnce,
                identity: None,
            };
            ends.open(&terms, SocketSide::new("xgress/test", theirs));
            Ok([(peer_data::REMOTE_ADDRESS, Secret::new("there".into()))].into())
        })
    }
}

/// Panics once it has attached its end.
struct BrokenDialer(Arc<Relay>);

impl Dialer for BrokenDialer {
    fn dial(&self, request: DialRequest) -> BoxFuture<'static, Result<PeerData, DialFailure>> {
        let relay = Arc::clone(&self.0);
        Box::pin(async move {
            relay.attach(&request.address, Recorder::new().0);
            panic!("a fault of the dialer");
        })
    }
}

/// A router whose dialer of `test` takes a second, and that of `broken` panics.
struct Setup {
    router: TestRouter,
    routes: Arc<Routes>,
    dialer: Arc<SlowDialer>,
    controller: TestController,
}

impl Setup {
    async fn new() -> Self {
        Self::with(None, Duration::ZERO).await
    }

    /// With what becomes of each dial, and the pause before it.
    async fn with(failure: Option<DialFailure>, service_dial_pause: Duration) -> Self {
        let memory = Arc::new(MemoryBudget::new(1 << 20));
        let router = TestRouter::within("router", ForwardingOptions::default(), memory);
        let controller = TestController::connect(&controller_id(), &router.controllers).await;
        let dialer = Arc::new(SlowDialer {
            ends: router.ends.clone(),
            takes: Duration::from_secs(1),
            failure,
            programs: Mutex::default(),
        });
        let broken = BrokenDialer(Arc::clone(&router.relay));
        let dialers: Dialers = [
            ("test".to_owned(), Arc::clone(&dialer) as Arc<dyn Dialer>),
            ("broken".to_owned(), Arc::new(broken)),
        ]
        .into();
        let size = QueueSize {
            waiting: 2,
            workers: 1,
        };
        let settings = ForwarderSettings {
            forwarding: ForwardingOptions::default(),
            link_dials: size,
            rate_limited: size,
            service_dials: size,
            service_dial_pause,
        };
        router.relay.attach("link", Recorder::new().0);
        Self {
            routes: Routes::new(
                Arc::clone(&router.relay),
                Arc::clone(&router.controllers),
                dialers,
                &settings,
                TaskTracker::new(),
            ),
            router,
            dialer,
            controller,
        }
    }

    async fn send(&mut self, route: Route) {
        let request: Frame = self
            .controller
            .ask(&ControlMessage::Route(route.clone()))
            .await;
        let request = request.reply_to();
        self.routes.route(&controller_id(), request, route);
    }

    async fn result(&mut self) -> RouteResult {
        match self.controller.next().await {
            ControlMessage::RouteResult(result) => result,
            other => panic!("{other:?}"),
        }
    }

    async fn assert_fails(&mut self, circuit: &str, failure: RouteFailure) {
        let result = self.result().await;
        assert_eq!(result.circuit_id, circuit);
        let RouteOutcome::Failed { failure: found, .. } = result.outcome else {
            panic!("it was routed");
        };
        assert_eq!(found, failure);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_dialed_while_memory_is_short() {
    let mut setup = Setup::new().await;
    let mut others = Account::new(setup.router.relay.memory());
    others.set(1 << 20);
    setup.send(egress("c1")).await;
    let failure = RouteFailure::ResourcesNotAvailable;
    setup.assert_fails("c1", failure).await;
    assert_eq!(setup.routes.dials(), (0, 0));
    // What is only passed on takes little.
    setup.send(transit("c2", "link")).await;
    let passed_on = setup.result().await;
    assert!(
        matches!(passed_on.outcome, RouteOutcome::Routed(_)),
        "{passed_on:?}"
    );
    drop(others);
    setup.send(egress("c3")).await;
    let dialed = setup.result().await;
    assert!(
        matches!(dialed.outcome, RouteOutcome::Routed(_)),
        "{dialed:?}"
    );
}

fn transit(circuit: &str, link: &str) -> Route {
    let (near, far) = (
        ("link", DestinationKind::Link),
        (link, DestinationKind::Link),
    );
    Route {
        circuit_id: circuit.to_owned(),
        forwards: vec![forward(near, far), forward(far, near)],
        ..Route::default()
    }
}

fn egress(circuit: &str) -> Route {
    let address = format!("end of {circuit}");
    let end = (address.as_str(), DestinationKind::End);
    let link = ("link", DestinationKind::Link);
    Route {
        circuit_id: circuit.to_owned(),
        attempt: 3,
        egress: Some(Egress {
            binding: "test".to_owned(),
            address: address.clone(),
            destination: "there".to_owned(),
            ..Egress::default()
        }),
        forwards: vec![forward(link, end), forward(end, link)],
        timeout_nanos: 5_000_000_000,
        ..Route::default()
    }
}

fn unroute(circuit: &str) -> Unroute {
    Unroute {
        circuit_id: circuit.to_owned(),
        is_immediate: true,
    }
}

#[tokio::test(start_paused = true)]
async fn a_route_that_needs_no_dial_is_taken_before_the_call_returns() {
    let mut setup = Setup::new().await;
    setup.send(egress("slow")).await;
    setup.send(transit(CIRCUIT, "link")).await;
    assert!(setup.router.relay.circuit(CIRCUIT).is_some());
    let result = setup.result().await;
    assert_eq!(result.circuit_id, CIRCUIT);
    assert_eq!(result.outcome, RouteOutcome::Routed(PeerData::new()));
}

#[tokio::test(start_paused = true)]
async fn a_link_that_is_not_there_is_told_to_all_controllers() {
    let mut setup = Setup::new().await;
    let other = "other".into();
    let mut other = TestController::connect(&other, &setup.router.controllers).await;
    setup.send(transit(CIRCUIT, "lost")).await;
    setup
        .assert_fails(CIRCUIT, RouteFailure::InvalidLinkDestination)
        .await;
    let lost = fault(FaultSubject::Link, "lost");
    assert_eq!(setup.controller.next().await, lost);
    assert_eq!(other.next().await, lost);
}

#[tokio::test(start_paused = true)]
async fn the_last_router_dials_and_tells_what_it_has_found() {
    let mut setup = Setup::new().await;
    setup.send(egress(CIRCUIT)).await;
    let RouteResult {
        attempt, outcome, ..
    } = setup.result().await;
    assert_eq!(attempt, 3);
    let found = [(peer_data::REMOTE_ADDRESS, Secret::new("there".into()))];
    assert_eq!(outcome, RouteOutcome::Routed(found.into()));
    // Another way to the same end needs no dial.
    setup.send(egress(CIRCUIT)).await;
    assert!(matches!(
        setup.result().await.outcome,
        RouteOutcome::Routed(_)
    ));
    assert_eq!(setup.dialer.programs.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_dialed_says_why() {
    let refused = DialFailure {
        reason: "nobody listens".to_owned(),
        failure: RouteFailure::ConnectionRefused,
    };
    let mut setup = Setup::with(Some(refused), Duration::ZERO).await;
    setup.send(egress(CIRCUIT)).await;
    setup
        .assert_fails(CIRCUIT, RouteFailure::ConnectionRefused)
        .await;
    let mut unknown = egress(CIRCUIT);
    if let Some(egress) = &mut unknown.egress {
        egress.binding = "tunnel".to_owned();
    }
    setup.send(unknown).await;
    setup
        .assert_fails(CIRCUIT, RouteFailure::MisconfiguredTerminator)
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_dialer_that_panics_has_failed_at_once() {
    let mut setup = Setup::new().await;
    let begin = Instant::now();
    let mut route = egress("broken");
    if let Some(egress) = &mut route.egress {
        egress.binding = "broken".to_owned();
    }
    setup.send(route).await;
    setup.assert_fails("broken", RouteFailure::Generic).await;
    assert_eq!(begin.elapsed(), Duration::ZERO);
    assert!(setup.router.relay.find("end of broken").is_none());
    assert_eq!(setup.routes.dials(), (0, 0));
    // Others are dialed after it.
    setup.send(egress(CIRCUIT)).await;
    assert!(matches!(
        setup.result().await.outcome,
        RouteOutcome::Routed(_)
    ));
}

/// Defect 25 of the original: such a route was dropped, and its controller waited for an answer.
#[tokio::test(start_paused = true)]
async fn what_the_queue_has_no_room_for_is_refused_at_once() {
    let mut setup = Setup::new().await;
    let begin = Instant::now();
    for circuit in ["dialed", "waits", "waits too", "too much"] {
        setup.send(egress(circuit)).await;
    }
    setup
        .assert_fails("too much", RouteFailure::ResourcesNotAvailable)
        .await;
    assert_eq!(begin.elapsed(), Duration::ZERO);
    assert_eq!(setup.routes.dials(), (2, 1));
    for circuit in ["dialed", "waits", "waits too"] {
        assert_eq!(setup.result().await.circuit_id, circuit);
    }
    assert_eq!(setup.routes.dials(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn each_dial_waits_for_the_pause_of_the_file() {
    let mut setup = Setup::with(None, Duration::from_millis(250)).await;
    let begin = Instant::now();
    setup.send(egress("first")).await;
    setup.send(egress("second")).await;
    for seconds in [1.25, 2.5] {
        let result = setup.result().await;
        assert!(matches!(result.outcome, RouteOutcome::Routed(_)));
        assert_eq!(begin.elapsed(), Duration::from_secs_f64(seconds));
    }
}

#[tokio::test(start_paused = true)]
async fn a_dial_has_the_time_of_its_route_from_its_arrival_on() {
    let mut setup = Setup::new().await;
    for circuit in ["first", "second", "third"] {
        let route = Route {
            timeout_nanos: 1_500_000_000,
            ..egress(circuit)
        };
        setup.send(route).await;
    }
    assert!(matches!(
        setup.result().await.outcome,
        RouteOutcome::Routed(_)
    ));
    for circuit in ["second", "third"] {
        setup
            .assert_fails(circuit, RouteFailure::DialTimedOut)
            .await;
    }
    assert_eq!(setup.dialer.programs.lock().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_circuit_that_is_taken_away_is_not_dialed_any_more() {
    let mut setup = Setup::new().await;
    setup.send(egress("first")).await;
    setup.send(egress("second")).await;
    sleep(Duration::from_millis(500)).await;
    for circuit in ["first", "second"] {
        setup.routes.unroute(&unroute(circuit));
    }
    for circuit in ["first", "second"] {
        setup.assert_fails(circuit, RouteFailure::Generic).await;
    }
    sleep(Duration::from_secs(5)).await;
    assert_eq!(setup.router.relay.circuit_count(), 0);
    assert!(setup.router.relay.find("end of first").is_none());
    assert_eq!(setup.dialer.programs.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_end_without_a_route_is_closed_again() {
    let mut setup = Setup::new().await;
    let lost = ("lost", DestinationKind::Link);
    let mut route = egress(CIRCUIT);
    route.forwards.push(forward(lost, lost));
    setup.send(route).await;
    setup
        .assert_fails(CIRCUIT, RouteFailure::InvalidLinkDestination)
        .await;
    let mut program = setup.dialer.programs.lock().pop().unwrap();
    let end = timeout(Duration::from_secs(1), program.read(&mut [0])).await;
    assert_eq!(end.unwrap().unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_dialed_or_carried_once_the_router_stops() {
    let mut setup = Setup::new().await;
    setup.send(egress("first")).await;
    setup.send(egress("second")).await;
    sleep(Duration::from_millis(500)).await;
    setup.router.stop.cancel();
    let begin = Instant::now();
    for circuit in ["first", "second"] {
        let failure = RouteFailure::ResourcesNotAvailable;
        setup.assert_fails(circuit, failure).await;
    }
    assert_eq!(begin.elapsed(), Duration::ZERO);
    setup.router.wait_for_ends().await;
    setup.send(transit(CIRCUIT, "link")).await;
    setup.result().await;
    assert_eq!(setup.router.relay.circuit_count(), 0);
}

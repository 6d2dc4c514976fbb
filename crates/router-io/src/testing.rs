//! Routers in memory for tests: relays, links that lose, controllers that listen.

mod certificate;
mod controller;
mod inventory;
mod link;
mod proxy;
mod recorder;

use std::alloc::System;
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_forwarding::ForwardingOptions;
use portcullis_memory_budget::MemoryBudget;
use portcullis_metrics::MetricRegistry;
use portcullis_router::edge::ControllerId;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{Fault, FaultSubject};
use portcullis_wire::control::route::{DestinationKind, Forward, Route};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::ends::Ends;
use crate::relay::{EndView, Relay};

pub(crate) use self::certificate::TestCertificate;
pub(crate) use self::controller::TestController;
pub(crate) use self::inventory::OneLink;
pub(crate) use self::link::{Disturbance, TestLink, connect};
pub(crate) use self::proxy::Proxy;
pub(crate) use self::recorder::Recorder;

/// Tells what tests allocate.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The id of the circuit that tests use.
pub(crate) const CIRCUIT: &str = "circuit";

/// A router with one controller.
pub(crate) struct TestRouter {
    pub(crate) relay: Arc<Relay>,
    pub(crate) controllers: Arc<Controllers>,
    pub(crate) ends: Ends,
    pub(crate) metrics: MetricRegistry,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

impl TestRouter {
    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, ForwardingOptions::default())
    }

    pub(crate) fn with(name: &str, options: ForwardingOptions) -> Self {
        Self::within(name, options, Arc::new(MemoryBudget::unlimited()))
    }

    /// A router whose messages wait in so much memory.
    pub(crate) fn within(
        name: &str,
        options: ForwardingOptions,
        memory: Arc<MemoryBudget>,
    ) -> Self {
        let clock = RouterClock::start(Timestamp::UNIX_EPOCH);
        let controllers = Arc::new(Controllers::new(Duration::from_secs(5)));
        let relay = Relay::new(name.into(), options, Arc::clone(&controllers), clock);
        let relay = Arc::new(relay.within(memory));
        let tasks = TaskTracker::new();
        let stop = CancellationToken::new();
        let metrics = MetricRegistry::default();
        tokio::spawn(Arc::clone(&relay).run(stop.clone()));
        Self {
            ends: Ends::new(Arc::clone(&relay), &metrics, tasks.clone()),
            metrics,
            relay,
            controllers,
            tasks,
            stop,
        }
    }

    /// Takes a route of the test's circuit, both ways between two addresses.
    pub(crate) fn route(&self, first: Address<'_>, second: Address<'_>) {
        let route = Route {
            circuit_id: CIRCUIT.to_owned(),
            forwards: vec![forward(first, second), forward(second, first)],
            ..Route::default()
        };
        self.relay.route(&route, &controller_id()).unwrap();
    }

    /// What the end at an address is doing.
    pub(crate) async fn end_view(&self, address: &str) -> EndView {
        let (_, end) = self.relay.find(address).unwrap();
        end.end_view().await.unwrap()
    }

    /// Waits until all ends are gone.
    pub(crate) async fn wait_for_ends(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// An address with what it leads to.
pub(crate) type Address<'a> = (&'a str, DestinationKind);

pub(crate) fn forward(from: Address<'_>, to: Address<'_>) -> Forward {
    Forward {
        source: from.0.to_owned(),
        destination: to.0.to_owned(),
        destination_kind: to.1,
    }
}

pub(crate) fn fault(subject: FaultSubject, id: &str) -> ControlMessage {
    ControlMessage::Fault(Fault {
        subject,
        id: id.to_owned(),
        iteration: 0,
    })
}

pub(crate) fn controller_id() -> ControllerId {
    "controller".into()
}

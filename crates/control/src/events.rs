//! Events of the network, for those who subscribe to them.
//!
//! | Events | told when |
//! |---|---|
//! | `router`, `terminator`, `link`, `circuit` | the picture of the network has changed: by one task, in the order of the changes |
//! | `service` | at an interval: how the dials of a minute that is over have ended |
//! | `connect` of routers | a channel begins |
//! | `connect` of identities, `sdk` | routers say who is connected to them |
//! | `metrics`, `usage`, `alert` | routers report |
//!
//! What an identity is connected to is kept by [`ConnectedIdentities`](crate::identities::ConnectedIdentities),
//! which tells of it itself.
//!
//! There are no `cluster` events: a controller is alone, and its state never changes.
//!
//! Nothing is made of what nobody wants to know, and no lock of the network is held while something is
//! published. What routers say is theirs: texts have a maximum length, and an event names the router whose
//! channel it came by.

mod alert;
mod circuit;
mod connect;
mod link;
mod metrics;
mod router;
mod service;
mod terminator;
mod text;

use crate::network::Happened;
use crate::plane::Plane;
use portcullis_domain::clock::Timestamp;
use portcullis_fabric::FabricEvent;
use service::DialCounters;
use std::sync::Arc;
use std::time::Duration;
use text::shortened;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

pub(crate) use alert::{AlertLimit, publish as publish_alerts};
pub(crate) use connect::{
    of_identity as identity_connect, publish_router as publish_router_connect,
};
pub(crate) use metrics::{RecentReports, publish as publish_metrics};

/// How often is looked for identities that nobody knows of any more.
pub(crate) const SCAN_INTERVAL: Duration = Duration::from_mins(1);

/// Tells of what happens in the network, as long as something can happen.
pub(crate) async fn follow(plane: Arc<Plane>, mut happened: mpsc::UnboundedReceiver<Happened>) {
    let mut dials = DialCounters::default();
    let mut reports = ticks(plane.report_interval);
    let mut scans = ticks(SCAN_INTERVAL);
    loop {
        tokio::select! {
            next = happened.recv() => match next {
                Some(next) => tell(&plane, &mut dials, next),
                None => return,
            },
            _ = reports.tick() => dials.publish(&plane.app, plane.interval_age),
            _ = scans.tick() => {
                plane.identities.scan(&plane.app, |router| {
                    plane.network.read(|fabric| fabric.network().find_router(router).is_some())
                });
            },
        }
    }
}

/// Ticks from now on, the first time after a whole interval.
fn ticks(interval: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

fn tell(plane: &Plane, dials: &mut DialCounters, happened: Happened) {
    let Happened { at, event } = happened;
    tracing::debug!(?event, "network");
    let time = plane.wall_time(at);
    match event {
        FabricEvent::Router(event) => {
            router::publish(plane, time, &event);
            terminator::publish(plane, (at, time), &event);
        },
        FabricEvent::Link(event) => link::publish(plane, time, event),
        FabricEvent::Circuit(event) => {
            dials.count(&plane.app, time, &event);
            circuit::publish(plane, (at, time), &event);
            plane.enforcement.follow(event);
        },
    }
}

/// The time that a router says in milliseconds since 1970; now, if it says none.
fn time_of_router(plane: &Plane, millis: i64) -> Timestamp {
    let said = (millis > 0).then(|| Timestamp::from_millisecond(millis).ok());
    said.flatten().unwrap_or_else(|| plane.app.env().now())
}

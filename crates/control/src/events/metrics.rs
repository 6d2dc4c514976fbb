//! What routers measure: metrics, and the use of circuits.

use crate::network::LiveFabric;
use crate::plane::Plane;
use crate::session::Session;
use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_events::{Body, LinkRouters, Namespace, bounded_report, metrics_of, usage_of};
use portcullis_wire::control::metrics::Metrics;
use std::collections::{BTreeMap, VecDeque};

/// Reports of one router whose ids are remembered.
const REMEMBERED: usize = 8;

/// Which reports came last from each router. A router sends one again if it does not know that it arrived.
#[derive(Debug, Default)]
pub(crate) struct RecentReports(Mutex<BTreeMap<RouterId, VecDeque<String>>>);

impl RecentReports {
    /// Takes note of a report; false if it came before.
    fn is_new(&self, router: &RouterId, report: &str) -> bool {
        if report.is_empty() {
            return true;
        }
        let mut routers = self.0.lock();
        let recent = routers.entry(router.clone()).or_default();
        if recent.iter().any(|known| known == report) {
            return false;
        }
        if recent.len() == REMEMBERED {
            recent.pop_front();
        }
        recent.push_back(report.to_owned());
        true
    }

    /// Forgets a router that was deleted.
    pub(crate) fn forget(&self, router: &RouterId) {
        self.0.lock().remove(router);
    }
}

/// Tells of what a router has measured, and keeps it for Prometheus if that asks. Copies are told of by the controller that has the original.
pub(crate) fn publish(plane: &Plane, session: &Session, metrics: Metrics) {
    let app = &plane.app;
    let wants = [Namespace::Metrics, Namespace::Usage].map(|each| app.wants_events(each));
    let is_told = !metrics.is_copy && wants != [false; 2];
    let reports = app.metrics().reports();
    if !is_told && !reports.are_kept() {
        return;
    }
    let metrics = bounded_report(metrics);
    if reports.are_kept() && !reports.take(session.id(), &metrics, app.env().now()) {
        tracing::debug!(router = %session.id(), "too many metrics are reported: those of a router are not shown");
    }
    if !is_told {
        return;
    }
    if !plane.recent_reports.is_new(session.id(), &metrics.event_id) {
        return;
    }
    let [wants_metrics, wants_usage] = wants;
    let time = time(&metrics).unwrap_or_else(|| app.env().now());
    let router = session.id().as_str().into();
    if wants_metrics {
        let mut links = Links::new(&plane.network);
        for metric in metrics_of(&router, &metrics, |link| links.routers_of(link)) {
            app.publish_at(time, Body::Metric(metric));
        }
    }
    if wants_usage {
        for usage in usage_of(&router, &metrics) {
            app.publish_at(time, Body::Usage(usage));
        }
    }
}

/// When it was measured, if that is said.
fn time(metrics: &Metrics) -> Option<Timestamp> {
    let time = metrics.time.as_ref()?;
    Timestamp::new(time.seconds, time.nanos).ok()
}

/// The routers of links, each looked up once.
struct Links<'n> {
    network: &'n LiveFabric,
    known: BTreeMap<String, Option<LinkRouters>>,
}

impl<'n> Links<'n> {
    const fn new(network: &'n LiveFabric) -> Self {
        Self {
            network,
            known: BTreeMap::new(),
        }
    }

    fn routers_of(&mut self, link: &str) -> Option<LinkRouters> {
        if let Some(known) = self.known.get(link) {
            return known.clone();
        }
        let routers = self.network.read(|fabric| {
            let network = fabric.network();
            let link = network.find_link(link)?;
            Some(LinkRouters {
                source: network.router_id(link.source)?.as_str().into(),
                destination: network.router_id(link.destination)?.as_str().into(),
            })
        });
        self.known.insert(link.to_owned(), routers.clone());
        routers
    }
}

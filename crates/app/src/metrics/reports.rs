//! What routers have reported last, for pages.

use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_wire::control::metrics::Metrics;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Metrics of one router that are kept, at most.
const MAX_PER_ROUTER: usize = 16 * 1024;

/// Metrics of all routers that are kept, at most; they take about 300 bytes each.
const MAX_TOTAL: usize = 128 * 1024;

/// The last report of each router. They are kept if somebody may ask for them.
#[derive(Default)]
pub struct RouterReports {
    are_kept: AtomicBool,
    by_router: Mutex<BTreeMap<RouterId, KeptReport>>,
}

/// What a router has reported last.
#[derive(Clone)]
pub(crate) struct KeptReport {
    pub(crate) metrics: Arc<Metrics>,
    /// When it came, by the clock of the controller: that of the router may be wrong by hours.
    pub(crate) came_at: Timestamp,
}

impl RouterReports {
    /// Keeps reports from now on.
    pub fn keep(&self) {
        self.are_kept.store(true, Ordering::Relaxed);
    }

    /// Whether reports are kept.
    pub fn are_kept(&self) -> bool {
        self.are_kept.load(Ordering::Relaxed)
    }

    /// Takes the report of a router, which comes `now`, in the place of its last one, if there is room for it; whether
    /// there was.
    pub fn take(&self, router: &RouterId, report: &Metrics, now: Timestamp) -> bool {
        if !self.are_kept() {
            return false;
        }
        let mut by_router = self.by_router.lock();
        by_router.remove(router);
        let kept: usize = by_router
            .values()
            .map(|report| number(&report.metrics))
            .sum();
        let added = number(report);
        if added > MAX_PER_ROUTER || kept + added > MAX_TOTAL {
            return false;
        }
        let metrics = Metrics {
            usage_counters: Vec::new(),
            // Whichever controller makes events of it, this one shows it.
            is_copy: false,
            ..report.clone()
        };
        let report = KeptReport {
            metrics: Arc::new(metrics),
            came_at: now,
        };
        by_router.insert(router.clone(), report);
        true
    }

    /// Forgets what was reported by others than these, which are connected.
    pub(crate) fn retain(&self, connected: &[RouterId]) {
        let mut by_router = self.by_router.lock();
        by_router.retain(|router, _| connected.contains(router));
    }

    pub(crate) fn all(&self) -> Vec<(RouterId, KeptReport)> {
        let by_router = self.by_router.lock();
        let reports = by_router.iter();
        reports
            .map(|(router, report)| (router.clone(), report.clone()))
            .collect()
    }
}

fn number(report: &Metrics) -> usize {
    report.integers.len()
        + report.floats.len()
        + report.meters.len()
        + report.histograms.len()
        + report.timers.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(number: usize) -> RouterId {
        RouterId::from_wire(format!("r{number}"))
    }

    fn report(metrics: usize) -> Metrics {
        Metrics {
            integers: (0..metrics).map(|each| (format!("m{each}"), 1)).collect(),
            is_copy: true,
            ..Metrics::default()
        }
    }

    fn take(reports: &RouterReports, number: usize, report: &Metrics) -> bool {
        reports.take(&router(number), report, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn the_last_report_of_each_connected_router_is_kept() {
        let reports = RouterReports::default();
        assert!(!take(&reports, 1, &report(1)));
        reports.keep();
        assert!(take(&reports, 1, &report(1)));
        assert!(take(&reports, 1, &report(2)));
        assert!(take(&reports, 2, &report(3)));
        let kept = reports.all();
        assert_eq!(kept.len(), 2);
        assert_eq!(kept[0].1.metrics.integers.len(), 2);
        assert!(!kept[0].1.metrics.is_copy);
        reports.retain(&[router(2)]);
        assert_eq!(reports.all().len(), 1);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let reports = RouterReports::default();
        reports.keep();
        assert!(!take(&reports, 0, &report(MAX_PER_ROUTER + 1)));
        let full = report(MAX_PER_ROUTER);
        let taken = (0..20).filter(|number| take(&reports, *number, &full));
        assert_eq!(taken.count(), MAX_TOTAL / MAX_PER_ROUTER);
        // One that is kept can be replaced.
        assert!(take(&reports, 0, &full));
    }
}

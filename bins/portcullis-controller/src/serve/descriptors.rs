//! File descriptor limits for connections.

use portcullis_listener::{Limits, Quota};
use portcullis_program::descriptors::raise_limit;

/// Descriptors reserved for everything but connections: store, files, listeners, signals.
const RESERVED: u64 = 64;

/// The descriptors of the process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Descriptors {
    /// Maximum number of open ones; `None` for no limit.
    pub(super) limit: Option<u64>,
    /// Those of routers.
    pub(super) for_routers: usize,
}

impl Descriptors {
    /// Raises the limit as far as possible, and divides what there is.
    pub(super) fn raise(router_connections: u64) -> Self {
        let limit = raise_limit();
        let wanted = usize::try_from(router_connections).unwrap_or(usize::MAX);
        Self {
            limit,
            for_routers: fit_router_connections(wanted, limit),
        }
    }
}

/// Limits the unfinished handshakes of each of `listeners` listeners by the available descriptors: all
/// listeners together use a quarter for them.
pub(super) fn fit_handshakes(limits: Limits, descriptors: Option<u64>, listeners: usize) -> Limits {
    let Some(descriptors) = descriptors else {
        return limits;
    };
    let half_open = for_connections(descriptors) / 4 / listeners.max(1);
    Limits {
        max_half_open: limits.max_half_open.min(half_open.max(1)),
        ..limits
    }
}

/// Limits the connections of routers to a quarter of the available descriptors, so that routers never
/// take those of clients and of handshakes.
fn fit_router_connections(connections: usize, descriptors: Option<u64>) -> usize {
    descriptors.map_or(connections, |descriptors| {
        connections.min((for_connections(descriptors) / 4).max(1))
    })
}

/// Limits the connections of clients by the descriptors that handshakes and `routers` connections of
/// routers leave. With fewer descriptors than connections, the eviction of the heaviest client could
/// never make room. The ratio between one client and all is kept.
pub(super) fn fit_connections(
    connections: Quota,
    descriptors: Option<u64>,
    routers: usize,
) -> Quota {
    let Some(descriptors) = descriptors else {
        return connections;
    };
    let all = for_connections(descriptors);
    let left = (all - all / 4).saturating_sub(routers);
    let total = connections.total.min(left.max(1));
    let parts = (connections.total / connections.per_peer.max(1)).max(1);
    Quota {
        total,
        per_peer: connections.per_peer.min((total / parts).max(1)),
    }
}

/// Descriptors for connections, established or not.
fn for_connections(descriptors: u64) -> usize {
    usize::try_from(descriptors.saturating_sub(RESERVED)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_listener::Quotas;

    #[test]
    fn connections_fit_the_descriptors() {
        for (descriptors, listeners) in [(256, 1), (1024, 2), (65, 1), (1_000_000, 3)] {
            let limits = fit_handshakes(Limits::default(), Some(descriptors), listeners);
            let routers = fit_router_connections(4096, Some(descriptors));
            let usual = Quotas::default().connections;
            let connections = fit_connections(usual, Some(descriptors), routers);
            let most = limits.max_half_open * listeners + connections.total + routers;
            let allowed = usize::try_from(descriptors).unwrap();
            assert!(most <= allowed.max(3), "{most} of {descriptors}");
            assert!((1..=connections.total.div_ceil(4)).contains(&connections.per_peer));
        }
        let usual = Quotas::default().connections;
        assert_eq!(fit_connections(usual, None, 4096), usual);
        assert_eq!(fit_router_connections(4096, None), 4096);
        // What operations.md recommends is enough for all defaults.
        let routers = fit_router_connections(4096, Some(32_768));
        let connections = fit_connections(usual, Some(32_768), routers);
        assert_eq!((routers, connections), (4096, usual));
        let whole = Quota {
            total: 1000,
            per_peer: 1000,
        };
        assert_eq!(fit_router_connections(1000, Some(464)), 100);
        let fitted = fit_connections(whole, Some(464), 100);
        assert_eq!((fitted.total, fitted.per_peer), (200, 200));
    }
}

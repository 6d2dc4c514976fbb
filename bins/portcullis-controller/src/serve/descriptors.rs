//! File descriptor limits for connections.

use portcullis_listener::{Limits, Quota};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors reserved for everything but connections: store, files, listeners, signals.
const RESERVED: u64 = 64;

/// Raises the limit of open descriptors to the hard limit and returns it; `None` for no limit.
///
/// The usual soft limit of 1024 exists for programs that use `select`, which this one does not.
pub(super) fn raise_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open descriptors cannot be raised");
    }
    self::limit()
}

/// The limit of open descriptors; `None` for no limit.
pub(super) fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Limits the unfinished handshakes of each of `listeners` listeners by the available descriptors: all
/// listeners together use a quarter for them.
pub(super) fn fit_handshakes(limits: Limits, descriptors: Option<u64>, listeners: usize) -> Limits {
    let Some(descriptors) = descriptors else {
        return limits;
    };
    let half_open = for_clients(descriptors) / 4 / listeners.max(1);
    Limits {
        max_half_open: limits.max_half_open.min(half_open.max(1)),
        ..limits
    }
}

/// Limits the connections of all listeners by the descriptors that handshakes leave. With fewer
/// descriptors than connections, the eviction of the heaviest client could never make room.
/// The ratio between one client and all is kept.
pub(super) fn fit_connections(connections: Quota, descriptors: Option<u64>) -> Quota {
    let Some(descriptors) = descriptors else {
        return connections;
    };
    let all = for_clients(descriptors);
    let total = connections.total.min((all - all / 4).max(1));
    let parts = (connections.total / connections.per_peer.max(1)).max(1);
    Quota {
        total,
        per_peer: connections.per_peer.min((total / parts).max(1)),
    }
}

/// Descriptors for connections, established or not.
fn for_clients(descriptors: u64) -> usize {
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
            let connections = fit_connections(Quotas::default().connections, Some(descriptors));
            let most = limits.max_half_open * listeners + connections.total;
            let allowed = usize::try_from(descriptors).unwrap();
            assert!(most <= allowed.max(2), "{most} of {descriptors}");
            assert!((1..=connections.total.div_ceil(4)).contains(&connections.per_peer));
        }
        let usual = Quotas::default().connections;
        assert_eq!(fit_connections(usual, None), usual);
        let whole = Quota {
            total: 1000,
            per_peer: 1000,
        };
        let fitted = fit_connections(whole, Some(464));
        assert_eq!((fitted.total, fitted.per_peer), (300, 300));
    }

    #[test]
    fn limit_is_raised_to_what_is_allowed() {
        let raised = raise_limit();
        assert_eq!(raised, getrlimit(Resource::Nofile).maximum);
    }
}

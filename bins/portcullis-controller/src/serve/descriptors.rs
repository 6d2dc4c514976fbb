//! How many connections the operating system lets the process have.

use portcullis_http::listen::{Limits, Quota};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors for everything that is no connection: store, files, listeners, signals.
const RESERVE: u64 = 64;

/// Raises the limit of open descriptors as far as the process may, and answers what it is then;
/// `None` for no limit.
///
/// The usual limit of 1024 is for programs that wait with `select`, which this one does not.
pub(super) fn raise() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open descriptors cannot be raised");
    }
    getrlimit(Resource::Nofile).current
}

/// Bounds the unfinished handshakes of one of `listeners` listeners by the descriptors that there
/// are: all listeners together have a quarter for them.
pub(super) fn fit(limits: Limits, descriptors: Option<u64>, listeners: usize) -> Limits {
    let Some(descriptors) = descriptors else {
        return limits;
    };
    let half_open = for_clients(descriptors) / 4 / listeners.max(1);
    Limits {
        max_half_open: limits.max_half_open.min(half_open.max(1)),
        ..limits
    }
}

/// Bounds the connections of all listeners by the descriptors that handshakes leave. With fewer
/// descriptors than connections, nobody could be let in at the price of whoever holds most.
///
/// One client then has the same part of them as before.
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

/// The descriptors that are left for connections, finished or not.
fn for_clients(descriptors: u64) -> usize {
    usize::try_from(descriptors.saturating_sub(RESERVE)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_http::listen::Quotas;

    #[test]
    fn connections_fit_the_descriptors() {
        for (descriptors, listeners) in [(256, 1), (1024, 2), (65, 1), (1_000_000, 3)] {
            let limits = fit(Limits::default(), Some(descriptors), listeners);
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
        let raised = raise();
        assert_eq!(raised, getrlimit(Resource::Nofile).maximum);
    }
}

//! How many connections the operating system lets the process have.

use portcullis_http::listen::Limits;
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

/// Bounds the connections of one of `listeners` listeners by the descriptors that there are.
///
/// A quarter is for handshakes. With fewer descriptors than connections a few clients that hold
/// theirs could keep everybody else out.
pub(super) fn fit(limits: Limits, descriptors: Option<u64>, listeners: usize) -> Limits {
    let Some(descriptors) = descriptors else {
        return limits;
    };
    let share = usize::try_from(descriptors.saturating_sub(RESERVE)).unwrap_or(usize::MAX)
        / listeners.max(1);
    let half_open = (share / 4).max(1);
    Limits {
        max_half_open: limits.max_half_open.min(half_open),
        max_connections: limits.max_connections.min((share - share / 4).max(1)),
        ..limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_fit_the_descriptors() {
        for (descriptors, listeners) in [(256, 1), (1024, 2), (65, 1), (1_000_000, 3)] {
            let limits = fit(Limits::default(), Some(descriptors), listeners);
            let most = (limits.max_half_open + limits.max_connections) * listeners;
            let allowed = usize::try_from(descriptors).unwrap();
            assert!(most <= allowed.max(2), "{most} of {descriptors}");
        }
        let usual = Limits::default();
        assert_eq!(
            fit(usual.clone(), None, 1).max_connections,
            usual.max_connections
        );
    }

    #[test]
    fn limit_is_raised_to_what_is_allowed() {
        let raised = raise();
        assert_eq!(raised, getrlimit(Resource::Nofile).maximum);
    }
}

//! Why controllers are not reached, said once.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use portcullis_router::control::Target;
use portcullis_transport::DialError;
use rustls::AlertDescription;

use portcullis_domain::error_sources::with_sources;

/// Why each target was not reached the last time.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<BTreeMap<Target, String>>);

impl Failures {
    /// Keeps a failure; returns whether it is another one than before.
    pub(super) fn record(&self, target: &Target, reason: &str) -> bool {
        let before = self.0.lock().insert(target.clone(), reason.to_owned());
        before.is_none_or(|before| before != reason)
    }

    pub(super) fn clear(&self, target: &Target) {
        self.0.lock().remove(target);
    }

    /// For people.
    pub(super) fn summary(&self) -> String {
        let failures = self.0.lock();
        if failures.is_empty() {
            return "there is none to be dialed, or none has answered yet".to_owned();
        }
        let reasons: Vec<_> = failures
            .iter()
            .map(|(target, reason)| format!("{target}: {reason}"))
            .collect();
        reasons.join("; ")
    }
}

/// Why a dial failed, with what to do about it where the error itself does not tell.
pub(super) fn reason_of(error: &DialError) -> String {
    let reason = with_sources(error);
    if is_without_protocol(error) {
        format!(
            "{reason}; that port serves no routers: `ctrl.endpoint` takes the port of the controller's \
             `ctrl.listener`"
        )
    } else {
        reason
    }
}

/// Whether whoever answers speaks TLS, and no protocol for routers.
fn is_without_protocol(error: &DialError) -> bool {
    let DialError::Io(error) = error else {
        return false;
    };
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref());
    let refused = rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol);
    cause == Some(&refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn port_without_routers_is_told_from_other_failures() {
        let reason = |alert| {
            let error = rustls::Error::AlertReceived(alert);
            reason_of(&io::Error::new(io::ErrorKind::InvalidData, error).into())
        };
        let no_protocol = reason(AlertDescription::NoApplicationProtocol);
        assert!(no_protocol.contains("`ctrl.listener`"), "{no_protocol}");
        let other = reason(AlertDescription::HandshakeFailure);
        assert!(!other.contains("`ctrl.listener`"), "{other}");
    }
}

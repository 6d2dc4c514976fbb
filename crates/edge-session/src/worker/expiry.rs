//! A warning before the certificate of the identity expires.

use super::Worker;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_pki::Certificate;

/// Time before the end at which warnings begin.
const WARNED_BEFORE: SignedDuration = SignedDuration::from_hours(24 * 30);

impl Worker {
    /// Warns if the identity will soon not be able to log in any more.
    pub(super) fn warn_of_expiry(&self) {
        let credential = self.shared.identity.certificate.as_ref();
        let leaf = credential.and_then(|credential| credential.chain.first());
        let leaf = leaf.and_then(|leaf| Certificate::from_der(leaf.as_ref()).ok());
        let Some(not_after) = leaf.map(|leaf| leaf.not_after()) else {
            return;
        };
        if is_soon(not_after, self.shared.options.env.now()) {
            tracing::warn!(
                %not_after,
                "the certificate of the identity expires soon: renew it, for example by `portcullis renew`"
            );
        }
    }
}

fn is_soon(not_after: Timestamp, now: Timestamp) -> bool {
    now.duration_until(not_after) <= WARNED_BEFORE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_month_is_soon() {
        let now = Timestamp::UNIX_EPOCH;
        let after = |days: i64| now + SignedDuration::from_hours(24 * days);
        assert!(!is_soon(after(31), now));
        assert!(is_soon(after(30), now) && is_soon(now, after(1)));
    }
}

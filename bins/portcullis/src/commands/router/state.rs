//! Enrollment and connection state of routers.

use crate::moment;
use portcullis_api::router::PendingRouterEnrollment;
use portcullis_domain::clock::Timestamp;

/// State of a router.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RouterState<'r> {
    pub(crate) is_disabled: bool,
    pub(crate) is_online: bool,
    pub(crate) is_verified: bool,
    /// Pending enrollment.
    pub(crate) enrollment: &'r PendingRouterEnrollment,
}

impl RouterState<'_> {
    /// Describes the state.
    pub(crate) fn display(&self) -> &'static str {
        if self.is_disabled {
            "disabled"
        } else if self.is_online {
            "online"
        } else if self.is_verified {
            "offline"
        } else {
            "not enrolled"
        }
    }

    /// Describes until when the router may enroll; empty if it may not.
    pub(crate) fn enrollment_expiry(&self, now: Timestamp) -> String {
        let end = self.enrollment.enrollment_expires_at;
        end.map(|end| format!("pending, until {}", moment::full(end, now)))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_what_counts_most() {
        let enrollment = PendingRouterEnrollment::default();
        for (is_disabled, is_online, is_verified, shown) in [
            (true, true, true, "disabled"),
            (false, true, true, "online"),
            (false, false, true, "offline"),
            (false, false, false, "not enrolled"),
        ] {
            let state = RouterState {
                is_disabled,
                is_online,
                is_verified,
                enrollment: &enrollment,
            };
            assert_eq!(state.display(), shown);
            assert_eq!(state.enrollment_expiry(Timestamp::UNIX_EPOCH), "");
        }
    }
}

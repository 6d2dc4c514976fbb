//! How far a router has come.

use crate::commands::page;
use portcullis_api::router::EnrollmentMembers;
use portcullis_domain::clock::Timestamp;

/// What is known of a router.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State<'r> {
    /// Whether it is shut out.
    pub(crate) is_disabled: bool,
    /// Whether it is connected.
    pub(crate) is_online: bool,
    /// Whether it has enrolled.
    pub(crate) is_verified: bool,
    /// Its pending enrollment.
    pub(crate) enrollment: &'r EnrollmentMembers,
}

impl State<'_> {
    /// Says it in a word or two.
    pub(crate) fn shown(&self) -> &'static str {
        if self.is_disabled {
            "disabled"
        } else if self.is_online {
            "online"
        } else if self.is_verified {
            "offline"
        } else {
            "to be enrolled"
        }
    }

    /// Says until when the router may enroll; nothing if it may not.
    pub(crate) fn until(&self, now: Timestamp) -> String {
        let end = self.enrollment.enrollment_expires_at;
        end.map(|end| format!("pending, until {}", page::end(end, now)))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_what_counts_most() {
        let enrollment = EnrollmentMembers::default();
        for (is_disabled, is_online, is_verified, shown) in [
            (true, true, true, "disabled"),
            (false, true, true, "online"),
            (false, false, true, "offline"),
            (false, false, false, "to be enrolled"),
        ] {
            let state = State {
                is_disabled,
                is_online,
                is_verified,
                enrollment: &enrollment,
            };
            assert_eq!(state.shown(), shown);
            assert_eq!(state.until(Timestamp::UNIX_EPOCH), "");
        }
    }
}

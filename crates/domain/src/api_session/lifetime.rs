//! Maximum lifetime of API sessions.

use super::{ApiSession, OpenedBy};
use crate::clock::{self, SignedDuration, Timestamp};

/// Maximum lifetimes of API sessions, counted from the login, so that a stolen token cannot be kept
/// alive by using it.
///
/// Sessions opened by a certificate are exempt: they end with the certificate, with which the
/// holder could log in again at any time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionLifetimes {
    /// For all sessions; `None` for no limit.
    pub all: Option<SignedDuration>,
    /// For administrators, if shorter; `None` for no separate limit.
    pub administrators: Option<SignedDuration>,
}

impl SessionLifetimes {
    /// Latest end of a session; `None` if unlimited.
    pub fn expires_at(self, session: &ApiSession, is_admin: bool) -> Option<Timestamp> {
        if session.is_opened_by_certificate() {
            return None;
        }
        let administrator_limit = self.administrators.filter(|_| is_admin);
        let shortest = self.all.into_iter().chain(administrator_limit).min()?;
        Some(clock::saturating_add(session.created_at, shortest))
    }

    /// Whether the session would have ended if its holder were an administrator; a cheap check
    /// before the rank is known.
    pub fn may_have_ended(self, session: &ApiSession, now: Timestamp) -> bool {
        self.expires_at(session, true).is_some_and(|end| now >= end)
    }

    pub fn is_unlimited(self) -> bool {
        self == Self::default()
    }
}

impl ApiSession {
    pub fn is_opened_by_certificate(&self) -> bool {
        match &self.opened_by {
            OpenedBy::Authenticator(_) => self.certificate.is_some(),
            OpenedBy::ExternalId => true,
            OpenedBy::Signer(_) => false,
        }
    }

    /// When a factor was last passed: the login, or a later TOTP code. The code that completes an
    /// enrollment does not count; see [`SessionTotp::factor_at`](super::SessionTotp::factor_at).
    pub fn last_factor_at(&self) -> Timestamp {
        let code = self.totp.factor_at;
        code.map_or(self.created_at, |code| code.max(self.created_at))
    }
}

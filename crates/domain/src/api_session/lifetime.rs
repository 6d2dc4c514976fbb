//! How long sessions live at most, however much they are used.

use super::{ApiSession, OpenedBy};
use crate::clock::{self, SignedDuration, Timestamp};

/// The longest life of API sessions, counted from the login. Whoever holds a stolen token cannot keep
/// it alive for longer by using it.
///
/// Sessions that a certificate opened have no such end: they end with the certificate, which their
/// holder could log in with again at any time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionLifetimes {
    /// Of everybody's sessions; `None` for no limit.
    pub all: Option<SignedDuration>,
    /// Of those of administrators, where it is shorter; `None` for no limit of their own.
    pub administrators: Option<SignedDuration>,
}

impl SessionLifetimes {
    /// When a session ends at the latest; `None` for one that has no such end.
    pub fn end(self, session: &ApiSession, is_admin: bool) -> Option<Timestamp> {
        if session.is_opened_by_certificate() {
            return None;
        }
        let of_rank = self.administrators.filter(|_| is_admin);
        let shortest = self.all.into_iter().chain(of_rank).min()?;
        Some(clock::later(session.created_at, shortest))
    }

    /// Whether a session is over, were its holder an administrator: if not, it is over for nobody.
    pub fn may_be_over(self, session: &ApiSession, now: Timestamp) -> bool {
        self.end(session, true).is_some_and(|end| now >= end)
    }

    /// Whether no session has an end.
    pub fn are_unlimited(self) -> bool {
        self == Self::default()
    }
}

impl ApiSession {
    /// Whether a certificate opened it.
    pub fn is_opened_by_certificate(&self) -> bool {
        match &self.opened_by {
            OpenedBy::Authenticator(_) => self.certificate.is_some(),
            OpenedBy::ExternalId => true,
            OpenedBy::Signer(_) => false,
        }
    }

    /// When its holder last proved a factor: by the login, or by a TOTP code since. The code by which an
    /// enrollment was finished is none; see [`SessionTotp::factor_at`](super::SessionTotp::factor_at).
    pub fn last_factor_at(&self) -> Timestamp {
        let code = self.totp.factor_at;
        code.map_or(self.created_at, |code| code.max(self.created_at))
    }
}

//! An attempt at a password, held against those before it from the same source.

use crate::app::App;
use portcullis_domain::access::Origin;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::password_throttle::{PasswordThrottle, ThrottleRules, Throttled};
use portcullis_storage::tables::{Found, RowsMut, WriteError};
use std::net::IpAddr;

/// An attempt: from where, when, and by which rules it is slowed down; without any, none is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    address: IpAddr,
    now: Timestamp,
    rules: Option<ThrottleRules>,
}

impl Attempt {
    /// An attempt that is made now.
    pub(crate) fn new(app: &App, origin: &Origin) -> Self {
        Self {
            address: origin.address,
            now: app.env().now(),
            rules: app.settings().password_throttle,
        }
    }

    /// When it is made.
    pub(super) fn now(self) -> Timestamp {
        self.now
    }

    /// Whether it counts, whatever the password.
    ///
    /// # Errors
    ///
    /// [`Throttled`] when it comes too early.
    pub(crate) fn admit(self, authenticator: &Authenticator) -> Result<(), Throttled> {
        match (self.rules, authenticator.updb()) {
            (Some(rules), Some(updb)) => updb.throttle.admit(self.address, rules, self.now),
            _ => Ok(()),
        }
    }

    /// Counts a wrong password, if the attempt counts; answers whether it does.
    pub(super) fn note_wrong(
        self,
        rows: &mut RowsMut<'_>,
        found: &Found<Authenticator>,
    ) -> Result<Result<(), Throttled>, WriteError> {
        let admitted = self.admit(&found.entity);
        if admitted.is_ok() {
            let mut after = found.entity.clone();
            self.change(&mut after, PasswordThrottle::note_wrong);
            if after != found.entity {
                rows.replace(&found.key, &found.entity, &after)?;
            }
        }
        Ok(admitted)
    }

    /// Notes in the record of an authenticator that its password was right.
    pub(crate) fn note_right(self, authenticator: &mut Authenticator) {
        self.change(authenticator, PasswordThrottle::note_right);
    }

    fn change(
        self,
        authenticator: &mut Authenticator,
        change: fn(&mut PasswordThrottle, IpAddr, Timestamp),
    ) {
        if let (Some(_), Credential::Updb(updb)) = (self.rules, &mut authenticator.credential) {
            change(&mut updb.throttle, self.address, self.now);
        }
    }
}

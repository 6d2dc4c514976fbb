//! Password attempts, throttled per source.

use crate::app::App;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::password_throttle::{PasswordThrottle, ThrottleRules, ThrottledError};
use portcullis_domain::peer::network_of;
use portcullis_storage::tables::{Found, RowsMut, WriteError};
use std::borrow::Cow;
use std::net::IpAddr;

/// A password attempt: its source, its time, and the throttling rules; without rules, attempts are
/// not throttled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PasswordAttempt {
    address: IpAddr,
    now: Timestamp,
    rules: Option<ThrottleRules>,
    /// When the source last gave the right password, if only a session shows it.
    last_success_at: Option<Timestamp>,
}

impl PasswordAttempt {
    pub(crate) fn new(app: &App, origin: &Origin) -> Self {
        Self {
            address: origin.address(),
            now: app.env().now(),
            rules: app.settings().password_throttle,
            last_success_at: None,
        }
    }

    /// Looks for a session that proves that the source gave the right password, if it would be
    /// throttled as unknown: the session may predate the memory of sources.
    pub(crate) fn with_session_history(mut self, app: &App, found: &Found<Authenticator>) -> Self {
        let (Some(rules), Some(updb)) = (self.rules, found.entity.updb()) else {
            return self;
        };
        if updb
            .throttle
            .is_throttled_as_unknown(self.address, rules, self.now)
        {
            let opened_by = OpenedBy::Authenticator(found.entity.id.clone());
            let source = network_of(self.address);
            let sessions = app.projections().sessions();
            self.last_success_at = sessions
                .owned_by(found.root_number(), 0, usize::MAX)
                .into_iter()
                .filter_map(|number| sessions.get(number))
                .filter(|session| session.record.opened_by == opened_by)
                .filter(|session| {
                    let address = session.record.ip_address.parse().map(network_of);
                    address.is_ok_and(|address| address == source)
                })
                .map(|session| session.record.created_at)
                .max();
        }
        self
    }

    pub(super) fn now(self) -> Timestamp {
        self.now
    }

    /// Checks whether the attempt is allowed, whatever the password.
    ///
    /// # Errors
    ///
    /// [`ThrottledError`] when it comes too early.
    pub(crate) fn check_throttle(
        self,
        authenticator: &Authenticator,
    ) -> Result<(), ThrottledError> {
        match (self.rules, authenticator.updb()) {
            (Some(rules), Some(updb)) => {
                self.throttle_with_history(&updb.throttle)
                    .admit(self.address, rules, self.now)
            },
            _ => Ok(()),
        }
    }

    /// Counts a wrong password if the attempt is allowed; returns whether it is.
    pub(super) fn record_failure(
        self,
        rows: &mut RowsMut<'_>,
        found: &Found<Authenticator>,
    ) -> Result<Result<(), ThrottledError>, WriteError> {
        let admitted = self.check_throttle(&found.entity);
        if admitted.is_ok() {
            let mut after = found.entity.clone();
            self.update_throttle(&mut after, |throttle, rules| {
                throttle.record_failure(self.address, rules, self.now);
            });
            if after != found.entity {
                rows.replace(&found.key, &found.entity, &after)?;
            }
        }
        Ok(admitted)
    }

    /// Records in an authenticator that its password was right.
    pub(crate) fn record_success(self, authenticator: &mut Authenticator) {
        self.update_throttle(authenticator, |throttle, _rules| {
            throttle.record_success(self.address, self.now);
        });
    }

    fn update_throttle(
        self,
        authenticator: &mut Authenticator,
        change: impl FnOnce(&mut PasswordThrottle, ThrottleRules),
    ) {
        if let (Some(rules), Credential::Updb(updb)) = (self.rules, &mut authenticator.credential) {
            if let Cow::Owned(recalled) = self.throttle_with_history(&updb.throttle) {
                updb.throttle = recalled;
            }
            change(&mut updb.throttle, rules);
        }
    }

    /// The throttle state, including what a session shows.
    fn throttle_with_history(self, throttle: &PasswordThrottle) -> Cow<'_, PasswordThrottle> {
        let mut throttle = Cow::Borrowed(throttle);
        if let Some(right_at) = self.last_success_at {
            let throttle = throttle.to_mut();
            throttle.restore_success(self.address, right_at, self.now);
        }
        throttle
    }
}

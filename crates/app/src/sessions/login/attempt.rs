//! An attempt at a password, held against those before it from the same source.

use crate::app::App;
use portcullis_domain::access::Origin;
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::password_throttle::{PasswordThrottle, ThrottleRules, Throttled};
use portcullis_domain::peer::network_of;
use portcullis_storage::tables::{Found, RowsMut, WriteError};
use std::borrow::Cow;
use std::net::IpAddr;

/// An attempt: from where, when, and by which rules it is slowed down; without any, none is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    address: IpAddr,
    now: Timestamp,
    rules: Option<ThrottleRules>,
    /// When a session was opened from there with the same password, where only the session tells.
    right_at: Option<Timestamp>,
}

impl Attempt {
    /// An attempt that is made now.
    pub(crate) fn new(app: &App, origin: &Origin) -> Self {
        Self {
            address: origin.address,
            now: app.env().now(),
            rules: app.settings().password_throttle,
            right_at: None,
        }
    }

    /// Looks whether a session tells that the source gave the right password, if the source would wait
    /// for being unknown: the session may have been opened before sources were remembered.
    pub(crate) fn knowing_sessions(mut self, app: &App, found: &Found<Authenticator>) -> Self {
        let (Some(rules), Some(updb)) = (self.rules, found.entity.updb()) else {
            return self;
        };
        if updb
            .throttle
            .is_slowed_as_unknown(self.address, rules, self.now)
        {
            let opened_by = OpenedBy::Authenticator(found.entity.id.clone());
            let source = network_of(self.address);
            let sessions = app.projections().sessions();
            self.right_at = sessions
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
            (Some(rules), Some(updb)) => {
                self.recalled(&updb.throttle)
                    .admit(self.address, rules, self.now)
            },
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
            self.change(&mut after, |throttle, rules| {
                throttle.note_wrong(self.address, rules, self.now);
            });
            if after != found.entity {
                rows.replace(&found.key, &found.entity, &after)?;
            }
        }
        Ok(admitted)
    }

    /// Notes in the record of an authenticator that its password was right.
    pub(crate) fn note_right(self, authenticator: &mut Authenticator) {
        self.change(authenticator, |throttle, _rules| {
            throttle.note_right(self.address, self.now);
        });
    }

    fn change(
        self,
        authenticator: &mut Authenticator,
        change: impl FnOnce(&mut PasswordThrottle, ThrottleRules),
    ) {
        if let (Some(rules), Credential::Updb(updb)) = (self.rules, &mut authenticator.credential) {
            if let Cow::Owned(recalled) = self.recalled(&updb.throttle) {
                updb.throttle = recalled;
            }
            change(&mut updb.throttle, rules);
        }
    }

    /// What is remembered of the attempts, with what a session tells.
    fn recalled(self, throttle: &PasswordThrottle) -> Cow<'_, PasswordThrottle> {
        let mut throttle = Cow::Borrowed(throttle);
        if let Some(right_at) = self.right_at {
            let throttle = throttle.to_mut();
            throttle.recall_right(self.address, right_at, self.now);
        }
        throttle
    }
}

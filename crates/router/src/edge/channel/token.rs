//! New access tokens.

use portcullis_channel::ReplyTo;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::edge::EdgeMessage;
use portcullis_wire::{ErrorCode, Token};

use super::SdkChannel;
use crate::edge::access::{Access, ApiSession};
use crate::edge::action::Action;
use crate::edge::host_exchange::HostRequest;
use crate::edge::refusal::Refusal;

impl SdkChannel {
    /// Takes over the token that another channel of the same session was given.
    pub fn renew(&mut self, session: &ApiSession, now: Timestamp) {
        let own = &self.client.session;
        let is_same = own.id == session.id && own.identity == session.identity;
        if is_same && !self.has_ended && own.token != session.token {
            self.take_over(session.clone(), now);
        }
    }

    pub(super) fn update_token(
        &mut self,
        token: &Token,
        reply_to: ReplyTo,
        access: &dyn Access,
        now: Timestamp,
    ) {
        match self.check_token(token, access, now) {
            Ok(session) => {
                self.take_over(session.clone(), now);
                self.actions.push_back(Action::Renewed(Box::new(session)));
                self.reply(EdgeMessage::UpdateTokenSuccess, reply_to);
            },
            Err(refusal) => self.refuse_token(refusal, reply_to),
        }
    }

    /// Refuses a token and ends the channel, as SDKs expect it.
    pub(super) fn refuse_token(&mut self, refusal: Refusal, reply_to: ReplyTo) {
        let failure = refusal.into_token_failure();
        self.reply(EdgeMessage::UpdateTokenFailure(failure), reply_to);
        self.end("token update refused");
    }

    fn check_token(
        &self,
        token: &Token,
        access: &dyn Access,
        now: Timestamp,
    ) -> Result<ApiSession, Refusal> {
        let invalid = |reason| Refusal::new(ErrorCode::InvalidApiSession, reason);
        if token.expose().len() > self.limits.token_bytes {
            return Err(invalid("the token is too long"));
        }
        let own = &self.client.session;
        let session = access.renew(own, token, now)?;
        if session.id != own.id || session.identity != own.identity {
            return Err(invalid("the token is of another session"));
        }
        Ok(session)
    }

    fn take_over(&mut self, session: ApiSession, now: Timestamp) {
        let renewed = HostRequest::Renewed(self.id, Box::new(session.clone()));
        self.client.session = session;
        self.actions.push_back(Action::Host(renewed));
        self.schedule_review(now);
    }
}

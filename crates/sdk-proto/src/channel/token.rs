//! New access tokens, before the old one expires.

use super::EdgeChannel;
use crate::event::{ChannelEnd, EdgeEvent};
use crate::refusal::Refusal;
use crate::timers::Timer;
use portcullis_channel::{Moment, Now};
use portcullis_wire::Token;
use portcullis_wire::edge::{EdgeMessage, UpdateToken};

/// How far the next token has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum TokenState {
    /// The router has a good one.
    #[default]
    Good,
    /// The owner was asked for another.
    Needed,
    /// The router has not answered.
    Sent { expires_at: Option<Moment> },
}

/// A token was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("the channel has ended")]
    Ended,
    #[error("tokens of legacy sessions cannot be replaced")]
    Legacy,
    #[error("the token is too long")]
    TooLong,
}

impl EdgeChannel {
    /// Gives the router a new access token of the same session. The outcome is
    /// [`EdgeEvent::TokenAccepted`] or [`EdgeEvent::TokenRefused`].
    pub fn update_token(
        &mut self,
        access_token: Token,
        expires_at: Option<Moment>,
        now: Now,
    ) -> Result<(), TokenError> {
        if self.end.is_some() {
            return Err(TokenError::Ended);
        }
        if !self.is_oidc {
            return Err(TokenError::Legacy);
        }
        let update = EdgeMessage::UpdateToken(UpdateToken { access_token });
        self.try_send(&update, None)
            .map_err(|_too_long| TokenError::TooLong)?;
        self.token = TokenState::Sent { expires_at };
        let deadline = now.mono + self.options.token_timeout;
        self.timers.set(Timer::Token, Some(deadline));
        Ok(())
    }

    /// Asks for another token in time.
    pub(super) fn expect_expiry(&mut self, expires_at: Option<Moment>, now: Now) {
        self.token = TokenState::Good;
        let at = expires_at.map(|expires_at| {
            let life = expires_at.since(now.mono);
            let margin = self.options.token_margin.min(life / 2);
            now.mono + life.saturating_sub(margin)
        });
        self.timers.set(Timer::Token, at);
    }

    pub(super) fn token_accepted(&mut self, now: Now) {
        let TokenState::Sent { expires_at } = self.token else {
            self.counters.unfounded += 1;
            return;
        };
        self.expect_expiry(expires_at, now);
        self.events.push_back(EdgeEvent::TokenAccepted);
    }

    pub(super) fn token_refused(&mut self, why: Refusal, now: Now) {
        self.events.push_back(EdgeEvent::TokenRefused(why));
        self.end_channel(ChannelEnd::TokenRefused, now);
    }

    /// The token expires soon, or a new one was not answered.
    pub(super) fn token_timed_out(&mut self) {
        self.token = TokenState::Needed;
        self.events.push_back(EdgeEvent::TokenNeeded);
    }
}

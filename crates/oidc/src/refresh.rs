//! Rotation of refresh tokens (RFC 9700 section 4.14.2).
//!
//! All refresh tokens of a session are a family, of which one is current. Presenting it spends it and makes its
//! successor the current one. Whoever presents one that is spent shows that two have had it, and since nobody can
//! tell which of them stole it, the family ends.
//!
//! There is one exception. The Go SDK exchanges its refresh token for the next one, and then presents the same
//! token again for an ID token. So each token yields one ID token besides, to the client that it belongs to, at the
//! latest a minute after it was spent. An ID token opens nothing.
//!
//! [`RefreshFamily::present`] decides that from the record of the family. It changes nothing by itself: the caller
//! reads the record, presents the token and writes what comes out in one transaction, so of many who present a
//! token at the same time one is served. Without a record the family has ended. Before that, the caller has
//! verified signature and claims of the token.

use crate::claims::TokenId;
use crate::client::Client;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::ApiSessionId;
use serde::{Deserialize, Serialize};

/// How long a spent token yields its ID token.
const ID_TOKEN_WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// Tolerated disorder between requests. A token that was spent further in the future was so before the clock was
/// set back.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(5);

/// The record of a family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshFamily {
    /// The session, whose id is that of the family.
    pub session: ApiSessionId,
    /// The client that its tokens belong to.
    pub client: Client,
    /// When the current token expires. The record is of no use any more then.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub expires_at: Timestamp,
    current: Member,
    /// The one before it. All others before are spent, too, and yield nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spent: Option<SpentMember>,
}

/// A token of a family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Member {
    id: TokenId,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_yielded_id_token: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SpentMember {
    #[serde(flatten)]
    member: Member,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    spent_at: Timestamp,
}

/// What a client presents a refresh token for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The next refresh token, with this id, and an access token.
    Rotation {
        next: TokenId,
        /// When the next token expires.
        expires_at: Timestamp,
    },
    /// An ID token alone.
    IdToken,
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "the record of the family has to be written"]
pub enum Presented {
    /// The tokens that are wanted are issued, and this becomes the record.
    Served(RefreshFamily),
    /// No token is issued, the record is deleted, and all other tokens of the session end.
    Ended(EndReason),
}

/// Why a family ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndReason {
    #[error("a refresh token was presented after it was spent")]
    Replayed,
    #[error("a refresh token was presented by another client")]
    OtherClient,
}

impl RefreshFamily {
    /// A family whose first token expires at `expires_at`.
    pub fn new(
        session: ApiSessionId,
        client: Client,
        first: TokenId,
        expires_at: Timestamp,
    ) -> Self {
        Self {
            session,
            client,
            expires_at,
            current: Member::new(first),
            spent: None,
        }
    }

    /// Decides about a token that `client` presents at `now`.
    pub fn present(
        &self,
        token: &TokenId,
        client: Client,
        wanted: Wanted,
        now: Timestamp,
    ) -> Presented {
        if client != self.client {
            return Presented::Ended(EndReason::OtherClient);
        }
        let served = match wanted {
            Wanted::Rotation { next, expires_at } if self.current.id == *token => {
                Some(self.rotated(next, expires_at, now))
            },
            Wanted::Rotation { .. } => None,
            Wanted::IdToken => self.after_id_token(token, now),
        };
        served.map_or(Presented::Ended(EndReason::Replayed), Presented::Served)
    }

    fn rotated(&self, next: TokenId, expires_at: Timestamp, now: Timestamp) -> Self {
        let spent = SpentMember {
            member: self.current.clone(),
            spent_at: now,
        };
        Self {
            session: self.session.clone(),
            client: self.client,
            expires_at,
            current: Member::new(next),
            spent: Some(spent),
        }
    }

    /// The record after a token yielded its ID token; `None` if it has none to yield.
    fn after_id_token(&self, token: &TokenId, now: Timestamp) -> Option<Self> {
        let mut family = self.clone();
        let member = if family.current.id == *token {
            &mut family.current
        } else {
            let spent = family.spent.as_mut();
            &mut spent.filter(|spent| spent.is_recent(now))?.member
        };
        if member.id != *token || member.has_yielded_id_token {
            return None;
        }
        member.has_yielded_id_token = true;
        Some(family)
    }
}

impl Member {
    fn new(id: TokenId) -> Self {
        Self {
            id,
            has_yielded_id_token: false,
        }
    }
}

impl SpentMember {
    fn is_recent(&self, now: Timestamp) -> bool {
        let since = now.duration_since(self.spent_at);
        (-CLOCK_TOLERANCE..=ID_TOKEN_WINDOW).contains(&since)
    }
}

#[cfg(test)]
mod tests;

//! Sessions of OIDC logins, and the rotation of their refresh tokens (RFC 9700 section 4.14.2).
//!
//! All refresh tokens of a session are a family, of which one is current. Presenting it spends it
//! and makes its successor the current one. Whoever presents one that is spent shows that two have
//! had it, and since nobody can tell which of them stole it, the session ends.
//!
//! There is one exception. The Go SDK exchanges its refresh token for the next one, and then
//! presents the same token again for an ID token. So a token yields one ID token after it was spent,
//! to the client that it belongs to, within a minute. The current one yields ID tokens and stays
//! what it is. An ID token opens nothing.
//!
//! Tabs of the controller's own console share one refresh token, and present it at the same time. One of
//! them gets the next one and shares it. The others get nothing, but if the console has spent their
//! token within ten seconds, the session stays: they find the next one when they try again.
//!
//! [`OidcSession::present`] decides that. It changes nothing by itself: the caller reads the
//! session, presents the token and writes what comes out in one transaction, so of many who present
//! a token at the same time one is served. Before that, the caller has verified signature and
//! claims of the token.

use crate::clock::{SignedDuration, Timestamp};
use crate::entropy::{self, Entropy, EntropyError};
use serde::{Deserialize, Serialize};

/// A registered OIDC client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OidcClient {
    /// C SDKs, tunnelers, the console and web applications.
    OpenZiti,
    /// Go SDKs and command-line clients.
    Native,
}

impl OidcClient {
    pub const ALL: [Self; 2] = [Self::OpenZiti, Self::Native];

    /// Its `client_id`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::OpenZiti => "openziti",
            Self::Native => "native",
        }
    }

    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.id() == id)
    }
}

/// The claim `jti`, a random UUID. It names one token, as in revocations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenId(String);

impl TokenId {
    pub fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        entropy::uuid(entropy).map(Self)
    }

    /// Wraps the id of a token.
    pub fn from_wire(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// How long a spent token yields its ID token.
const ID_TOKEN_WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// How long the console may present a token that it has spent, in vain.
const CONSOLE_WINDOW: SignedDuration = SignedDuration::from_secs(10);

/// Most spent tokens that are remembered for the console.
const MAX_REMEMBERED: usize = 16;

/// Tolerated disorder between requests. A token that was spent further in the future was so before the clock was
/// set back.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(5);

/// What a session has that an OIDC login opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OidcSession {
    /// The client that its tokens belong to.
    pub client: OidcClient,
    /// When the last of its tokens expires; before there are any, when the login has to be
    /// complete.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub expires_at: Timestamp,
    /// When the last of its access tokens expires; `None` before there are any, and in old records.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::millisecond::optional"
    )]
    access_expires_at: Option<Timestamp>,
    /// Whether the login is not complete yet, so that there are no tokens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_pending: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh_tokens: Option<RefreshTokens>,
}

/// The refresh tokens of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RefreshTokens {
    current: TokenId,
    /// The one before it. All others before are spent, too, and yield nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spent: Option<SpentToken>,
    /// Those before that which the console has just spent, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spent_before: Vec<SpentToken>,
}

/// A token that was spent for its successor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SpentToken {
    id: TokenId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    spent_at: Timestamp,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    by_console: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_yielded_id_token: bool,
}

/// A refresh token that is issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshToken {
    pub id: TokenId,
    pub expires_at: Timestamp,
}

/// Who presents a refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presenter {
    pub client: OidcClient,
    /// Whether it says to be a page of the controller's own console. Anybody can say so.
    pub is_console: bool,
}

/// What a client presents a refresh token for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The next refresh token, and an access token.
    Rotation {
        next: RefreshToken,
        /// When the access token expires.
        access_expires_at: Timestamp,
    },
    /// An ID token alone.
    IdToken,
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "the session has to be written or ended"]
pub enum Presented {
    /// The tokens that are wanted are issued, and this becomes the record.
    Served(OidcSession),
    /// No token is issued, and nothing changes: the console has just spent the token in another tab.
    JustSpent,
    /// No token is issued, and the session ends with all its tokens.
    Ended(EndReason),
}

/// Why a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndReason {
    #[error("a refresh token was presented after it was spent")]
    Replayed,
    #[error("a refresh token was presented by another client")]
    OtherClient,
}

impl OidcSession {
    /// A session whose login has to be complete by `deadline`.
    pub const fn pending(client: OidcClient, deadline: Timestamp) -> Self {
        Self {
            client,
            expires_at: deadline,
            access_expires_at: None,
            is_pending: true,
            refresh_tokens: None,
        }
    }

    /// The session once an access token is issued that expires at `access_expires_at`, with a refresh
    /// token if there is one.
    #[must_use]
    pub fn issued(&self, access_expires_at: Timestamp, refresh: Option<RefreshToken>) -> Self {
        Self {
            client: self.client,
            expires_at: (refresh.as_ref()).map_or(access_expires_at, |first| first.expires_at),
            access_expires_at: Some(access_expires_at),
            is_pending: false,
            refresh_tokens: refresh.map(|first| RefreshTokens {
                current: first.id,
                spent: None,
                spent_before: Vec::new(),
            }),
        }
    }

    /// Whether no tokens were issued yet.
    pub const fn is_pending(&self) -> bool {
        self.is_pending
    }

    /// When the last of its access tokens expires; `None` if there were none.
    pub fn access_ends_at(&self) -> Option<Timestamp> {
        (!self.is_pending).then(|| self.access_expires_at.unwrap_or(self.expires_at))
    }

    /// Whether it is over at `now`.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }

    /// Decides about a refresh token that is presented at `now`.
    pub fn present(
        &self,
        token: &TokenId,
        presenter: Presenter,
        wanted: Wanted,
        now: Timestamp,
    ) -> Presented {
        if presenter.client != self.client {
            return Presented::Ended(EndReason::OtherClient);
        }
        let tokens = self.refresh_tokens.as_ref();
        let served = tokens.and_then(|tokens| {
            Some(match wanted {
                Wanted::Rotation {
                    next,
                    access_expires_at,
                } => Self {
                    expires_at: next.expires_at,
                    // The one before may last longer, if the lifetime was shortened.
                    access_expires_at: self.access_ends_at().max(Some(access_expires_at)),
                    refresh_tokens: Some(tokens.rotated(token, next.id, presenter, now)?),
                    ..self.clone()
                },
                Wanted::IdToken => Self {
                    refresh_tokens: Some(tokens.after_id_token(token, now)?),
                    ..self.clone()
                },
            })
        });
        let Some(served) = served else {
            let is_console = presenter.is_console;
            let is_known = tokens.is_some_and(|tokens| tokens.has_console_spent(token, now));
            return if is_console && is_known {
                Presented::JustSpent
            } else {
                Presented::Ended(EndReason::Replayed)
            };
        };
        Presented::Served(served)
    }
}

impl RefreshTokens {
    /// The tokens after the current one was spent for `next`; `None` if `token` is not the current
    /// one.
    fn rotated(
        &self,
        token: &TokenId,
        next: TokenId,
        presenter: Presenter,
        now: Timestamp,
    ) -> Option<Self> {
        if self.current != *token {
            return None;
        }
        let remembered = self.spent_tokens().filter(|spent| spent.is_of_console(now));
        Some(Self {
            current: next,
            spent_before: remembered.take(MAX_REMEMBERED).cloned().collect(),
            spent: Some(SpentToken {
                id: token.clone(),
                spent_at: now,
                by_console: presenter.is_console,
                has_yielded_id_token: false,
            }),
        })
    }

    fn has_console_spent(&self, token: &TokenId, now: Timestamp) -> bool {
        self.spent_tokens()
            .any(|spent| spent.id == *token && spent.is_of_console(now))
    }

    /// The spent tokens that are remembered, the newest first.
    fn spent_tokens(&self) -> impl Iterator<Item = &SpentToken> {
        self.spent.iter().chain(&self.spent_before)
    }

    /// The tokens after one yielded an ID token; `None` if it has none to yield.
    fn after_id_token(&self, token: &TokenId, now: Timestamp) -> Option<Self> {
        let mut tokens = self.clone();
        if tokens.current != *token {
            let spent = tokens.spent.as_mut();
            let spent = spent.filter(|spent| spent.id == *token && spent.yields_id_token(now))?;
            spent.has_yielded_id_token = true;
        }
        Some(tokens)
    }
}

impl SpentToken {
    fn yields_id_token(&self, now: Timestamp) -> bool {
        !self.has_yielded_id_token && self.is_within(ID_TOKEN_WINDOW, now)
    }

    fn is_of_console(&self, now: Timestamp) -> bool {
        self.by_console && self.is_within(CONSOLE_WINDOW, now)
    }

    fn is_within(&self, window: SignedDuration, now: Timestamp) -> bool {
        (-CLOCK_TOLERANCE..=window).contains(&now.duration_since(self.spent_at))
    }
}

#[cfg(test)]
mod tests;

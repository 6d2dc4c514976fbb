//! What tokens claim. Signatures are verified elsewhere.
//!
//! Only what a router judges by is read, as leniently as controllers of all versions need it.

use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use serde::Deserialize;

/// Audiences of the network.
const AUDIENCES: [&str; 2] = ["openziti", "native"];
/// How far the clock of a controller may be ahead.
const LEEWAY_SECONDS: i64 = 60;
/// The factor that makes a login one with a TOTP code.
const TOTP: &str = "totp";

/// Claims of the access token of a session.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AccessClaims {
    /// The identity.
    pub sub: String,
    #[serde(default)]
    pub jti: String,
    pub aud: Audience,
    pub exp: i64,
    #[serde(default)]
    pub nbf: i64,
    #[serde(default)]
    pub iat: i64,
    /// When the first factor was proved.
    #[serde(default)]
    pub auth_time: i64,
    #[serde(default)]
    pub amr: Option<Vec<String>>,
    /// `a`.
    pub z_t: String,
    /// The session.
    pub z_asid: String,
    /// Fingerprints of the certificates that it is bound to.
    #[serde(default)]
    pub z_cfs: Option<Vec<String>>,
    /// Whether certificates may have expired.
    #[serde(default)]
    pub z_cae: bool,
}

/// Claims of the token of a session for a service.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct ServiceClaims {
    /// The service.
    pub(super) sub: String,
    /// The session for the service.
    pub(super) jti: String,
    pub(super) aud: Audience,
    pub(super) exp: i64,
    /// `s`.
    pub(super) z_t: String,
    /// The API session.
    pub(super) z_asid: String,
    /// The identity.
    #[serde(default)]
    pub(super) z_iid: Option<String>,
    /// What it permits.
    pub(super) z_st: ServiceGrant,
}

/// Claims of a token that tells of a TOTP code.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct TotpClaims {
    /// When the code was accepted.
    pub(super) iat: i64,
    /// `t`.
    pub(super) z_t: String,
    /// The API session.
    pub(super) z_asid: String,
}

/// Whom a token is for: one, or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Audience {
    One(String),
    Several(Vec<String>),
}

impl AccessClaims {
    /// Whether the token is an access token, for this network and at this time.
    pub fn count_at(&self, now: Timestamp) -> bool {
        self.z_t == "a"
            && self.aud.is_network()
            && self.nbf <= now.as_second().saturating_add(LEEWAY_SECONDS)
            && now.as_second() < self.exp
    }

    pub fn issued_at(&self) -> Timestamp {
        instant(self.iat)
    }

    /// The first instant at which it does not count any more.
    pub fn expires_at(&self) -> Timestamp {
        instant(self.exp)
    }

    /// When a TOTP code was given at the login, if it was.
    pub fn totp_passed_at(&self) -> Option<Timestamp> {
        let factors = self.amr.iter().flatten();
        let has_totp = factors.into_iter().any(|factor| factor == TOTP);
        (has_totp && self.auth_time > 0).then(|| instant(self.auth_time))
    }
}

impl ServiceClaims {
    /// Whether the token is one of a session for a service, for this network and at this time.
    pub(super) fn count_at(&self, now: Timestamp) -> bool {
        self.z_t == "s" && self.aud.is_network() && now.as_second() < self.exp
    }
}

impl TotpClaims {
    /// When a code was given, if the token tells of one in this session. A controller's clock that is ahead
    /// does not make it last longer.
    pub(super) fn passed_at(&self, session: &str, now: Timestamp) -> Option<Timestamp> {
        (self.z_t == "t" && self.z_asid == session).then(|| instant(self.iat).min(now))
    }
}

impl Audience {
    fn is_network(&self) -> bool {
        let is_ours = |audience: &String| AUDIENCES.contains(&audience.as_str());
        match self {
            Self::One(audience) => is_ours(audience),
            Self::Several(audiences) => audiences.iter().any(is_ours),
        }
    }
}

/// Of seconds since 1970; of those out of range, the nearest.
fn instant(seconds: i64) -> Timestamp {
    let nearest = if seconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_second(seconds).unwrap_or(nearest)
}

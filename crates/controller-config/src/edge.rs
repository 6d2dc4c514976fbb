//! Section `edge`: identities, sessions and how they come to be.

mod api;
mod enrollment;
mod jwks;
mod oidc;
mod password_throttle;
mod signers;
mod totp;

use portcullis_domain::password_throttle::ThrottleRules;
use portcullis_yaml::{Diagnostics, Key, Section};

use crate::folders::Folders;

pub use crate::edge::api::EdgeApi;
pub use crate::edge::enrollment::{Enrollment, SigningCert};
pub use crate::edge::jwks::JwksFetch;
pub(crate) use crate::edge::jwks::positive;
pub use crate::edge::oidc::Oidc;
pub use crate::edge::signers::ExternalJwtSigners;
pub use crate::edge::totp::{Totp, TotpCompatibility};

/// Section `edge`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeConfig {
    /// Sessions and the address that clients are told.
    pub api: EdgeApi,
    /// How identities and routers enroll.
    pub enrollment: Enrollment,
    /// Second factor.
    pub totp: Totp,
    /// Lifetimes of OIDC tokens.
    pub oidc: Oidc,
    /// How tokens of external JWT signers are judged, and where their keys come from.
    pub external_jwt_signers: ExternalJwtSigners,
    /// How guesses at passwords are slowed down, if they are.
    pub password_throttle: Option<ThrottleRules>,
}

const KEYS: &[Key] = &[
    Key::read("api"),
    Key::read("enrollment"),
    Key::read("totp"),
    Key::read("oidc"),
    Key::read("externalJwtSigners"),
    Key::read("passwordThrottle"),
    Key::ignored(
        "authRateLimiter",
        "the number of concurrent logins depends on the number of processors",
    ),
    Key::ignored(
        "identityStatusConfig",
        "whether an identity is online is determined from its connections",
    ),
    Key::ignored("disablePostureChecks", "posture checks cannot be disabled"),
];

const HINTS: &[(&str, &str)] = &[
    ("address", "it belongs to `edge.api`"),
    ("sessionTimeout", "it belongs to `edge.api`"),
    ("signingCert", "it belongs to `edge.enrollment`"),
    ("edgeIdentity", "it belongs to `edge.enrollment`"),
    ("edgeRouter", "it belongs to `edge.enrollment`"),
    ("sharedHosts", "it belongs to `edge.enrollment`"),
    ("jwksFetch", "it belongs to `edge.externalJwtSigners`"),
    ("requireExpiry", "it belongs to `edge.externalJwtSigners`"),
    ("freeAttempts", "it belongs to `edge.passwordThrottle`"),
];

pub(crate) fn read(
    root: &Section<'_>,
    folders: &Folders,
    diagnostics: &mut Diagnostics,
) -> Option<EdgeConfig> {
    let section = root
        .require("edge", "{api: ..., enrollment: ...}", diagnostics)?
        .section(diagnostics)?;
    section.check_keys_but(KEYS, HINTS, diagnostics);
    let api = api::read(&section, diagnostics);
    let enrollment = enrollment::read(&section, folders, diagnostics);
    let totp = totp::read(&section, diagnostics);
    let oidc = oidc::read(&section, diagnostics);
    let external_jwt_signers = signers::read(&section, diagnostics);
    let password_throttle = password_throttle::read(&section, diagnostics);
    Some(EdgeConfig {
        api: api?,
        enrollment: enrollment?,
        totp: totp?,
        oidc: oidc?,
        external_jwt_signers: external_jwt_signers?,
        password_throttle: password_throttle?.0,
    })
}

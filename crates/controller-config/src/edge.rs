//! Section `edge`: enrollment, sessions and authentication.

mod api;
mod enrollment;
mod jwks;
mod oidc;
mod password_throttle;
mod signers;
mod totp;

use portcullis_domain::password_throttle::ThrottleRules;
use portcullis_yaml::{Diagnostics, Section};

use crate::keys::{Key, KeyGroup, ValueType};
use crate::relative_paths::BaseFolders;

pub use crate::edge::api::EdgeApiConfig;
pub use crate::edge::enrollment::{EnrollmentConfig, SigningCertConfig};
pub(crate) use crate::edge::jwks::read_positive_duration;
pub use crate::edge::oidc::OidcConfig;
pub use crate::edge::signers::ExternalJwtSignersConfig;
pub use crate::edge::totp::{TotpCompatibility, TotpConfig};

/// Section `edge`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeConfig {
    /// Sessions, and the address that is advertised to clients.
    pub api: EdgeApiConfig,
    pub enrollment: EnrollmentConfig,
    pub totp: TotpConfig,
    pub oidc: OidcConfig,
    /// Validation of tokens of external JWT signers, and retrieval of their keys.
    pub external_jwt_signers: ExternalJwtSignersConfig,
    /// Throttling of password guesses; `None` if it is disabled.
    pub password_throttle: Option<ThrottleRules>,
}

pub(crate) const KEYS: KeyGroup = &[
    Key::new(
        "api",
        ValueType::Map(&[api::KEYS]),
        "The address that clients are told, and their sessions.",
    )
    .required(),
    Key::new(
        "enrollment",
        ValueType::Map(&[enrollment::KEYS]),
        "How identities and routers get their certificates.",
    )
    .required(),
    Key::new(
        "totp",
        ValueType::Map(&[totp::KEYS]),
        "Time-based one-time codes.",
    ),
    Key::new(
        "oidc",
        ValueType::Map(&[oidc::KEYS]),
        "Tokens of logins by OIDC.",
    ),
    Key::new(
        "externalJwtSigners",
        ValueType::Map(&[signers::KEYS]),
        "How tokens of external signers are judged, and where their keys may be fetched.",
    ),
    Key::new(
        "passwordThrottle",
        ValueType::Map(&[password_throttle::KEYS]),
        "How guesses at passwords are slowed down.",
    ),
    Key::dead(
        "authRateLimiter",
        "the number of concurrent logins depends on the number of processors",
    ),
    Key::dead(
        "identityStatusConfig",
        "whether an identity is online is determined from its connections",
    ),
    Key::dead("disablePostureChecks", "posture checks cannot be disabled"),
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
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<EdgeConfig> {
    let section = root
        .require("edge", "{api: ..., enrollment: ...}", diagnostics)?
        .section(diagnostics)?;
    section.check_keys_with_hints(KEYS, HINTS, diagnostics);
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

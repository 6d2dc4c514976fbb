//! Section `edge.externalJwtSigners`.

use portcullis_domain::fetch_rules::FetchRules;
use portcullis_yaml::{Diagnostics, Section};

use crate::keys::{Key, KeyGroup, ValueType};

use super::jwks;

/// Section `edge.externalJwtSigners`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalJwtSignersConfig {
    /// Rules for fetching keys of signers.
    pub jwks_fetch: FetchRules,
    /// Whether tokens without `exp` are refused, true by default.
    pub require_expiry: bool,
}

impl Default for ExternalJwtSignersConfig {
    fn default() -> Self {
        Self {
            jwks_fetch: FetchRules::default(),
            require_expiry: true,
        }
    }
}

pub(super) const KEYS: KeyGroup = &[
    Key::new(
        "jwksFetch",
        ValueType::Map(&[jwks::KEYS]),
        "Where keys of signers may be fetched: by https, and from public addresses only, unless this says \
         otherwise.",
    ),
    Key::new(
        "requireExpiry",
        ValueType::Bool,
        "Whether tokens without `exp` are refused; without it they would be good for ever.",
    )
    .default("true")
    .example("true"),
];

pub(super) fn read(
    edge: &Section<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<ExternalJwtSignersConfig> {
    let Some(field) = edge.get_non_null("externalJwtSigners") else {
        return Some(ExternalJwtSignersConfig::default());
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let jwks_fetch = jwks::read(&section, diagnostics);
    let mut require_expiry = true;
    if let Some(field) = section.get_non_null("requireExpiry") {
        require_expiry = field.boolean(diagnostics)?;
        if !require_expiry {
            let message = "tokens without `exp` are accepted forever: anyone who obtains an old one \
                           can log in";
            field
                .warning(crate::codes::WEAKENED, message, diagnostics)
                .help("remove the key once the signers write `exp` into their tokens");
        }
    }
    Some(ExternalJwtSignersConfig {
        jwks_fetch: jwks_fetch?,
        require_expiry,
    })
}

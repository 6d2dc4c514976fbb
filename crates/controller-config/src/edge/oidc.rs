//! Section `edge.oidc`.

use std::time::Duration;

use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::keys::{Key, KeyGroup, duration_from};

/// Section `edge.oidc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcConfig {
    /// Lifetime of access tokens, 30 minutes by default.
    pub access_token_duration: Duration,
    /// Lifetime of ID tokens, 30 minutes by default.
    pub id_token_duration: Duration,
    /// Lifetime of refresh tokens, 24 hours by default; at least a minute longer than access tokens.
    pub refresh_token_duration: Duration,
}

/// Minimum lifetime of a token, and the minimum by which a refresh token outlives an access token.
const MINUTE: Duration = Duration::from_mins(1);

const NOT_BATCHED: &str = "revocations are written immediately";

pub(super) const KEYS: KeyGroup = &[
    duration_from(
        "accessTokenDuration",
        MINUTE,
        "How long access tokens are good; a shorter duration is raised to the bound.",
    )
    .default("30m")
    .example("10m"),
    duration_from(
        "idTokenDuration",
        MINUTE,
        "How long ID tokens are good; a shorter duration is raised to the bound.",
    )
    .default("30m")
    .example("10m"),
    duration_from(
        "refreshTokenDuration",
        MINUTE.saturating_mul(2),
        "How long refresh tokens are good, at least a minute longer than access tokens; a shorter duration is \
         raised to that.",
    )
    .default("24h")
    .example("12h"),
    Key::dead("revocationMinTokenLifetime", NOT_BATCHED),
    Key::dead("revocationBucketInterval", NOT_BATCHED),
    Key::dead("revocationBucketMaxSize", NOT_BATCHED),
    Key::dead("revocationMaxQueued", NOT_BATCHED),
    Key::dead("revocationEnforcerFrequency", NOT_BATCHED),
];

impl Default for OidcConfig {
    fn default() -> Self {
        Self {
            access_token_duration: Duration::from_mins(30),
            id_token_duration: Duration::from_mins(30),
            refresh_token_duration: Duration::from_hours(24),
        }
    }
}

pub(super) fn read(edge: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<OidcConfig> {
    let default = OidcConfig::default();
    let Some(field) = edge.get_non_null("oidc") else {
        return Some(default);
    };
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let mut read = |name, default: Duration, least| match section.get(name) {
        Some(field) => read_raised(&field, least, diagnostics),
        None => Some(default.max(least)),
    };
    let access = read("accessTokenDuration", default.access_token_duration, MINUTE);
    let id = read("idTokenDuration", default.id_token_duration, MINUTE);
    let least = access.unwrap_or_default().saturating_add(MINUTE);
    let refresh = read(
        "refreshTokenDuration",
        default.refresh_token_duration,
        least,
    );
    Some(OidcConfig {
        access_token_duration: access?,
        id_token_duration: id?,
        refresh_token_duration: refresh?,
    })
}

/// Reads a duration and raises it to `least` with a warning, as OpenZiti does.
fn read_raised(
    field: &Field<'_>,
    least: Duration,
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
    let duration = field.duration(diagnostics)?.as_std().unwrap_or_default();
    if duration < least {
        let least = format!("{}s", least.as_secs());
        let message = format!("`{}` is too short; {least} is used instead", field.path());
        field
            .warning(codes::OUT_OF_RANGE, message, diagnostics)
            .help(format!("write a duration of {least} or more"));
    }
    Some(duration.max(least))
}

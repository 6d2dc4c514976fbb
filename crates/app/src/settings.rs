//! Settings taken from the configuration.

use portcullis_domain::api_session::SessionLifetimes;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::log_throttle::LogRateLimits;
use portcullis_domain::password_throttle::ThrottleRules;
use portcullis_domain::quota::StorageQuota;
use portcullis_oidc::redirect::RedirectUris;
use portcullis_totp::Rules;

/// Values taken from the configuration.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Idle timeout of an API session.
    pub session_timeout: SignedDuration,
    /// Maximum lifetimes of API sessions.
    pub session_lifetimes: SessionLifetimes,
    /// Maximum age of a session's last factor for privileged operations; `None` for any age.
    pub fresh_factor: Option<SignedDuration>,
    /// Lifetime of an enrollment that is created with its identity.
    pub enrollment_duration: SignedDuration,
    /// Lifetime of a router's enrollment.
    pub router_enrollment_duration: SignedDuration,
    /// Whether tokens of external signers without an expiry are refused.
    pub require_token_expiry: bool,
    /// Throttling of password guesses; `None` for no throttling.
    pub password_throttle: Option<ThrottleRules>,
    /// Rate limits for log lines about refused requests.
    pub refusal_log: LogRateLimits,
    /// Lifetime of the longest-lived kind of token that is signed for API sessions.
    pub max_token_lifetime: SignedDuration,
    /// Limits on what a single identity may store.
    pub storage_quota: StorageQuota,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            session_timeout: SignedDuration::from_mins(30),
            session_lifetimes: SessionLifetimes::default(),
            fresh_factor: None,
            enrollment_duration: SignedDuration::from_mins(180),
            router_enrollment_duration: SignedDuration::from_mins(180),
            require_token_expiry: true,
            password_throttle: Some(ThrottleRules::default()),
            refusal_log: LogRateLimits::default(),
            max_token_lifetime: SignedDuration::from_hours(24),
            storage_quota: StorageQuota::default(),
        }
    }
}

/// Settings of OIDC logins taken from the configuration.
#[derive(Debug, Clone)]
pub struct OidcSettings {
    /// Where logins may lead to.
    pub login_uris: RedirectUris,
    /// Where logouts may lead to.
    pub logout_uris: RedirectUris,
    /// Whether the controller serves a console, which logs in by the same host.
    pub serves_console: bool,
    pub access_token_lifetime: SignedDuration,
    pub id_token_lifetime: SignedDuration,
    pub refresh_token_lifetime: SignedDuration,
}

impl Default for OidcSettings {
    fn default() -> Self {
        Self {
            login_uris: RedirectUris::for_login([]),
            logout_uris: RedirectUris::for_logout([]),
            serves_console: false,
            access_token_lifetime: SignedDuration::from_mins(30),
            id_token_lifetime: SignedDuration::from_mins(30),
            refresh_token_lifetime: SignedDuration::from_hours(24),
        }
    }
}

/// MFA settings taken from the configuration.
#[derive(Debug, Clone)]
pub struct MfaSettings {
    /// Issuer name shown by authenticator apps.
    pub issuer: String,
    pub rules: Rules,
}

impl Default for MfaSettings {
    fn default() -> Self {
        Self {
            issuer: "openziti.io".to_owned(),
            rules: Rules::STRICT,
        }
    }
}

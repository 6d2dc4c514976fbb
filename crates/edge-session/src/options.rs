//! How a program logs in, and how often it asks.

use crate::code_prompt::CodePrompt;
use crate::external_token::ExternalTokens;
use portcullis_channel::group::{Backoff, Jitter};
use portcullis_client::SecretString;
use portcullis_domain::Env;
use portcullis_domain::client_info::SdkInfo;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Options of an [`EdgeSession`](crate::EdgeSession).
#[derive(Clone)]
pub struct SessionOptions {
    /// Clock and randomness.
    pub env: Env,
    pub login: LoginMethod,
    pub protocol: LoginProtocol,
    /// Who is asked for TOTP codes; without anybody, logins that need one are refused.
    pub code_prompt: Option<Arc<dyn CodePrompt>>,
    /// Tokens of an external signer that the policy demands besides the login.
    pub second_factor: Option<Arc<dyn ExternalTokens>>,
    /// What controllers show of the program.
    pub sdk_info: SdkInfo,
    /// Configuration types that services shall come with, by name or id; all of them without any.
    pub config_types: Vec<String>,
    /// How often is asked whether services have changed. The second half of it is random.
    pub poll_interval: Duration,
    /// Time for a request and its response.
    pub request_timeout: Duration,
    /// Pauses after logins that have failed at each controller.
    pub backoff: Backoff,
    /// How often the answers to posture queries are worked out anew.
    pub posture_interval: Duration,
}

/// What a program shows to log in.
#[derive(Clone)]
pub enum LoginMethod {
    /// The certificate of the identity file.
    Certificate,
    Password {
        username: String,
        password: SecretString,
    },
    /// Tokens of an external signer.
    ExternalToken(Arc<dyn ExternalTokens>),
}

/// Which kind of session is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LoginProtocol {
    /// OpenID Connect if the controller offers it, otherwise the legacy one.
    #[default]
    OidcIfOffered,
    /// Sessions with a UUID, whatever the controller offers.
    Legacy,
    /// OpenID Connect; controllers that do not offer it are refused.
    Oidc,
}

impl SessionOptions {
    /// Login by certificate, with the defaults of everything else.
    pub fn new(env: Env) -> Self {
        Self {
            env,
            login: LoginMethod::Certificate,
            protocol: LoginProtocol::default(),
            code_prompt: None,
            second_factor: None,
            sdk_info: SdkInfo {
                kind: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..SdkInfo::default()
            },
            config_types: Vec::new(),
            poll_interval: Duration::from_secs(15),
            request_timeout: Duration::from_secs(15),
            backoff: Backoff {
                initial: Duration::from_secs(1),
                max: Duration::from_mins(1),
                jitter: Jitter::Half,
            },
            posture_interval: Duration::from_secs(15),
        }
    }
}

impl fmt::Debug for SessionOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SessionOptions")
            .field("login", &self.login)
            .field("protocol", &self.protocol)
            .field("sdk_info", &self.sdk_info)
            .field("config_types", &self.config_types)
            .field("poll_interval", &self.poll_interval)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for LoginMethod {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Certificate => formatter.write_str("Certificate"),
            Self::Password { username, .. } => formatter
                .debug_struct("Password")
                .field("username", username)
                .finish_non_exhaustive(),
            Self::ExternalToken(_) => formatter.write_str("ExternalToken"),
        }
    }
}

//! How a program joins the network.

use super::{Context, Shared};
use crate::connector::Connector;
use crate::error::OpenError;
use crate::randomness::Randomness;
use crate::routers::Routers;
use crate::sessions::{Sessions, unix_nanos};
use crate::stream::MAX_MESSAGE;
use portcullis_domain::Env;
use portcullis_edge_session::{
    CodePrompt, EdgeIdentity, EdgeSession, ExternalTokens, LoginMethod, LoginProtocol,
    SessionOptions, SessionState,
};
use portcullis_sdk_proto::EdgeOptions;
use portcullis_transport::{Clock, Transport, TransportLimits};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a login may take.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(30);

/// How a program joins the network.
#[derive(Debug)]
#[must_use]
pub struct ContextBuilder {
    identity: EdgeIdentity,
    options: SessionOptions,
    login_timeout: Duration,
}

impl ContextBuilder {
    pub(super) fn new(identity: EdgeIdentity) -> Self {
        let mut options = SessionOptions::new(portcullis_system::env());
        env!("CARGO_PKG_NAME").clone_into(&mut options.sdk_info.kind);
        env!("CARGO_PKG_VERSION").clone_into(&mut options.sdk_info.version);
        options.config_types.clone_from(&identity.config_types);
        Self {
            identity,
            options,
            login_timeout: LOGIN_TIMEOUT,
        }
    }

    /// What is shown to log in; by default the certificate of the identity file.
    pub fn login(mut self, login: LoginMethod) -> Self {
        self.options.login = login;
        self
    }

    /// Which kind of session is opened; by default that of OpenID Connect if the controller offers it.
    pub fn protocol(mut self, protocol: LoginProtocol) -> Self {
        self.options.protocol = protocol;
        self
    }

    /// Who is asked for TOTP codes. Without anybody, logins that need one are refused.
    pub fn code_prompt(mut self, prompt: impl CodePrompt) -> Self {
        self.options.code_prompt = Some(Arc::new(prompt));
        self
    }

    /// Where tokens of an external signer come from that the policy demands besides the login.
    pub fn second_factor(mut self, tokens: impl ExternalTokens) -> Self {
        self.options.second_factor = Some(Arc::new(tokens));
        self
    }

    /// What the program is called, and its version: administrators see both.
    pub fn application(mut self, id: &str, version: &str) -> Self {
        id.clone_into(&mut self.options.sdk_info.app_id);
        version.clone_into(&mut self.options.sdk_info.app_version);
        self
    }

    /// How long [`open`](Self::open) waits for a login, 30 s by default: with `Duration::MAX`, a program that is
    /// started before its network waits for it.
    pub const fn login_timeout(mut self, timeout: Duration) -> Self {
        self.login_timeout = timeout;
        self
    }

    /// Clock and randomness; by default those of the operating system.
    pub fn env(mut self, env: Env) -> Self {
        self.options.env = env;
        self
    }

    /// All options of the session at once.
    pub fn session_options(mut self, change: impl FnOnce(&mut SessionOptions)) -> Self {
        change(&mut self.options);
        self
    }

    /// Logs in.
    ///
    /// # Errors
    ///
    /// [`OpenError`], if the identity cannot be used, the login is refused, or no controller answers in time.
    pub async fn open(self) -> Result<Context, OpenError> {
        let Self {
            identity,
            options,
            login_timeout,
        } = self;
        let Env {
            clock: wall,
            entropy,
        } = options.env.clone();
        let clock = Clock::start(unix_nanos(wall.as_ref()));
        let authorities = identity.authorities.clone();
        let name = match options.sdk_info.app_id.as_str() {
            "" => env!("CARGO_PKG_NAME").to_owned(),
            id => id.to_owned(),
        };
        let session = EdgeSession::start(identity, options)?;
        let opening = timeout(login_timeout, session.opened()).await;
        let Ok(opened) = opening else {
            let state = session.state().borrow().clone();
            return Err(match state {
                SessionState::Failed(error) => error.into(),
                _ => OpenError::TimedOut(login_timeout),
            });
        };
        opened?;
        let randomness = Randomness::new(entropy);
        let connector = Connector {
            transport: Transport::new(clock, TransportLimits::default()),
            sessions: Sessions::new(session.state(), clock, wall),
            session: session.clone(),
            authorities,
            options: EdgeOptions {
                max_segment: MAX_MESSAGE,
                ..EdgeOptions::default()
            },
            stop: watch::Sender::default(),
            name,
        };
        Ok(Context::new(Shared {
            session,
            routers: Routers::new(connector, randomness.clone()),
            randomness,
            tasks: TaskTracker::new(),
            closed: CancellationToken::new(),
        }))
    }
}

//! What every command works with.

use crate::cli::GlobalArgs;
use crate::clock::SystemClock;
use crate::commands::login::missing;
use crate::controller_url;
use crate::error::{CliError, Kind};
use crate::ext_jwt;
use crate::output::Output;
use crate::profile::{Profile, ProfileStore};
use portcullis_api::code::Code;
use portcullis_client::{Api, Client, ClientBuilder, Exchange, Trust};
use portcullis_domain::clock::{Clock as _, Timestamp};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// The settings of one run.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// Where results go.
    pub(crate) output: Output,
    /// Where profiles are kept.
    pub(crate) store: ProfileStore,
    /// Name of the profile in use.
    pub(crate) profile: String,
    /// How long a request may take.
    pub(crate) timeout: Duration,
    clock: SystemClock,
    is_verbose: bool,
}

impl Context {
    /// Settles what the arguments leave open.
    pub(crate) fn new(arguments: GlobalArgs) -> Result<Self, CliError> {
        let profile = match arguments.profile {
            Some(profile) => Some(profile),
            None => variable("PORTCULLIS_PROFILE")
                .map(OsString::into_string)
                .transpose()
                .map_err(|_odd| CliError::usage("PORTCULLIS_PROFILE is not valid UTF-8"))?,
        };
        let folder = arguments.config_dir.map(PathBuf::into_os_string);
        let folder = folder.or_else(|| variable("PORTCULLIS_CONFIG_DIR"));
        Ok(Self {
            output: Output::new(arguments.output),
            store: ProfileStore::locate(folder.map(PathBuf::from))?,
            profile: profile.unwrap_or_else(|| "default".to_owned()),
            timeout: Duration::from_secs(arguments.timeout),
            clock: SystemClock,
            is_verbose: arguments.verbose,
        })
    }

    /// The present instant.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Begins a client.
    pub(crate) fn client(&self, url: &Url, trust: Trust) -> ClientBuilder {
        let builder = Client::builder(url, trust).timeout(self.timeout);
        if self.is_verbose {
            builder.observe(Arc::new(log))
        } else {
            builder
        }
    }

    /// Keeps the username for the next login.
    pub(crate) fn remember_username(&self, username: &str) -> Result<(), CliError> {
        self.store.change(|all| {
            if let Some(profile) = all.profiles.get_mut(&self.profile) {
                profile.username = Some(username.to_owned());
            }
        })
    }

    /// Picks up the session of the profile.
    pub(crate) fn session(&self) -> Result<Session, CliError> {
        let session = self.bare_session()?;
        let Some(path) = &session.profile.second_ext_jwt else {
            return Ok(session);
        };
        let bearer = ext_jwt::read(path).map_err(|error| {
            error.hint(format!(
                "this is the second JWT of the profile `{}`; replace it with `portcullis login \
                 --second-ext-jwt FILE`",
                session.name
            ))
        })?;
        Ok(Session {
            client: session.client.with_bearer(bearer),
            ..session
        })
    }

    /// Picks up the session of the profile to end it, with the second JWT if it is to be had.
    pub(crate) fn session_to_end(&self) -> Result<Session, CliError> {
        let session = self.bare_session()?;
        let second = session.profile.second_ext_jwt.as_deref();
        match second.map(ext_jwt::read) {
            Some(Ok(bearer)) => Ok(Session {
                client: session.client.with_bearer(bearer),
                ..session
            }),
            _ => Ok(session),
        }
    }

    /// Picks up the session of the profile as it is without a second JWT.
    fn bare_session(&self) -> Result<Session, CliError> {
        let name = &self.profile;
        let nobody = |url: Option<&str>| {
            CliError::not_logged_in(format!("not logged in (profile `{name}`)"), url)
        };
        let profile = self.store.read(name)?.ok_or_else(|| nobody(None))?;
        let url = controller_url::shown(&profile.url);
        let stored = profile.session.clone().ok_or_else(|| nobody(Some(&url)))?;
        let client = self
            .client(&profile.url, profile.trust()?)
            .session(stored.token)
            .build()?;
        Ok(Session {
            client,
            profile,
            name: name.clone(),
        })
    }
}

/// A variable of the environment. Set to nothing is how shells leave one out.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A session with a controller.
#[derive(Debug)]
pub(crate) struct Session {
    /// Speaks with the controller in the name of the session.
    pub(crate) client: Client,
    /// What is remembered about the controller.
    pub(crate) profile: Profile,
    name: String,
}

impl Session {
    /// Says what can be done about a failure. Finds out what "not authorized" means: that the
    /// session is over, or that it may not do what was asked. The controller answers the same to
    /// both.
    pub(crate) async fn explain<T>(&self, result: Result<T, CliError>) -> Result<T, CliError> {
        let error = match result {
            Err(error) if error.kind() == Kind::Unauthorized => error,
            other => return other.map_err(|error| self.profile.explain(error)),
        };
        match self.client.current_session(Api::Client).await {
            Err(answer) if answer.is_refused_with(Code::Unauthorized) => Err(self.is_over()),
            Ok(held) if !held.auth_queries.is_empty() => {
                Err(missing::explain_in_session(&held.auth_queries))
            },
            // The controller has named something else.
            _ if error.has_cause() => Err(error),
            _ => Err(error.hint(
                "your identity lacks the permission for this; `portcullis whoami` shows its permissions",
            )),
        }
    }

    fn is_over(&self) -> CliError {
        let url = controller_url::shown(&self.profile.url);
        CliError::not_logged_in(
            format!("the session has expired (profile `{}`)", self.name),
            Some(&url),
        )
    }
}

/// Logs a request to the standard error.
fn log(exchange: Exchange<'_>) {
    let status = exchange
        .status
        .map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    // A log that nobody reads is no failure.
    let _ = writeln!(
        std::io::stderr(),
        "{} {} -> {status} in {} ms",
        exchange.method,
        exchange.target,
        exchange.elapsed.as_millis()
    );
}

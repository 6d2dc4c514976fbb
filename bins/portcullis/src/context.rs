//! Context of a command: output, profiles and clients.

use crate::auth_queries;
use crate::completion::Values;
use crate::controller_url;
use crate::error::{CliError, ErrorKind};
use crate::ext_jwt;
use crate::output::{Format, Output};
use crate::profile::{Profile, ProfileStore, StoredSession};
use crate::profile_tokens::ProfileTokens;
use clap::Args;
use portcullis_api::code::Code;
use portcullis_client::{Api, Client, ClientBuilder, ClientError, Exchange, Trust};
use portcullis_domain::clock::{Clock as _, Timestamp};
use portcullis_system::SystemClock;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Names the profile to use.
pub(crate) const PROFILE_VARIABLE: &str = "PORTCULLIS_PROFILE";

/// The profile in use if none was chosen.
const DEFAULT_PROFILE: &str = "default";

/// Global options.
#[derive(Debug, Args)]
pub(crate) struct GlobalArgs {
    /// Output format
    #[arg(
        short,
        long,
        global = true,
        value_name = "FORMAT",
        value_enum,
        default_value_t
    )]
    pub(crate) output: Format,

    /// Profile to use, which stores a controller and a session (default: `PORTCULLIS_PROFILE`, or
    /// the one that `profile use` chose, or `default`)
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        value_parser = crate::text::parse_non_blank,
        add = Values::Profiles
    )]
    pub(crate) profile: Option<String>,

    /// Directory for profiles (default: `PORTCULLIS_CONFIG_DIR`)
    #[arg(long, global = true, value_name = "DIR", hide_short_help = true)]
    pub(crate) config_dir: Option<PathBuf>,

    /// Request timeout in seconds
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3600),
        hide_short_help = true
    )]
    pub(crate) timeout: u64,

    /// Log each request to standard error, without secrets
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

impl GlobalArgs {
    /// The options of a command that nobody waits long for.
    pub(crate) fn hasty(
        profile: Option<String>,
        config_dir: Option<PathBuf>,
        timeout: Duration,
    ) -> Self {
        Self {
            output: Format::default(),
            profile,
            config_dir,
            timeout: timeout.as_secs(),
            verbose: false,
        }
    }
}

/// Settings of one invocation.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) output: Output,
    pub(crate) store: ProfileStore,
    /// Name of the profile in use.
    pub(crate) profile: String,
    /// Request timeout.
    pub(crate) timeout: Duration,
    pub(crate) clock: SystemClock,
    is_verbose: bool,
}

impl Context {
    /// Resolves arguments and environment variables.
    pub(crate) fn new(arguments: GlobalArgs) -> Result<Self, CliError> {
        let profile = match arguments.profile {
            Some(profile) => Some(profile),
            None => env_var(PROFILE_VARIABLE)
                .map(OsString::into_string)
                .transpose()
                .map_err(|_odd| {
                    CliError::usage(format!("{PROFILE_VARIABLE} is not valid UTF-8"))
                })?,
        };
        let folder = arguments.config_dir.map(PathBuf::into_os_string);
        let folder = folder.or_else(|| env_var("PORTCULLIS_CONFIG_DIR"));
        let store = ProfileStore::locate(folder.map(PathBuf::from))?;
        let profile = profile.unwrap_or_else(|| chosen_profile(&store));
        Ok(Self {
            output: Output::new(arguments.output),
            store,
            profile,
            timeout: Duration::from_secs(arguments.timeout),
            clock: SystemClock,
            is_verbose: arguments.verbose,
        })
    }

    /// The same for another profile.
    pub(crate) fn with_profile(&self, name: &str) -> Self {
        Self {
            profile: name.to_owned(),
            ..self.clone()
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Starts building a client.
    pub(crate) fn client(&self, url: &Url, trust: Trust) -> ClientBuilder {
        let builder = Client::builder(url, trust).timeout(self.timeout);
        if self.is_verbose {
            builder.observe(Arc::new(log_exchange))
        } else {
            builder
        }
    }

    /// Starts building a client for the controller of a profile.
    pub(crate) fn client_of(&self, profile: &Profile) -> Result<ClientBuilder, CliError> {
        Ok(self.client(&profile.url, profile.trust()?))
    }

    /// The same with the certificate of the last login, if it was by one.
    pub(crate) fn client_of_holder(&self, profile: &Profile) -> Result<ClientBuilder, CliError> {
        let builder = self.client_of(profile)?;
        Ok(match profile.certificate()? {
            Some(certificate) => builder.certificate(certificate.to_client_certificate()),
            None => builder,
        })
    }

    /// Saves the username in the profile.
    pub(crate) fn save_username(&self, username: &str) -> Result<(), CliError> {
        self.store.update(|all| {
            if let Some(profile) = all.profiles.get_mut(&self.profile) {
                profile.username = Some(username.to_owned());
            }
        })
    }

    /// Loads the session of the profile, with its second JWT if there is one.
    pub(crate) fn session(&self) -> Result<Session, CliError> {
        let session = self.session_with(Self::client_of_holder)?;
        let Some(path) = &session.profile.second_ext_jwt else {
            return Ok(session);
        };
        let bearer = ext_jwt::read(path).map_err(|error| {
            error.hint(format!(
                "profile `{}` requires this second JWT; replace it with `portcullis login \
                 --second-ext-jwt FILE`",
                session.name
            ))
        })?;
        Ok(Session {
            client: session.client.with_bearer(bearer),
            ..session
        })
    }

    /// Loads the session of the profile for a command that may be interrupted at any time, and so does not
    /// renew it.
    pub(crate) fn session_without_renewal(&self) -> Result<Session, CliError> {
        let session = self.session()?;
        let Some(StoredSession::Oidc(stored)) = &session.profile.session else {
            return Ok(session);
        };
        let token = stored.access_token.clone();
        Ok(Session {
            client: session.client.with_access_tokens(token),
            ..session
        })
    }

    /// Loads the session of the profile to end it, for which no certificate is needed. An unreadable second
    /// JWT is ignored.
    pub(crate) fn session_for_logout(&self) -> Result<Session, CliError> {
        let session = self.session_with(Self::client_of)?;
        let second = session.profile.second_ext_jwt.as_deref();
        match second.map(ext_jwt::read) {
            Some(Ok(bearer)) => Ok(Session {
                client: session.client.with_bearer(bearer),
                ..session
            }),
            _ => Ok(session),
        }
    }

    /// Loads the session of the profile without its second JWT. `client_of` begins the client of a session
    /// with access tokens.
    fn session_with(
        &self,
        client_of: impl Fn(&Self, &Profile) -> Result<ClientBuilder, CliError>,
    ) -> Result<Session, CliError> {
        let name = &self.profile;
        let not_logged_in = |url: Option<&str>| {
            CliError::not_logged_in(format!("not logged in (profile `{name}`)"), url)
        };
        let mut all = self.store.read_all()?;
        let profile = all
            .profiles
            .remove(name)
            .ok_or_else(|| match all.describe_known(name) {
                Some(known) if name != DEFAULT_PROFILE => {
                    CliError::without_session(format!("there is no profile `{name}`")).hint(known)
                },
                _ => not_logged_in(None),
            })?;
        let url = controller_url::display(&profile.url);
        let stored = profile
            .session
            .clone()
            .ok_or_else(|| not_logged_in(Some(&url)))?;
        let client = match stored {
            StoredSession::Token(session) => {
                self.client_of(&profile)?.session(session.token).build()?
            },
            StoredSession::Oidc(session) => {
                let client = client_of(self, &profile)?.build()?;
                let tokens = ProfileTokens::new(self, &url, client.clone(), session);
                client.with_access_tokens(tokens)
            },
        };
        Ok(Session {
            client,
            profile,
            name: name.clone(),
        })
    }
}

/// The profile that `profile use` chose. If the profiles cannot be read, whatever needs one says so.
fn chosen_profile(store: &ProfileStore) -> String {
    let profiles = store.read_all().unwrap_or_default();
    profiles
        .current
        .unwrap_or_else(|| DEFAULT_PROFILE.to_owned())
}

/// A non-empty environment variable: shells unset a variable by making it empty.
fn env_var(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A session with a controller.
#[derive(Debug)]
pub(crate) struct Session {
    /// Authenticated client.
    pub(crate) client: Client,
    pub(crate) profile: Profile,
    name: String,
}

impl Session {
    /// Adds hints to an error. For "unauthorized", asks the controller whether the session has
    /// expired or lacks a permission: both give the same error.
    pub(crate) async fn explain<T>(
        &self,
        context: &Context,
        result: Result<T, CliError>,
    ) -> Result<T, CliError> {
        let error = match result {
            Err(error) if error.kind() == ErrorKind::Unauthorized => error,
            Err(error) => return Err(self.profile.explain_untrusted(context, error).await),
            done => return done,
        };
        match self.client.current_session(Api::Client).await {
            Err(answer) if answer.is_refused_with(Code::Unauthorized) => Err(self.expired_error()),
            Ok(current) if !current.auth_queries.is_empty() => Err(
                auth_queries::missing_factor_in_session(&current.auth_queries),
            ),
            // The controller has already named the cause.
            _ if error.has_api_cause() => Err(error),
            Ok(current) => Err(error.into_missing_permission(&current.identity.name)),
            Err(_) => Err(error),
        }
    }

    /// Ends the session on the controller. One that has ended is no error.
    pub(crate) async fn end(&self) -> Result<(), ClientError> {
        let ended = match &self.profile.session {
            Some(StoredSession::Oidc(session)) => {
                let token = session.refresh_token.as_ref();
                let token = token.unwrap_or(&session.access_token);
                let provider = self.client.oidc_provider().await?;
                self.client.revoke_token(&provider, token).await
            },
            Some(StoredSession::Token(_)) | None => self.client.log_out(Api::Management).await,
        };
        match ended {
            Err(error) if error.is_refused_with(Code::Unauthorized) => Ok(()),
            ended => ended,
        }
    }

    fn expired_error(&self) -> CliError {
        expired_error(&self.name, &controller_url::display(&self.profile.url))
    }
}

/// The error for a session that has ended.
pub(crate) fn expired_error(profile: &str, url: &str) -> CliError {
    CliError::not_logged_in(
        format!("the session has expired (profile `{profile}`)"),
        Some(url),
    )
}

fn log_exchange(exchange: Exchange<'_>) {
    let status = exchange
        .status
        .map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    // Failing to log must not fail the command.
    let _ = writeln!(
        std::io::stderr(),
        "{} {} -> {status} in {} ms",
        exchange.method,
        exchange.target,
        exchange.elapsed.as_millis()
    );
}

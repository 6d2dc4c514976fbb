//! `portcullis login`.

use crate::context::Context;
use crate::error::CliError;
use crate::password::PasswordArgs;
use crate::profile::{Profile, StoredSession};
use crate::table::Table;
use crate::trust::{self, Trusted};
use crate::{controller_url, files};
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::time::WireTime;
use portcullis_client::{Api, Client};
use serde::Serialize;
use std::path::PathBuf;
use url::Url;

const EXAMPLES: &str = "\
The first login shows the fingerprint of the controller's authority and asks whether to trust it.
What is trusted is remembered in the profile together with the session.

Examples:
  portcullis login https://localhost:1280 --username admin
  portcullis login https://localhost:1280 --username admin --ca root-ca.pem
  pass show portcullis | portcullis login --password-file -
  portcullis login                       again, to the same controller as the same user";

/// What to do about a login that is refused.
const WRONG: &str = "check username and password";

const WHOAMI: &str = "portcullis whoami";
const CREATE: &str = "portcullis identity create laptop --type device --output-jwt laptop.jwt";

/// Arguments of `login`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LoginArgs {
    /// Address of the controller, such as `localhost:1280`; that of the profile if left out
    url: Option<String>,

    /// Username to log in with; the one of the last login if left out
    #[arg(short, long, value_name = "NAME")]
    username: Option<String>,

    #[command(flatten)]
    password: PasswordArgs,

    /// Trust the authorities in this PEM file, without asking
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    /// Trust the authorities that the controller itself offers, without asking whether their
    /// fingerprint is right
    #[arg(short, long, conflicts_with = "ca")]
    yes: bool,

    /// Forget the authorities that were trusted so far
    #[arg(long)]
    forget_ca: bool,
}

/// The result for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoggedIn<'l> {
    profile: &'l str,
    url: String,
    identity: &'l str,
    identity_id: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<WireTime>,
}

pub(crate) async fn run(context: &Context, arguments: LoginArgs) -> Result<(), CliError> {
    let known = context.store.read(&context.profile)?;
    let url = url(&arguments, known.as_ref())?;
    let known = known.filter(|profile| profile.url == url);
    let username = username(&arguments, known.as_ref())?;
    let trusted = trust(context, &arguments, &url, known.as_ref()).await?;
    let password = arguments
        .password
        .obtain(&format!("Password of {username}"), false)?;
    let session = trusted
        .client
        .authenticate_with_password(Api::Management, &username, password)
        .await
        .map_err(|error| CliError::of_login(error, WRONG))?;
    if !session.auth_queries.is_empty() {
        return Err(refuse_partial(&trusted.client, session).await);
    }
    let client = trusted.client.with_session(session.token.clone());
    remember(context, &url, trusted, username, &session)?;
    let next = if context.output.is_for_programs() {
        WHOAMI
    } else {
        next_step(&client).await
    };
    let result = LoggedIn {
        profile: &context.profile,
        url: controller_url::shown(&url),
        identity: &session.identity.name,
        identity_id: session.identity_id.as_str(),
        expires_at: session.expires_at,
    };
    context.output.result(&result, || {
        let end = result.expires_at.map(|end| end.to_string());
        Table::of_properties()
            .property("logged in to", &result.url)
            .property("as", result.identity)
            .property("profile", result.profile)
            .property("until", end.unwrap_or_default())
            .footer(format!("next: {next}"))
    })
}

/// What whoever has logged in can do now.
async fn next_step(client: &Client) -> &'static str {
    match client.current_identity(Api::Management).await {
        Ok(identity) if identity.is_admin || identity.is_default_admin => CREATE,
        // It is advice only: whatever is wrong shows with the next command.
        _ => WHOAMI,
    }
}

fn url(arguments: &LoginArgs, known: Option<&Profile>) -> Result<Url, CliError> {
    match (&arguments.url, known) {
        (Some(text), _) => controller_url::parse(text),
        (None, Some(profile)) => Ok(profile.url.clone()),
        (None, None) => Err(CliError::usage("the address of the controller is missing")
            .hint("run `portcullis login https://HOST:1280 --username NAME`")),
    }
}

fn username(arguments: &LoginArgs, known: Option<&Profile>) -> Result<String, CliError> {
    let last = known.and_then(|profile| profile.username.clone());
    arguments
        .username
        .clone()
        .or(last)
        .ok_or_else(|| CliError::usage("the username is missing").hint("add `--username NAME`"))
}

async fn trust(
    context: &Context,
    arguments: &LoginArgs,
    url: &Url,
    known: Option<&Profile>,
) -> Result<Trusted, CliError> {
    if let Some(path) = &arguments.ca {
        return trust::given(context, url, files::read_text(path)?).await;
    }
    match known {
        Some(profile) if !arguments.forget_ca => again(context, profile).await,
        _ => trust::unknown(context, url, arguments.yes).await,
    }
}

/// Trusts whom the profile trusts.
async fn again(context: &Context, profile: &Profile) -> Result<Trusted, CliError> {
    let client = context.client(&profile.url, profile.trust()?).build()?;
    match client.version().await {
        Ok(_) => Ok(Trusted {
            client,
            ca: profile.ca.clone(),
        }),
        Err(error) => Err(profile.explain(error.into())),
    }
}

/// Gives a session back that would need more than a password.
async fn refuse_partial(client: &Client, session: ApiSessionDetail) -> CliError {
    let wanted: Vec<_> = session
        .auth_queries
        .iter()
        .map(|query| query.type_id.to_string())
        .collect();
    // It is of no use to anybody; if it cannot be ended, it ends by itself.
    let _ = client
        .with_session(session.token)
        .log_out(Api::Management)
        .await;
    CliError::failed(format!(
        "the login needs a further factor: {}",
        wanted.join(", ")
    ))
    .hint("log in as an identity whose authentication policy asks for a password only")
}

fn remember(
    context: &Context,
    url: &Url,
    trusted: Trusted,
    username: String,
    session: &ApiSessionDetail,
) -> Result<(), CliError> {
    let profile = Profile {
        url: url.clone(),
        ca: trusted.ca,
        username: Some(username),
        session: Some(StoredSession {
            token: session.token.clone(),
            expires_at: session.expires_at,
        }),
    };
    context
        .store
        .change(|all| drop(all.profiles.insert(context.profile.clone(), profile)))
}

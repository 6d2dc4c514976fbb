//! `portcullis login`.

pub(crate) mod complete;
pub(crate) mod missing;
mod second;
mod way;

use crate::code::{AnswerArgs, Codes};
use crate::context::Context;
use crate::credential::CertificateArgs;
use crate::error::CliError;
use crate::ext_jwt;
use crate::identity_file::IdentityFile;
use crate::password::PasswordArgs;
use crate::profile::{Profile, StoredSession};
use crate::table::Table;
use crate::trust::{self, Trusted};
use crate::{controller_url, files, output, source};
use clap::Args;
use complete::Standing;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::time::WireTime;
use portcullis_client::{Api, Client};
use secrecy::SecretString;
use serde::Serialize;
use std::path::PathBuf;
use url::Url;
use way::Way;

const EXAMPLES: &str = "\
The first login shows the fingerprint of the controller's CA and asks whether to trust it.
The profile remembers what is trusted and the session, and also the username and
the paths of certificates, keys and JWTs, but no passwords or JWTs.

Where a policy requires a JWT in addition to the login, --second-ext-jwt names its file: every
later command reads it again, so that another program can renew the JWT there.

If you have enrolled an authenticator app (`portcullis mfa enroll`), you are asked for its code; a
recovery code works too. After three wrong codes, or none, there is no session. Where a
policy requires a code and you are not enrolled, the session is good for `portcullis mfa enroll`
only, until you are enrolled.

Examples:
  portcullis login https://localhost:1280 --username admin
  portcullis login https://localhost:1280 --username admin --ca root-ca.pem
  pass show portcullis | portcullis login --password-file -
  portcullis login                       again, to the same controller in the same way
  portcullis login --identity laptop.json
  portcullis login --username anna --code-file recovery-code.txt
  pass otp portcullis | portcullis login --code-file -
  portcullis login https://localhost:1280 --cert anna.pem --key anna.key
  portcullis login https://localhost:1280 --ext-jwt anna.token
  portcullis login --username anna --second-ext-jwt anna.token";

const WHOAMI: &str = "portcullis whoami";
const ENROLL: &str = "portcullis mfa enroll";
const CREATE: &str = "portcullis identity create laptop --type device --output-jwt laptop.jwt";

/// Arguments of `login`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LoginArgs {
    /// Address of the controller, such as `localhost:1280`; the one in the profile if left out
    url: Option<String>,

    /// Username to log in with; the one of the last login if left out
    #[arg(short, long, value_name = "NAME", value_parser = crate::words::not_blank)]
    username: Option<String>,

    #[command(flatten)]
    password: PasswordArgs,

    /// Log in with the certificate of this identity file, at its controller
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["username", "password", "password_file", "cert", "ext_jwt"]
    )]
    identity: Option<PathBuf>,

    #[command(flatten)]
    certificate: CertificateArgs,

    /// Log in with the JWT of an external signer in this file; `-` for the standard input
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["username", "password", "password_file", "cert"]
    )]
    ext_jwt: Option<PathBuf>,

    /// File with the JWT that the auth policy requires in addition to the login
    #[arg(long, value_name = "FILE", value_parser = second::file)]
    second_ext_jwt: Option<PathBuf>,

    #[command(flatten)]
    answer: AnswerArgs,

    /// Trust the CA certificates in this PEM file, without asking
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    /// Trust the CA certificates that the controller itself offers, without asking whether their
    /// fingerprint is right
    #[arg(short, long, conflicts_with = "ca")]
    yes: bool,

    /// Forget the CA certificates that were trusted so far
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
    /// What is still to be answered before the session is good for anything else.
    pending: Vec<&'l str>,
}

impl LoginArgs {
    /// Refuses what is no way in together.
    fn check(&self) -> Result<(), CliError> {
        if self.certificate.cert.is_some() && (self.username.is_some() || self.password.is_given())
        {
            return Err(
                CliError::usage("log in with a certificate or with a password, not both")
                    .hint("leave out `--cert` and `--key`, or the username and the password"),
            );
        }
        let files = [
            self.password.file(),
            self.answer.file(),
            self.ext_jwt.as_deref(),
        ];
        if files
            .into_iter()
            .filter(|file| source::is_stdin(*file))
            .count()
            > 1
        {
            return Err(CliError::usage(
                "only one of the code and the credential can be read from the standard input",
            ));
        }
        Ok(())
    }
}

pub(crate) async fn run(context: &Context, arguments: LoginArgs) -> Result<(), CliError> {
    arguments.check()?;
    let known = context.store.read(&context.profile)?;
    let url = url(&arguments, known.as_ref())?;
    let known = known.filter(|profile| profile.url == url);
    let way = Way::choose(&arguments, known.as_ref())?;
    let second = second::choose(&arguments, known.as_ref())?;
    let trusted = trust(context, &arguments, &url, known.as_ref()).await?;
    // All that can fail here is done before there is a session.
    let bearer = second.as_deref().map(ext_jwt::read).transpose()?;
    let codes = arguments.answer.codes()?;
    context.store.check()?;
    let session = way.log_in(context, &url, &trusted, &arguments).await?;
    let mut client = trusted.client.with_session(session.token.clone());
    if let Some(bearer) = &bearer {
        client = client.with_bearer(bearer.clone());
    }
    let username = match &way {
        Way::Password(username) => Some(username.clone()),
        Way::Stored(_) => None,
    };
    let profile = Profile {
        url: url.clone(),
        ca: trusted.ca,
        username,
        way: way.stored(),
        second_ext_jwt: second,
        session: Some(StoredSession {
            token: session.token.clone(),
            expires_at: session.expires_at,
        }),
    };
    let complete = complete(&client, &session, bearer.as_ref(), &codes, context).await;
    let remembered = complete.and_then(|standing| remember(context, profile).map(|()| standing));
    let standing = match remembered {
        Ok(standing) => standing,
        Err(error) => {
            // It is of no use to anybody; if it cannot be ended, it ends by itself.
            let _ = client.log_out(Api::Management).await;
            return Err(error);
        },
    };
    let next = match &standing {
        Standing::ToEnroll(_) => {
            output::note("Your auth policy requires a TOTP code, and you are not enrolled yet.");
            ENROLL
        },
        Standing::Full if context.output.is_for_programs() => WHOAMI,
        Standing::Full => next_step(&client).await,
    };
    let pending = standing.pending().iter();
    let result = LoggedIn {
        profile: &context.profile,
        url: controller_url::shown(&url),
        identity: &session.identity.name,
        identity_id: session.identity_id.as_str(),
        expires_at: session.expires_at,
        pending: pending.map(|query| query.type_id.as_ref()).collect(),
    };
    context.output.result(&result, || {
        let end = result.expires_at.map(|end| end.to_string());
        Table::of_properties()
            .property("logged in to", &result.url)
            .property("as", result.identity)
            .property("profile", result.profile)
            .property("until", end.unwrap_or_default())
            .property("still to answer", result.pending.join(", "))
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
    if let (None, Some(path)) = (&arguments.url, &arguments.identity) {
        return IdentityFile::read(path)?.url();
    }
    match (&arguments.url, known) {
        (Some(text), _) => controller_url::parse(text),
        (None, Some(profile)) => Ok(profile.url.clone()),
        (None, None) => Err(CliError::usage("the controller address is missing")
            .hint("run `portcullis login https://HOST:1280 --username NAME`")),
    }
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
    if let Some(path) = &arguments.identity {
        let authorities = IdentityFile::read(path)?.authorities()?;
        return trust::given(context, url, authorities).await;
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

/// Answers what the session still asks for, with the second JWT and with codes.
async fn complete(
    client: &Client,
    session: &ApiSessionDetail,
    second: Option<&SecretString>,
    codes: &Codes,
    context: &Context,
) -> Result<Standing, CliError> {
    let Some(second) = second.filter(|_| !session.auth_queries.is_empty()) else {
        return complete::run(client, session, codes).await;
    };
    // Whether the second token answers is seen by the session that it goes with.
    let held = client.current_session(Api::Client).await?;
    if !held.auth_queries.iter().any(missing::is_jwt) {
        return complete::run(client, &held, codes).await;
    }
    let hint = match ext_jwt::end(second) {
        Some(end) if end <= context.now() => {
            format!("the JWT of `--second-ext-jwt` expired at {end}")
        },
        _ => "the JWT of `--second-ext-jwt` was refused: wrong signer, or not issued to you"
            .to_owned(),
    };
    Err(missing::explain(&held.auth_queries).hint(hint))
}

fn remember(context: &Context, profile: Profile) -> Result<(), CliError> {
    context
        .store
        .change(|all| drop(all.profiles.insert(context.profile.clone(), profile)))
}

//! `portcullis login`.

mod browser;
pub(crate) mod complete;
mod method;
mod opened;
mod second_jwt;
mod shown;

use crate::commands::identity::show::is_admin;
use crate::context::Context;
use crate::credential::CertificateArgs;
use crate::error::CliError;
use crate::ext_jwt;
use crate::identity_file::IdentityFile;
use crate::mfa_code::LoginCodeArgs;
use crate::moment;
use crate::password::PasswordArgs;
use crate::profile::Profile;
use crate::table::Table;
use crate::trust::{self, CaFingerprint, Confirmation, TrustSource, TrustedController};
use crate::{controller_url, files, output, secret_source};
use clap::Args;
use complete::LoginState;
use method::LoginMethod;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::time::WireTime;
use portcullis_client::oidc::Provider;
use portcullis_client::{Api, Client, ListQuery};
use serde::Serialize;
use shown::show;
use std::path::PathBuf;
use url::Url;

const EXAMPLES: &str = "\
The first login shows the fingerprint of the controller's CA and asks whether to trust it. On the
controller's machine, `portcullis-controller fingerprint` shows it; pass it with --fingerprint to
be asked nothing, and to be sure. The profile stores the trusted CA, the session, the username, and
the paths of certificates, keys and JWTs, but no passwords or JWTs of signers. Commands renew the
session when they have to.

With --browser, you log in on a page of the controller. The browser has to run on this machine, which
it comes back to, and to trust the controller's certificate. This is also how people at a terminal log
in who say neither a username nor anything else.

If a policy requires a second JWT, pass its file with --second-ext-jwt. Every later command reads
the file again, so that another program can renew the JWT.

If you have enrolled an authenticator app (`portcullis mfa enroll`), you are prompted for its code;
a recovery code works too. The login fails after three wrong codes. If a policy requires a code and
you are not enrolled yet, the session only allows `portcullis mfa enroll` until you are.

Examples:
  portcullis login https://localhost:1280 --username admin
  portcullis login https://localhost:1280 --username admin --ca root-ca.pem
  portcullis login https://ctrl.example.com:1280 --fingerprint 85:58:9C:...:4E
  pass show portcullis | portcullis login --password-file -
  portcullis login                       # repeats the last login
  portcullis login https://ctrl.example.com:1280 --browser
  portcullis login --identity laptop.json
  portcullis login --username anna --code-file recovery-code.txt
  pass otp portcullis | portcullis login --code-file -
  portcullis login https://localhost:1280 --cert anna.pem --key anna.key
  portcullis login https://localhost:1280 --ext-jwt anna.token
  portcullis login --username anna --second-ext-jwt anna.token";

/// Arguments that say who logs in; a browser asks instead.
const CREDENTIALS: [&str; 10] = [
    "username",
    "password",
    "password_file",
    "identity",
    "cert",
    "ext_jwt",
    "second_ext_jwt",
    "totp",
    "recovery_code",
    "code_file",
];

const WHOAMI: &str = "portcullis whoami";
const ENROLL: &str = "portcullis mfa enroll";
const CREATE: &str = "portcullis identity create laptop --type device --output-jwt laptop.jwt";

/// Arguments of `login`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct LoginArgs {
    /// Address of the controller, such as `localhost:1280` (default: the one in the profile)
    url: Option<String>,

    /// Username (default: the one of the last login)
    #[arg(short, long, value_name = "NAME", value_parser = crate::text::parse_non_blank)]
    username: Option<String>,

    #[command(flatten)]
    password: PasswordArgs,

    /// Log in with the certificate in this identity file, to its controller
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["username", "password", "password_file", "cert", "ext_jwt"]
    )]
    identity: Option<PathBuf>,

    #[command(flatten)]
    certificate: CertificateArgs,

    /// Log in with the JWT of an external signer in this file; `-` for standard input
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["username", "password", "password_file", "cert"]
    )]
    ext_jwt: Option<PathBuf>,

    /// File with the second JWT that the authentication policy requires
    #[arg(long, value_name = "FILE", value_parser = second_jwt::parse_file)]
    second_ext_jwt: Option<PathBuf>,

    /// Log in in a browser, on a page of the controller
    #[arg(long, conflicts_with_all = CREDENTIALS)]
    browser: bool,

    /// Log in in a browser, but do not open it: show the address only
    #[arg(long, conflicts_with_all = CREDENTIALS)]
    no_open: bool,

    #[command(flatten)]
    code: LoginCodeArgs,

    /// Trust the CA certificates in this PEM file, without asking
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    /// Trust the CA with this SHA-256 fingerprint, without asking; colons and case do not matter
    #[arg(long, value_name = "SHA256", conflicts_with_all = ["ca", "identity"])]
    fingerprint: Option<CaFingerprint>,

    /// Trust the CA certificates that the controller offers, without asking to confirm the
    /// fingerprint
    #[arg(short, long, conflicts_with_all = ["ca", "fingerprint"])]
    yes: bool,

    /// Forget the currently trusted CA certificates
    #[arg(long)]
    forget_ca: bool,
}

/// Machine-readable result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoggedIn<'l> {
    profile: &'l str,
    url: String,
    identity: &'l str,
    identity_id: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<WireTime>,
    /// Authentication queries that are still open.
    pending: Vec<&'l str>,
}

impl LoginArgs {
    /// Whether the login takes place in a browser.
    fn is_in_browser(&self) -> bool {
        self.browser || self.no_open
    }

    /// Whether nothing is given that only a login at the terminal has a use for.
    fn leaves_all_to_the_browser(&self) -> bool {
        self.password.is_asked_for() && !self.code.is_given() && self.second_ext_jwt.is_none()
    }

    /// How the CA of an unknown controller is confirmed.
    fn confirmation(&self) -> Confirmation {
        match self.fingerprint {
            Some(fingerprint) => Confirmation::Fingerprint(fingerprint),
            None if self.yes => Confirmation::Accepted,
            None => Confirmation::Ask,
        }
    }

    /// Rejects contradictory credentials.
    fn check(&self) -> Result<(), CliError> {
        if self.certificate.cert.is_some() && (self.username.is_some() || self.password.is_given())
        {
            return Err(
                CliError::usage("log in with a certificate or with a password, not both")
                    .hint("remove `--cert` and `--key`, or the username and password"),
            );
        }
        let files = [
            self.password.file(),
            self.code.file(),
            self.ext_jwt.as_deref(),
        ];
        if files
            .into_iter()
            .filter(|file| secret_source::is_stdin(*file))
            .count()
            > 1
        {
            return Err(CliError::usage(
                "only one of the code and the credential can be read from standard input",
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
    let method = LoginMethod::choose(&arguments, known.as_ref())?;
    let second = second_jwt::choose(&arguments, known.as_ref())?;
    let trusted = trust(context, &arguments, &url, known.as_ref()).await?;
    // Everything that can fail locally comes before the login.
    let bearer = second.as_deref().map(ext_jwt::read).transpose()?;
    let codes = arguments.code.source()?;
    context.store.check_writable()?;
    let provider = provider(&trusted.client, &method).await?;
    let opened = if method.is_in_browser()
        && let Some(provider) = &provider
    {
        browser::log_in(context, &trusted.client, provider, !arguments.no_open).await?
    } else {
        let show =
            |client, credentials| show(client, credentials, provider.as_ref(), bearer.as_ref());
        let shown = method.log_in(context, &url, &trusted, &arguments, show);
        shown.await?.complete(&codes, context).await?
    };
    let username = match &method {
        LoginMethod::Password(username) => Some(username.clone()),
        LoginMethod::Stored(_) => None,
    };
    let expires_at = opened.stored.expires_at();
    let profile = Profile {
        url: url.clone(),
        ca: trusted.ca,
        username,
        way: method.to_stored(),
        second_ext_jwt: second,
        session: Some(opened.stored.clone()),
    };
    if let Err(error) = save_profile(context, profile) {
        opened.end().await;
        return Err(error);
    }
    let next = match &opened.state {
        LoginState::EnrollmentRequired(_) => {
            output::note("Your auth policy requires a TOTP code, and you are not enrolled yet.");
            Some(ENROLL)
        },
        LoginState::Full if context.output.is_machine_readable() => None,
        LoginState::Full => next_step(&opened.client).await,
    };
    let pending = opened.state.pending().iter();
    let result = LoggedIn {
        profile: &context.profile,
        url: controller_url::display(&url),
        identity: &opened.identity,
        identity_id: opened.identity_id.as_str(),
        expires_at,
        pending: pending.map(|query| query.type_id.as_ref()).collect(),
    };
    context.output.write_result(&result, || {
        let end = result
            .expires_at
            .map(|end| moment::full(end, context.now()));
        Table::with_properties()
            .property("logged in to", &result.url)
            .property("as", result.identity)
            .property("profile", result.profile)
            .property("until", end.unwrap_or_default())
            .property("pending factors", result.pending.join(", "))
            .next(next)
    })
}

/// The OpenID provider of the controller, if logins of this method are to use it.
async fn provider(client: &Client, method: &LoginMethod) -> Result<Option<Provider>, CliError> {
    if !client.version().await?.offers_oidc() {
        return Ok(None);
    }
    match client.oidc_provider().await {
        Ok(provider) => Ok(Some(provider)),
        // At an address that is none of its own, such as that of a forwarded port, a controller issues no
        // tokens. Sessions it opens there.
        Err(error)
            if error.refusal().is_some_and(|refusal| refusal.status == 404)
                && !method.is_in_browser() =>
        {
            Ok(None)
        },
        Err(error) => Err(error.into()),
    }
}

/// Suggested next command; none once an administrator has made another identity.
async fn next_step(client: &Client) -> Option<&'static str> {
    // Only a suggestion: errors will show with the next command.
    match client.current_identity(Api::Management).await {
        Ok(identity) if is_admin(&identity) => {
            let query = ListQuery {
                limit: Some(1),
                ..ListQuery::default()
            };
            let first = client.entities::<IdentityDetail>(&query).await.ok()?;
            (first.meta.pagination.total_count <= 1).then_some(CREATE)
        },
        _ => Some(WHOAMI),
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
) -> Result<TrustedController, CliError> {
    if let Some(path) = &arguments.ca {
        let authorities = files::read_text(path)?;
        return trust::trust_given_ca(context, url, authorities, TrustSource::CaFile).await;
    }
    if let Some(path) = &arguments.identity {
        let authorities = IdentityFile::read(path)?.ca_pem()?;
        return trust::trust_given_ca(context, url, authorities, TrustSource::IdentityFile).await;
    }
    let confirmation = arguments.confirmation();
    match (known, confirmation) {
        (Some(profile), Confirmation::Ask | Confirmation::Accepted) if !arguments.forget_ca => {
            reconnect(context, profile).await
        },
        _ => trust::trust_unknown_controller(context, url, confirmation).await,
    }
}

/// Connects with the trust of the profile.
async fn reconnect(context: &Context, profile: &Profile) -> Result<TrustedController, CliError> {
    let client = context.client_of(profile)?.build()?;
    match client.version().await {
        Ok(_) => Ok(TrustedController {
            client,
            ca: profile.ca.clone(),
        }),
        Err(error) => Err(profile.explain_untrusted(context, error.into()).await),
    }
}

fn save_profile(context: &Context, profile: Profile) -> Result<(), CliError> {
    context
        .store
        .update(|all| drop(all.profiles.insert(context.profile.clone(), profile)))
}

//! `portcullis profile show`.

use super::{find, session};
use crate::completion::Values;
use crate::context::Context;
use crate::controller_url;
use crate::error::CliError;
use crate::profile::{Profile, StoredLogin, StoredSession};
use crate::table::Table;
use crate::text::yes_or_no;
use clap::Args;
use portcullis_pki::certificates_from_pem;
use serde_json::json;

const EXAMPLES: &str = "\
The tokens of the session are not shown.

Examples:
  portcullis profile show
  portcullis profile show staging";

/// Show a profile
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Name of the profile (default: the one that commands use)
    #[arg(add = Values::Profiles)]
    name: Option<String>,
}

pub(super) fn run(context: &Context, arguments: &ShowArgs) -> Result<(), CliError> {
    let name = arguments.name.as_deref().unwrap_or(&context.profile);
    let all = context.store.read_all()?;
    let profile = find(&all, name)?;
    let is_current = name == context.profile;
    let held = profile.session.as_ref();
    let document = json!({
        "name": name,
        "isCurrent": is_current,
        "controller": controller_url::display(&profile.url),
        "username": profile.username,
        "login": profile.way,
        "secondExtJwt": profile.second_ext_jwt,
        "caFingerprints": fingerprints(profile),
        "isLoggedIn": held.is_some(),
        "protocol": held.map(StoredSession::protocol),
        "expiresAt": held.and_then(StoredSession::expires_at),
    });
    context.output.write_result(&document, || {
        let second = profile.second_ext_jwt.as_deref();
        let second = second.map(|path| path.display().to_string());
        let ca = match &profile.ca {
            Some(_) => fingerprints(profile).join(", "),
            None => "those of the operating system".to_owned(),
        };
        Table::with_properties()
            .property("name", name)
            .property("current", yes_or_no(is_current))
            .property("controller", controller_url::display(&profile.url))
            .property("user", profile.username.as_deref().unwrap_or_default())
            .property("login with", login(profile).unwrap_or_default())
            .property("second JWT", second.unwrap_or_default())
            .property("trusted CA", ca)
            .property("session", session(profile, context.now()))
            .property("protocol", held.map(protocol).unwrap_or_default())
    })
}

/// The kind of session.
fn protocol(session: &StoredSession) -> &'static str {
    match session {
        StoredSession::Oidc(_) => "OpenID Connect",
        StoredSession::Token(_) => "session token",
    }
}

/// The files of the last login.
fn login(profile: &Profile) -> Option<String> {
    Some(match profile.way.as_ref()? {
        StoredLogin::Browser => "the browser".to_owned(),
        StoredLogin::Identity(path) => format!("the identity file {}", path.display()),
        StoredLogin::Certificate { cert, .. } => format!("the certificate {}", cert.display()),
        StoredLogin::ExtJwt(path) => format!("the JWT {}", path.display()),
    })
}

/// SHA-256 of the trusted certificates. Those that cannot be read are left out.
fn fingerprints(profile: &Profile) -> Vec<String> {
    let pem = profile.ca.as_deref().unwrap_or_default();
    let certificates = certificates_from_pem(pem).unwrap_or_default();
    let prints = certificates
        .iter()
        .map(|certificate| certificate.sha256().to_string());
    prints.collect()
}

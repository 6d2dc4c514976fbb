//! `portcullis whoami`.

use crate::commands::identity::show::is_admin;
use crate::commands::login::complete;
use crate::context::Context;
use crate::controller_url;
use crate::error::CliError;
use crate::identity_file::{IdentityFile, REFUSED_HINT};
use crate::mfa_code::LoginCodeArgs;
use crate::moment;
use crate::profile::StoredSession;
use crate::table::Table;
use crate::text::yes_or_no;
use crate::trust::{self, TrustSource};
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::time::WireTime;
use portcullis_client::Api;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, IdentityId};
use portcullis_domain::roles::RoleAttributes;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  portcullis whoami                          # who is logged in
  portcullis whoami --identity laptop.json   # whose file it is; logs in with it and out again";

/// Arguments of `whoami`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct WhoamiArgs {
    /// Log in with the certificate in this identity file instead of using the session
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,

    #[command(flatten)]
    code: LoginCodeArgs,
}

/// Machine-readable result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WhoamiResult {
    url: String,
    id: IdentityId,
    name: String,
    is_admin: bool,
    /// Permissions on the management API, unless it is an administrator.
    permissions: Vec<String>,
    role_attributes: RoleAttributes,
    session: SessionSummary,
}

/// Summary of the session.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionSummary {
    id: ApiSessionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<WireTime>,
    /// Authentication queries that are still open.
    pending: Vec<String>,
}

pub(crate) async fn run(context: &Context, arguments: WhoamiArgs) -> Result<(), CliError> {
    let who = match &arguments.identity {
        Some(path) => from_identity_file(context, path, &arguments.code).await?,
        None if arguments.code.is_given() => {
            return Err(CliError::usage(
                "a code is only used to log in, which this command does only with `--identity`",
            )
            .hint("remove the code, or add `--identity FILE`"));
        },
        None => from_session(context).await?,
    };
    context
        .output
        .write_named([who.name.as_str()], &who, || table(&who, context.now()))
}

async fn from_session(context: &Context) -> Result<WhoamiResult, CliError> {
    let session = context.session()?;
    let ask = async {
        let current = session.client.current_session(Api::Client).await?;
        let identity = session.client.current_identity(Api::Client).await?;
        Ok((current, identity))
    };
    let (mut held, identity) = session.explain(context, ask.await).await?;
    if let Some(stored) = context
        .store
        .read(&context.profile)?
        .and_then(|now| now.session)
        && let StoredSession::Oidc(stored) = stored
    {
        // Until then it is renewed; what the controller tells is the end of its access token.
        held.expires_at = Some(stored.expires_at());
    }
    let url = controller_url::display(&session.profile.url);
    Ok(WhoamiResult::new(url, held, identity))
}

async fn from_identity_file(
    context: &Context,
    path: &Path,
    answer: &LoginCodeArgs,
) -> Result<WhoamiResult, CliError> {
    let codes = answer.source()?;
    let file = IdentityFile::read(path)?;
    let url = file.url()?;
    let credential = file.credential()?;
    let client = context
        .client(&url, file.trust()?)
        .certificate(credential.to_client_certificate())
        .build()?;
    let session = match client.authenticate_with_certificate(Api::Client).await {
        Ok(session) => session,
        Err(error) => {
            let error = credential.explain_login_error(error, REFUSED_HINT, context.now());
            let source = TrustSource::IdentityFile;
            return Err(trust::explain_untrusted(context, &url, error, source).await);
        },
    };
    let client = client.with_session(session.token.clone());
    let identity = async {
        complete::answer_queries(&client, &session, &codes)
            .await?
            .require_full()?;
        Ok::<_, CliError>(client.current_identity(Api::Client).await?)
    };
    let identity = identity.await;
    // If this fails, the session expires.
    let _ = client.log_out(Api::Client).await;
    let identity = identity?;
    // All queries have been answered.
    let session = ApiSessionDetail {
        auth_queries: Vec::new(),
        ..session
    };
    Ok(WhoamiResult::new(
        controller_url::display(&url),
        session,
        identity,
    ))
}

impl WhoamiResult {
    fn new(url: String, session: ApiSessionDetail, identity: IdentityDetail) -> Self {
        let queries = session.auth_queries.iter();
        Self {
            url,
            is_admin: is_admin(&identity),
            id: identity.base.id,
            name: identity.name,
            permissions: identity.permissions.map(Vec::from).unwrap_or_default(),
            role_attributes: identity.role_attributes,
            session: SessionSummary {
                id: session.base.id,
                expires_at: session.expires_at,
                pending: queries.map(|query| query.type_id.to_string()).collect(),
            },
        }
    }
}

fn table(who: &WhoamiResult, now: Timestamp) -> Table {
    let attributes: Vec<_> = who.role_attributes.iter().collect();
    // Administrators need no permissions.
    let permissions = match who.permissions.as_slice() {
        _ if who.is_admin => String::new(),
        [] => "none".to_owned(),
        permissions => permissions.join(", "),
    };
    let end = who.session.expires_at.map(|end| moment::full(end, now));
    Table::with_properties()
        .property("name", &who.name)
        .property("id", who.id.as_str())
        .property("administrator", yes_or_no(who.is_admin))
        .property("permissions", permissions)
        .property("role attributes", attributes.join(", "))
        .property("controller", &who.url)
        .property("session until", end.unwrap_or_default())
        .property("pending factors", who.session.pending.join(", "))
}

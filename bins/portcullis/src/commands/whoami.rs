//! `portcullis whoami`.

use crate::code::AnswerArgs;
use crate::commands::login::complete;
use crate::context::Context;
use crate::controller_url;
use crate::error::CliError;
use crate::identity_file::IdentityFile;
use crate::table::Table;
use clap::Args;
use portcullis_api::api_session::ApiSessionDetail;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::time::WireTime;
use portcullis_client::Api;
use portcullis_domain::ids::{ApiSessionId, IdentityId};
use portcullis_domain::roles::RoleAttributes;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  portcullis whoami                          who is logged in
  portcullis whoami --identity laptop.json   whom a file belongs to; logs in with it and out again";

/// What to do about an identity file whose certificate is refused.
const OUTDATED: &str = "the certificate of this identity is no longer valid; enroll it again: ask \
    an administrator for a new token, then run `portcullis enroll TOKEN`";

/// What to do about a controller that an identity file does not trust.
const REPLACED: &str = "the identity file holds the authorities that are trusted; if those of the \
    controller have been replaced, enroll again: ask an administrator for a new token";

/// Arguments of `whoami`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct WhoamiArgs {
    /// Log in with the certificate of this identity file instead of using the session
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,

    #[command(flatten)]
    answer: AnswerArgs,
}

/// The result for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Who {
    url: String,
    id: IdentityId,
    name: String,
    is_admin: bool,
    /// What it may do on the management API, if it is no administrator.
    permissions: Vec<String>,
    role_attributes: RoleAttributes,
    session: Held,
}

/// What is told of the session.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Held {
    id: ApiSessionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<WireTime>,
    /// What is still to be answered before the session is good for anything.
    pending: Vec<String>,
}

pub(crate) async fn run(context: &Context, arguments: WhoamiArgs) -> Result<(), CliError> {
    let who = match &arguments.identity {
        Some(path) => by_certificate(context, path, &arguments.answer).await?,
        None if arguments.answer.is_given() => {
            return Err(CliError::usage(
                "--code is only used for logging in, which this command does not \
                 do without --identity",
            )
            .hint("leave the code out, or add `--identity FILE`"));
        },
        None => by_session(context).await?,
    };
    context.output.result(&who, || table(&who))
}

async fn by_session(context: &Context) -> Result<Who, CliError> {
    let session = context.session()?;
    let ask = async {
        let held = session.client.current_session(Api::Client).await?;
        let identity = session.client.current_identity(Api::Client).await?;
        Ok((held, identity))
    };
    let (held, identity) = session.explain(ask.await).await?;
    let url = controller_url::shown(&session.profile.url);
    Ok(Who::new(url, held, identity))
}

async fn by_certificate(
    context: &Context,
    path: &Path,
    answer: &AnswerArgs,
) -> Result<Who, CliError> {
    let codes = answer.codes()?;
    let file = IdentityFile::read(path)?;
    let url = file.url()?;
    let credential = file.credential()?;
    let client = context
        .client(&url, file.trust()?)
        .certificate(credential.for_tls())
        .build()?;
    let held = client
        .authenticate_with_certificate(Api::Client)
        .await
        .map_err(|error| credential.explain(error, OUTDATED, context.now()))
        .map_err(|error| {
            if error.is_untrusted() {
                error.hint(REPLACED)
            } else {
                error
            }
        })?;
    let client = client.with_session(held.token.clone());
    let identity = async {
        complete::run(&client, &held, &codes)
            .await?
            .require_full()?;
        Ok::<_, CliError>(client.current_identity(Api::Client).await?)
    };
    let identity = identity.await;
    // If the session cannot be ended, it ends by itself.
    let _ = client.log_out(Api::Client).await;
    let identity = identity?;
    // By now everything that was asked for is answered.
    let held = ApiSessionDetail {
        auth_queries: Vec::new(),
        ..held
    };
    Ok(Who::new(controller_url::shown(&url), held, identity))
}

impl Who {
    fn new(url: String, session: ApiSessionDetail, identity: IdentityDetail) -> Self {
        let queries = session.auth_queries.iter();
        Self {
            url,
            id: identity.base.id,
            name: identity.name,
            is_admin: identity.is_admin || identity.is_default_admin,
            permissions: identity.permissions.map(Vec::from).unwrap_or_default(),
            role_attributes: identity.role_attributes,
            session: Held {
                id: session.base.id,
                expires_at: session.expires_at,
                pending: queries.map(|query| query.type_id.to_string()).collect(),
            },
        }
    }
}

fn table(who: &Who) -> Table {
    let attributes: Vec<_> = who.role_attributes.iter().collect();
    // Those of an administrator make no difference.
    let permissions = match who.permissions.as_slice() {
        _ if who.is_admin => String::new(),
        [] => "none".to_owned(),
        permissions => permissions.join(", "),
    };
    let end = who.session.expires_at.map(|end| end.to_string());
    Table::of_properties()
        .property("name", &who.name)
        .property("id", who.id.as_str())
        .property("administrator", if who.is_admin { "yes" } else { "no" })
        .property("permissions", permissions)
        .property("role attributes", attributes.join(", "))
        .property("controller", &who.url)
        .property("session until", end.unwrap_or_default())
        .property("still to answer", who.session.pending.join(", "))
}

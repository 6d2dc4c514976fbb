//! `portcullis revocation create`.

use super::kind::RevocationKind;
use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::revocation::{RevocationCreate, RevocationDetail};
use portcullis_client::Client;
use portcullis_domain::ids::RevocationId;

const EXAMPLES: &str = "\
Revoking again renews the revocation. Tokens issued to an identity afterwards are valid.

Examples:
  portcullis revocation create identity laptop
  portcullis revocation create jti 6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";

/// Revoke a token, or all tokens of an API session or identity
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// What to revoke
    #[arg(value_enum, ignore_case = true)]
    kind: RevocationKind,

    /// UUID of the token or the API session; id or name of the identity
    #[arg(value_parser = crate::text::parse_non_blank)]
    id: String,

    #[command(flatten)]
    tags: NewTagsArgs,
}

impl CreateArgs {
    async fn body(self, client: &Client) -> Result<RevocationCreate, CliError> {
        let id = if self.kind == RevocationKind::Identity {
            let identity: IdentityDetail = resolve::by_id_or_name(client, &self.id).await?;
            RevocationId::from_wire(identity.base.id.as_str())
        } else {
            // Tokens contain lower-case UUIDs.
            RevocationId::from_wire(self.id.to_ascii_lowercase())
        };
        Ok(RevocationCreate {
            id,
            revoked: self.kind.into(),
            tags: self.tags.to_tags(),
        })
    }
}

impl Verb for CreateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let body = self.body(client).await?;
        client.create_entity::<RevocationDetail>(&body).await?;
        let revocation = client
            .entity::<RevocationDetail>(&body.id)
            .await
            .map_err(|error| {
                CliError::from(error)
                    .hint(format!("the revocation was created with id {}", body.id))
            })?;
        entities::show_entity(context, &session.client, &revocation).await
    }
}

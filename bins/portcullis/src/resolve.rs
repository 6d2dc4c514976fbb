//! Finding entities by what people call them: an id or a name.

use crate::error::CliError;
use portcullis_api::code::Code;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ListQuery};
use portcullis_domain::ids::AuthPolicyId;

/// The fields that are looked at, the one that wins first.
const FIELDS: [&str; 2] = ["id", "name"];

/// Finds an identity.
pub(crate) async fn identity(client: &Client, text: &str) -> Result<IdentityDetail, CliError> {
    for field in FIELDS {
        let page = client.identities(&ListQuery::equal(field, text)).await?;
        if let Some(found) = page.data.into_iter().next() {
            return Ok(found);
        }
    }
    Err(missing("identity", text).hint("see `portcullis identity list`"))
}

/// Finds an authentication policy. Where a controller does not list them, the text has to be an id.
pub(crate) async fn auth_policy(client: &Client, text: &str) -> Result<AuthPolicyId, CliError> {
    for field in FIELDS {
        let page = match client.auth_policies(&ListQuery::equal(field, text)).await {
            Err(error) if error.is_refused_with(Code::NotFound) => {
                return Ok(AuthPolicyId::from_wire(text));
            },
            page => page?,
        };
        if let Some(found) = page.data.into_iter().next() {
            return Ok(found.base.id);
        }
    }
    Err(missing("authentication policy", text))
}

fn missing(kind: &str, text: &str) -> CliError {
    CliError::failed(format!("there is no {kind} with the id or name `{text}`"))
}

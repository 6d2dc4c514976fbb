//! `portcullis authenticator request-extend`.

use crate::commands::entities;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::authenticator::{AuthenticatorDetail, RequestExtendAuthenticator};
use portcullis_domain::ids::AuthenticatorId;

const EXAMPLES: &str = "\
Clients see the request when they log in, and obtain a new certificate automatically; with
an identity file, use `portcullis renew`. The current certificate stays valid until then.

Examples:
  portcullis authenticator request-extend v1kz.YB3Rs
  portcullis authenticator request-extend v1kz.YB3Rs --roll-key";

/// Ask the holder of a certificate to renew it
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RequestExtendArgs {
    /// Id of the authenticator, as shown by `authenticator list`
    #[arg(add = Values::one::<AuthenticatorDetail>())]
    id: String,

    /// Require a new key as well
    #[arg(long)]
    roll_key: bool,
}

impl Verb for RequestExtendArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let id = AuthenticatorId::from_wire(self.id);
        let authenticator = client.entity::<AuthenticatorDetail>(&id).await?;
        if authenticator.method != "cert" {
            return Err(CliError::failed(format!(
                "{id} is a username with a password; only certificates can be extended"
            ))
            .hint("use `portcullis authenticator update` to change the password"));
        }
        let request = RequestExtendAuthenticator {
            roll_keys: self.roll_key,
        };
        client.request_extension(&id, request).await?;
        entities::fetch_and_show::<AuthenticatorDetail>(context, session, &id).await
    }
}

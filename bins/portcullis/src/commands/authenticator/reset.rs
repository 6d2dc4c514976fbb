//! `portcullis authenticator reset`.

use crate::commands::expiry::ExpiryArgs;
use crate::commands::token_output::{TokenArgs, deliver_and_show};
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::Args;
use portcullis_api::authenticator::AuthenticatorDetail;
use portcullis_api::enrollment::{EnrollmentDetail, EnrollmentRefresh};
use portcullis_domain::ids::{AuthenticatorId, EnrollmentId};

const EXAMPLES: &str = "\
The authenticator is replaced by an enrollment of the same kind: with the same username, for a
certificate of the same third-party CA, or for one of the network. The holder of the token enrolls
again with `portcullis enroll`; the sessions that the authenticator opened end at once.

Examples:
  portcullis authenticator reset v1kz.YB3Rs --output-jwt anna.jwt
  portcullis authenticator reset v1kz.YB3Rs --expires-in 24h";

/// Replace an authenticator with a new enrollment
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ResetArgs {
    /// Id of the authenticator, as shown by `authenticator list`
    #[arg(add = Values::one::<AuthenticatorDetail>())]
    id: String,

    #[command(flatten)]
    expiry: ExpiryArgs,

    #[command(flatten)]
    token: TokenArgs,
}

impl Verb for ResetArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let body = EnrollmentRefresh {
            expires_at: self.expiry.expires_at(context)?,
        };
        let destination = self.token.prepare()?;
        let id = AuthenticatorId::from_wire(self.id);
        let created = client.re_enroll(&id, &body).await;
        let created = created.map_err(resolve::unknown_id::<AuthenticatorDetail>)?;
        let id = EnrollmentId::from_wire(created.id);
        let enrollment = client
            .entity::<EnrollmentDetail>(&id)
            .await
            .map_err(|error| {
                CliError::from(error).hint(format!(
                    "the authenticator was deleted; the new enrollment has the id {id}"
                ))
            })?;
        deliver_and_show(context, &session.client, destination, &enrollment, None).await
    }
}

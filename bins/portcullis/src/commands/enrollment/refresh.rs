//! `portcullis enrollment refresh`.

use crate::commands::expiry::ExpiryArgs;
use crate::commands::token_output::{TokenArgs, deliver_and_show};
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::Args;
use portcullis_api::enrollment::{EnrollmentDetail, EnrollmentRefresh};
use portcullis_domain::ids::EnrollmentId;

const EXAMPLES: &str = "\
The old token stops working.

Examples:
  portcullis enrollment refresh Yb0Dk.7vQ --output-jwt laptop.jwt
  portcullis enrollment refresh Yb0Dk.7vQ --expires-in 48h --output-jwt laptop.jwt";

/// Replace the token of an enrollment
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RefreshArgs {
    /// Id of the enrollment, as shown by `enrollment list`
    #[arg(add = Values::one::<EnrollmentDetail>())]
    id: String,

    #[command(flatten)]
    expiry: ExpiryArgs,

    #[command(flatten)]
    token: TokenArgs,
}

impl Verb for RefreshArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let expires_at = self.expiry.expires_at(context)?;
        let destination = self.token.prepare()?;
        let id = EnrollmentId::from_wire(self.id);
        let body = EnrollmentRefresh { expires_at };
        let refreshed = session.client.refresh_enrollment(&id, &body).await;
        refreshed.map_err(resolve::unknown_id::<EnrollmentDetail>)?;
        let enrollment = session.client.entity::<EnrollmentDetail>(&id).await?;
        deliver_and_show(context, &session.client, destination, &enrollment, None).await
    }
}

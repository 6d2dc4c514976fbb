//! `portcullis ca jwt`.

use crate::commands::token_output::TokenArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use crate::table::Table;
use clap::Args;
use portcullis_api::ca::CaDetail;
use secrecy::ExposeSecret as _;
use serde_json::json;

const EXAMPLES: &str = "\
The token is not secret and does not expire: it only says where to enroll. Enrolling with it takes a
certificate of the CA, which must be verified and enabled for this (--autoca).

Examples:
  portcullis ca jwt factory --output-jwt factory.jwt
  portcullis enroll factory.jwt --cert sensor.pem --key sensor.key";

/// Get the token with which holders of certificates of a CA enroll
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct JwtArgs {
    /// Id or name of the CA
    #[arg(add = Values::one::<CaDetail>())]
    ca: String,

    #[command(flatten)]
    token: TokenArgs,
}

impl Verb for JwtArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let destination = self.token.prepare()?;
        let ca: CaDetail = resolve::by_id_or_name(client, &self.ca).await?;
        let jwt = client.ca_jwt(&ca.base.id).await?;
        if !destination.deliver(Some(&jwt), None)? {
            return Ok(());
        }
        let result = json!({"id": ca.base.id, "name": ca.name, "jwt": jwt.expose_secret()});
        context.output.write_result(&result, || {
            let table = Table::with_properties();
            if self.token.is_wanted() {
                table.property("CA", &ca.name)
            } else {
                table.footer(jwt.expose_secret())
            }
        })
    }
}

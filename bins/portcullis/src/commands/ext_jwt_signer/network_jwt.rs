//! `portcullis ext-jwt-signer network-jwt`.

use crate::commands::token_output::TokenArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::table::Table;
use clap::Args;
use secrecy::ExposeSecret as _;
use serde_json::json;

const EXAMPLES: &str = "\
The token is not secret: it only says where to enroll. Enrolling with it takes a JWT of a signer
that is enabled for this (--enroll-to-cert or --enroll-to-token).

Examples:
  portcullis ext-jwt-signer network-jwt --output-jwt network.jwt
  portcullis enroll network.jwt --ext-jwt anna.token --out anna.json";

/// Get the token with which holders of JWTs enroll
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct NetworkJwtArgs {
    #[command(flatten)]
    token: TokenArgs,
}

impl Verb for NetworkJwtArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let destination = self.token.prepare()?;
        let jwts = session.client.network_jwts().await?;
        let missing = || CliError::failed("the controller does not offer a network token");
        let jwt = jwts.into_iter().next().ok_or_else(missing)?;
        if !destination.deliver(Some(&jwt.token), None)? {
            return Ok(());
        }
        let token = jwt.token.expose_secret();
        let result = json!({"name": jwt.name, "jwt": token});
        context.output.write_result(&result, || {
            let table = Table::with_properties();
            if self.token.is_wanted() {
                table.property("network", &jwt.name)
            } else {
                table.footer(token)
            }
        })
    }
}

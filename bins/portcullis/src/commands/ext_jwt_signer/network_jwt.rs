//! `portcullis ext-jwt-signer network-jwt`.

use crate::commands::token_output::TokenArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::table::Table;
use clap::Args;
use secrecy::ExposeSecret as _;
use serde_json::json;

const EXAMPLES: &str = "\
The token is not secret: it only names the controller. Enrolling with it takes a JWT of a signer
that is enabled for this (--enroll-to-cert or --enroll-to-token).

Examples:
  portcullis ext-jwt-signer network-jwt --output-jwt network.jwt
  portcullis enroll network.jwt --ext-jwt anna.token --out anna.json";

/// Arguments of `ext-jwt-signer network-jwt`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct NetworkJwtArgs {
    #[command(flatten)]
    token: TokenArgs,
}

impl NetworkJwtArgs {
    pub(super) fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: NetworkJwtArgs,
) -> Result<(), CliError> {
    let destination = arguments.token.prepare()?;
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
        if arguments.token.is_wanted() {
            table.property("network", &jwt.name)
        } else {
            table.footer(token)
        }
    })
}

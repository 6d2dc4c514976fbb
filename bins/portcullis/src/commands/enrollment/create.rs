//! `portcullis enrollment create`.

use super::show;
use crate::commands::entities;
use crate::commands::expiry::ExpiryArgs;
use crate::commands::identity::state;
use crate::commands::token_output::{TokenArgs, deliver_and_show};
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::{Args, ValueEnum};
use portcullis_api::ca::CaDetail;
use portcullis_api::code::Code;
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentDetail};
use portcullis_api::identity::IdentityDetail;
use portcullis_client::Client;
use portcullis_domain::enrollment::EnrollmentMethodKind;

const EXAMPLES: &str = "\
An identity has at most one enrollment of each method; its existing authenticators stay.

Examples:
  portcullis enrollment create laptop --output-jwt laptop.jwt
  portcullis enrollment create anna --method updb --username anna --expires-in 24h
  portcullis enrollment create server --method ottca --ca corporate --output-jwt server.jwt";

/// Create an enrollment for an identity
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Id or name of the identity
    #[arg(add = Values::one::<IdentityDetail>())]
    identity: String,

    /// Enrollment method (default: `ottca` with --ca, `updb` with --username, else `ott`)
    #[arg(long, value_enum)]
    method: Option<Method>,

    /// Id or name of the third-party CA whose certificate is required
    #[arg(
        long,
        value_name = "CA",
        conflicts_with = "username",
        value_parser = crate::text::parse_non_blank,
        add = Values::one::<CaDetail>()
    )]
    ca: Option<String>,

    /// Username for which the user will choose a password
    #[arg(long, value_name = "USERNAME", value_parser = crate::text::parse_non_blank)]
    username: Option<String>,

    #[command(flatten)]
    expiry: ExpiryArgs,

    #[command(flatten)]
    token: TokenArgs,
}

/// Enrollment methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Certificate issued by the network
    Ott,
    /// Certificate issued by a third-party CA
    Ottca,
    /// Username and password
    Updb,
}

impl From<Method> for EnrollmentMethodKind {
    fn from(method: Method) -> Self {
        match method {
            Method::Ott => Self::Ott,
            Method::Ottca => Self::OttCa,
            Method::Updb => Self::Updb,
        }
    }
}

impl CreateArgs {
    /// The method, given or implied by other arguments, which must agree.
    fn method(&self) -> Result<EnrollmentMethodKind, CliError> {
        let implied = match (&self.ca, &self.username) {
            (Some(_), _) => Method::Ottca,
            (None, Some(_)) => Method::Updb,
            (None, None) => Method::Ott,
        };
        let method = self.method.unwrap_or(implied);
        let message = match method {
            _ if method == implied => return Ok(method.into()),
            Method::Ottca => "enrollments for `ottca` need `--ca CA`",
            Method::Updb => "enrollments for `updb` need `--username USERNAME`",
            Method::Ott => "enrollments for `ott` take neither `--ca` nor `--username`",
        };
        Err(CliError::usage(message))
    }

    async fn body(
        &self,
        context: &Context,
        client: &Client,
        identity: &IdentityDetail,
    ) -> Result<EnrollmentCreate, CliError> {
        let ca_id = match &self.ca {
            Some(ca) => Some(
                resolve::by_id_or_name::<CaDetail>(client, ca)
                    .await?
                    .base
                    .id,
            ),
            None => None,
        };
        Ok(EnrollmentCreate {
            identity_id: identity.base.id.clone(),
            method: self.method()?,
            expires_at: self.expiry.expires_at(context)?,
            ca_id,
            username: self.username.clone(),
        })
    }
}

impl Verb for CreateArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.method()?;
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let identity: IdentityDetail = resolve::by_id_or_name(client, &self.identity).await?;
        let body = self.body(context, client, &identity).await?;
        let destination = self.token.prepare()?;
        let created = entities::create_and_fetch::<EnrollmentDetail>(client, &body).await;
        let enrollment =
            created.map_err(|error| explain_existing(error, &identity, body.method))?;
        let owner = enrollment.identity.as_ref();
        let owner = owner.filter(|_| destination.is_discarded());
        let next = owner.map(|owner| show::token_command(&enrollment.base.id, &owner.name));
        deliver_and_show(context, client, destination, &enrollment, next).await
    }
}

/// Says what to do with the enrollment of the same method that exists already.
fn explain_existing(
    error: CliError,
    identity: &IdentityDetail,
    method: EnrollmentMethodKind,
) -> CliError {
    let mut pending = state::pending_enrollments(identity);
    let existing = pending.find(|(name, _)| *name == method.name());
    match existing {
        Some((_, existing)) if error.is_refused_with(Code::EnrollmentExists) => {
            let id = &existing.id;
            error
                .hint(format!(
                    "get its token with `{}`",
                    show::token_command(id, &identity.name)
                ))
                .hint(format!(
                    "or replace the token with `portcullis enrollment refresh {id}`"
                ))
        },
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        create: CreateArgs,
    }

    fn method(line: &str) -> Result<EnrollmentMethodKind, CliError> {
        let words = std::iter::once("create").chain(line.split_whitespace());
        Line::try_parse_from(words).unwrap().create.method()
    }

    #[test]
    fn method_follows_from_what_it_needs() {
        for (line, expected) in [
            ("x", EnrollmentMethodKind::Ott),
            ("x --method ott", EnrollmentMethodKind::Ott),
            ("x --ca c", EnrollmentMethodKind::OttCa),
            ("x --method ottca --ca c", EnrollmentMethodKind::OttCa),
            ("x --username u", EnrollmentMethodKind::Updb),
            ("x --method updb --username u", EnrollmentMethodKind::Updb),
        ] {
            assert_eq!(method(line).unwrap(), expected, "{line}");
        }
        for line in [
            "x --method ottca",
            "x --method updb",
            "x --method ott --ca c",
            "x --method ott --username u",
            "x --method updb --ca c",
        ] {
            assert!(method(line).is_err(), "{line}");
        }
    }
}

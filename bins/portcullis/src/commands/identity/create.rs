//! `portcullis identity create`.

use super::kind::Kind;
use super::{show, state};
use crate::commands::token_file::{Destination, TokenArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::{Args, ValueEnum};
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::ca::CaDetail;
use portcullis_api::identity::{EnrollmentChoice, IdentityCreate, IdentityDetail};
use portcullis_client::Client;
use portcullis_domain::ids::IdentityId;
use portcullis_domain::tags::Tags;

const EXAMPLES: &str = "\
Unless --updb, --ottca, --external-id or --enrollment says otherwise, the identity gets a one-time
token, with which its device enrolls for a certificate: `portcullis enroll FILE`.

Examples:
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis identity create anna --type user --updb anna --output-jwt anna.jwt
  portcullis identity create printer --type device --role-attributes office,printers";

/// Arguments of `identity create`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the identity; no other has it
    name: String,

    /// What the identity stands for; kept as the tag `type`
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<Kind>,

    /// Make it an administrator
    #[arg(long)]
    admin: bool,

    /// Role attributes, by which policies select identities; separated by commas
    #[arg(short = 'a', long, value_name = "WORDS", value_delimiter = ',')]
    role_attributes: Vec<String>,

    /// Let it log in with JWTs of an external signer, which names it by this id
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["updb", "ottca"],
        value_parser = crate::words::not_blank
    )]
    external_id: Option<String>,

    /// Let it log in with this username; enrolling chooses the password
    #[arg(
        long,
        value_name = "USERNAME",
        group = "method",
        value_parser = crate::words::not_blank
    )]
    updb: Option<String>,

    /// Let it enroll with a certificate of this third-party authority, by id or name
    #[arg(
        long,
        value_name = "CA",
        group = "method",
        value_parser = crate::words::not_blank
    )]
    ottca: Option<String>,

    /// How it enrolls, if with none of the above
    #[arg(long, value_enum, group = "method")]
    enrollment: Option<Enrollment>,

    /// Authentication policy, by id or name; it says which logins are enough
    #[arg(short = 'P', long, value_name = "POLICY")]
    auth_policy: Option<String>,

    #[command(flatten)]
    token: TokenArgs,
}

/// Ways to enroll that need nothing further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Enrollment {
    /// Not at all, for now
    None,
    /// A one-time token for a certificate
    Ott,
}

impl CreateArgs {
    pub(super) fn check(&self, output: Output) -> Result<(), CliError> {
        if self.token.is_wanted() && self.choice().is_none() {
            return Err(
                CliError::usage("an identity without an enrollment has no token")
                    .hint("leave `--output-jwt` out, or add `--enrollment ott`"),
            );
        }
        self.token.check(output)
    }

    /// How the identity is to enroll.
    fn choice(&self) -> Option<EnrollmentChoice> {
        if let Some(username) = &self.updb {
            return Some(EnrollmentChoice::updb(username));
        }
        if let Some(ca) = &self.ottca {
            return Some(EnrollmentChoice::ottca(ca));
        }
        match self.enrollment {
            Some(Enrollment::Ott) => Some(EnrollmentChoice::ott()),
            Some(Enrollment::None) => None,
            None => self.external_id.is_none().then(EnrollmentChoice::ott),
        }
    }

    async fn body(&self, client: &Client) -> Result<IdentityCreate, CliError> {
        let mut body = IdentityCreate::named(&self.name);
        body.enrollment = self.choice();
        if let Some(ca) = &self.ottca {
            let ca: CaDetail = resolve::one(client, ca).await?;
            body.enrollment = Some(EnrollmentChoice::ottca(ca.base.id.as_str()));
        }
        body.update.is_admin = self.admin;
        let options = &mut body.update.options;
        if !self.role_attributes.is_empty() {
            options.role_attributes = Some(self.role_attributes.clone());
        }
        options.external_id.clone_from(&self.external_id);
        options.tags = self.kind.map(|kind| kind.tag(&Tags::default()));
        if let Some(policy) = &self.auth_policy {
            let policy: AuthPolicyDetail = resolve::one(client, policy).await?;
            options.auth_policy_id = Some(policy.base.id.to_string());
        }
        Ok(body)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: CreateArgs,
) -> Result<(), CliError> {
    let body = arguments.body(&session.client).await?;
    let destination = arguments.token.prepare()?;
    let created = session.client.create_identity(&body).await?;
    let id = IdentityId::from_wire(created.id);
    let identity = session.client.identity(&id).await.map_err(|error| {
        CliError::from(error).hint(format!("the identity was created, with the id {id}"))
    })?;
    deliver(context, destination, &identity).map_err(|error| {
        let name = &identity.name;
        error.hint(format!(
            "the identity `{name}` was created, with the id {id}"
        ))
    })
}

/// Hands the token out if it is wanted, and shows the identity.
fn deliver(
    context: &Context,
    destination: Destination,
    identity: &IdentityDetail,
) -> Result<(), CliError> {
    let enrollment = state::pending(identity).next();
    let enrollment = enrollment.map(|(_, enrollment)| enrollment);
    let is_free = destination.deliver(
        enrollment.and_then(|enrollment| enrollment.jwt.as_ref()),
        enrollment.map(|enrollment| &enrollment.id),
    )?;
    if is_free {
        let now = context.now();
        context
            .output
            .result(identity, || show::table(identity, now))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Format;
    use clap::Parser;
    use serde_json::{Value, json};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        create: CreateArgs,
    }

    fn parse(line: &str) -> Result<CreateArgs, clap::Error> {
        let words = std::iter::once("create").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.create)
    }

    fn choice(line: &str) -> Value {
        serde_json::to_value(parse(line).unwrap().choice()).unwrap()
    }

    #[test]
    fn way_to_enroll_follows_from_the_arguments() {
        for (line, expected) in [
            ("laptop --type device", json!({"ott": true})),
            ("laptop --enrollment ott", json!({"ott": true})),
            ("laptop --enrollment none", json!(null)),
            ("ann --updb ann", json!({"updb": "ann"})),
            ("bob --external-id b", json!(null)),
            ("bob --external-id b --enrollment ott", json!({"ott": true})),
            ("server --ottca ca1", json!({"ottca": "ca1"})),
        ] {
            assert_eq!(choice(line), expected, "{line}");
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for line in [
            "ann --updb ann --external-id a",
            "ann --updb ann --enrollment ott",
            "ann --ottca c --enrollment none",
            "ann --type router",
            "ann --force",
            "",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        for line in [
            "x --enrollment none --output-jwt f",
            "x --external-id a --output-jwt f",
        ] {
            assert!(
                parse(line)
                    .unwrap()
                    .check(Output::new(Format::Table))
                    .is_err(),
                "{line}"
            );
        }
    }

    #[test]
    fn attributes_stand_between_commas() {
        let arguments = parse("x -a a,b --role-attributes c").unwrap();
        assert_eq!(arguments.role_attributes, ["a", "b", "c"]);
    }
}

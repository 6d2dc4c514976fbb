//! `portcullis identity create`.

use super::identity_type::IdentityType;
use super::state;
use crate::commands::enrollment::show;
use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::token_output::{Enrolling, TokenArgs, deliver_and_show};
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::{Args, ValueEnum};
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::ca::CaDetail;
use portcullis_api::identity::{
    IdentityCreate, IdentityCreateEnrollment, IdentityDetail, PendingEnrollment,
};
use portcullis_client::{Client, RoleAttributeKind};
use portcullis_domain::ids::EnrollmentId;
use portcullis_domain::tags::Tags;
use secrecy::SecretString;

const EXAMPLES: &str = "\
By default, the identity gets a one-time token with which its device enrolls for a certificate:
`portcullis enroll FILE`. --updb, --ottca, --external-id and --enrollment change that.

Examples:
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis identity create anna --type user --updb anna --output-jwt anna.jwt
  portcullis identity create printer --type device --role-attributes office,printers \\
      --tag site=berlin --tag floor=3";

/// Create an identity
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the identity; must be unique
    name: String,

    /// Type of the identity, stored as the tag `type`
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<IdentityType>,

    /// Make it an administrator
    #[arg(long)]
    admin: bool,

    /// Comma-separated role attributes, by which policies select identities
    #[arg(short = 'a', long, value_name = "WORDS", value_delimiter = ',', add = Values::Attributes(RoleAttributeKind::Identity))]
    role_attributes: Vec<String>,

    /// External id of the identity, for logins with JWTs of an external signer
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["updb", "ottca"],
        value_parser = crate::text::parse_non_blank
    )]
    external_id: Option<String>,

    /// Username to log in with; the user chooses the password when enrolling
    #[arg(
        long,
        value_name = "USERNAME",
        group = "method",
        value_parser = crate::text::parse_non_blank
    )]
    updb: Option<String>,

    /// Id or name of the third-party CA with whose certificate the identity enrolls
    #[arg(
        long,
        value_name = "CA",
        group = "method",
        value_parser = crate::text::parse_non_blank,
        add = Values::one::<CaDetail>()
    )]
    ottca: Option<String>,

    /// Enrollment to create, unless --updb or --ottca is given
    #[arg(long, value_enum, group = "method")]
    enrollment: Option<InitialEnrollment>,

    /// Id or name of the authentication policy
    #[arg(short = 'P', long, value_name = "POLICY", add = Values::one::<AuthPolicyDetail>())]
    auth_policy: Option<String>,

    #[command(flatten)]
    tags: NewTagsArgs,

    #[command(flatten)]
    token: TokenArgs,
}

/// Enrollments without further input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InitialEnrollment {
    /// No enrollment
    None,
    /// One-time token for a certificate
    Ott,
}

impl CreateArgs {
    /// Enrollment to create.
    fn enrollment_choice(&self) -> Option<IdentityCreateEnrollment> {
        if let Some(username) = &self.updb {
            return Some(IdentityCreateEnrollment::updb(username));
        }
        if let Some(ca) = &self.ottca {
            return Some(IdentityCreateEnrollment::ottca(ca));
        }
        match self.enrollment {
            Some(InitialEnrollment::Ott) => Some(IdentityCreateEnrollment::ott()),
            Some(InitialEnrollment::None) => None,
            None => self
                .external_id
                .is_none()
                .then(IdentityCreateEnrollment::ott),
        }
    }

    async fn body(&self, client: &Client) -> Result<IdentityCreate, CliError> {
        let mut body = IdentityCreate::named(&self.name);
        body.enrollment = self.enrollment_choice();
        if let Some(ca) = &self.ottca {
            let ca: CaDetail = resolve::by_id_or_name(client, ca).await?;
            body.enrollment = Some(IdentityCreateEnrollment::ottca(ca.base.id.as_str()));
        }
        body.update.is_admin = self.admin;
        let options = &mut body.update.options;
        if !self.role_attributes.is_empty() {
            options.role_attributes = Some(self.role_attributes.clone());
        }
        options.external_id.clone_from(&self.external_id);
        let typed = self.kind.map(|kind| kind.with_tag(&Tags::default()));
        options.tags = Some(self.tags.add_to(&typed.unwrap_or_default()));
        if let Some(policy) = &self.auth_policy {
            let policy: AuthPolicyDetail = resolve::by_id_or_name(client, policy).await?;
            options.auth_policy_id = Some(policy.base.id.to_string());
        }
        Ok(body)
    }
}

impl Verb for CreateArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        if self.token.is_wanted() && self.enrollment_choice().is_none() {
            return Err(
                CliError::usage("an identity without an enrollment has no token")
                    .hint("remove `--output-jwt`, or add `--enrollment ott`"),
            );
        }
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let body = self.body(&session.client).await?;
        let destination = self.token.prepare()?;
        let identity = entities::create_and_fetch::<IdentityDetail>(&session.client, &body).await?;
        let next = pending_enrollment(&identity)
            .filter(|_| destination.is_discarded())
            .map(|enrollment| show::token_command(&enrollment.id, &identity.name));
        let client = &session.client;
        let delivered = deliver_and_show(context, client, destination, &identity, next).await;
        delivered.map_err(|error| {
            let (name, id) = (&identity.name, &identity.base.id);
            error.hint(format!("the identity `{name}` was created with id {id}"))
        })
    }
}

impl Enrolling for IdentityDetail {
    fn token(&self) -> Option<&SecretString> {
        pending_enrollment(self)?.jwt.as_ref()
    }

    fn enrollment_id(&self) -> Option<&EnrollmentId> {
        Some(&pending_enrollment(self)?.id)
    }
}

/// The enrollment that it was created with.
fn pending_enrollment(identity: &IdentityDetail) -> Option<&PendingEnrollment> {
    let (_, enrollment) = state::pending_enrollments(identity).next()?;
    Some(enrollment)
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
        serde_json::to_value(parse(line).unwrap().enrollment_choice()).unwrap()
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

//! `portcullis enrollment show`.

use crate::commands::entities;
use crate::commands::entity_command::Noun as _;
use crate::commands::pagination;
use crate::commands::token_output::{TokenArgs, TokenDestination};
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::entity::{Entity, EntityKind};
use crate::error::CliError;
use crate::output::Output;
use crate::table::Table;
use clap::Args;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::entity::Base;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EnrollmentId;

#[derive(Debug, Args)]
#[command(about = EnrollmentDetail::SHOW.about, after_long_help = EnrollmentDetail::SHOW.examples)]
pub(crate) struct ShowArgs {
    #[arg(
        id = EnrollmentDetail::REFERENCE.id,
        value_name = EnrollmentDetail::REFERENCE.value_name,
        help = EnrollmentDetail::REFERENCE.help
    )]
    id: String,

    #[command(flatten)]
    token: TokenArgs,
}

impl Verb for ShowArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let destination = self.token.prepare()?;
        let id = EnrollmentId::from_wire(self.id);
        let enrollment = session.client.entity::<EnrollmentDetail>(&id).await?;
        deliver(context, destination, &enrollment)
    }
}

/// Writes the token, if requested, and shows the enrollment.
pub(crate) fn deliver(
    context: &Context,
    destination: TokenDestination,
    enrollment: &EnrollmentDetail,
) -> Result<(), CliError> {
    if destination.deliver(enrollment.jwt.as_ref(), Some(&enrollment.base.id))? {
        entities::show_entity(context, enrollment)?;
    }
    Ok(())
}

impl Entity for EnrollmentDetail {
    fn label(&self) -> String {
        match &self.identity {
            Some(identity) => format!("{} of {}", self.method, identity.name),
            None => self.method.to_string(),
        }
    }

    fn table(&self, now: Timestamp) -> Table {
        let identity = self.identity.as_ref();
        let identity_id = self.identity_id.as_ref();
        Table::with_properties()
            .property("id", self.base.id.as_str())
            .property("method", &self.method)
            .property("identity", identity.map_or("", |identity| &identity.name))
            .property("identity id", identity_id.map_or("", |id| id.as_str()))
            .property("until", pagination::format_expiry(self.expires_at, now))
            .property("created", self.base.created_at.to_string())
    }
}

impl EntityKind for EnrollmentDetail {
    const COMMAND: &'static str = "enrollment";
    const SINGULAR: &'static str = "enrollment";
    const PLURAL: &'static str = "enrollments";
    const COLUMNS: &'static [&'static str] = &["id", "method", "identity", "identity id", "until"];

    fn base(&self) -> &Base<EnrollmentId> {
        &self.base
    }

    fn extra_cells(&self, now: Timestamp) -> Vec<String> {
        let identity = self.identity.as_ref();
        let identity_id = self.identity_id.as_ref();
        vec![
            self.method.to_string(),
            identity.map_or_else(String::new, |identity| identity.name.clone()),
            identity_id.map_or_else(String::new, ToString::to_string),
            pagination::format_expiry(self.expires_at, now),
        ]
    }
}

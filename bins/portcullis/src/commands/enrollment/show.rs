//! `portcullis enrollment show`.

use crate::column::Column;
use crate::commands::entity_command::Noun as _;
use crate::commands::token_output::{Enrolling, TokenArgs, deliver_and_show};
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::entity::{Entity, EntityKind};
use crate::error::CliError;
use crate::files;
use crate::moment;
use crate::names::Names;
use crate::output::Output;
use crate::shell;
use crate::table::Table;
use clap::Args;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::entity::Base;
use portcullis_api::link::EntityRef;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EnrollmentId;
use secrecy::SecretString;

#[derive(Debug, Args)]
#[command(about = EnrollmentDetail::SHOW.about, after_long_help = EnrollmentDetail::SHOW.examples)]
pub(crate) struct ShowArgs {
    #[arg(
        id = EnrollmentDetail::REFERENCE.id,
        value_name = EnrollmentDetail::REFERENCE.value_name,
        help = EnrollmentDetail::REFERENCE.help,
        add = Values::one::<EnrollmentDetail>()
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
        let enrollment = EnrollmentDetail::find(&session.client, &self.id).await?;
        deliver_and_show(context, &session.client, destination, &enrollment, None).await
    }
}

impl Enrolling for EnrollmentDetail {
    fn token(&self) -> Option<&SecretString> {
        self.jwt.as_ref()
    }

    fn enrollment_id(&self) -> Option<&EnrollmentId> {
        Some(&self.base.id)
    }
}

/// The command that writes the token of an enrollment of the identity `owner`.
pub(crate) fn token_command(id: &EnrollmentId, owner: &str) -> String {
    let file = shell::quote(&files::name_for(owner, "jwt"));
    format!("portcullis enrollment show {id} --output-jwt {file}")
}

impl Entity for EnrollmentDetail {
    fn label(&self) -> String {
        match self.identity.as_ref().or(router(self)) {
            Some(owner) => format!("{} of {}", self.method, owner.name),
            None => self.method.to_string(),
        }
    }

    fn table(&self, now: Timestamp, _names: &Names) -> Table {
        let identity = self.identity.as_ref();
        let identity_id = self.identity_id.as_ref();
        Table::with_properties()
            .property("id", self.base.id.as_str())
            .property("method", &self.method)
            .property("identity", identity.map_or("", name))
            .property("identity id", identity_id.map_or("", |id| id.as_str()))
            .property("router", router(self).map_or("", name))
            .property("router id", router(self).map_or("", |router| &router.id))
            .property("expires", moment::full(self.expires_at, now))
            .property("created", moment::full(self.base.created_at, now))
    }
}

/// The router that enrolls, if it is one.
fn router(enrollment: &EnrollmentDetail) -> Option<&EntityRef> {
    let edge_router = enrollment.edge_router.as_ref();
    edge_router.or(enrollment.transit_router.as_ref())
}

fn name(owner: &EntityRef) -> &str {
    &owner.name
}

impl EntityKind for EnrollmentDetail {
    const COMMAND: &'static str = "enrollment";
    const SINGULAR: &'static str = "enrollment";
    const PLURAL: &'static str = "enrollments";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("method", "method", |enrollment, _| {
            enrollment.method.as_ref().into()
        }),
        Column::new("identity", "identity", |enrollment, _| {
            enrollment.identity.as_ref().map(name).into()
        }),
        Column::new("router", "router", |enrollment, _| {
            router(enrollment).map(name).into()
        }),
        Column::new("expiresAt", "expires", |enrollment, _| {
            enrollment.expires_at.into()
        }),
    ];
    const FIELDS: &'static [&'static str] =
        &["token", "identity", "edgeRouter", "transitRouter", "caId"];
    const SEARCHED: &'static [&'static str] = &[];
    const HAS_IDENTITY: bool = true;

    fn base(&self) -> Option<&Base<EnrollmentId>> {
        Some(&self.base)
    }
}

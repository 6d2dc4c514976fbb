//! `portcullis transit-router show`, and how people see the routers that pass traffic on.

use crate::commands::configs;
use crate::commands::entities::NamedArgs;
use crate::commands::router::{self, Enrolling, State};
use crate::commands::token_file::TokenArgs;
use crate::context::{Context, Session};
use crate::entity::Entity;
use crate::error::CliError;
use crate::output::Output;
use crate::table::Table;
use crate::words::yes;
use clap::Args;
use portcullis_api::entity::Base;
use portcullis_api::router::EnrollmentMembers;
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;

const EXAMPLES: &str = "\
Examples:
  portcullis transit-router show t1
  portcullis transit-router show t1 --output-jwt t1.jwt      as long as it has not enrolled";

/// Arguments of `transit-router show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    chosen: NamedArgs,

    #[command(flatten)]
    token: TokenArgs,
}

impl ShowArgs {
    pub(super) fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let text = &arguments.chosen.text;
    router::show::<TransitRouterDetail>(context, session, text, &arguments.token).await
}

impl Enrolling for TransitRouterDetail {
    const FOR_A_TOKEN: &'static str =
        "to get a new token for an enrolled router, delete it and create it again";

    fn enrollment(&self) -> &EnrollmentMembers {
        &self.enrollment
    }
}

/// What is known of the state of a transit router.
fn state(router: &TransitRouterDetail) -> State<'_> {
    State {
        is_disabled: router.disabled,
        is_online: router.is_online,
        is_verified: router.is_verified,
        enrollment: &router.enrollment,
    }
}

impl Entity for TransitRouterDetail {
    const COMMAND: &'static str = "transit-router";
    const LIST: &'static str = "portcullis transit-router list";
    const SINGULAR: &'static str = "router";
    const PLURAL: &'static str = "routers";
    const COLUMNS: &'static [&'static str] = &["id", "name", "state", "cost", "traversal"];

    fn base(&self) -> &Base<RouterId> {
        &self.base
    }

    fn called(&self) -> &str {
        &self.name
    }

    fn further_cells(&self) -> Vec<String> {
        vec![
            state(self).shown().to_owned(),
            self.cost.to_string(),
            yes(!self.no_traversal).to_owned(),
        ]
    }

    fn properties(&self, table: Table, now: Timestamp) -> Table {
        let listeners: Vec<_> = self.ctrl_chan_listeners.keys().cloned().collect();
        let fingerprint = self.fingerprint.as_ref();
        table
            .property("state", state(self).shown())
            .property("enrollment", state(self).until(now))
            .property("traversal", yes(!self.no_traversal))
            .property("cost", self.cost.to_string())
            .property("configurations", configs::shown(self.configs.as_ref()))
            .property(
                "certificate",
                fingerprint
                    .map(|sum| format!("SHA-1 {sum}"))
                    .unwrap_or_default(),
            )
            .property("for controllers", listeners.join(", "))
    }
}

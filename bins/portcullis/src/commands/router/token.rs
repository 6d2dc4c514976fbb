//! Enrollment tokens of routers.

use crate::commands::entities;
use crate::commands::token_output::{Enrolling, TokenArgs, TokenDestination, deliver_and_show};
use crate::context::{Context, Session};
use crate::entity::Named;
use crate::error::CliError;
use crate::files;
use crate::shell;
use portcullis_api::router::PendingRouterEnrollment;
use portcullis_client::{Client, Creatable};
use portcullis_domain::ids::EntityId as _;
use secrecy::SecretString;

/// A router kind that enrolls with a token.
pub(crate) trait EnrollableRouter: Named + Creatable {
    /// Hint on how to get a token if no enrollment is pending.
    const NEW_TOKEN_HINT: &'static str;

    fn enrollment(&self) -> &PendingRouterEnrollment;
}

impl<R: EnrollableRouter> Enrolling for R {
    fn token(&self) -> Option<&SecretString> {
        self.enrollment().enrollment_jwt.as_ref()
    }
}

/// Change of a router that issued its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouterChange {
    Created,
    /// It was reset to enroll again.
    Reset,
}

/// Creates a router, writes its token if requested, and shows it.
pub(crate) async fn create<R: EnrollableRouter>(
    context: &Context,
    session: &Session,
    body: &R::Create,
    token: &TokenArgs,
) -> Result<(), CliError> {
    let destination = token.prepare()?;
    let router: R = entities::create_and_fetch(&session.client, body).await?;
    let client = &session.client;
    deliver(context, client, destination, &router, RouterChange::Created).await
}

/// Writes the token, if requested, and shows the router. Errors include hints on what was already
/// done.
pub(crate) async fn deliver<R: EnrollableRouter>(
    context: &Context,
    client: &Client,
    destination: TokenDestination,
    router: &R,
    step: RouterChange,
) -> Result<(), CliError> {
    let (name, word) = (router.name(), shell::quote(router.name()));
    let next = destination.is_discarded().then(|| {
        let file = shell::quote(&files::name_for(name, "jwt"));
        format!("portcullis {} show {word} --output-jwt {file}", R::COMMAND)
    });
    let written = deliver_and_show(context, client, destination, router, next).await;
    written.map_err(|error| {
        let id = router.entity_id().as_str();
        let done = match step {
            RouterChange::Created => "was created",
            RouterChange::Reset => "must re-enroll",
        };
        error
            .hint(format!("`{name}` {done}; its id is {id}"))
            .hint(format!(
                "get it again with `portcullis {} show {word} --output-jwt FILE`",
                R::COMMAND
            ))
    })
}

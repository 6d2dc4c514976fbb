//! Handing out the tokens with which routers enroll.

use crate::commands::entities;
use crate::commands::token_file::{Destination, TokenArgs};
use crate::context::{Context, Session};
use crate::entity::Entity;
use crate::error::CliError;
use crate::resolve;
use crate::shell;
use portcullis_api::router::EnrollmentMembers;
use portcullis_domain::ids::EntityId as _;

/// A kind of routers that enroll.
pub(crate) trait Enrolling: Entity {
    /// What to do for a token where none is pending.
    const FOR_A_TOKEN: &'static str;

    /// The pending enrollment.
    fn enrollment(&self) -> &EnrollmentMembers;
}

/// What was done to a router before its token is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It was created.
    Created,
    /// It is to enroll anew.
    Reset,
}

/// Creates a router, hands its token out if it is wanted, and shows it.
pub(crate) async fn create<R: Enrolling>(
    context: &Context,
    session: &Session,
    body: &R::Create,
    token: &TokenArgs,
) -> Result<(), CliError> {
    let destination = token.prepare()?;
    let router: R = entities::create_only(&session.client, body).await?;
    deliver(context, destination, &router, Step::Created)
}

/// Shows a router, and hands its token out if it is wanted.
pub(crate) async fn show<R: Enrolling>(
    context: &Context,
    session: &Session,
    text: &str,
    token: &TokenArgs,
) -> Result<(), CliError> {
    let router: R = resolve::one(&session.client, text).await?;
    if token.is_wanted() && router.enrollment().enrollment_expires_at.is_none() {
        let name = router.called();
        return Err(
            CliError::failed(format!("no enrollment of `{name}` is pending")).hint(R::FOR_A_TOKEN),
        );
    }
    let destination = token.prepare()?;
    write(context, destination, &router)
}

/// Hands a token out if it is wanted, and shows the router. What fails here does not undo what was
/// done.
pub(crate) fn deliver<R: Enrolling>(
    context: &Context,
    destination: Destination,
    router: &R,
    step: Step,
) -> Result<(), CliError> {
    write(context, destination, router).map_err(|error| {
        let (name, id) = (router.called(), router.base().id.as_str());
        let word = shell::word(name);
        let done = match step {
            Step::Created => "was created",
            Step::Reset => "must re-enroll",
        };
        error
            .hint(format!("`{name}` {done}; its id is {id}"))
            .hint(format!(
                "get it again with `portcullis {} show {word} --output-jwt FILE`",
                R::COMMAND
            ))
    })
}

fn write<R: Enrolling>(
    context: &Context,
    destination: Destination,
    router: &R,
) -> Result<(), CliError> {
    let token = router.enrollment().enrollment_jwt.as_ref();
    if destination.deliver(token, None)? {
        entities::write(context, router)?;
    }
    Ok(())
}

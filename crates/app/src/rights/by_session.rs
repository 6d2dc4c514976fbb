//! Rights of clients, which show the tokens of their sessions.

use super::edge_routers::check_router;
use super::{GrantedService, Refusal, Right, RightSession};
use crate::app::App;
use crate::posture::{PostureContext, decide_access, machine_judge};
use crate::routers::ConnectedRouter;
use crate::session_validity::LiveSession;
use crate::{service_sessions, sessions, tokens};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{IdentityId, ServiceId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::Service;
use portcullis_posture::{AccessDecision, MachineJudge};
use portcullis_storage::tables::{Found, Rows, reference};
use std::sync::Arc;

/// The tokens that a client has shown to a router.
#[derive(Debug, Clone, Copy)]
pub struct PresentedSession<'p> {
    /// The token of a session, or an access token.
    pub api_session: &'p str,
    /// The token of a service session.
    pub service_session: &'p str,
}

/// Judges whether a client may dial or host a service by its service session through a
/// router.
pub fn judge(
    app: &App,
    presented: PresentedSession<'_>,
    grant: ServiceGrant,
    router: &ConnectedRouter,
) -> Result<Right, Refusal> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let shown = sessions::find_presented(app, rows, presented.api_session)?
        .ok_or(Refusal::InvalidApiSession)?;
    let live = shown.live;
    let session = service_sessions::find_presented(app, rows, &live, presented.service_session)?
        .ok_or(Refusal::InvalidSession)?;
    if session.grant != grant {
        return Err(Refusal::WrongSessionType);
    }
    let service = find_service(rows, &session.service)?;
    // A grant that has ended takes its service sessions along, although some are removed later.
    let ends =
        judge_policies(app, rows, (&live, router), (&service, grant)).map_err(|refusal| {
            match refusal {
                Refusal::AccessDenied | Refusal::PostureCheckFailed => Refusal::InvalidSession,
                other => other,
            }
        })?;
    check_router(
        app,
        rows,
        router,
        (live.identity.number(), service.number()),
    )?;
    let session = RightSession {
        api_session: session.api_session.clone(),
        service_session: Some(session.id.clone()),
        access_token: shown.access_token,
    };
    Ok(right_of(app, &live, (&service, grant), session, ends))
}

/// Who presents a token: that of a session, or an access token. `None` if it is not valid.
pub fn presenter(app: &App, api_session: &str) -> Option<IdentityId> {
    let view = app.snapshot().ok()?;
    let shown = sessions::find_presented(app, view.rows(), api_session).ok()??;
    Some(shown.live.identity.entity.id.clone())
}

/// Judges whether a client may dial a service by its access token through a router.
/// Whom the router takes it for has to be whom the token names.
pub fn judge_dial_by_identity(
    app: &App,
    access_token: &str,
    claimed: &IdentityId,
    service: &ServiceId,
    router: &ConnectedRouter,
) -> Result<Right, Refusal> {
    let view = app.snapshot()?;
    let rows = view.rows();
    if !tokens::is_signed(access_token) {
        return Err(Refusal::InvalidApiSession);
    }
    let shown = sessions::find_presented(app, rows, access_token)?;
    let shown = shown
        .filter(|shown| shown.live.identity.entity.id == *claimed)
        .ok_or(Refusal::InvalidApiSession)?;
    let live = shown.live;
    let service = find_service(rows, service)?;
    let wanted = (&service, ServiceGrant::Dial);
    let ends = judge_policies(app, rows, (&live, router), wanted)?;
    check_router(
        app,
        rows,
        router,
        (live.identity.number(), service.number()),
    )?;
    let session = RightSession {
        api_session: live.session.entity.id.clone(),
        service_session: None,
        access_token: shown.access_token,
    };
    Ok(right_of(app, &live, wanted, session, ends))
}

fn find_service(rows: Rows<'_>, id: &ServiceId) -> Result<Found<Arc<Service>>, Refusal> {
    rows.find_shared(&reference(id))?
        .ok_or(Refusal::InvalidService)
}

/// When what the policies grant to a session ends by time alone; `None` for never.
fn judge_policies(
    app: &App,
    rows: Rows<'_>,
    (live, router): (&LiveSession, &ConnectedRouter),
    (service, grant): (&Found<Arc<Service>>, ServiceGrant),
) -> Result<Option<Timestamp>, Refusal> {
    // The record tells what the router said before, until this hello is kept.
    let judge = if router.judges_posture() {
        machine_judge(rows, router.id())?
    } else {
        MachineJudge::Here
    };
    let identity = live.identity.number();
    let session = (identity, live.session.number());
    let context = PostureContext::for_session(app, rows, session, &live.session.entity, judge)?;
    let decision = decide_access(app, rows, (identity, service.number()), grant, &context)?;
    match &decision {
        AccessDecision::Granted(_) => Ok(decision.ends_at()),
        AccessDecision::Refused(_) => Err(Refusal::PostureCheckFailed),
        AccessDecision::NotGranted => Err(Refusal::AccessDenied),
    }
}

fn right_of(
    app: &App,
    live: &LiveSession,
    (service, grant): (&Found<Arc<Service>>, ServiceGrant),
    session: RightSession,
    policies_end: Option<Timestamp>,
) -> Right {
    let ends = [sessions::ends_at(app, live), policies_end];
    Right {
        identity: live.identity.entity.id.clone(),
        service: GrantedService::from(service),
        grant,
        session: Some(session),
        judge_again_at: ends.into_iter().flatten().min(),
    }
}

#[cfg(test)]
mod tests;

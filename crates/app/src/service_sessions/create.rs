//! Creation of service sessions.

use super::{Create, routers, session_quota};
use crate::app::App;
use crate::error::{AppError, ServiceSessionError};
use crate::metrics::Timing;
use crate::posture::{PostureContext, decide_access};
use crate::records::own_session_key;
use crate::services::get_usable;
use portcullis_domain::FieldError;
use portcullis_domain::access::{AccessDeniedError, Caller, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::ids::{RecordNumber, ServiceId, SessionId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::{FailedRequest, PolicyFailure};
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{NamedRef, SessionView};
use portcullis_oidc::claims::ServiceSessionClaims;
use portcullis_posture::{AccessDecision, MachineJudge};
use portcullis_storage::tables::{Found, Rows, RowsMut, SESSION, identity_key, session_grant};
use secrecy::SecretString;

/// Input of [`create`].
#[derive(Debug, Clone)]
pub struct CreateServiceSession {
    pub service: ServiceId,
    pub grant: ServiceGrant,
    pub tags: Tags,
}

/// A service session with its token for routers.
#[derive(Debug)]
pub struct NewServiceSession {
    pub view: SessionView,
    /// JWT.
    pub token: SecretString,
}

/// Grants the caller's API session the use of a service. There is one service session per service
/// and grant; repeated requests return the existing one.
///
/// # Errors
///
/// "Not found" for a service that the caller may neither dial nor bind; [`AppError::Field`] if it
/// may only do the other; [`ServiceSessionError::InvalidPosture`], which is recorded;
/// [`ServiceSessionError::NoEdgeRouters`].
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    request: CreateServiceSession,
) -> Result<NewServiceSession, AppError> {
    let _timing = Timing::start(&app.metrics().service_session_created);
    let caller = permit.caller();
    let (mut view, is_new) = prepare(app, caller, request)?;
    if is_new {
        view.session = commit(app, permit, &view.session).await?;
    }
    let is_legacy = permit.caller().access_token.is_none();
    let token = sign_token(app, &view.session, is_legacy)?;
    Ok(NewServiceSession { view, token })
}

/// Checks access; returns the session and whether it still has to be stored.
fn prepare(
    app: &App,
    caller: &Caller,
    request: CreateServiceSession,
) -> Result<(SessionView, bool), AppError> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let service = get_usable(app, rows, caller, &request.service)?;
    check_access(app, rows, caller, (&service, request.grant))?;
    let (identity, number) = (caller.identity_number, service.number());
    let edge_routers = routers::list_common(app, rows, identity, number)?;
    if edge_routers.is_empty() {
        return Err(ServiceSessionError::NoEdgeRouters.into());
    }
    let api_session: ApiSession = rows
        .get(&own_session_key(caller))?
        .ok_or(AccessDeniedError)?;
    let token = api_session.token_hash;
    let present = session_grant(token, request.grant, &request.service);
    let present: Option<Found<Session>> = rows.find(&present)?;
    let is_new = present.is_none();
    let session = if let Some(found) = present {
        found.entity
    } else {
        let id = SessionId::generate(&*app.env().entropy)?;
        let granted = (request.service, request.grant);
        Session {
            tags: request.tags,
            ..Session::new(id, &api_session, granted, app.env().now())
        }
    };
    let view = SessionView {
        session,
        service: NamedRef::from(&service.entity),
        edge_routers,
        policies: Vec::new(),
    };
    Ok((view, is_new))
}

/// Evaluates the policies that grant the caller the service. What routers may judge is left to the one to
/// which the session will be shown: if that does not judge, the controller does then.
fn check_access(
    app: &App,
    rows: Rows<'_>,
    caller: &Caller,
    (service, grant): (&Found<Service>, ServiceGrant),
) -> Result<(), AppError> {
    let context = PostureContext::for_caller(app, rows, caller, MachineJudge::Router)?;
    let numbers = (caller.identity_number, service.number());
    match decide_access(app, rows, numbers, grant, &context)? {
        AccessDecision::Granted(_passes) => Ok(()),
        AccessDecision::NotGranted => {
            let id = service.entity.id.as_str();
            Err(FieldError::new("ServiceId", "no service with this id exists", id).into())
        },
        AccessDecision::Refused(failures) => {
            let request = failed_request(app, caller, (&service.entity, grant), failures.clone());
            app.posture.record_refusal(caller.identity_number, request);
            Err(ServiceSessionError::InvalidPosture(failures).into())
        },
    }
}

fn failed_request(
    app: &App,
    caller: &Caller,
    (service, grant): (&Service, ServiceGrant),
    policies: Vec<PolicyFailure>,
) -> FailedRequest {
    FailedRequest {
        when: app.env().now(),
        api_session: caller.session.clone(),
        service: service.id.clone(),
        service_name: service.spec.name.clone(),
        grant,
        policies,
    }
}

/// Stores a session unless a concurrent request already did; returns the stored one.
async fn commit(
    app: &App,
    permit: &Permit<Create>,
    session: &Session,
) -> Result<Session, AppError> {
    let number = app.next_number(SESSION);
    let excess_bytes = session_quota::excess_bytes(app, permit.caller().identity_number, session)?;
    let new = session.clone();
    let (stored, _ended) = app
        .commit_for(permit, move |rows, caller| {
            rows.set_removal_verb("displace");
            insert(rows, caller.identity_number, (number, &new), excess_bytes)
        })
        .await?;
    Ok(stored)
}

fn insert(
    rows: &mut RowsMut<'_>,
    identity: RecordNumber,
    (number, session): (RecordNumber, &Session),
    excess_bytes: usize,
) -> Result<(Session, Vec<SessionId>), AppError> {
    let grant = session_grant(session.api_session_token, session.grant, &session.service);
    if let Some(present) = rows.rows().find::<Session>(&grant)? {
        return Ok((present.entity, Vec::new()));
    }
    let ended = session_quota::evict_oldest(rows, identity, excess_bytes)?;
    rows.insert(
        &identity_key(identity).dependent(SESSION, number.0),
        session,
    )?;
    Ok((session.clone(), ended))
}

/// Signs the token for routers.
fn sign_token(app: &App, session: &Session, is_legacy: bool) -> Result<SecretString, AppError> {
    let network = app.network();
    let claims =
        ServiceSessionClaims::issue(&network.issuer(), session, is_legacy, app.env().now());
    let signed = network.serving_state().jwt_signer.sign(&claims);
    signed.map(Into::into).map_err(AppError::internal)
}

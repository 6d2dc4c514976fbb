//! Asking for a service session.

use super::{Create, room, routers};
use crate::app::App;
use crate::error::AppError;
use crate::posture::{Granting, Subject};
use crate::services::find_own;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Caller, Denied, Permit};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::ids::{Number, ServiceId, SessionId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::{FailedRequest, PolicyFailure};
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::tags::Tags;
use portcullis_domain::view::{Named, SessionView};
use portcullis_pki::{Granted, SessionClaims};
use portcullis_posture::{Access, GrantingPolicy};
use portcullis_storage::tables::{Found, Rows, RowsMut, SESSION, identity_key, session_grant};
use secrecy::SecretString;

/// What a client asks for.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The service.
    pub service: ServiceId,
    /// What is to be done with it.
    pub grant: ServiceGrant,
    /// What users attach to the session.
    pub tags: Tags,
}

/// A service session with the token that routers are shown.
#[derive(Debug)]
pub struct NewServiceSession {
    /// The session.
    pub view: SessionView,
    /// A JWT.
    pub token: SecretString,
}

/// Grants the caller's API session the use of a service. There is one service session for each
/// service and use: whoever asks again gets the one that it has.
///
/// # Errors
///
/// "Not found" for a service that the caller may neither dial nor bind, as for one that does not
/// exist; a fault of the service if the caller may do the other thing alone;
/// [`AppError::InvalidPosture`], which is remembered; [`AppError::NoEdgeRouters`].
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    wanted: Wanted,
) -> Result<NewServiceSession, AppError> {
    let caller = permit.caller();
    let (mut view, is_new) = prepare(app, caller, wanted)?;
    if is_new {
        view.session = commit(app, permit, &view.session).await?;
    }
    let token = sign(app, &view.session)?;
    Ok(NewServiceSession { view, token })
}

/// Decides whether it is granted; answers the session, and whether it is still to be kept.
fn prepare(app: &App, caller: &Caller, wanted: Wanted) -> Result<(SessionView, bool), AppError> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let service = find_own(app, rows, caller, &wanted.service)?;
    decide(app, rows, caller, (&service, wanted.grant))?;
    let (identity, number) = (caller.identity_number, service.number());
    let edge_routers = routers::common(app, rows, identity, number)?;
    if edge_routers.is_empty() {
        return Err(AppError::NoEdgeRouters);
    }
    let api_session: ApiSession = rows.get(&crate::sessions::own_key(caller))?.ok_or(Denied)?;
    let token = api_session.token_hash;
    let present = session_grant(token, wanted.grant, &wanted.service);
    let present: Option<Found<Session>> = rows.find(&present)?;
    let is_new = present.is_none();
    let session = match present {
        Some(found) => found.entity,
        None => Session {
            id: SessionId::generate(&*app.env().entropy)?,
            created_at: app.env().now(),
            api_session: api_session.id,
            api_session_token: token,
            identity: api_session.identity,
            service: wanted.service,
            grant: wanted.grant,
            tags: wanted.tags,
        },
    };
    let view = SessionView {
        session,
        service: Named::from(&service.entity),
        edge_routers,
        policies: Vec::new(),
    };
    Ok((view, is_new))
}

/// Holds the caller's session against the policies that grant it the service.
fn decide(
    app: &App,
    rows: Rows<'_>,
    caller: &Caller,
    (service, grant): (&Found<Service>, ServiceGrant),
) -> Result<(), AppError> {
    let subject = Subject::of_caller(app, rows, caller)?;
    let policies = policies(app, rows, caller.identity_number, service.number())?;
    let now = app.env().now();
    match Access::decide(&policies, grant, &subject.client(), now) {
        Access::Granted(_passes) => Ok(()),
        Access::NotGranted => {
            let id = service.entity.id.as_str();
            Err(FieldError::new("ServiceId", "no service with this id exists", id).into())
        },
        Access::Refused(failures) => {
            let request = refused(app, caller, (&service.entity, grant), failures.clone());
            app.posture.note_refusal(caller.identity_number, request);
            Err(AppError::InvalidPosture(failures))
        },
    }
}

/// The policies that let an identity use a service, as of one moment.
fn policies(
    app: &App,
    rows: Rows<'_>,
    identity: Number,
    service: Number,
) -> Result<Vec<GrantingPolicy>, AppError> {
    let granting = Granting::new(app);
    let mut policies = Vec::new();
    for outline in granting.between(identity, service)? {
        let policy = granting.read(rows, &outline)?;
        policies.extend(policy.map(|policy| (*policy).clone()));
    }
    Ok(policies)
}

fn refused(
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

/// Keeps a session, unless another request was faster; answers the one that is kept.
async fn commit(
    app: &App,
    permit: &Permit<Create>,
    session: &Session,
) -> Result<Session, AppError> {
    let number = app.number(SESSION);
    let surplus = room::surplus(app, permit.caller().identity_number, session)?;
    let new = session.clone();
    let (kept, _ended) = app
        .commit_for(permit, move |rows, caller| {
            rows.removal("displace");
            insert(rows, caller.identity_number, (number, &new), surplus)
        })
        .await?;
    Ok(kept)
}

fn insert(
    rows: &mut RowsMut<'_>,
    identity: Number,
    (number, session): (Number, &Session),
    surplus: usize,
) -> Result<(Session, Vec<SessionId>), AppError> {
    let grant = session_grant(session.api_session_token, session.grant, &session.service);
    if let Some(present) = rows.rows().find::<Session>(&grant)? {
        return Ok((present.entity, Vec::new()));
    }
    let ended = room::make(rows, identity, surplus)?;
    rows.insert(
        &identity_key(identity).dependent(SESSION, number.0),
        session,
    )?;
    Ok((session.clone(), ended))
}

/// The token that routers are shown.
fn sign(app: &App, session: &Session) -> Result<SecretString, AppError> {
    let network = app.network();
    let granted = Granted {
        session: session.id.as_str(),
        api_session: session.api_session.as_str(),
        identity: session.identity.as_str(),
        service: session.service.as_str(),
        grant: session.grant.name(),
    };
    let claims = SessionClaims::new(network.issuer(), granted, app.env().now());
    let signed = network.served().jwt_signer.sign(&claims);
    signed.map(Into::into).map_err(AppError::internal)
}

//! Whether the host of a terminator still may host.

use crate::app::App;
use crate::error::AppError;
use crate::memo::Memo;
use crate::posture::{GrantResolver, machine_judge};
use crate::rights::find_router_identity;
use crate::service_sessions::GrantEvaluator;
use crate::session_validity::{RevocableToken, is_token_revoked};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{RecordNumber, RouterId, SessionId};
use portcullis_domain::oidc_session::TokenId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use portcullis_domain::terminator::Terminator;
use portcullis_posture::MachineJudge;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{IndexedId, Rows, reference};

/// Judges hosts by the read model, and by their records as far as these are read. Each session and
/// policy is evaluated once.
pub(super) struct HostEvaluator<'a> {
    app: &'a App,
    sessions: GrantEvaluator<'a>,
    policies: GrantResolver<'a>,
    judges: Memo<RouterId, MachineJudge>,
    now: Timestamp,
}

impl<'a> HostEvaluator<'a> {
    /// Creates an evaluator for one moment.
    pub(super) fn new(app: &'a App, now: Timestamp) -> Self {
        Self {
            app,
            sessions: GrantEvaluator::new(app, now),
            policies: GrantResolver::new(app),
            judges: Memo::default(),
            now,
        }
    }

    /// Whether the host of a terminator may host the service through the router. Nobody has to be
    /// allowed a terminator without a host.
    pub(super) fn may_host(
        &self,
        rows: Rows<'_>,
        Terminator {
            created_at,
            spec: terminator,
            ..
        }: &Terminator,
    ) -> Result<bool, AppError> {
        let Some(host) = &terminator.host else {
            return Ok(true);
        };
        let identity = number_of(rows, &host.identity)?;
        let service = number_of(rows, &terminator.service)?;
        let router = number_of(rows, &terminator.router)?;
        let (Some(identity), Some(service), Some(router)) = (identity, service, router) else {
            return Ok(false);
        };
        let is_granted = match &host.session {
            Some(session) => {
                !is_revoked(rows, host.access_token.as_ref())?
                    && self.is_granted_to_client(
                        rows,
                        (session, &terminator.router),
                        *created_at,
                    )?
            },
            None => self.is_granted_to_router(rows, &terminator.router, service)?,
        };
        Ok(is_granted && self.is_given(router, (identity, service))?)
    }

    /// Whether a service session may be used to host through a router, by a token that it had at a moment.
    fn is_granted_to_client(
        &self,
        rows: Rows<'_>,
        (session, router): (&SessionId, &RouterId),
        at: Timestamp,
    ) -> Result<bool, AppError> {
        let Some(found) = rows.find_shared::<Session>(&reference(session))? else {
            return Ok(false);
        };
        // It was issued then at the latest.
        let token = RevocableToken {
            id: session.as_str(),
            session: &found.entity.api_session,
            identity: &found.entity.identity,
            issued_at: at,
        };
        let judge = self.machine_judge(rows, router)?;
        Ok(!token.is_revoked(rows)? && self.sessions.is_granted_by(rows, found.number(), judge)?)
    }

    fn machine_judge(&self, rows: Rows<'_>, router: &RouterId) -> Result<MachineJudge, StoreError> {
        self.judges
            .get_or_try_insert_with(router.clone(), || machine_judge(rows, router))
    }

    /// Whether a policy lets the identity of a router host a service. Nobody knows the posture of a
    /// router, so none is asked for.
    fn is_granted_to_router(
        &self,
        rows: Rows<'_>,
        router: &RouterId,
        service: RecordNumber,
    ) -> Result<bool, AppError> {
        let identity = find_router_identity(rows, router)?;
        let Some(identity) = identity.filter(|found| !found.entity.is_disabled(self.now)) else {
            return Ok(false);
        };
        let policies = self.policies.policies_between(identity.number(), service)?;
        let mut grants = policies.iter().map(|policy| policy.grant);
        Ok(grants.any(|grant| grant == ServiceGrant::Bind))
    }

    /// Whether policies give the router to the identity and to the service.
    fn is_given(
        &self,
        router: RecordNumber,
        pair: (RecordNumber, RecordNumber),
    ) -> Result<bool, AppError> {
        let guard = self.app.require_lists()?.access();
        let slots = guard.routers().slot(router).zip(guard.pair(pair.0, pair.1));
        Ok(slots.is_some_and(|(router, (identity, service))| {
            let given = guard
                .access()
                .common_routers(identity, service, guard.kinds());
            given.contains(router.bit())
        }))
    }
}

fn is_revoked(rows: Rows<'_>, token: Option<&TokenId>) -> Result<bool, StoreError> {
    token.map_or(Ok(false), |token| is_token_revoked(rows, token.as_str()))
}

fn number_of<I: IndexedId>(rows: Rows<'_>, id: &I) -> Result<Option<RecordNumber>, StoreError> {
    let key = rows.locate(&reference(id))?;
    Ok(key.map(|key| RecordNumber(key.id().1)))
}

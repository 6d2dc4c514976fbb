//! Evaluation of the grants of service sessions.

use crate::app::App;
use crate::error::AppError;
use crate::memo::Memo;
use crate::posture::{GrantResolver, PolicySummary, PostureContext};
use crate::sessions::is_live;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{RecordNumber, ServicePolicyId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use portcullis_domain::view::NamedRef;
use portcullis_posture::MachineJudge;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue};
use std::rc::Rc;

/// Evaluates grants by the read model. Records are read for posture checks, and as far as the
/// validity of API sessions depends on them; each API session and policy is evaluated once.
pub(crate) struct GrantEvaluator<'a> {
    app: &'a App,
    resolver: GrantResolver<'a>,
    now: Timestamp,
    /// Whether API sessions are valid, by token hash.
    liveness: Memo<[u8; 16], bool>,
    /// What posture checks are evaluated against; `None` for API sessions that ended.
    contexts: Memo<([u8; 16], MachineJudge), Option<Rc<PostureContext>>>,
    /// Whether an API session passes the posture checks of a policy.
    passes: Memo<([u8; 16], MachineJudge, RecordNumber), bool>,
}

/// What a service session was granted.
pub(super) struct SessionGrant {
    identity: RecordNumber,
    service: RecordNumber,
    grant: ServiceGrant,
    api_session: TokenHash,
}

impl SessionGrant {
    /// The grant in a record, given the number of its service.
    pub(super) fn from_record(found: &Found<Session>, service: RecordNumber) -> Self {
        Self {
            identity: found.root_number(),
            service,
            grant: found.entity.grant,
            api_session: found.entity.api_session_token,
        }
    }

    /// The grant in the read model; `None` if the session or its service is gone.
    fn find(app: &App, session: RecordNumber) -> Result<Option<Self>, AppError> {
        let projections = app.require_lists()?;
        let find = || {
            let catalog = projections.service_sessions();
            let slot = catalog.slot(session)?;
            let Some(Owner::Identity(identity)) = catalog.owner(slot) else {
                return None;
            };
            let columns = catalog.columns();
            let service = columns.service(slot)?.to_owned();
            let api_session = columns.api_session(slot)?;
            Some((identity, service, columns.grant(slot), api_session))
        };
        let Some((identity, service, grant, api_session)) = find() else {
            return Ok(None);
        };
        let service = projections.services().find_by_id(&service);
        Ok(service.map(|service| Self {
            identity,
            service,
            grant,
            api_session,
        }))
    }
}

impl<'a> GrantEvaluator<'a> {
    /// Creates an evaluator for one moment.
    pub(crate) fn new(app: &'a App, now: Timestamp) -> Self {
        Self {
            app,
            resolver: GrantResolver::new(app),
            now,
            liveness: Memo::default(),
            contexts: Memo::default(),
            passes: Memo::default(),
        }
    }

    /// Whether the session with a number is still granted. As when it was created, what routers may judge
    /// is left to them.
    pub(crate) fn is_granted(
        &self,
        rows: Rows<'_>,
        session: RecordNumber,
    ) -> Result<bool, AppError> {
        self.is_granted_by(rows, session, MachineJudge::Router)
    }

    /// Like [`is_granted`](Self::is_granted), where the session is used and it is known who judges
    /// checks about machines.
    pub(crate) fn is_granted_by(
        &self,
        rows: Rows<'_>,
        session: RecordNumber,
        judge: MachineJudge,
    ) -> Result<bool, AppError> {
        let Some(grant) = SessionGrant::find(self.app, session)? else {
            return Ok(false);
        };
        let policies = self.find_policies(&grant)?;
        if policies.is_empty() || !self.is_live(rows, grant.api_session)? {
            return Ok(false);
        }
        if policies.iter().any(|policy| !policy.has_checks()) {
            return Ok(true);
        }
        for policy in &policies {
            if self.is_passed(rows, &grant, policy, judge)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The policies that grant what a valid API session was granted, and whose posture checks it
    /// passes.
    pub(super) fn passed_policies(
        &self,
        rows: Rows<'_>,
        grant: &SessionGrant,
    ) -> Result<Vec<NamedRef<ServicePolicyId>>, AppError> {
        let mut named = Vec::new();
        for summary in self.find_policies(grant)? {
            if self.is_passed(rows, grant, &summary, MachineJudge::Router)? {
                let policy = self.resolver.load(rows, &summary)?;
                named.extend(policy.map(|policy| NamedRef {
                    id: policy.id.clone(),
                    name: policy.name.clone(),
                }));
            }
        }
        Ok(named)
    }

    /// The policies that let an identity use a service in the granted way, posture checks aside.
    fn find_policies(&self, grant: &SessionGrant) -> Result<Vec<PolicySummary>, AppError> {
        let mut summaries = self
            .resolver
            .policies_between(grant.identity, grant.service)?;
        summaries.retain(|summary| summary.grant == grant.grant);
        Ok(summaries)
    }

    fn is_live(&self, rows: Rows<'_>, api_session: TokenHash) -> Result<bool, AppError> {
        self.liveness.get_or_try_insert_with(api_session.0, || {
            is_live(self.app, rows, api_session, self.now)
        })
    }

    /// Whether the API session of a grant passes the posture checks of a policy.
    fn is_passed(
        &self,
        rows: Rows<'_>,
        grant: &SessionGrant,
        summary: &PolicySummary,
        judge: MachineJudge,
    ) -> Result<bool, AppError> {
        if !summary.has_checks() {
            return Ok(true);
        }
        let key = (grant.api_session.0, judge, summary.number);
        self.passes.get_or_try_insert_with(key, || {
            let context = self.find_context(rows, grant.api_session, judge)?;
            let policy = self.resolver.load(rows, summary)?;
            Ok(context.zip(policy).is_some_and(|(context, policy)| {
                policy.evaluate(&context.client(), self.now).is_passing()
            }))
        })
    }

    fn find_context(
        &self,
        rows: Rows<'_>,
        api_session: TokenHash,
        judge: MachineJudge,
    ) -> Result<Option<Rc<PostureContext>>, AppError> {
        let key = (api_session.0, judge);
        self.contexts.get_or_try_insert_with(key, || {
            let by_token = UniqueValue::new(UniqueIndex::ApiSessionToken, api_session.0);
            let Some(session) = rows.find_shared::<ApiSession>(&by_token)? else {
                return Ok(None);
            };
            let numbers = (session.root_number(), session.number());
            let context =
                PostureContext::for_session(self.app, rows, numbers, &session.entity, judge)?;
            Ok(Some(Rc::new(context)))
        })
    }
}

#[cfg(test)]
mod tests;

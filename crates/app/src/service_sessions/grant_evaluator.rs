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
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue, reference};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Evaluates grants, each policy against each API session at most once.
pub(super) struct GrantEvaluator<'a> {
    app: &'a App,
    resolver: GrantResolver<'a>,
    now: Timestamp,
    /// Whether API sessions are valid, by token hash.
    liveness: Memo<[u8; 16], bool>,
    /// API sessions by token hash; `None` for those that are over.
    sessions: Memo<[u8; 16], Option<Rc<EvaluatedSession>>>,
}

/// An API session and the policies that it passes.
struct EvaluatedSession {
    context: PostureContext,
    passes: RefCell<BTreeMap<RecordNumber, bool>>,
}

/// The grant of a service session, from the read model.
struct SessionGrant {
    identity: RecordNumber,
    service: RecordNumber,
    grant: ServiceGrant,
    api_session: TokenHash,
}

impl SessionGrant {
    fn find(app: &App, session: RecordNumber) -> Result<Option<Self>, AppError> {
        let projections = app.require_lists()?;
        let claim = || {
            let catalog = projections.service_sessions();
            let slot = catalog.slot(session)?;
            let Some(Owner::Identity(identity)) = catalog.owner(slot) else {
                return None;
            };
            let columns = catalog.columns();
            let service = columns.service(slot)?.to_owned();
            Some((
                identity,
                service,
                columns.grant(slot),
                columns.api_session(slot)?,
            ))
        };
        let Some((identity, service, grant, api_session)) = claim() else {
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
    pub(super) fn new(app: &'a App, now: Timestamp) -> Self {
        Self {
            app,
            resolver: GrantResolver::new(app),
            now,
            liveness: Memo::default(),
            sessions: Memo::default(),
        }
    }

    /// Whether a session is still granted, as far as the read model knows. `None` if that depends
    /// on posture checks or on records in the store.
    pub(super) fn is_granted_cached(
        &self,
        rows: Rows<'_>,
        session: RecordNumber,
    ) -> Result<Option<bool>, AppError> {
        let Some(claim) = SessionGrant::find(self.app, session)? else {
            return Ok(None);
        };
        let summaries = self.policies_for_grant(claim.identity, claim.service, claim.grant)?;
        if summaries.is_empty() {
            return Ok(Some(false));
        }
        let is_free = summaries.iter().any(|summary| !summary.has_checks());
        let is_live = self.is_live(rows, claim.api_session)?;
        Ok((is_free || !is_live).then_some(is_live))
    }

    fn is_live(&self, rows: Rows<'_>, token: TokenHash) -> Result<bool, AppError> {
        self.liveness
            .get_or_try_insert_with(token.0, || is_live(self.app, rows, token, self.now))
    }

    pub(super) fn is_granted(
        &self,
        rows: Rows<'_>,
        found: &Found<Session>,
    ) -> Result<bool, AppError> {
        for summary in self.find_policies(rows, found)? {
            if self.is_passed(rows, found, &summary)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The policies that grant a session and that it passes; empty if it is no longer granted.
    pub(super) fn passed_policies(
        &self,
        rows: Rows<'_>,
        found: &Found<Session>,
    ) -> Result<Vec<NamedRef<ServicePolicyId>>, AppError> {
        let mut named = Vec::new();
        for summary in self.find_policies(rows, found)? {
            if self.is_passed(rows, found, &summary)? {
                let policy = self.resolver.load(rows, &summary)?;
                named.extend(policy.map(|policy| NamedRef {
                    id: policy.id.clone(),
                    name: policy.name.clone(),
                }));
            }
        }
        Ok(named)
    }

    fn find_policies(
        &self,
        rows: Rows<'_>,
        found: &Found<Session>,
    ) -> Result<Vec<PolicySummary>, AppError> {
        let session = &found.entity;
        let Some(service) = rows.locate(&reference(&session.service))? else {
            return Ok(Vec::new());
        };
        let service = RecordNumber(service.id().1);
        self.policies_for_grant(found.root_number(), service, session.grant)
    }

    /// The policies that let an identity use a service in one way, posture checks aside.
    fn policies_for_grant(
        &self,
        identity: RecordNumber,
        service: RecordNumber,
        grant: ServiceGrant,
    ) -> Result<Vec<PolicySummary>, AppError> {
        let mut summaries = self.resolver.policies_between(identity, service)?;
        summaries.retain(|summary| summary.grant == grant);
        Ok(summaries)
    }

    fn is_passed(
        &self,
        rows: Rows<'_>,
        found: &Found<Session>,
        summary: &PolicySummary,
    ) -> Result<bool, AppError> {
        let Some(session) = self.evaluated_session(rows, found)? else {
            return Ok(false);
        };
        if !summary.has_checks() {
            return Ok(true);
        }
        if let Some(is_passed) = session.passes.borrow().get(&summary.number) {
            return Ok(*is_passed);
        }
        let policy = self.resolver.load(rows, summary)?;
        let is_passed = policy.is_some_and(|policy| {
            let client = session.context.client();
            policy.evaluate(&client, self.now).is_passing()
        });
        session
            .passes
            .borrow_mut()
            .insert(summary.number, is_passed);
        Ok(is_passed)
    }

    /// The API session of a service session; `None` if it is over.
    fn evaluated_session(
        &self,
        rows: Rows<'_>,
        found: &Found<Session>,
    ) -> Result<Option<Rc<EvaluatedSession>>, AppError> {
        let token = found.entity.api_session_token.0;
        self.sessions.get_or_try_insert_with(token, || {
            let by_token = UniqueValue::new(UniqueIndex::ApiSessionToken, token);
            let Some(session) = rows.find_cached::<ApiSession>(&by_token)? else {
                return Ok(None);
            };
            let numbers = (session.root_number(), session.number());
            let evaluated = Rc::new(EvaluatedSession {
                context: PostureContext::for_session(self.app, rows, numbers, &session.entity)?,
                passes: RefCell::default(),
            });
            Ok(self
                .is_live(rows, session.entity.token_hash)?
                .then_some(evaluated))
        })
    }
}

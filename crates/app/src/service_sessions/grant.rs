//! Whether service sessions still have what they were granted.

use crate::app::App;
use crate::error::AppError;
use crate::posture::{Granting, Outline, Subject};
use crate::remembered::Remembered;
use crate::sessions::{self, is_living};
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{Number, ServicePolicyId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use portcullis_domain::view::Named;
use portcullis_storage::tables::{Found, Index, Rows, UniqueValue, reference};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The grants of service sessions, each policy held against each API session at most once.
pub(super) struct Grants<'a> {
    app: &'a App,
    granting: Granting<'a>,
    known: sessions::Known<'a>,
    now: Timestamp,
    /// API sessions by what finds them; `None` for those that are over.
    judged: Remembered<[u8; 16], Option<Rc<Judged>>>,
}

/// An API session, and which policies it passes.
struct Judged {
    subject: Subject,
    passes: RefCell<BTreeMap<Number, bool>>,
}

/// What a session stands for, as memory has it.
struct Claim {
    identity: Number,
    service: Number,
    grant: ServiceGrant,
    api_session: TokenHash,
}

impl Claim {
    fn of(app: &App, session: Number) -> Result<Option<Self>, AppError> {
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

impl<'a> Grants<'a> {
    /// The grants at a moment.
    pub(super) fn new(app: &'a App, now: Timestamp) -> Self {
        Self {
            app,
            granting: Granting::new(app),
            known: sessions::Known::new(app, now),
            now,
            judged: Remembered::default(),
        }
    }

    /// What memory knows of whether a session is still granted. `None` if it depends on what the
    /// session passes, or on something else that is in the records alone.
    pub(super) fn known(&self, rows: Rows<'_>, session: Number) -> Result<Option<bool>, AppError> {
        let Some(claim) = Claim::of(self.app, session)? else {
            return Ok(None);
        };
        let outlines = self.granting(claim.identity, claim.service, claim.grant)?;
        if outlines.is_empty() {
            return Ok(Some(false));
        }
        let is_free = outlines.iter().any(|outline| !outline.has_checks());
        let is_living = self.known.is_living(rows, claim.api_session)?;
        Ok(is_living.filter(|is_living| is_free || !is_living))
    }

    /// Whether a session is still granted.
    pub(super) fn hold(&self, rows: Rows<'_>, found: &Found<Session>) -> Result<bool, AppError> {
        for outline in self.outlines(rows, found)? {
            if self.is_passed(rows, found, &outline)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The policies that grant a session and are passed; none, if it is not granted any more.
    pub(super) fn policies(
        &self,
        rows: Rows<'_>,
        found: &Found<Session>,
    ) -> Result<Vec<Named<ServicePolicyId>>, AppError> {
        let mut named = Vec::new();
        for outline in self.outlines(rows, found)? {
            if self.is_passed(rows, found, &outline)? {
                let policy = self.granting.read(rows, &outline)?;
                named.extend(policy.map(|policy| Named {
                    id: policy.id.clone(),
                    name: policy.name.clone(),
                }));
            }
        }
        Ok(named)
    }

    fn outlines(&self, rows: Rows<'_>, found: &Found<Session>) -> Result<Vec<Outline>, AppError> {
        let session = &found.entity;
        let Some(service) = rows.locate(&reference(&session.service))? else {
            return Ok(Vec::new());
        };
        let service = Number(service.id().1);
        self.granting(found.root_number(), service, session.grant)
    }

    /// The policies that let an identity do one thing with a service, if it passes their checks.
    fn granting(
        &self,
        identity: Number,
        service: Number,
        grant: ServiceGrant,
    ) -> Result<Vec<Outline>, AppError> {
        let mut outlines = self.granting.between(identity, service)?;
        outlines.retain(|outline| outline.grant == grant);
        Ok(outlines)
    }

    fn is_passed(
        &self,
        rows: Rows<'_>,
        found: &Found<Session>,
        outline: &Outline,
    ) -> Result<bool, AppError> {
        let Some(judged) = self.judged(rows, found)? else {
            return Ok(false);
        };
        if !outline.has_checks() {
            return Ok(true);
        }
        if let Some(is_passed) = judged.passes.borrow().get(&outline.number) {
            return Ok(*is_passed);
        }
        let policy = self.granting.read(rows, outline)?;
        let is_passed = policy.is_some_and(|policy| {
            let client = judged.subject.client();
            policy.judge(&client, self.now).is_passing()
        });
        judged.passes.borrow_mut().insert(outline.number, is_passed);
        Ok(is_passed)
    }

    /// The API session of a service session; `None` if it is over.
    fn judged(
        &self,
        rows: Rows<'_>,
        found: &Found<Session>,
    ) -> Result<Option<Rc<Judged>>, AppError> {
        let token = found.entity.api_session_token.0;
        self.judged.try_get(token, || {
            let by_token = UniqueValue::new(Index::ApiSessionToken, token);
            let Some(session) = rows.find_shared::<ApiSession>(&by_token)? else {
                return Ok(None);
            };
            let numbers = (session.root_number(), session.number());
            let judged = Rc::new(Judged {
                subject: Subject::of_session(self.app, rows, numbers, &session.entity)?,
                passes: RefCell::default(),
            });
            Ok(is_living(self.app, rows, session, self.now)?.then_some(judged))
        })
    }
}

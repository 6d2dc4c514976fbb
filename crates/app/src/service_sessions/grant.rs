//! Whether service sessions still have what they were granted.

use crate::app::App;
use crate::error::AppError;
use crate::posture::{Granting, Outline, Subject};
use crate::sessions::is_living;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{Number, ServicePolicyId};
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
    now: Timestamp,
    /// The API session that was judged last: those of a list come one after the other.
    judged: RefCell<Option<Rc<Judged>>>,
}

/// An API session, and which policies it passes.
struct Judged {
    token: TokenHash,
    subject: Subject,
    passes: RefCell<BTreeMap<Number, bool>>,
}

impl<'a> Grants<'a> {
    pub(super) fn new(app: &'a App) -> Self {
        Self {
            app,
            granting: Granting::new(app),
            now: app.env().now(),
            judged: RefCell::default(),
        }
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
        let mut outlines = self.granting.between(found.root_number(), service)?;
        outlines.retain(|outline| outline.grant == session.grant);
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
        let token = found.entity.api_session_token;
        let last = self.judged.borrow().clone();
        if let Some(last) = last.filter(|last| last.token == token) {
            return Ok(Some(last));
        }
        let by_token = UniqueValue::new(Index::ApiSessionToken, token.0);
        let Some(session) = rows.find::<ApiSession>(&by_token)? else {
            return Ok(None);
        };
        let numbers = (session.root_number(), session.number());
        let judged = Rc::new(Judged {
            token,
            subject: Subject::of_session(self.app, rows, numbers, &session.entity)?,
            passes: RefCell::default(),
        });
        if !is_living(self.app, rows, session)? {
            return Ok(None);
        }
        *self.judged.borrow_mut() = Some(Rc::clone(&judged));
        Ok(Some(judged))
    }
}

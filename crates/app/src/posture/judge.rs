//! How the session of a request stands with the policies that grant services.

use super::granting::{Granting, Outline, grants};
use super::subject::Subject;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::Number;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::view::{CheckPosture, PolicyPosture, ServiceGrants};
use portcullis_storage::tables::Rows;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The session of a request, held against each policy that it comes across at most once.
pub(crate) struct Judge<'a> {
    granting: Granting<'a>,
    /// What is held against checks; nothing where there are no posture checks at all.
    subject: Option<Subject>,
    now: Timestamp,
    views: RefCell<BTreeMap<Number, PolicyPosture>>,
}

impl<'a> Judge<'a> {
    /// Judges the caller's own session.
    pub(crate) fn of_caller(
        app: &'a App,
        rows: Rows<'_>,
        caller: &Caller,
    ) -> Result<Self, AppError> {
        let has_checks = !app.require_lists()?.posture_checks().is_empty();
        let subject = has_checks.then(|| Subject::of_caller(app, rows, caller));
        Ok(Self {
            granting: Granting::new(app),
            subject: subject.transpose()?,
            now: app.env().now(),
            views: RefCell::default(),
        })
    }

    /// What an identity may do with a service, and how the session stands with the policies that say
    /// so. Where there are no posture checks at all, there is nothing to stand with.
    pub(crate) fn stand(
        &self,
        rows: Rows<'_>,
        identity: Number,
        service: Number,
    ) -> Result<(ServiceGrants, Vec<PolicyPosture>), AppError> {
        let outlines = self.granting.between(identity, service)?;
        let mut views = Vec::new();
        for outline in in_order(&outlines) {
            views.extend(self.view(rows, outline)?);
        }
        Ok((grants(&outlines), views))
    }

    /// How the session stands with each check of the policies that select an identity, by the numbers
    /// of the policies, as far as it does not change by the mere passing of time.
    pub(crate) fn stands(
        &self,
        rows: Rows<'_>,
        identity: Number,
    ) -> Result<Vec<(Number, Vec<Stand>)>, AppError> {
        let mut stands = Vec::new();
        if self.subject.is_none() {
            return Ok(stands);
        }
        for outline in self.granting.of(identity)? {
            if outline.has_checks()
                && let Some(view) = self.view(rows, &outline)?
            {
                stands.push((outline.number, view.checks.iter().map(Stand::of).collect()));
            }
        }
        Ok(stands)
    }

    fn view(&self, rows: Rows<'_>, outline: &Outline) -> Result<Option<PolicyPosture>, AppError> {
        let Some(subject) = &self.subject else {
            return Ok(None);
        };
        if let Some(view) = self.views.borrow().get(&outline.number) {
            return Ok(Some(view.clone()));
        }
        let Some(policy) = self.granting.read(rows, outline)? else {
            return Ok(None);
        };
        let view = policy.judge(&subject.client(), self.now).view();
        let mut views = self.views.borrow_mut();
        views.insert(outline.number, view.clone());
        Ok(Some(view))
    }
}

/// How a session stands with a check.
#[derive(Debug, Hash)]
pub(crate) struct Stand {
    is_passing: bool,
    updated_at: Timestamp,
    ends_at: Option<Timestamp>,
}

impl Stand {
    fn of(check: &CheckPosture) -> Self {
        Self {
            is_passing: check.is_passing,
            updated_at: check.updated_at,
            // What is not passed is shown to end now, whenever that is.
            ends_at: check.timeout_at.filter(|_| check.is_passing),
        }
    }
}

/// Policies in the order in which permissions are shown.
fn in_order(outlines: &[Outline]) -> impl Iterator<Item = &Outline> {
    let of = |grant: ServiceGrant| outlines.iter().filter(move |one| one.grant == grant);
    of(ServiceGrant::Bind).chain(of(ServiceGrant::Dial))
}

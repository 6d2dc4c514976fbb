//! Evaluation of policies against the session of a request.

use super::context::PostureContext;
use super::grant_resolver::{GrantResolver, PolicySummary, grants};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Caller;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::view::{CheckPosture, PolicyPosture, ServiceGrants};
use portcullis_posture::MachineJudge;
use portcullis_storage::tables::Rows;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Evaluates each policy against the caller's session at most once.
pub(crate) struct PostureEvaluator<'a> {
    resolver: GrantResolver<'a>,
    /// `None` if there are no posture checks at all.
    context: Option<PostureContext>,
    now: Timestamp,
    views: RefCell<BTreeMap<RecordNumber, PolicyPosture>>,
}

impl<'a> PostureEvaluator<'a> {
    pub(crate) fn for_caller(
        app: &'a App,
        rows: Rows<'_>,
        caller: &Caller,
    ) -> Result<Self, AppError> {
        let has_checks = !app.require_lists()?.posture_checks().is_empty();
        let subject =
            has_checks.then(|| PostureContext::for_caller(app, rows, caller, MachineJudge::Here));
        Ok(Self {
            resolver: GrantResolver::new(app),
            context: subject.transpose()?,
            now: app.env().now(),
            views: RefCell::default(),
        })
    }

    /// The grants of an identity for a service, and the state of the policies behind them. The
    /// states are empty if there are no posture checks at all.
    pub(crate) fn evaluate_service(
        &self,
        rows: Rows<'_>,
        identity: RecordNumber,
        service: RecordNumber,
    ) -> Result<(ServiceGrants, Vec<PolicyPosture>), AppError> {
        let summaries = self.resolver.policies_between(identity, service)?;
        let mut views = Vec::new();
        for summary in in_display_order(&summaries) {
            views.extend(self.view(rows, summary)?);
        }
        Ok((grants(&summaries), views))
    }

    /// The status of each check of the policies that select an identity, by policy number, reduced
    /// to what does not change with time alone.
    pub(crate) fn evaluate_policies(
        &self,
        rows: Rows<'_>,
        identity: RecordNumber,
    ) -> Result<Vec<(RecordNumber, Vec<CheckStatus>)>, AppError> {
        let mut statuses = Vec::new();
        if self.context.is_none() {
            return Ok(statuses);
        }
        for summary in self.resolver.policies_of(identity)? {
            if summary.has_checks()
                && let Some(view) = self.view(rows, &summary)?
            {
                statuses.push((
                    summary.number,
                    view.checks.iter().map(CheckStatus::new).collect(),
                ));
            }
        }
        Ok(statuses)
    }

    fn view(
        &self,
        rows: Rows<'_>,
        summary: &PolicySummary,
    ) -> Result<Option<PolicyPosture>, AppError> {
        let Some(subject) = &self.context else {
            return Ok(None);
        };
        if let Some(view) = self.views.borrow().get(&summary.number) {
            return Ok(Some(view.clone()));
        }
        let Some(policy) = self.resolver.load(rows, summary)? else {
            return Ok(None);
        };
        let view = policy.evaluate(&subject.client(), self.now).view();
        let mut views = self.views.borrow_mut();
        views.insert(summary.number, view.clone());
        Ok(Some(view))
    }
}

/// Status of a posture check.
#[derive(Debug, Hash)]
pub(crate) struct CheckStatus {
    is_passing: bool,
    updated_at: Timestamp,
    ends_at: Option<Timestamp>,
}

impl CheckStatus {
    fn new(check: &CheckPosture) -> Self {
        Self {
            is_passing: check.is_passing,
            updated_at: check.updated_at,
            // Failed checks are shown as ending now, so the end changes all the time.
            ends_at: check.timeout_at.filter(|_| check.is_passing),
        }
    }
}

/// Policies in display order.
fn in_display_order(summaries: &[PolicySummary]) -> impl Iterator<Item = &PolicySummary> {
    let of = |grant: ServiceGrant| summaries.iter().filter(move |one| one.grant == grant);
    of(ServiceGrant::Bind).chain(of(ServiceGrant::Dial))
}

#[cfg(test)]
mod tests;

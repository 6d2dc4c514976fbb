//! Recording of posture reports.

use super::{GrantResolver, PostureContext, Report};
use crate::app::App;
use crate::error::AppError;
use crate::listing;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ids::{RecordNumber, ServiceId};
use portcullis_domain::posture::{PostureReport, ShortenedService};
use portcullis_domain::posture_check::Check;
use portcullis_index::{PolicyKind, PolicySide};
use portcullis_posture::{
    GrantedService, GrantingPolicy, MachineJudge, MfaPrompts, NormalizedReports, shortened_services,
};
use portcullis_storage::tables::Rows;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Reports in one request.
#[derive(Debug, Clone)]
pub enum Reports {
    Single(PostureReport),
    Batch(Vec<PostureReport>),
}

/// Records the reports of the caller's session, all or none. Returns the services for which a TOTP
/// code is required sooner than before.
///
/// The largest batches take tens of milliseconds, and callers with many services get long answers.
///
/// # Errors
///
/// [`AppError::Field`] for a field that is too large.
pub fn report(
    app: &App,
    permit: &Permit<Report>,
    reports: Reports,
) -> Result<Vec<ShortenedService>, AppError> {
    let caller = permit.caller();
    // Normalized before the lock is taken, since all other reports wait for it.
    let normalized = match reports {
        Reports::Single(statement) => NormalizedReports::from_one(statement),
        Reports::Batch(statements) => NormalizedReports::from_batch(statements),
    }?;
    let numbers = (caller.identity_number, caller.session_number);
    let outcome = app.posture.record(numbers, app.env().now(), normalized)?;
    if outcome.prompts.any() {
        find_shortened(app, caller, outcome.prompts)
    } else {
        Ok(Vec::new())
    }
}

/// A service and the policies that grant it.
struct ServiceWithPolicies<'p> {
    id: ServiceId,
    name: String,
    policies: Vec<&'p GrantingPolicy>,
}

fn find_shortened(
    app: &App,
    caller: &Caller,
    prompts: MfaPrompts,
) -> Result<Vec<ShortenedService>, AppError> {
    let view = app.snapshot()?;
    let context = PostureContext::for_caller(app, view.rows(), caller, MachineJudge::Here)?;
    let policies = prompting_policies(app, view.rows(), caller, prompts)?;
    let mut services: Vec<_> = granted_services(app, &policies)?.into_values().collect();
    services.sort_by(|left, right| left.name.cmp(&right.name));
    let services = services.iter().map(|service| GrantedService {
        id: &service.id,
        name: &service.name,
        policies: &service.policies,
    });
    Ok(shortened_services(
        services,
        prompts,
        &context.client(),
        app.env().now(),
    ))
}

/// The caller's policies that require a code after these events.
fn prompting_policies(
    app: &App,
    rows: Rows<'_>,
    caller: &Caller,
    prompts: MfaPrompts,
) -> Result<Vec<(RecordNumber, Rc<GrantingPolicy>)>, AppError> {
    let resolver = GrantResolver::new(app);
    let asks = |check: &Check| match check {
        Check::Mfa(mfa) => {
            (prompts.woken && mfa.prompt_on_wake) || (prompts.unlocked && mfa.prompt_on_unlock)
        },
        _ => false,
    };
    let mut found = Vec::new();
    for summary in resolver.policies_of(caller.identity_number)? {
        if let Some(policy) = resolver.load(rows, &summary)?
            && policy.checks.iter().any(|check| asks(&check.spec.check))
        {
            found.push((summary.number, policy));
        }
    }
    Ok(found)
}

/// The services that policies grant, by record number.
fn granted_services<'p>(
    app: &App,
    policies: &'p [(RecordNumber, Rc<GrantingPolicy>)],
) -> Result<BTreeMap<RecordNumber, ServiceWithPolicies<'p>>, AppError> {
    let guard = app.require_lists()?.access();
    let catalog = guard.services();
    let mut services = BTreeMap::new();
    for (number, policy) in policies {
        let Some(slot) = guard.service_policies().slot(*number) else {
            continue;
        };
        let kinds = guard.kinds();
        let access = guard.access();
        let selected = access.selected(PolicyKind::Service, slot, PolicySide::Services, kinds);
        for number in listing::numbers(catalog, [selected]) {
            let slot = catalog.slot(number);
            let named = slot.and_then(|slot| catalog.id(slot).zip(catalog.name(slot)));
            let Some((id, name)) = named else {
                continue;
            };
            let service = services
                .entry(number)
                .or_insert_with(|| ServiceWithPolicies {
                    id: ServiceId::from_wire(id),
                    name: name.to_owned(),
                    policies: Vec::new(),
                });
            service.policies.push(policy);
        }
    }
    Ok(services)
}

#[cfg(test)]
mod tests;

//! What clients report.

use super::{Granting, Report, Subject};
use crate::app::App;
use crate::error::AppError;
use crate::managed;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ids::{Number, ServiceId};
use portcullis_domain::posture::{ShortenedService, Statement};
use portcullis_domain::posture_check::Check;
use portcullis_index::{PolicyKind, Side};
use portcullis_posture::{GrantedService, GrantingPolicy, Prompts, Settled, shortened};
use portcullis_storage::tables::Rows;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a client reports in one request.
#[derive(Debug, Clone)]
pub enum Reports {
    /// A single report.
    One(Statement),
    /// Several at once.
    Several(Vec<Statement>),
}

/// Takes in what the caller's session reports, all or nothing; answers for which services a code has
/// to be shown sooner than was known.
///
/// The largest reports take tens of milliseconds, and who may use many services is told of many.
///
/// # Errors
///
/// A fault of the member that is of absurd size.
pub fn report(
    app: &App,
    permit: &Permit<Report>,
    reports: Reports,
) -> Result<Vec<ShortenedService>, AppError> {
    let caller = permit.caller();
    // All others who report wait for what is remembered, so it is not held for this.
    let settled = match reports {
        Reports::One(statement) => Settled::one(statement),
        Reports::Several(statements) => Settled::several(statements),
    }?;
    let numbers = (caller.identity_number, caller.session_number);
    let outcome = app.posture.record(numbers, app.env().now(), settled)?;
    if outcome.prompts.any() {
        cut_short(app, caller, outcome.prompts)
    } else {
        Ok(Vec::new())
    }
}

/// A service and the policies that grant it.
struct Granted<'p> {
    id: ServiceId,
    name: String,
    policies: Vec<&'p GrantingPolicy>,
}

fn cut_short(
    app: &App,
    caller: &Caller,
    prompts: Prompts,
) -> Result<Vec<ShortenedService>, AppError> {
    let view = app.snapshot()?;
    let subject = Subject::of_caller(app, view.rows(), caller)?;
    let policies = prompting(app, view.rows(), caller, prompts)?;
    let mut services: Vec<_> = granted(app, &policies)?.into_values().collect();
    services.sort_by(|left, right| left.name.cmp(&right.name));
    let services = services.iter().map(|service| GrantedService {
        id: &service.id,
        name: &service.name,
        policies: &service.policies,
    });
    Ok(shortened(
        services,
        prompts,
        &subject.client(),
        app.env().now(),
    ))
}

/// The policies of a caller that ask for a code after what happened.
fn prompting(
    app: &App,
    rows: Rows<'_>,
    caller: &Caller,
    prompts: Prompts,
) -> Result<Vec<(Number, Rc<GrantingPolicy>)>, AppError> {
    let granting = Granting::new(app);
    let asks = |check: &Check| match check {
        Check::Mfa(mfa) => {
            (prompts.woken && mfa.prompt_on_wake) || (prompts.unlocked && mfa.prompt_on_unlock)
        },
        _ => false,
    };
    let mut found = Vec::new();
    for outline in granting.of(caller.identity_number)? {
        if let Some(policy) = granting.read(rows, &outline)?
            && policy.checks.iter().any(|check| asks(&check.spec.check))
        {
            found.push((outline.number, policy));
        }
    }
    Ok(found)
}

/// The services that policies grant, by the numbers of their records.
fn granted<'p>(
    app: &App,
    policies: &'p [(Number, Rc<GrantingPolicy>)],
) -> Result<BTreeMap<Number, Granted<'p>>, AppError> {
    let guard = app.require_lists()?.access();
    let catalog = guard.services();
    let mut services = BTreeMap::new();
    for (number, policy) in policies {
        let Some(slot) = guard.service_policies().slot(*number) else {
            continue;
        };
        let kinds = guard.kinds();
        let access = guard.access();
        let selected = access.selected(PolicyKind::Service, slot, Side::Services, kinds);
        for number in managed::numbers(catalog, [selected]) {
            let slot = catalog.slot(number);
            let named = slot.and_then(|slot| catalog.id(slot).zip(catalog.name(slot)));
            let Some((id, name)) = named else {
                continue;
            };
            let service = services.entry(number).or_insert_with(|| Granted {
                id: ServiceId::from_wire(id),
                name: name.to_owned(),
                policies: Vec::new(),
            });
            service.policies.push(policy);
        }
    }
    Ok(services)
}

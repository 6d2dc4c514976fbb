//! Role attributes: which are in use, and how often.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::listing::{self, Asked, Paging, kinds};
use crate::managed;
use portcullis_domain::access::{Access, Action, Caller, Permit};
use portcullis_domain::identity::Identity;
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::posture_check::{PostureCheck, PostureCheckSpec};
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::view::Page;
pub use portcullis_index::PolicyKind;
use portcullis_index::{AccessGuard, Catalog, Selectable, Slot};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A kind of entity that carries role attributes.
pub trait Attributed: Selectable + Sized + 'static {
    /// Reads entities of the kind.
    type Read: Action;

    /// The kinds of policies that select by these attributes.
    const ASKED_FOR_BY: &'static [PolicyKind];

    /// Its catalog, among those that policies are about.
    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self>;
}

/// How often a role attribute is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The attribute.
    pub attribute: String,
    /// Those who carry it.
    pub carriers: Users,
    /// The policies that ask for it, by their kind.
    pub policies: Vec<(PolicyKind, Users)>,
}

/// Those who use a role attribute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Users {
    /// How many there are.
    pub count: u64,
    /// Their ids, sorted, if they were asked for.
    pub ids: Option<Vec<String>>,
}

impl Attributed for Identity {
    type Read = identities::Read;
    const ASKED_FOR_BY: &'static [PolicyKind] = &[PolicyKind::Service, PolicyKind::EdgeRouter];

    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.identities()
    }
}

impl Attributed for Service {
    type Read = managed::Read<ServiceSpec>;
    const ASKED_FOR_BY: &'static [PolicyKind] =
        &[PolicyKind::Service, PolicyKind::ServiceEdgeRouter];

    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.services()
    }
}

impl Attributed for Router {
    type Read = managed::Read<RouterSpec>;
    const ASKED_FOR_BY: &'static [PolicyKind] =
        &[PolicyKind::EdgeRouter, PolicyKind::ServiceEdgeRouter];

    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.routers()
    }
}

impl Attributed for PostureCheck {
    type Read = managed::Read<PostureCheckSpec>;
    const ASKED_FOR_BY: &'static [PolicyKind] = &[PolicyKind::Service];

    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.posture_checks()
    }
}

/// Lists the role attributes that entities of a kind carry, ascending. Only a filter is heard, which
/// may page.
pub fn list<E: Attributed>(
    app: &App,
    _permit: &Permit<E::Read>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(String) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let words = carried::<E>(&app.require_lists()?.access());
    let page = matching(asked, &words)?;
    let paging = Paging::of_page(&page);
    // How it ended is for whoever shows.
    let _ = page.items.into_iter().try_for_each(show);
    Ok(paging)
}

/// Lists the role attributes that entities of a kind carry or that policies ask of them, ascending,
/// with their use. The use of each is of one moment. The ids of policies are shown to those who may
/// read policies of the kind.
pub fn list_usage<E: Attributed>(
    app: &App,
    permit: &Permit<E::Read>,
    asked: &Asked<'_>,
    with_ids: bool,
    show: &mut dyn FnMut(Usage) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let page = matching(asked, &carried_or_asked_for::<E>(app)?)?;
    let paging = Paging::of_page(&page);
    for attribute in page.items {
        if (asked.is_over)() {
            return Err(AppError::TooSlow);
        }
        let caller = with_ids.then(|| permit.caller());
        if show(usage::<E>(app, attribute, caller)?).is_break() {
            break;
        }
    }
    Ok(paging)
}

/// The attributes that entities of a kind carry, ascending.
fn carried<E: Attributed>(guard: &AccessGuard<'_>) -> Vec<String> {
    let words = E::role_attributes(E::catalog(guard).columns()).words();
    words.map(|(word, _slots)| word.to_owned()).collect()
}

/// The attributes that entities of a kind carry or that policies ask of them, ascending. A policy may
/// have been made first, and what nobody carries yet is what its author looks for.
fn carried_or_asked_for<E: Attributed>(app: &App) -> Result<Vec<String>, AppError> {
    let guard = app.require_lists()?.access();
    let asked_for: BTreeSet<&str> = E::ASKED_FOR_BY
        .iter()
        .flat_map(|kind| guard.access().attributes(*kind, E::SIDE))
        .collect();
    let mut words = carried::<E>(&guard);
    words.extend(asked_for.into_iter().map(str::to_owned));
    // Two runs in order, which the sort merges.
    words.sort();
    words.dedup();
    Ok(words)
}

/// Those of some attributes that match. They were copied before, so that nobody waits for the filter.
fn matching(asked: &Asked<'_>, words: &[String]) -> Result<Page<String>, AppError> {
    let listing = listing::read_filter(&kinds::ROLE_ATTRIBUTES, &asked.parameters)?;
    let rows = words.iter().map(|word| kinds::RoleAttributeRow(word));
    let page = listing::select_in_time(&listing, rows, asked.is_over)?;
    Ok(page.map(|row| row.0.to_owned()))
}

/// The use of an attribute, with ids for a caller who asks for them.
fn usage<E: Attributed>(
    app: &App,
    attribute: String,
    asking: Option<&Caller>,
) -> Result<Usage, AppError> {
    let guard = app.require_lists()?.access();
    let catalog = E::catalog(&guard);
    let carriers = E::role_attributes(catalog.columns()).with(&attribute);
    let carriers = users(
        carriers.into_iter().flatten(),
        asking
            .is_some()
            .then_some(&|slot| catalog.id(slot).map(str::to_owned)),
    );
    let policies = E::ASKED_FOR_BY.iter().map(|kind| {
        let policies = guard.access().asking(*kind, E::SIDE, &attribute);
        let id = |slot| policy_id(&guard, *kind, slot);
        let is_told = asking.is_some_and(|caller| may_read(caller, *kind));
        (*kind, users(policies, is_told.then_some(&id)))
    });
    let policies = policies.collect();
    Ok(Usage {
        attribute,
        carriers,
        policies,
    })
}

/// Counts entities by their slots; `id` finds the id of each.
fn users(
    slots: impl IntoIterator<Item = u32>,
    id: Option<&dyn Fn(Slot) -> Option<String>>,
) -> Users {
    let slots: Vec<Slot> = slots.into_iter().map(Slot::from_bit).collect();
    let ids = id.map(|id| {
        let mut ids: Vec<String> = slots.iter().copied().filter_map(id).collect();
        ids.sort_unstable();
        ids
    });
    Users {
        count: u64::try_from(slots.len()).unwrap_or(u64::MAX),
        ids,
    }
}

fn may_read(caller: &Caller, kind: PolicyKind) -> bool {
    let subject = match kind {
        PolicyKind::Service => Subject::ServicePolicy,
        PolicyKind::EdgeRouter => Subject::EdgeRouterPolicy,
        PolicyKind::ServiceEdgeRouter => Subject::ServiceEdgeRouterPolicy,
    };
    caller.may(Access::Granted(subject, Verb::Read))
}

fn policy_id(guard: &AccessGuard<'_>, kind: PolicyKind, slot: Slot) -> Option<String> {
    let id = match kind {
        PolicyKind::Service => guard.service_policies().id(slot),
        PolicyKind::EdgeRouter => guard.edge_router_policies().id(slot),
        PolicyKind::ServiceEdgeRouter => guard.service_edge_router_policies().id(slot),
    };
    id.map(str::to_owned)
}

//! Role attributes in use, with usage counts.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::listing::{self, ListRequest, Paging, kinds};
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

/// A kind of entity with role attributes.
pub trait HasRoleAttributes: Selectable + Sized + 'static {
    /// The action that reads entities of the kind.
    type Read: Action;

    /// Kinds of policies that select by these attributes.
    const POLICY_KINDS: &'static [PolicyKind];

    /// The catalog in the guard.
    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self>;
}

/// Usage of a role attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeUsage {
    pub attribute: String,
    /// The entities that carry it.
    pub carriers: UsageCount,
    /// The policies that select by it, by kind.
    pub policies: Vec<(PolicyKind, UsageCount)>,
}

/// Users of a role attribute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageCount {
    pub count: u64,
    /// Sorted; `None` unless requested.
    pub ids: Option<Vec<String>>,
}

impl HasRoleAttributes for Identity {
    type Read = identities::Read;
    const POLICY_KINDS: &'static [PolicyKind] = &[PolicyKind::Service, PolicyKind::EdgeRouter];

    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.identities()
    }
}

impl HasRoleAttributes for Service {
    type Read = managed::Read<ServiceSpec>;
    const POLICY_KINDS: &'static [PolicyKind] =
        &[PolicyKind::Service, PolicyKind::ServiceEdgeRouter];

    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.services()
    }
}

impl HasRoleAttributes for Router {
    type Read = managed::Read<RouterSpec>;
    const POLICY_KINDS: &'static [PolicyKind] =
        &[PolicyKind::EdgeRouter, PolicyKind::ServiceEdgeRouter];

    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.routers()
    }
}

impl HasRoleAttributes for PostureCheck {
    type Read = managed::Read<PostureCheckSpec>;
    const POLICY_KINDS: &'static [PolicyKind] = &[PolicyKind::Service];

    fn catalog<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.posture_checks()
    }
}

/// Lists the role attributes that entities of a kind carry, ascending. Of the parameters only the
/// filter, which may page, is used.
pub fn list<E: HasRoleAttributes>(
    app: &App,
    _permit: &Permit<E::Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(String) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let attributes = carried_attributes::<E>(&app.require_lists()?.access());
    let page = filter_attributes(request, &attributes)?;
    let paging = Paging::from_page(&page);
    // The callback knows whether it broke off.
    let _ = page.items.into_iter().try_for_each(show);
    Ok(paging)
}

/// Lists the role attributes that entities of a kind carry or that policies select by, ascending,
/// with their usage. Each usage is consistent in itself. Ids of policies are included if the caller
/// may read policies of that kind.
pub fn list_usage<E: HasRoleAttributes>(
    app: &App,
    permit: &Permit<E::Read>,
    request: &ListRequest<'_>,
    with_ids: bool,
    show: &mut dyn FnMut(AttributeUsage) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let page = filter_attributes(request, &carried_or_selected_attributes::<E>(app)?)?;
    let paging = Paging::from_page(&page);
    for attribute in page.items {
        if (request.is_cancelled)() {
            return Err(AppError::TimedOut);
        }
        let caller = with_ids.then(|| permit.caller());
        if show(usage::<E>(app, attribute, caller)?).is_break() {
            break;
        }
    }
    Ok(paging)
}

fn carried_attributes<E: HasRoleAttributes>(guard: &AccessGuard<'_>) -> Vec<String> {
    let attributes = E::role_attributes(E::catalog(guard).columns()).terms();
    attributes.map(|(word, _slots)| word.to_owned()).collect()
}

/// The attributes that entities of a kind carry or that policies select by, ascending. A policy may
/// be created first, and attributes that no entity carries yet are of interest to its author.
fn carried_or_selected_attributes<E: HasRoleAttributes>(
    app: &App,
) -> Result<Vec<String>, AppError> {
    let guard = app.require_lists()?.access();
    let asked_for: BTreeSet<&str> = E::POLICY_KINDS
        .iter()
        .flat_map(|kind| guard.access().attributes(*kind, E::SIDE))
        .collect();
    let mut attributes = carried_attributes::<E>(&guard);
    attributes.extend(asked_for.into_iter().map(str::to_owned));
    // Two sorted runs, which the sort merges.
    attributes.sort();
    attributes.dedup();
    Ok(attributes)
}

/// The attributes that match the filter. They were copied, so that no lock is held meanwhile.
fn filter_attributes(
    request: &ListRequest<'_>,
    attributes: &[String],
) -> Result<Page<String>, AppError> {
    let listing = listing::parse_filter(&kinds::ROLE_ATTRIBUTES, &request.parameters)?;
    let rows = attributes.iter().map(|word| kinds::RoleAttributeRow(word));
    let page = listing::select_cancellable(&listing, rows, request.is_cancelled)?;
    Ok(page.map(|row| row.0.to_owned()))
}

/// The usage of an attribute, with ids if a caller is given.
fn usage<E: HasRoleAttributes>(
    app: &App,
    attribute: String,
    asking: Option<&Caller>,
) -> Result<AttributeUsage, AppError> {
    let guard = app.require_lists()?.access();
    let catalog = E::catalog(&guard);
    let carriers = E::role_attributes(catalog.columns()).slots_with(&attribute);
    let carriers = count_users(
        carriers.into_iter().flatten(),
        asking
            .is_some()
            .then_some(&|slot| catalog.id(slot).map(str::to_owned)),
    );
    let policies = E::POLICY_KINDS.iter().map(|kind| {
        let policies = guard
            .access()
            .selecting_by_attribute(*kind, E::SIDE, &attribute);
        let id = |slot| policy_id(&guard, *kind, slot);
        let can_see_ids = asking.is_some_and(|caller| may_read(caller, *kind));
        (*kind, count_users(policies, can_see_ids.then_some(&id)))
    });
    let policies = policies.collect();
    Ok(AttributeUsage {
        attribute,
        carriers,
        policies,
    })
}

/// Counts entities by slots; `id` gets the id of each.
fn count_users(
    slots: impl IntoIterator<Item = u32>,
    id: Option<&dyn Fn(Slot) -> Option<String>>,
) -> UsageCount {
    let slots: Vec<Slot> = slots.into_iter().map(Slot::from_bit).collect();
    let ids = id.map(|id| {
        let mut ids: Vec<String> = slots.iter().copied().filter_map(id).collect();
        ids.sort_unstable();
        ids
    });
    UsageCount {
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
    caller.has_access(Access::Granted(subject, Verb::Read))
}

fn policy_id(guard: &AccessGuard<'_>, kind: PolicyKind, slot: Slot) -> Option<String> {
    let id = match kind {
        PolicyKind::Service => guard.service_policies().id(slot),
        PolicyKind::EdgeRouter => guard.edge_router_policies().id(slot),
        PolicyKind::ServiceEdgeRouter => guard.service_edge_router_policies().id(slot),
    };
    id.map(str::to_owned)
}

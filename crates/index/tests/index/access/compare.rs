//! Access beside a naive reading of the policies.

use super::naive::{self, Kind, Names, Said};
use super::ops::{POLICY_KINDS, lists_of, side};
use super::told::Told;
use super::view::View;
use portcullis_domain::policies::ServiceGrant;
use portcullis_index::PolicyKind;
use proptest::prelude::*;

/// Asks everything that can be asked.
pub(crate) fn compare(told: &Told, view: View<'_>) -> Result<(), TestCaseError> {
    prop_assert_eq!(view.len(), told.records().len());
    compare_policies(told, view)?;
    compare_services(told, view)?;
    compare_routers(told, view)?;
    compare_transit_routers(told, view)
}

/// Which policies select an entity, and which entities a policy.
fn compare_policies(told: &Told, view: View<'_>) -> Result<(), TestCaseError> {
    for policy in POLICY_KINDS {
        let policies = told.policies(policy);
        for kind in lists_of(policy).iter().copied() {
            for id in told.ids(kind) {
                let slot = view.slot(kind, &id);
                let found = view.access.selecting(policy, side(kind), slot, view.kinds);
                let expected = naive::selecting(policies, &told.entities, kind, &id);
                prop_assert_eq!(view.names(policy, found), expected, "{:?} {}", kind, id);
            }
            for (name, said) in policies {
                let slot = view.policy_slot(policy, name);
                let found = view.access.selected(policy, slot, side(kind), view.kinds);
                let expected = naive::selected(&[said], &told.entities, kind);
                prop_assert_eq!(view.ids(kind, found), expected, "{:?} {}", policy, name);
            }
        }
    }
    Ok(())
}

/// Who may dial and bind what, and by which policies.
fn compare_services(told: &Told, view: View<'_>) -> Result<(), TestCaseError> {
    let kinds = view.kinds;
    for grant in ServiceGrant::ALL {
        for identity in told.ids(Kind::Identity) {
            let slot = view.slot(Kind::Identity, &identity);
            let mut services = Names::new();
            for service in told.ids(Kind::Service) {
                let its = view.slot(Kind::Service, &service);
                let granting = granting(told, grant, &identity, &service);
                let found = view.access.granting(grant, slot, its, kinds);
                prop_assert_eq!(&view.names(PolicyKind::Service, found), &granting);
                let who = view.access.identities(Some(grant), its, kinds);
                prop_assert_eq!(who.contains(slot.bit()), !granting.is_empty());
                if !granting.is_empty() {
                    services.insert(service);
                }
            }
            let found = view.access.services(Some(grant), slot, kinds);
            prop_assert_eq!(view.ids(Kind::Service, found), services);
        }
    }
    Ok(())
}

/// Who and what may use which edge routers.
fn compare_routers(told: &Told, view: View<'_>) -> Result<(), TestCaseError> {
    let View { access, kinds, .. } = view;
    let identities = PolicyKind::EdgeRouter;
    let services = PolicyKind::ServiceEdgeRouter;
    for identity in told.ids(Kind::Identity) {
        let slot = view.slot(Kind::Identity, &identity);
        let own = across(told, identities, (Kind::Identity, &identity), Kind::Router);
        let found = access.routers_of_identity(slot, kinds);
        prop_assert_eq!(&view.ids(Kind::Router, found), &own);
        for service in told.ids(Kind::Service) {
            let its = across(told, services, (Kind::Service, &service), Kind::Router);
            let service = view.slot(Kind::Service, &service);
            let found = access.routers_of_service(service, kinds);
            prop_assert_eq!(&view.ids(Kind::Router, found), &its);
            let found = access.common_routers(slot, service, kinds);
            prop_assert_eq!(view.ids(Kind::Router, found), &own & &its);
        }
    }
    for router in told.ids(Kind::Router) {
        let slot = view.slot(Kind::Router, &router);
        let who = across(told, identities, (Kind::Router, &router), Kind::Identity);
        let found = access.identities_of_router(slot, kinds);
        prop_assert_eq!(view.ids(Kind::Identity, found), who);
        let what = across(told, services, (Kind::Router, &router), Kind::Service);
        let found = access.services_of_router(slot, kinds);
        prop_assert_eq!(view.ids(Kind::Service, found), what);
    }
    Ok(())
}

/// The service policies that grant an identity something about a service.
fn granting(told: &Told, grant: ServiceGrant, identity: &str, service: &str) -> Names {
    let policies = told.policies(PolicyKind::Service);
    let whose = naive::selecting(policies, &told.entities, Kind::Identity, identity);
    let about = naive::selecting(policies, &told.entities, Kind::Service, service);
    let is_it = |name: &String| policies[name].is_binding == (grant == ServiceGrant::Bind);
    whose
        .intersection(&about)
        .filter(|name| is_it(name))
        .cloned()
        .collect()
}

/// The entities on the other side of the policies that select one.
fn across(told: &Told, policy: PolicyKind, from: (Kind, &str), to: Kind) -> Names {
    let policies = told.policies(policy);
    let names = naive::selecting(policies, &told.entities, from.0, from.1);
    let saying: Vec<&Said> = names.iter().map(|name| &policies[name]).collect();
    naive::selected(&saying, &told.entities, to)
}

/// Nothing selects them, even what names them.
fn compare_transit_routers(told: &Told, view: View<'_>) -> Result<(), TestCaseError> {
    for id in told.ids(Kind::Transit) {
        let slot = view.slot(Kind::Transit, &id);
        let identities = view.access.identities_of_router(slot, view.kinds);
        let services = view.access.services_of_router(slot, view.kinds);
        prop_assert!(identities.is_empty() && services.is_empty(), "{}", id);
    }
    Ok(())
}

//! Who may use what, against a naive reading of the policies.

mod naive;
mod world;

use naive::{Kind, Names, Said};
use portcullis_domain::policies::ServiceGrant;
use portcullis_index::PolicyKind;
use proptest::prelude::*;
use proptest::test_runner::Config;
use world::{List, Op, POLICY_KINDS, World, any_op, lists_of, side};

proptest! {
    #![proptest_config(Config { cases: 10_000, ..Config::default() })]

    #[test]
    fn access_is_what_the_policies_say(ops in prop::collection::vec(any_op(), 1..24)) {
        let mut world = World::default();
        for op in ops {
            world.run(op);
        }
        compare_policies(&world)?;
        compare_services(&world)?;
        compare_routers(&world)?;
    }
}

/// Which policies select an entity, and which entities a policy.
fn compare_policies(world: &World) -> Result<(), TestCaseError> {
    for policy in POLICY_KINDS {
        let policies = world.policies(policy);
        for kind in lists_of(policy).iter().copied() {
            for id in ids(world, kind) {
                let slot = world.slot(kind, &id);
                let found = world
                    .access
                    .selecting(policy, side(kind), slot, world.kinds());
                let expected = naive::selecting(policies, &world.entities, kind, &id);
                prop_assert_eq!(world.names(policy, found), expected, "{:?} {}", kind, id);
            }
            for (name, said) in policies {
                let slot = world.policy_slot(policy, name);
                let found = world
                    .access
                    .selected(policy, slot, side(kind), world.kinds());
                let expected = naive::selected(&[said], &world.entities, kind);
                prop_assert_eq!(world.ids(kind, found), expected, "{:?} {}", policy, name);
            }
        }
    }
    Ok(())
}

/// Who may dial and bind what, and by which policies.
fn compare_services(world: &World) -> Result<(), TestCaseError> {
    let kinds = world.kinds();
    for grant in ServiceGrant::ALL {
        for identity in ids(world, Kind::Identity) {
            let slot = world.slot(Kind::Identity, &identity);
            let mut services = Names::new();
            for service in ids(world, Kind::Service) {
                let its = world.slot(Kind::Service, &service);
                let granting = granting(world, grant, &identity, &service);
                let found = world.access.granting(grant, slot, its, kinds);
                prop_assert_eq!(&world.names(PolicyKind::Service, found), &granting);
                let who = world.access.identities(grant, its, kinds);
                prop_assert_eq!(who.contains(slot.bit()), !granting.is_empty());
                if !granting.is_empty() {
                    services.insert(service);
                }
            }
            let found = world.access.services(grant, slot, kinds);
            prop_assert_eq!(world.ids(Kind::Service, found), services);
        }
    }
    Ok(())
}

/// Who and what may use which edge routers.
fn compare_routers(world: &World) -> Result<(), TestCaseError> {
    let (access, kinds) = (&world.access, world.kinds());
    let identities = PolicyKind::EdgeRouter;
    let services = PolicyKind::ServiceEdgeRouter;
    for identity in ids(world, Kind::Identity) {
        let slot = world.slot(Kind::Identity, &identity);
        let own = across(world, identities, (Kind::Identity, &identity), Kind::Router);
        let found = access.routers_of_identity(slot, kinds);
        prop_assert_eq!(&world.ids(Kind::Router, found), &own);
        for service in ids(world, Kind::Service) {
            let its = across(world, services, (Kind::Service, &service), Kind::Router);
            let service = world.slot(Kind::Service, &service);
            let found = access.routers_of_service(service, kinds);
            prop_assert_eq!(&world.ids(Kind::Router, found), &its);
            let found = access.common_routers(slot, service, kinds);
            prop_assert_eq!(world.ids(Kind::Router, found), &own & &its);
        }
    }
    for router in ids(world, Kind::Router) {
        let slot = world.slot(Kind::Router, &router);
        let who = across(world, identities, (Kind::Router, &router), Kind::Identity);
        let found = access.identities_of_router(slot, kinds);
        prop_assert_eq!(world.ids(Kind::Identity, found), who);
        let what = across(world, services, (Kind::Router, &router), Kind::Service);
        let found = access.services_of_router(slot, kinds);
        prop_assert_eq!(world.ids(Kind::Service, found), what);
    }
    Ok(())
}

fn ids(world: &World, kind: Kind) -> Vec<String> {
    let of_kind = world.entities.keys().filter(|(of, _)| *of == kind);
    of_kind.map(|(_, id)| id.clone()).collect()
}

/// The service policies that grant an identity something about a service.
fn granting(world: &World, grant: ServiceGrant, identity: &str, service: &str) -> Names {
    let policies = world.policies(PolicyKind::Service);
    let whose = naive::selecting(policies, &world.entities, Kind::Identity, identity);
    let about = naive::selecting(policies, &world.entities, Kind::Service, service);
    let is_it = |name: &String| policies[name].is_binding == (grant == ServiceGrant::Bind);
    whose
        .intersection(&about)
        .filter(|name| is_it(name))
        .cloned()
        .collect()
}

/// The entities on the other side of the policies that select one.
fn across(world: &World, policy: PolicyKind, from: (Kind, &str), to: Kind) -> Names {
    let policies = world.policies(policy);
    let names = naive::selecting(policies, &world.entities, from.0, from.1);
    let saying: Vec<&Said> = names.iter().map(|name| &policies[name]).collect();
    naive::selected(&saying, &world.entities, to)
}

#[test]
fn policies_select_edge_routers_only() {
    let mut world = World::default();
    world.add_transit_router("9-9");
    let all = [List::All, List::All, List::All];
    world.run(Op::Put(Kind::Identity, 0, Names::new()));
    world.run(Op::Put(Kind::Router, 0, Names::new()));
    world.run(Op::Say(PolicyKind::EdgeRouter, 0, false, false, all));
    let identity = ids(&world, Kind::Identity).remove(0);
    let slot = world.slot(Kind::Identity, &identity);
    let routers = world.access.routers_of_identity(slot, world.kinds());
    let edge = ids(&world, Kind::Router);
    assert_eq!(world.ids(Kind::Router, routers), edge.into_iter().collect());
    let transit = world.slot(Kind::Router, "9-9");
    let identities = world.access.identities_of_router(transit, world.kinds());
    assert!(identities.is_empty());
}

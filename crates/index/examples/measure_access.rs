//! Measures access over networks of growing size.
//!
//! Run it with `cargo run --release -p portcullis-index --example measure_access`.

#![expect(clippy::print_stdout, reason = "a measurement shows what it found")]

use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{EdgeRouterPolicyId, ServiceEdgeRouterPolicyId};
use portcullis_domain::ids::{IdentityId, RecordNumber, RouterId, ServiceId, ServicePolicyId};
use portcullis_domain::policies::{
    EdgeRouterPolicy, EdgeRouterPolicySpec, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicySpec,
    ServiceGrant, ServicePolicy, ServicePolicySpec,
};
use portcullis_domain::roles::{RoleAttributes, RoleSelectors, Semantic};
use portcullis_domain::router::{EdgeRouterSettings, Router, RouterKind, RouterSpec};
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_index::{
    AccessIndex, Catalog, CatalogBuilder, CatalogEntry, Policy, SelectableCatalogs, Slot,
};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const SERVICES: u64 = 2_000;
const ROUTERS: u64 = 500;
const SERVICE_POLICIES: u64 = 250;
const EDGE_ROUTER_POLICIES: u64 = 250;
const SERVICE_EDGE_ROUTER_POLICIES: u64 = 100;
const ATTRIBUTES: u64 = 8;
const ROUNDS: u32 = 1_000;
const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn main() -> Result<(), Box<dyn Error>> {
    for count in [1_000, 10_000, 100_000, 1_000_000] {
        measure(count)?;
    }
    Ok(())
}

fn measure(count: u64) -> Result<(), Box<dyn Error>> {
    println!("{count} identities");
    let identities = catalog(count, identity)?;
    let services = catalog(SERVICES, service)?;
    let routers = catalog(ROUTERS, router)?;
    let checks = Catalog::default();
    let kinds = SelectableCatalogs {
        identities: &identities,
        services: &services,
        routers: &routers,
        posture_checks: &checks,
    };
    let (access, service_policies) = access(kinds)?;
    println!("  memory: {} KiB", access.heap_bytes() / 1024);
    questions(&access, kinds, count);
    changes(access, &service_policies, kinds);
    Ok(())
}

fn questions(access: &AccessIndex, kinds: SelectableCatalogs<'_>, count: u64) {
    let step = u32::try_from(count).unwrap_or(u32::MAX) / ROUNDS;
    let identity = |round| Slot::from_bit(round * step);
    let service = |round| Slot::from_bit(round % 2_000);
    let dialed: u64 = (0..ROUNDS)
        .map(|round| {
            access
                .services(Some(ServiceGrant::Dial), identity(round), kinds)
                .len()
        })
        .sum();
    println!(
        "  an identity dials {} services",
        dialed / u64::from(ROUNDS)
    );
    each("services of an identity", |round| {
        access
            .services(Some(ServiceGrant::Dial), identity(round), kinds)
            .len()
    });
    each("policies that let an identity dial a service", |round| {
        let (identity, service) = (identity(round), service(round));
        access
            .granting(ServiceGrant::Dial, identity, service, kinds)
            .len()
    });
    each("routers for an identity and a service", |round| {
        access
            .common_routers(identity(round), service(round), kinds)
            .len()
    });
    each("identities that dial a service", |round| {
        access
            .identities(Some(ServiceGrant::Dial), service(round), kinds)
            .len()
    });
}

fn changes(mut access: AccessIndex, policies: &[ServicePolicy], kinds: SelectableCatalogs<'_>) {
    let start = Instant::now();
    for (slot, policy) in (0..).zip(policies) {
        access.put(Slot::from_bit(slot), Policy::Service(policy), kinds);
    }
    let each = start.elapsed() / u32::try_from(policies.len()).unwrap_or(1);
    println!("  change of a policy: {each:.1?}");
}

fn each(what: &str, question: impl Fn(u32) -> u64) {
    let start = Instant::now();
    for round in 0..ROUNDS {
        black_box(question(round));
    }
    println!("  {what}: {:.1?}", start.elapsed() / ROUNDS);
}

fn access(
    kinds: SelectableCatalogs<'_>,
) -> Result<(AccessIndex, Vec<ServicePolicy>), Box<dyn Error>> {
    let mut access = AccessIndex::default();
    let mut service_policies = Vec::new();
    for number in 0..SERVICE_POLICIES {
        let policy = service_policy(number)?;
        access.put(slot(number), Policy::Service(&policy), kinds);
        service_policies.push(policy);
    }
    for number in 0..EDGE_ROUTER_POLICIES {
        let policy = edge_router_policy(number)?;
        access.put(slot(number), Policy::EdgeRouter(&policy), kinds);
    }
    for number in 0..SERVICE_EDGE_ROUTER_POLICIES {
        let policy = service_edge_router_policy(number)?;
        access.put(slot(number), Policy::ServiceEdgeRouter(&policy), kinds);
    }
    Ok((access, service_policies))
}

fn catalog<E: CatalogEntry>(
    count: u64,
    make: impl Fn(u64) -> Result<E, Box<dyn Error>>,
) -> Result<Catalog<E>, Box<dyn Error>> {
    let mut builder = CatalogBuilder::default();
    for number in 0..count {
        builder.put(RecordNumber(number), None, &make(number)?);
    }
    Ok(builder.build())
}

fn slot(number: u64) -> Slot {
    Slot::from_bit(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Three of the eight attributes.
fn attributes(number: u64) -> Result<RoleAttributes, Box<dyn Error>> {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let places = [mixed, mixed >> 3, mixed >> 6];
    Ok(RoleAttributes::new(
        places.map(|place| format!("role-{}", place % ATTRIBUTES)),
    )?)
}

/// One or two of the eight attributes.
fn selectors(number: u64) -> Vec<String> {
    let one = format!("#role-{}", number % ATTRIBUTES);
    let two = format!("#role-{}", number / ATTRIBUTES % ATTRIBUTES);
    vec![one, two]
}

fn semantic(number: u64) -> Semantic {
    if number.is_multiple_of(4) {
        Semantic::AnyOf
    } else {
        Semantic::AllOf
    }
}

fn identity(number: u64) -> Result<Identity, Box<dyn Error>> {
    let mut spec = IdentitySpec::named(IdentityName::new(format!("identity-{number}"))?);
    spec.role_attributes = attributes(number)?;
    let id = IdentityId::from_wire(format!("identity-{number:08}"));
    Ok(Identity::new(id, spec, NOW))
}

fn service(number: u64) -> Result<Service, Box<dyn Error>> {
    let spec = ServiceSpec {
        role_attributes: attributes(number)?,
        ..ServiceSpec::named(format!("service-{number}"))
    };
    let id = ServiceId::from_wire(format!("service-{number:08}"));
    Ok(Service::new(id, spec, NOW)?)
}

fn router(number: u64) -> Result<Router, Box<dyn Error>> {
    let spec = RouterSpec {
        kind: RouterKind::Edge(EdgeRouterSettings {
            role_attributes: attributes(number)?,
            ..EdgeRouterSettings::default()
        }),
        ..RouterSpec::edge_router(format!("router-{number}"))
    };
    let id = RouterId::from_wire(format!("router-{number:08}"));
    Ok(Router::new(id, spec, NOW)?)
}

/// Half of them name a hundred services by id as well.
fn service_policy(number: u64) -> Result<ServicePolicy, Box<dyn Error>> {
    let named = (0..100 * (number % 2)).map(|service| format!("@service-{:08}", service * 20));
    let services = selectors(number / 2).into_iter().chain(named);
    let spec = ServicePolicySpec {
        semantic: semantic(number),
        identity_roles: RoleSelectors::new("identityRoles", selectors(number))?,
        service_roles: RoleSelectors::new("serviceRoles", services)?,
        ..ServicePolicySpec::new(format!("policy-{number}"), ServiceGrant::Dial)
    };
    let id = ServicePolicyId::from_wire(format!("policy-{number}"));
    Ok(ServicePolicy::new(id, spec, NOW)?)
}

fn edge_router_policy(number: u64) -> Result<EdgeRouterPolicy, Box<dyn Error>> {
    let spec = EdgeRouterPolicySpec {
        semantic: semantic(number),
        identity_roles: RoleSelectors::new("identityRoles", selectors(number))?,
        edge_router_roles: RoleSelectors::new("edgeRouterRoles", selectors(number / 2))?,
        ..EdgeRouterPolicySpec::named(format!("policy-{number}"))
    };
    let id = EdgeRouterPolicyId::from_wire(format!("policy-{number}"));
    Ok(EdgeRouterPolicy::new(id, spec, NOW)?)
}

fn service_edge_router_policy(number: u64) -> Result<ServiceEdgeRouterPolicy, Box<dyn Error>> {
    let spec = ServiceEdgeRouterPolicySpec {
        semantic: semantic(number),
        service_roles: RoleSelectors::new("serviceRoles", selectors(number))?,
        edge_router_roles: RoleSelectors::new("edgeRouterRoles", selectors(number / 2))?,
        ..ServiceEdgeRouterPolicySpec::named(format!("policy-{number}"))
    };
    let id = ServiceEdgeRouterPolicyId::from_wire(format!("policy-{number}"));
    Ok(ServiceEdgeRouterPolicy::new(id, spec, NOW)?)
}

//! Random entities, and what may happen to them.

use crate::support::{
    at, authenticator, edge_router_policy, enrollment_for, identity, policy, service_session,
    terminator,
};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::change::Owner;
use portcullis_domain::enrollment::{Enrollment, EnrollmentMethod, EnrollmentPurpose};
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::{AuthPolicyId, CaId, IdentityId, RecordNumber, RouterId};
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceGrant};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::session::Session;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_domain::terminator::Terminator;
use portcullis_index::{Catalog, CatalogBuilder, CatalogEntry};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Debug;

pub(crate) type Model<E> = BTreeMap<u64, (Option<Owner>, E)>;

/// Some differ in their kind alone, some in the last bit of their numbers.
pub(crate) const OWNERS: [Owner; 6] = [
    Owner::Identity(RecordNumber(0)),
    Owner::Identity(RecordNumber(1)),
    Owner::Identity(RecordNumber(2)),
    Owner::Identity(RecordNumber(u64::MAX)),
    Owner::Router(RecordNumber(1)),
    Owner::Router(RecordNumber(0)),
];

#[derive(Debug, Clone)]
pub(crate) enum Step<E> {
    Put(u64, Option<Owner>, E),
    Remove(u64),
    RemoveOwnedBy(Owner),
}

/// Ids are unique among the numbers and come in another order than they do, which changes with
/// the variant.
pub(crate) fn any_id(number: u64) -> impl Strategy<Value = String> {
    let mixed = number.wrapping_mul(0x9E37_79B9) % 997 * 100 + number;
    (0..2_u8).prop_map(move |variant| format!("{variant}-{mixed:x}"))
}

pub(crate) fn any_identity(number: u64) -> impl Strategy<Value = Identity> {
    let text = (
        any_id(number),
        // Letters whose upper case is ASCII though they are not, and those of several bytes.
        "(device-|x{200})?[a-cAB5éſı]{1,8}",
        (-3_i64..3, -3_i64..3),
        prop::option::of("[a-c]{0,2}"),
        prop_oneof![3 => Just("default"), 1 => Just("strict"), 1 => Just("a")],
    );
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let roles = prop::collection::vec("[a-d]", 0..3);
    (text, flags, roles, any_tags()).prop_map(|(text, flags, roles, tags)| {
        let (id, name, (created_at, updated_at), external_id, policy) = text;
        let mut identity = identity(&id, &name, created_at);
        identity.updated_at = at(updated_at);
        identity.spec.auth_policy = AuthPolicyId::from_wire(policy);
        identity.spec.tags = tags;
        identity.spec.external_id = external_id;
        identity.spec.is_admin = flags.0;
        identity.is_default_admin = flags.1;
        if flags.2 {
            identity.disable(None, at(9));
        }
        if flags.3 {
            identity.kind = IdentityType::Router;
        }
        identity.spec.role_attributes = RoleAttributes::new(roles).unwrap();
        identity
    })
}

/// Few sets of many words, where others have many sets of few.
pub(crate) fn any_identity_of_a_team(number: u64) -> impl Strategy<Value = Identity> {
    const TEAMS: [&[&str]; 3] = [&[], &["a", "b", "ca", "B5"], &["a", "d", "é", "Ab", "-"]];
    let team = prop::sample::select(&TEAMS[..]);
    (any_identity(number), team).prop_map(|(mut identity, team)| {
        let words = team.iter().map(|word| (*word).to_owned());
        identity.spec.role_attributes = RoleAttributes::new(words).unwrap();
        identity
    })
}

pub(crate) fn any_enrollment(number: u64) -> impl Strategy<Value = Enrollment> {
    let method = prop_oneof![
        Just(EnrollmentMethod::Ott),
        "[ab]".prop_map(|ca| EnrollmentMethod::OttCa {
            ca: CaId::from_wire(ca)
        }),
        Just(EnrollmentMethod::Updb {
            username: "user".to_owned()
        }),
    ];
    let purpose = prop_oneof![
        2 => method.prop_map(|method| EnrollmentPurpose::Identity {
            identity: IdentityId::from_wire("owner"),
            method,
        }),
        1 => ("[ab]", any::<bool>()).prop_map(|(router, is_edge)| EnrollmentPurpose::Router {
            router: RouterId::from_wire(router),
            is_edge,
        }),
    ];
    (any_id(number), -3_i64..3, purpose, any_tags()).prop_map(|(id, created_at, purpose, tags)| {
        let mut enrollment = enrollment_for(&id, created_at, purpose);
        enrollment.tags = tags;
        enrollment
    })
}

pub(crate) fn any_authenticator(number: u64) -> impl Strategy<Value = Authenticator> {
    let is_own = prop::option::of(any::<bool>());
    (any_id(number), -3_i64..3, is_own, any_tags()).prop_map(|(id, created_at, is_own, tags)| {
        let mut authenticator = authenticator(&id, created_at, is_own);
        authenticator.tags = tags;
        authenticator
    })
}

pub(crate) fn any_policy(number: u64) -> impl Strategy<Value = AuthPolicy> {
    let text = (any_id(number), "[a-cAé]{1,6}");
    (text, -3_i64..3, any::<bool>()).prop_map(|((id, name), created_at, totp)| {
        let mut policy = policy(&id, &name, created_at);
        policy.spec.secondary.require_totp = totp;
        policy
    })
}

pub(crate) fn any_terminator(number: u64) -> impl Strategy<Value = Terminator> {
    let text = (any_id(number), ["[ab]", "[ab]", "[ab]{0,2}"]);
    (text, -3_i64..3, any_tags()).prop_map(
        |((id, [service, router, instance]), created_at, tags)| {
            let mut terminator = terminator(&id, created_at, [&service, &router, &instance]);
            terminator.spec.tags = tags;
            terminator
        },
    )
}

pub(crate) fn any_service_session(number: u64) -> impl Strategy<Value = Session> {
    let grant = prop::sample::select(&ServiceGrant::ALL[..]);
    (any_id(number), -3_i64..3, "[ab]", grant, any_tags()).prop_map(
        |(id, created_at, service, grant, tags)| {
            let mut session = service_session(&id, created_at, &service, grant);
            session.tags = tags;
            session
        },
    )
}

pub(crate) fn any_edge_router_policy(number: u64) -> impl Strategy<Value = EdgeRouterPolicy> {
    let policy = (any_id(number), any::<bool>());
    policy.prop_map(|(id, is_system)| edge_router_policy(&id, is_system))
}

fn any_tags() -> impl Strategy<Value = Tags> {
    prop::option::of("[ab]").prop_map(|site| {
        let site = site.map(|site| ("site".to_owned(), TagValue::Text(site)));
        site.into_iter().collect()
    })
}

pub(crate) fn any_step<E: Debug + Clone + 'static, S: Strategy<Value = E> + 'static>(
    numbers: u64,
    entity: fn(u64) -> S,
    owner: impl Strategy<Value = Option<Owner>> + Clone + 'static,
) -> impl Strategy<Value = Step<E>> {
    let put = (0..numbers).prop_flat_map(move |number| {
        (Just(number), owner.clone(), entity(number))
            .prop_map(|(number, owner, entity)| Step::Put(number, owner, entity))
    });
    prop_oneof![
        12 => put,
        4 => (0..numbers).prop_map(Step::Remove),
        1 => prop::sample::select(&OWNERS[..]).prop_map(Step::RemoveOwnedBy),
    ]
}

pub(crate) fn any_steps<E: Debug + Clone + 'static>(
    step: impl Strategy<Value = Step<E>>,
) -> impl Strategy<Value = Vec<Step<E>>> {
    prop::collection::vec(step, 0..60)
}

pub(crate) fn any_owner() -> impl Strategy<Value = Option<Owner>> + Clone {
    prop::option::weighted(0.9, prop::sample::select(&OWNERS[..]))
}

/// Builds a catalog and changes it, and a map beside it.
pub(crate) fn run<E: CatalogEntry>(
    start: Vec<Step<E>>,
    steps: Vec<Step<E>>,
    mut seen: impl FnMut(&Catalog<E>, &Model<E>),
) -> (Catalog<E>, Model<E>) {
    let mut model = Model::new();
    let mut builder = CatalogBuilder::default();
    for step in start {
        if let Step::Put(number, owner, entity) = step {
            builder.put(RecordNumber(number), owner, &entity);
            model.insert(number, (owner, entity));
        }
    }
    let mut catalog = builder.build();
    seen(&catalog, &model);
    for step in steps {
        match step {
            Step::Put(number, owner, entity) => {
                catalog.put(RecordNumber(number), owner, &entity);
                model.insert(number, (owner, entity));
            },
            Step::Remove(number) => {
                let was_there = model.remove(&number).is_some();
                assert_eq!(catalog.remove(RecordNumber(number)), was_there);
                assert!(!catalog.contains(RecordNumber(number)));
            },
            Step::RemoveOwnedBy(owner) => {
                catalog.remove_owned_by(owner);
                model.retain(|_, (of, _)| *of != Some(owner));
            },
        }
        seen(&catalog, &model);
    }
    (catalog, model)
}

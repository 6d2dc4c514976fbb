//! Whether entities are shown as recorded.

use super::posture;
use super::world::{Table, World, now};
use crate::recorded::{Step, TIME};
use portcullis_api::config::ConfigDetail;
use portcullis_api::config_type::ConfigTypeDetail;
use portcullis_api::edge_router::EdgeRouterDetail;
use portcullis_api::edge_router_policy::EdgeRouterPolicyDetail;
use portcullis_api::enrollment::EnrollmentDetail;
use portcullis_api::policy_advice::PolicyAdvice;
use portcullis_api::service::ServiceDetail;
use portcullis_api::service_config::ServiceConfigDetail;
use portcullis_api::service_edge_router_policy::ServiceEdgeRouterPolicyDetail;
use portcullis_api::service_policy::ServicePolicyDetail;
use portcullis_api::terminator::TerminatorDetail;
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_domain::config::{ConfigType, ConfigTypeSpec};
use portcullis_domain::enrollment::{Enrollment, EnrollmentPurpose, EnrollmentSecrets};
use portcullis_domain::ids::{
    AuthPolicyId, ConfigTypeId, EnrollmentId, EntityId, IdentityId, ServicePolicyId,
};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::router::{Router, RouterCertificate};
use portcullis_domain::view::{
    CommonRouter, ConfigView, EdgeRouterPolicyView, EnrollmentOwnerRef, EnrollmentView,
    IdentityRef, ManagedRouterView, NamedRef, NamesById, PolicyAdviceView, PolicyPosture,
    RouterConnection, RouterRef, RouterVersion, ServiceConfigView, ServiceEdgeRouterPolicyView,
    ServiceGrants, ServicePolicyView, ServiceView, TerminatorView,
};
use serde::Serialize;
use serde_json::{Value, json};

/// Members that the reference shows otherwise, by step: it forgets them in a merge.
const OTHERWISE_HERE: &[(&str, &str)] = &[("services: read merged", "encryptionRequired")];

/// What stands for an instant that the reference does not know.
const NEVER: &str = "0001-01-01T00:00:00.000Z";

/// Compares every entity in the answer with what is made of it here. Returns how many there were.
pub(super) fn check(world: &World, step: &Step) -> usize {
    if step.api == "fabric" || step.status >= 300 {
        return 0;
    }
    let data = &step.answer["data"];
    let items = match data {
        Value::Array(items) => &items[..],
        one => std::slice::from_ref(one),
    };
    items
        .iter()
        .filter(|item| compare(world, step, item))
        .count()
}

fn compare(world: &World, step: &Step, recorded: &Value) -> bool {
    let Some(mut shown) = show(world, recorded) else {
        return false;
    };
    let mut recorded = recorded.clone();
    for (name, member) in OTHERWISE_HERE {
        if step.name == *name {
            assert_ne!(shown[member], recorded[member], "{}", step.name);
            shown[member].take();
            recorded[member].take();
        }
    }
    for member in ["createdAt", "updatedAt", "enrollmentCreatedAt"] {
        if recorded.get(member) == Some(&json!(NEVER)) {
            recorded[member] = json!(TIME);
        }
    }
    // No two changes of an entity have the same time; the recording has one word for all times.
    if shown.get("updatedAt").is_some() {
        shown["updatedAt"] = json!(TIME);
    }
    assert_eq!(shown, recorded, "{}", step.name);
    true
}

/// The entity as it is shown here, if it is of a kind that is known here.
fn show(world: &World, recorded: &Value) -> Option<Value> {
    if recorded.get("identityRouterCount").is_some() || recorded.get("commonRouters").is_some() {
        return Some(written(&PolicyAdvice::from(advice(world, recorded))));
    }
    if recorded.get("configId").is_some() {
        let view = ServiceConfigView {
            service: NamedRef::from(&world.services[&text(&recorded["serviceId"])]),
            config: NamedRef::from(&world.configs[&text(&recorded["configId"])]),
        };
        return Some(written(&ServiceConfigDetail::from(view)));
    }
    if let Some(shown) = posture::show(world, recorded) {
        return Some(shown);
    }
    recorded.get("createdAt")?;
    let href = recorded["_links"]["self"]["href"].as_str()?;
    let (kind, id) = href.strip_prefix("./")?.split_once('/')?;
    match kind {
        "services" => Some(written(&ServiceDetail::from(service(world, id, recorded)))),
        "configs" => Some(config(world, id, recorded)),
        "config-types" => {
            let known = world.config_types.get(id).cloned();
            let kind = known.unwrap_or_else(|| built_in(recorded));
            Some(written(&ConfigTypeDetail::from(kind)))
        },
        "service-policies" => Some(written(&ServicePolicyDetail::from(ServicePolicyView {
            policy: world.service_policies[id].clone(),
            identities: names(&world.identities),
            services: names_of(&world.services, |service| &service.spec.name),
            posture_checks: names_of(&world.posture_checks, |check| &check.spec.name),
        }))),
        "edge-router-policies" => {
            let view = EdgeRouterPolicyView {
                policy: world.edge_router_policies[id].clone(),
                identities: names(&world.identities),
                edge_routers: names_of(&world.routers, |router| &router.spec.name),
            };
            Some(written(&EdgeRouterPolicyDetail::from(view)))
        },
        "service-edge-router-policies" => {
            let view = ServiceEdgeRouterPolicyView {
                policy: world.service_edge_router_policies[id].clone(),
                services: names_of(&world.services, |service| &service.spec.name),
                edge_routers: names_of(&world.routers, |router| &router.spec.name),
            };
            Some(written(&ServiceEdgeRouterPolicyDetail::from(view)))
        },
        "edge-routers" => {
            let view = router(world, id, recorded);
            Some(written(&EdgeRouterDetail::from(view)))
        },
        "transit-routers" => {
            let view = router(world, id, recorded);
            Some(written(&TransitRouterDetail::from(view)))
        },
        "terminators" => {
            let terminator = world.terminators[id].clone();
            let view = TerminatorView {
                service: NamedRef::from(&world.services[terminator.spec.service.as_str()]),
                router: RouterRef::from(&world.routers[terminator.spec.router.as_str()]),
                dynamic_cost: 0,
                terminator,
            };
            Some(written(&TerminatorDetail::from(view)))
        },
        "enrollments" => router_enrollment(world, recorded),
        _ => None,
    }
}

fn service(world: &World, id: &str, recorded: &Value) -> ServiceView {
    let grant = |kind: &Value| ServiceGrant::from_name("", kind.as_str().unwrap()).ok();
    let permissions = recorded["permissions"].as_array();
    let policies = recorded["postureQueries"].as_array().unwrap().iter();
    let posture = policies.filter_map(|policy| {
        let id = text(&policy["policyId"]);
        (!id.starts_with("dummy")).then(|| PolicyPosture {
            policy: ServicePolicyId::from_wire(id),
            grant: grant(&policy["policyType"]).unwrap(),
            is_passing: policy["isPassing"].as_bool().unwrap(),
            checks: posture::checks(world, &policy["postureQueries"]),
        })
    });
    let config = recorded["config"].as_object();
    ServiceView {
        service: world.services[id].clone(),
        grants: permissions.map(|all| all.iter().filter_map(grant).collect()),
        config: config.map(|config| {
            let by_type = config.iter();
            by_type
                .map(|(name, data)| {
                    (
                        name.as_str().into(),
                        data.as_object().unwrap().clone().into(),
                    )
                })
                .collect()
        }),
        posture: posture.collect(),
    }
}

fn config(world: &World, id: &str, recorded: &Value) -> Value {
    let config = world.configs[id].clone();
    let made = world.config_types.get(config.spec.config_type.as_str());
    // Built-in types are not made by requests.
    let config_type = made.map_or_else(
        || NamedRef {
            id: config.spec.config_type.clone(),
            name: text(&recorded["configType"]["name"]),
        },
        NamedRef::from,
    );
    let view = ConfigView {
        config,
        config_type,
    };
    written(&ConfigDetail::from(view))
}

fn built_in(recorded: &Value) -> ConfigType {
    let spec = ConfigTypeSpec {
        schema: recorded["schema"].as_object().cloned(),
        target: serde_json::from_value(recorded["target"].clone()).unwrap(),
        ..ConfigTypeSpec::named(text(&recorded["name"]))
    };
    let id = ConfigTypeId::from_wire(text(&recorded["id"]));
    ConfigType::new(id, spec, now()).unwrap()
}

fn router(world: &World, id: &str, recorded: &Value) -> ManagedRouterView {
    let mut router = world.routers[id].clone();
    if let Some(pem) = recorded["certPem"].as_str() {
        let certificate = RouterCertificate::new(pem.to_owned(), text(&recorded["fingerprint"]));
        router.set_certificate(certificate, now());
    }
    let version = &recorded["versionInfo"];
    let version = RouterVersion {
        build_date: version["buildDate"].as_str().unwrap_or_default().to_owned(),
        revision: version["revision"].as_str().unwrap_or_default().to_owned(),
        ..RouterVersion::default()
    };
    router.report(|kept| kept.set_software(version, 0), now());
    let enrollment = recorded.get("enrollmentToken").is_some().then(|| {
        let (token, jwt) = (&recorded["enrollmentToken"], &recorded["enrollmentJwt"]);
        pending("", &router, token, jwt)
    });
    ManagedRouterView {
        router,
        connection: RouterConnection::default(),
        enrollment,
    }
}

fn pending(
    id: &str,
    router: &Router,
    token: &Value,
    jwt: &Value,
) -> (Enrollment, Option<EnrollmentSecrets>) {
    let enrollment = Enrollment::new(
        EnrollmentId::from_wire(id),
        EnrollmentPurpose::Router {
            router: router.id.clone(),
            is_edge: router.spec.edge().is_some(),
        },
        now(),
        now(),
    );
    let secrets = EnrollmentSecrets {
        token: text(token).into(),
        jwt: text(jwt).into(),
    };
    (enrollment, Some(secrets))
}

fn router_enrollment(world: &World, recorded: &Value) -> Option<Value> {
    let router = recorded
        .get("edgeRouterId")
        .or(recorded.get("transitRouterId"));
    let router = &world.routers[router?.as_str()?];
    let id = text(&recorded["id"]);
    let (enrollment, secrets) = pending(&id, router, &recorded["token"], &recorded["jwt"]);
    let view = EnrollmentView {
        enrollment,
        secrets,
        owner: EnrollmentOwnerRef::Router(RouterRef::from(router)),
    };
    Some(written(&EnrollmentDetail::from(view)))
}

fn advice(world: &World, recorded: &Value) -> PolicyAdviceView {
    let id = text(&recorded["identityId"]);
    let count = |name: &str| recorded[name].as_u64().unwrap_or_default();
    let is = |name: &str| recorded[name].as_bool().unwrap_or_default();
    let common = recorded["commonRouters"].as_array().into_iter().flatten();
    PolicyAdviceView {
        identity: IdentityRef {
            name: world.identities[&id].clone(),
            id: IdentityId::from_wire(id),
            auth_policy: AuthPolicyId::from_wire("default"),
        },
        service: NamedRef::from(&world.services[&text(&recorded["serviceId"])]),
        grants: ServiceGrants {
            bind: is("isBindAllowed"),
            dial: is("isDialAllowed"),
        },
        identity_router_count: u32::try_from(count("identityRouterCount")).unwrap(),
        service_router_count: u32::try_from(count("serviceRouterCount")).unwrap(),
        common_routers: common
            .map(|common| CommonRouter {
                router: RouterRef::from(&world.routers[&text(&common["id"])]),
                is_online: common["isOnline"].as_bool().unwrap(),
            })
            .collect(),
    }
}

/// Names by id, as views carry them.
fn names<I: EntityId>(table: &Table<String>) -> NamesById<I> {
    names_of(table, |name| name)
}

fn names_of<I: EntityId, E>(table: &Table<E>, name: impl Fn(&E) -> &String) -> NamesById<I> {
    let named = table.iter();
    named
        .map(|(id, entity)| (I::from_wire(id.clone()), name(entity).clone()))
        .collect()
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

pub(super) fn written(value: &impl Serialize) -> Value {
    serde_json::from_slice(&portcullis_api::json::to_bytes(value)).unwrap()
}

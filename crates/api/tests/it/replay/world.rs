//! What recorded requests make.

use super::judge::Refusal;
use crate::recorded::{Step, TIME};
use portcullis_api::config::{ConfigCreate, ConfigPatch, ConfigUpdate};
use portcullis_api::config_type::{ConfigTypeCreate, ConfigTypePatch, ConfigTypeUpdate};
use portcullis_api::decode::{Decode, DecodeError};
use portcullis_api::edge_router::{EdgeRouterCreate, EdgeRouterPatch};
use portcullis_api::edge_router_policy::{EdgeRouterPolicyCreate, EdgeRouterPolicyPatch};
use portcullis_api::posture_check::{PostureCheckCreate, PostureCheckPatch};
use portcullis_api::posture_response::{PostureResponseBulk, PostureResponseCreate};
use portcullis_api::router::{TransitRouterCreate, TransitRouterPatch};
use portcullis_api::service::{ServiceCreate, ServicePatch, ServiceUpdate};
use portcullis_api::service_config::ServiceConfigAssignments;
use portcullis_api::service_edge_router_policy::{
    ServiceEdgeRouterPolicyCreate, ServiceEdgeRouterPolicyPatch,
};
use portcullis_api::service_policy::{ServicePolicyCreate, ServicePolicyPatch};
use portcullis_api::session::SessionCreate;
use portcullis_api::terminator::{TerminatorCreate, TerminatorPatch, TerminatorUpdate};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::{Config, ConfigType};
use portcullis_domain::ids::{
    ConfigTypeId, EntityId, IdentityId, PostureCheckId, RouterId, ServiceId,
};
use portcullis_domain::managed::{Managed, Spec};
use portcullis_domain::policies::{EdgeRouterPolicy, ServiceEdgeRouterPolicy, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::{EdgeRouterSettingsPatch, Router, RouterKind, RouterSpecPatch};
use portcullis_domain::service::Service;
use portcullis_domain::terminator::Terminator;
use std::collections::BTreeMap;

/// Entities by their ids.
pub(super) type Table<E> = BTreeMap<String, E>;

/// What the requests of one file made so far.
#[derive(Default)]
pub(super) struct World {
    pub(super) services: Table<Service>,
    pub(super) configs: Table<Config>,
    pub(super) config_types: Table<ConfigType>,
    pub(super) service_policies: Table<ServicePolicy>,
    pub(super) edge_router_policies: Table<EdgeRouterPolicy>,
    pub(super) service_edge_router_policies: Table<ServiceEdgeRouterPolicy>,
    pub(super) routers: Table<Router>,
    pub(super) terminators: Table<Terminator>,
    /// Names of identities.
    pub(super) identities: Table<String>,
    pub(super) posture_checks: Table<PostureCheck>,
}

pub(super) fn now() -> Timestamp {
    TIME.parse().unwrap()
}

impl World {
    /// Does what the request of `step` says, if it did it then. Returns how the request is judged if
    /// it is of a kind that is known here.
    pub(super) fn take(&mut self, step: &Step) -> Option<Result<(), Refusal>> {
        let path: Vec<_> = step.path.split('?').next()?.split('/').skip(1).collect();
        if step.status == 401 {
            return None;
        }
        if step.api == "client" {
            let result = match (&*step.method, &path[..]) {
                ("POST", ["sessions"]) => read::<SessionCreate>(step).map(drop),
                ("POST", ["posture-response"]) => read::<PostureResponseCreate>(step).map(drop),
                ("POST", ["posture-response-bulk"]) => read::<PostureResponseBulk>(step).map(drop),
                _ => return None,
            };
            return Some(result.map_err(Into::into));
        }
        if step.api != "management" {
            return None;
        }
        match path[..] {
            [kind] | [kind, _] if step.method != "GET" => {
                let id = path.get(1).copied();
                self.forget(step, id);
                self.change(step, kind, id)
            },
            ["identities", _, "service-configs"] if step.method == "POST" => {
                let read = read::<ServiceConfigAssignments>(step);
                Some(read.map(drop).map_err(Into::into))
            },
            _ => None,
        }
    }

    fn change(&mut self, step: &Step, kind: &str, id: Option<&str>) -> Option<Result<(), Refusal>> {
        match kind {
            "services" => change(
                &mut self.services,
                (step, id),
                |step| Ok(read::<ServiceCreate>(step)?.spec()?),
                |step, _| Ok(read::<ServiceUpdate>(step)?.0.spec()?),
                |step| Ok(read::<ServicePatch>(step)?.patch()?),
            ),
            "configs" => change(
                &mut self.configs,
                (step, id),
                |step| Ok(read::<ConfigCreate>(step)?.into()),
                // Whatever the type is here, the configuration keeps its own.
                |step, _| Ok(read::<ConfigUpdate>(step)?.spec(ConfigTypeId::from_wire("x"))),
                |step| Ok(read::<ConfigPatch>(step)?.into()),
            ),
            "config-types" => change(
                &mut self.config_types,
                (step, id),
                |step| Ok(read::<ConfigTypeCreate>(step)?.into()),
                |step, _| Ok(read::<ConfigTypeUpdate>(step)?.into()),
                |step| Ok(read::<ConfigTypePatch>(step)?.into()),
            ),
            "service-policies" => change(
                &mut self.service_policies,
                (step, id),
                |step| Ok(read::<ServicePolicyCreate>(step)?.into()),
                |step, _| Ok(read::<ServicePolicyCreate>(step)?.into()),
                |step| Ok(read::<ServicePolicyPatch>(step)?.into()),
            ),
            "edge-router-policies" => change(
                &mut self.edge_router_policies,
                (step, id),
                |step| Ok(read::<EdgeRouterPolicyCreate>(step)?.into()),
                |step, _| Ok(read::<EdgeRouterPolicyCreate>(step)?.into()),
                |step| Ok(read::<EdgeRouterPolicyPatch>(step)?.into()),
            ),
            "service-edge-router-policies" => change(
                &mut self.service_edge_router_policies,
                (step, id),
                |step| Ok(read::<ServiceEdgeRouterPolicyCreate>(step)?.into()),
                |step, _| Ok(read::<ServiceEdgeRouterPolicyCreate>(step)?.into()),
                |step| Ok(read::<ServiceEdgeRouterPolicyPatch>(step)?.into()),
            ),
            "edge-routers" => change(
                &mut self.routers,
                (step, id),
                |step| Ok(read::<EdgeRouterCreate>(step)?.into()),
                |step, _| Ok(read::<EdgeRouterCreate>(step)?.into()),
                |step| Ok(read::<EdgeRouterPatch>(step)?.into()),
            ),
            "transit-routers" | "routers" => change(
                &mut self.routers,
                (step, id),
                |step| Ok(read::<TransitRouterCreate>(step)?.spec(RouterKind::Transit)),
                |step, _| Ok(read::<TransitRouterCreate>(step)?.spec(RouterKind::Transit)),
                transit_router_patch,
            ),
            "terminators" => change(
                &mut self.terminators,
                (step, id),
                |step| Ok(read::<TerminatorCreate>(step)?.into()),
                |step, old: &Terminator| {
                    let instance = old.spec.instance_id.clone();
                    Ok(read::<TerminatorUpdate>(step)?.spec(instance))
                },
                |step| Ok(read::<TerminatorPatch>(step)?.into()),
            ),
            "identities" => {
                name(&mut self.identities, step, id);
                None
            },
            "posture-checks" => change(
                &mut self.posture_checks,
                (step, id),
                |step| Ok(read::<PostureCheckCreate>(step)?.into()),
                |step, _| Ok(read::<PostureCheckCreate>(step)?.into()),
                |step| Ok(read::<PostureCheckPatch>(step)?.into()),
            ),
            _ => None,
        }
    }

    /// Takes what was deleted off the lists of policies.
    fn forget(&mut self, step: &Step, id: Option<&str>) {
        let Some(id) = id.filter(|_| step.method == "DELETE" && step.status == 200) else {
            return;
        };
        for policy in self.service_policies.values_mut() {
            policy
                .spec
                .identity_roles
                .remove_id(&IdentityId::from_wire(id));
            policy
                .spec
                .service_roles
                .remove_id(&ServiceId::from_wire(id));
            let checks = &mut policy.spec.posture_check_roles;
            checks.remove_id(&PostureCheckId::from_wire(id));
        }
        for policy in self.edge_router_policies.values_mut() {
            policy
                .spec
                .identity_roles
                .remove_id(&IdentityId::from_wire(id));
            policy
                .spec
                .edge_router_roles
                .remove_id(&RouterId::from_wire(id));
        }
        for policy in self.service_edge_router_policies.values_mut() {
            policy
                .spec
                .service_roles
                .remove_id(&ServiceId::from_wire(id));
            policy
                .spec
                .edge_router_roles
                .remove_id(&RouterId::from_wire(id));
        }
    }
}

fn read<D: Decode>(step: &Step) -> Result<D, DecodeError> {
    let json = step.request.as_ref().map(ToString::to_string);
    let body = json.or_else(|| step.text.clone()).unwrap_or_default();
    D::from_body(body.as_bytes())
}

/// Makes, changes or removes an entity. What was refused then is tried and not kept.
fn change<I: EntityId, S: Spec>(
    table: &mut Table<Managed<I, S>>,
    (step, id): (&Step, Option<&str>),
    create: impl Fn(&Step) -> Result<S, Refusal>,
    replace: impl Fn(&Step, &Managed<I, S>) -> Result<S, Refusal>,
    merge: impl Fn(&Step) -> Result<S::Patch, Refusal>,
) -> Option<Result<(), Refusal>> {
    let changed = match (&*step.method, id) {
        ("POST", None) => {
            let id = step.answer["data"]["id"].as_str().unwrap_or("refused");
            let id = I::from_wire(id.to_owned());
            create(step).and_then(|spec| Ok(Managed::new(id, spec, now())?))
        },
        ("PUT", Some(id)) => {
            let mut entity = table.get(id)?.clone();
            replace(step, &entity)
                .and_then(|spec| Ok(entity.replace(spec, now())?))
                .map(|()| entity)
        },
        ("PATCH", Some(id)) => {
            let mut entity = table.get(id)?.clone();
            merge(step)
                .and_then(|patch| Ok(entity.patch(patch, now())?))
                .map(|()| entity)
        },
        ("DELETE", Some(id)) => {
            if step.status == 200 {
                table.remove(id);
            }
            return None;
        },
        _ => return None,
    };
    Some(changed.map(|entity| {
        if step.status < 300 {
            table.insert(entity.id.as_str().to_owned(), entity);
        }
    }))
}

/// Remembers the name of an entity of a kind about which no more is known here.
fn name(names: &mut Table<String>, step: &Step, id: Option<&str>) {
    let body = step.request.as_ref();
    let name = body.and_then(|body| body["name"].as_str());
    match (
        &*step.method,
        id.or(step.answer["data"]["id"].as_str()),
        name,
    ) {
        ("DELETE", Some(id), _) if step.status == 200 => drop(names.remove(id)),
        (_, Some(id), Some(name)) if step.status < 300 => {
            names.insert(id.to_owned(), name.to_owned());
        },
        _ => {},
    }
}

fn transit_router_patch(step: &Step) -> Result<RouterSpecPatch, Refusal> {
    Ok(read::<TransitRouterPatch>(step)?.patch(EdgeRouterSettingsPatch::default()))
}

//! Records as entities of the router data model.

use super::posture_check::posture_check_kind;
use portcullis_data_model::{Entity, Policy};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::{Config, ConfigType};
use portcullis_domain::identity::{Identity, Precedence};
use portcullis_domain::ids::{ApiSessionId, ConfigId, ConfigTypeId};
use portcullis_domain::policies::{ServiceGrant, ServicePolicy};
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::revocation::{Revocation, RevocationType};
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_wire::Secret;
use portcullis_wire::control::data_model as wire;
use serde::Serialize;
use std::collections::BTreeSet;

pub(super) fn config_type(record: &ConfigType) -> Entity {
    Entity::ConfigType(wire::ConfigType {
        id: record.id.to_string(),
        name: record.spec.name.clone(),
        target: record.spec.target.name().to_owned(),
    })
}

pub(super) fn config(record: &Config) -> Entity {
    Entity::Config(wire::Config {
        id: record.id.to_string(),
        type_id: record.spec.config_type.to_string(),
        name: record.spec.name.clone(),
        data_json: Secret::new(json(&record.spec.data)),
    })
}

/// An identity as it is at `now`. `type_of` finds the type of a configuration.
pub(super) fn identity<'c>(
    record: &Identity,
    now: Timestamp,
    type_of: impl Fn(&ConfigId) -> Option<&'c ConfigTypeId>,
) -> Entity {
    let spec = &record.spec;
    let hosting = &spec.hosting;
    let app_data = if spec.app_data.is_empty() {
        String::new()
    } else {
        json(&spec.app_data)
    };
    let configs = |ids: &BTreeSet<ConfigId>| wire::ServiceConfigs {
        configs: ids
            .iter()
            .filter_map(|id| Some((type_of(id)?.to_string(), id.to_string())))
            .collect(),
    };
    Entity::Identity(Box::new(wire::Identity {
        id: record.id.to_string(),
        name: record.name().to_owned(),
        default_hosting_precedence: precedence(hosting.default_precedence),
        default_hosting_cost: hosting.default_cost.into(),
        service_hosting_precedences: hosting
            .precedences
            .iter()
            .map(|(service, value)| (service.to_string(), precedence(*value)))
            .collect(),
        service_hosting_costs: hosting
            .costs
            .iter()
            .map(|(service, cost)| (service.to_string(), u32::from(*cost)))
            .collect(),
        app_data_json: Secret::new(app_data.into()),
        service_configs: record
            .service_configs
            .iter()
            .map(|(service, ids)| (service.to_string(), configs(ids)))
            .collect(),
        is_disabled: record.is_disabled(now),
    }))
}

/// A service; none if it is not for SDKs.
pub(super) fn service(record: &Service) -> Option<Entity> {
    let spec = &record.spec;
    (!spec.is_fabric_only).then(|| {
        Entity::Service(wire::Service {
            id: record.id.to_string(),
            name: spec.name.clone(),
            requires_encryption: spec.encryption_required,
            configs: ids(&spec.configs),
        })
    })
}

pub(super) fn router(record: &Router) -> Entity {
    let spec = &record.spec;
    let certificate = spec.certificate.as_ref();
    Entity::Router(wire::Router {
        id: record.id.to_string(),
        name: spec.name.clone(),
        fingerprint: certificate
            .map(|certificate| certificate.fingerprint.clone())
            .unwrap_or_default(),
        configs: ids(&spec.configs),
        is_disabled: spec.disabled,
    })
}

pub(super) fn posture_check(record: &PostureCheck) -> Entity {
    let check = &record.spec.check;
    Entity::PostureCheck(wire::PostureCheck {
        id: record.id.to_string(),
        name: record.spec.name.clone(),
        type_id: check.check_type().name().to_owned(),
        kind: Some(posture_check_kind(check)),
    })
}

/// A policy that relates nothing yet.
pub(super) fn policy(record: &ServicePolicy) -> Policy {
    Policy {
        id: record.id.to_string(),
        name: record.spec.name.clone(),
        policy_type: match record.spec.grant {
            ServiceGrant::Dial => wire::PolicyType::Dial,
            ServiceGrant::Bind => wire::PolicyType::Bind,
        },
        services: BTreeSet::new(),
        posture_checks: BTreeSet::new(),
        identities: BTreeSet::new(),
    }
}

pub(super) fn revocation(record: &Revocation) -> Entity {
    let spec = &record.spec;
    let by_identity = spec.revoked == RevocationType::Identity;
    Entity::Revocation(wire::Revocation {
        id: record.id.to_string(),
        expires_at: Some(timestamp(spec.expires_at)),
        kind: spec.revoked.name().to_owned(),
        issued_before: by_identity.then(|| timestamp(spec.issued_before)),
    })
}

/// Says that the tokens of a session count no more. The last of them expires at `expires_at`.
pub(super) fn ended_session(session: &ApiSessionId, expires_at: Timestamp) -> Entity {
    Entity::Revocation(wire::Revocation {
        id: session.to_string(),
        expires_at: Some(timestamp(expires_at)),
        kind: RevocationType::ApiSession.name().to_owned(),
        issued_before: None,
    })
}

fn ids(configs: &BTreeSet<ConfigId>) -> Vec<String> {
    configs.iter().map(ConfigId::to_string).collect()
}

const fn precedence(precedence: Precedence) -> portcullis_wire::Precedence {
    match precedence {
        Precedence::Default => portcullis_wire::Precedence::Default,
        Precedence::Required => portcullis_wire::Precedence::Required,
        Precedence::Failed => portcullis_wire::Precedence::Failed,
    }
}

fn timestamp(at: Timestamp) -> portcullis_wire::Timestamp {
    portcullis_wire::Timestamp {
        seconds: at.as_second(),
        nanos: at.subsec_nanosecond(),
    }
}

fn json(object: &impl Serialize) -> String {
    // Objects that were read from JSON can be written as JSON.
    serde_json::to_string(object).unwrap_or_default()
}

#[cfg(test)]
mod tests;

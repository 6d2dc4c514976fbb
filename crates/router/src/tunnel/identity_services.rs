//! The services that the identity of a router may use.

use std::collections::BTreeMap;

use portcullis_domain::identity::Precedence;
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::{HostingTerms, Service, ServiceId};
use portcullis_wire::Precedence as WirePrecedence;
use portcullis_wire::control::data_model::{Identity, PolicyType};
use serde_json::Value;

use crate::access::{DataModel, IdentityService};

/// The services that an identity may use, as a tunneler was told of them.
///
/// They follow from the model: those that policies let it dial or host, whatever posture checks these have, each
/// with the configurations that count for the identity. To look for what has changed takes time in proportion to
/// the services of the identity, and only what has changed is taken apart.
#[derive(Debug)]
pub struct IdentityServices {
    id: String,
    identity: Option<TunnelIdentity>,
    told: BTreeMap<String, Known>,
}

/// What a tunneler has to know of its identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunnelIdentity {
    pub identity: TunnelerIdentity,
    /// Precedence and cost of what it hosts.
    pub terms: (Precedence, u16),
}

/// What a tunneler has not been told yet.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceNews {
    /// There is the identity now, or it has changed. `None` if there is none, or it is disabled.
    Identity(Option<TunnelIdentity>),
    /// It may use the service, or something about that has changed.
    Changed(Box<Service>),
    /// It may not use the service any more.
    Gone(ServiceId),
}

/// A service as the model has it.
#[derive(Debug, PartialEq, Eq)]
struct Known {
    name: String,
    may_dial: bool,
    may_host: bool,
    is_encrypted: bool,
    /// JSON by the name of the type.
    configs: BTreeMap<String, String>,
    terms: HostingTerms,
}

impl IdentityServices {
    /// Those of an identity, of which nothing was told yet.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            identity: None,
            told: BTreeMap::new(),
        }
    }

    /// The id of the identity.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether there is the identity, as far as was told.
    pub const fn has_identity(&self) -> bool {
        self.identity.is_some()
    }

    /// What is news in the model. What is gone comes first, so that others can have its ports.
    pub fn update(&mut self, model: &DataModel) -> Vec<ServiceNews> {
        let mut news = Vec::new();
        let identity = model.identity(&self.id);
        let identity = identity.filter(|identity| !identity.is_disabled);
        let told = identity.map(tunnel_identity);
        if self.identity != told {
            news.push(ServiceNews::Identity(told.clone()));
            self.identity = told;
        }
        let services = match identity {
            Some(identity) => services(model, identity),
            None => BTreeMap::new(),
        };
        let gone = self.told.keys().filter(|id| !services.contains_key(*id));
        news.extend(gone.map(|id| ServiceNews::Gone(id.as_str().into())));
        let changed = services.iter();
        let changed = changed.filter(|(id, known)| self.told.get(*id) != Some(*known));
        news.extend(changed.map(|(id, known)| ServiceNews::Changed(Box::new(known.service(id)))));
        self.told = services;
        news
    }
}

fn services(model: &DataModel, identity: &Identity) -> BTreeMap<String, Known> {
    let granted = model.services_of(&identity.id).into_iter();
    granted
        .map(|granted| (granted.service.id.clone(), Known::new(&granted, identity)))
        .collect()
}

impl Known {
    fn new(granted: &IdentityService<'_>, identity: &Identity) -> Self {
        let service = granted.service;
        let gives = |kind| {
            let mut policies = granted.policies.iter();
            policies.any(|policy| policy.policy_type == kind)
        };
        let configs = granted.configs.iter().map(|one| {
            let json = one.config.data_json.expose().clone();
            (one.config_type.name.clone(), json)
        });
        let precedence = identity.service_hosting_precedences.get(&service.id);
        let cost = identity.service_hosting_costs.get(&service.id);
        Self {
            name: service.name.clone(),
            may_dial: gives(PolicyType::Dial),
            may_host: gives(PolicyType::Bind),
            is_encrypted: service.requires_encryption,
            configs: configs.collect(),
            terms: HostingTerms {
                precedence: precedence.map(|precedence| precedence_of(*precedence)),
                cost: cost.map(|cost| cost_of(*cost)),
            },
        }
    }

    fn service(&self, id: &str) -> Service {
        let configs = self.configs.iter().map(|(name, json)| {
            // What is no JSON is no configuration either, and told as one that lacks everything.
            let value = serde_json::from_str(json).unwrap_or(Value::Null);
            (name.clone(), value)
        });
        Service {
            may_dial: self.may_dial,
            may_host: self.may_host,
            is_encrypted: self.is_encrypted,
            configs: configs.collect(),
            terms: self.terms,
            ..Service::new(id, self.name.as_str())
        }
    }
}

fn tunnel_identity(identity: &Identity) -> TunnelIdentity {
    let data = identity.app_data_json.expose();
    let data: BTreeMap<String, Value> = serde_json::from_slice(data).unwrap_or_default();
    let data = data.into_iter().map(|(name, value)| {
        let text = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        (name, text)
    });
    TunnelIdentity {
        identity: TunnelerIdentity {
            name: identity.name.clone(),
            app_data: data.collect(),
        },
        terms: (
            precedence_of(identity.default_hosting_precedence),
            cost_of(identity.default_hosting_cost),
        ),
    }
}

const fn precedence_of(precedence: WirePrecedence) -> Precedence {
    match precedence {
        WirePrecedence::Required => Precedence::Required,
        WirePrecedence::Failed => Precedence::Failed,
        WirePrecedence::Default | WirePrecedence::Unrecognized(_) => Precedence::Default,
    }
}

fn cost_of(cost: u32) -> u16 {
    u16::try_from(cost).unwrap_or(u16::MAX)
}

//! A network in bulk: services with their configurations, edge routers, and policies about them.

use super::attributes::{carried, selectors};
use super::{Seed, mixed};
use portcullis_config_types::built_in;
use portcullis_domain::FieldError;
use portcullis_domain::config::{ConfigSpec, ConfigTypeSpec};
use portcullis_domain::ids::{ConfigId, ConfigTypeId, EntityId};
use portcullis_domain::managed::Managed;
use portcullis_domain::policies::{
    EdgeRouterPolicySpec, ServiceEdgeRouterPolicySpec, ServiceGrant, ServicePolicySpec,
};
use portcullis_domain::roles::{RoleAttributes, RoleSelectors, Semantic};
use portcullis_domain::router::{EdgeRouterSettings, RouterKind, RouterSpec};
use portcullis_domain::service::ServiceSpec;
use portcullis_storage::engine::{Engine as _, submit_with};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{RowsMut, StoredSpec};
use portcullis_system::SystemEntropy;
use serde_json::json;

/// How much of each kind there is.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct Model {
    /// Services; each has a configuration of its own.
    pub(in crate::bench) services: u64,
    /// Edge routers.
    pub(in crate::bench) routers: u64,
    /// Service policies.
    pub(in crate::bench) service_policies: u64,
    /// Edge-router policies.
    pub(in crate::bench) router_policies: u64,
    /// Service-edge-router policies.
    pub(in crate::bench) service_router_policies: u64,
}

/// The service that no policy is about.
pub(in crate::bench) const ALONE: &str = "alone";

/// Every how many policies one word of a pair is enough on the side of identities.
const GENEROUS: u64 = 5;
/// Every how many service policies one grants to bind.
const BINDING: u64 = 10;

impl Seed {
    /// Writes a network, apart from its identities.
    pub(in crate::bench) fn network(&self, model: Model) -> anyhow::Result<()> {
        let types = self.keep([self.config_type()])?;
        let configs = (0..model.services).zip(types.iter().cycle());
        let configs = self.keep(configs.map(|(number, kind)| config(number, kind)))?;
        let services = (0..).zip(configs).map(|(number, config)| {
            let attributes = carried(number)?;
            Ok(service(format!("service-{number}"), attributes, config))
        });
        self.keep(services.collect::<anyhow::Result<Vec<_>>>()?)?;
        self.keep([service(ALONE.to_owned(), RoleAttributes::default(), None)])?;
        let routers = (0..model.routers).map(router);
        self.keep(routers.collect::<Result<Vec<_>, _>>()?)?;
        let policies = (0..model.service_policies).map(service_policy);
        self.keep(policies.collect::<Result<Vec<_>, _>>()?)?;
        let policies = (0..model.router_policies).map(router_policy);
        self.keep(policies.collect::<Result<Vec<_>, _>>()?)?;
        let policies = (0..model.service_router_policies).map(service_router_policy);
        self.keep(policies.collect::<Result<Vec<_>, _>>()?)?;
        Ok(())
    }

    /// A type with the schema of a type that every network has.
    fn config_type(&self) -> ConfigTypeSpec {
        let mut types = built_in(self.now).into_iter();
        let intercept = types.find(|kind| kind.spec.name == "intercept.v1");
        ConfigTypeSpec {
            schema: intercept.and_then(|kind| kind.spec.schema),
            ..ConfigTypeSpec::named("bench.v1")
        }
    }

    /// Writes entities of one kind; answers their ids.
    fn keep<S: StoredSpec>(
        &self,
        specs: impl IntoIterator<Item = S>,
    ) -> anyhow::Result<Vec<S::Id>> {
        let made = specs.into_iter().map(|spec| {
            let key = RecordKey::root(S::KIND, self.engine.allocate(S::KIND));
            let id = S::Id::generate(&SystemEntropy)?;
            Ok((key, Managed::new(id, spec, self.now)?))
        });
        let made = made.collect::<anyhow::Result<Vec<(_, Managed<S::Id, S>)>>>()?;
        let ids = made.iter().map(|(_, entity)| entity.id.clone()).collect();
        let outcome = submit_with(&self.engine, move |tx| {
            let mut rows = RowsMut::new(tx);
            made.iter()
                .try_for_each(|(key, entity)| rows.insert(key, entity))
        })?;
        outcome.wait()??;
        Ok(ids)
    }
}

/// What tunnelers are told of a service, in size and shape.
fn config(number: u64, kind: &ConfigTypeId) -> ConfigSpec {
    let data = json!({
        "addresses": [format!("service-{number}.example.test")],
        "portRanges": [{ "high": 443, "low": 443 }],
        "protocols": ["tcp"]
    });
    ConfigSpec::new(
        format!("config-{number}"),
        kind.clone(),
        data.as_object().cloned().unwrap_or_default(),
    )
}

fn service(
    name: String,
    role_attributes: RoleAttributes,
    config: impl Into<Option<ConfigId>>,
) -> ServiceSpec {
    ServiceSpec {
        role_attributes,
        configs: config.into().into_iter().collect(),
        ..ServiceSpec::named(name)
    }
}

fn router(number: u64) -> Result<RouterSpec, FieldError> {
    let edge = EdgeRouterSettings {
        role_attributes: carried(number)?,
        ..EdgeRouterSettings::default()
    };
    Ok(RouterSpec {
        kind: RouterKind::Edge(edge),
        ..RouterSpec::edge_router(format!("router-{number}"))
    })
}

fn service_policy(number: u64) -> Result<ServicePolicySpec, FieldError> {
    let grant = if number.is_multiple_of(BINDING) {
        ServiceGrant::Bind
    } else {
        ServiceGrant::Dial
    };
    Ok(ServicePolicySpec {
        semantic: Semantic::AllOf,
        identity_roles: near(number)?,
        service_roles: far(number)?,
        ..ServicePolicySpec::new(format!("service-policy-{number}"), grant)
    })
}

fn router_policy(number: u64) -> Result<EdgeRouterPolicySpec, FieldError> {
    Ok(EdgeRouterPolicySpec {
        semantic: Semantic::AllOf,
        identity_roles: near(number)?,
        edge_router_roles: far(number)?,
        ..EdgeRouterPolicySpec::named(format!("edge-router-policy-{number}"))
    })
}

fn service_router_policy(number: u64) -> Result<ServiceEdgeRouterPolicySpec, FieldError> {
    Ok(ServiceEdgeRouterPolicySpec {
        semantic: Semantic::AllOf,
        service_roles: near(number)?,
        edge_router_roles: far(number)?,
        ..ServiceEdgeRouterPolicySpec::named(format!("service-edge-router-policy-{number}"))
    })
}

/// The side of a policy that stands first: a pair, or one of its words.
fn near<I: EntityId>(number: u64) -> Result<RoleSelectors<I>, FieldError> {
    let words = if number.is_multiple_of(GENEROUS) {
        1
    } else {
        2
    };
    RoleSelectors::new("roles", selectors(number).into_iter().take(words))
}

/// The other side: a pair that has nothing to do with the first one.
fn far<I: EntityId>(number: u64) -> Result<RoleSelectors<I>, FieldError> {
    RoleSelectors::new("roles", selectors(mixed(number) >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_storage::tables::{
        API_SESSION, CONFIG, IDENTITY, ROUTER, RecordCounts, SERVICE, SERVICE_POLICY,
    };

    #[test]
    fn network_and_its_members_are_in_the_store() {
        let home = tempfile::tempdir().unwrap();
        let seed = Seed::open(home.path()).unwrap();
        let model = Model {
            services: 60,
            routers: 10,
            service_policies: 20,
            router_policies: 5,
            service_router_policies: 4,
        };
        seed.network(model).unwrap();
        seed.members(0..100).unwrap();
        assert_eq!(seed.clients(3).unwrap().len(), 3);
        let snapshot = seed.engine.snapshot().unwrap();
        for (kind, count) in [
            (CONFIG, 60),
            (SERVICE, 61),
            (ROUTER, 10),
            (SERVICE_POLICY, 20),
            (IDENTITY, 103),
            (API_SESSION, 3),
        ] {
            assert_eq!(RecordCounts::expected(&*snapshot, kind).unwrap(), count);
        }
        assert_eq!(RecordCounts::verify(&*snapshot).unwrap(), []);
    }
}

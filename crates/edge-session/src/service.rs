//! Services that an identity may use.

use portcullis_api::service::{PostureQueries, ServiceDetail};
use portcullis_api::service_policy::PolicyType;
use portcullis_domain::config::JsonObject;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A service that the identity may dial or host.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    pub id: ServiceId,
    pub name: String,
    pub may_dial: bool,
    pub may_bind: bool,
    /// Whether both ends have to encrypt.
    pub encryption_required: bool,
    /// Configurations by the names of their types.
    pub configs: BTreeMap<Arc<str>, Arc<JsonObject>>,
    /// Posture checks by the policies that grant it.
    pub posture: Vec<PostureQueries>,
}

/// The services that an identity may use, as of one answer of the controller.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Services {
    by_name: BTreeMap<String, Arc<Service>>,
    by_id: BTreeMap<ServiceId, Arc<Service>>,
}

impl Service {
    pub fn allows(&self, grant: ServiceGrant) -> bool {
        match grant {
            ServiceGrant::Dial => self.may_dial,
            ServiceGrant::Bind => self.may_bind,
        }
    }
}

impl From<ServiceDetail> for Service {
    fn from(detail: ServiceDetail) -> Self {
        let permissions = detail.permissions.unwrap_or_default();
        Self {
            id: detail.base.id,
            name: detail.name,
            may_dial: permissions.contains(&PolicyType::Dial),
            may_bind: permissions.contains(&PolicyType::Bind),
            encryption_required: detail.encryption_required,
            configs: detail.config.unwrap_or_default(),
            posture: detail.posture_queries,
        }
    }
}

impl Services {
    pub fn get(&self, name: &str) -> Option<&Arc<Service>> {
        self.by_name.get(name)
    }

    pub fn by_id(&self, id: &ServiceId) -> Option<&Arc<Service>> {
        self.by_id.get(id)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Service>> {
        self.by_name.values()
    }

    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

impl FromIterator<Service> for Services {
    fn from_iter<I: IntoIterator<Item = Service>>(services: I) -> Self {
        let mut all = Self::default();
        for service in services {
            let service = Arc::new(service);
            all.by_id.insert(service.id.clone(), Arc::clone(&service));
            all.by_name.insert(service.name.clone(), service);
        }
        all
    }
}

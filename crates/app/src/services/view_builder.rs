//! Views of services for one identity.

use super::RequestedConfigTypes;
use crate::app::App;
use crate::configs;
use crate::error::AppError;
use crate::posture::PostureEvaluator;
use crate::records::{get_identity, own_session_key};
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::config::{Config, JsonObject};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ConfigId, ConfigTypeId};
use portcullis_domain::service::Service;
use portcullis_domain::view::ServiceView;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Builds views of services for one identity.
pub(crate) struct ServiceViewBuilder<'a> {
    app: &'a App,
    rows: Rows<'a>,
    identity: Found<Identity>,
    /// Evaluates posture checks against the session of the request, whichever identity the views
    /// are for.
    evaluator: PostureEvaluator<'a>,
    /// Config types given at login.
    config_types: Vec<String>,
    /// Configurations already read; services of a list often share them.
    config_cache: RefCell<BTreeMap<ConfigId, Arc<ConfigData>>>,
}

/// Data of a configuration with its type.
struct ConfigData {
    config_type: ConfigTypeId,
    type_name: Arc<str>,
    content: Arc<JsonObject>,
}

impl<'a> ServiceViewBuilder<'a> {
    pub(crate) fn for_caller(
        app: &'a App,
        rows: Rows<'a>,
        caller: &Caller,
    ) -> Result<Self, AppError> {
        let session: Option<Arc<ApiSession>> = rows.get_shared(&own_session_key(caller))?;
        Ok(Self {
            app,
            rows,
            identity: get_identity(rows, &caller.identity)?,
            evaluator: PostureEvaluator::for_caller(app, rows, caller)?,
            config_types: session
                .map(|session| session.config_types.clone())
                .unwrap_or_default(),
            config_cache: RefCell::default(),
        })
    }

    /// Builds views for another identity than the caller.
    pub(crate) fn for_identity(self, identity: Found<Identity>) -> Self {
        Self { identity, ..self }
    }

    /// The requested config types: those of the request, or else those given at login.
    pub(crate) fn requested_config_types(
        &self,
        rows: Rows<'_>,
        named: &[&str],
    ) -> Result<RequestedConfigTypes, StoreError> {
        if named.is_empty() {
            RequestedConfigTypes::resolve(rows, self.config_types.iter().map(String::as_str))
        } else {
            RequestedConfigTypes::resolve(rows, named.iter().copied())
        }
    }

    /// Builds the view of a service.
    pub(crate) fn build(
        &self,
        found: Found<Service>,
        requested: &RequestedConfigTypes,
    ) -> Result<ServiceView, AppError> {
        let number = found.number();
        let service = found.entity;
        let config = match requested {
            RequestedConfigTypes::Nothing => None,
            wanted => Some(self.config_data(&service, wanted)?),
        };
        let (grants, posture) =
            self.evaluator
                .evaluate_service(self.rows, self.identity.number(), number)?;
        Ok(ServiceView {
            grants: Some(grants),
            config,
            posture,
            service,
        })
    }

    /// Data of a service's configurations by type name. Configurations assigned to the identity
    /// take precedence over the service's own.
    fn config_data(
        &self,
        service: &Service,
        requested: &RequestedConfigTypes,
    ) -> Result<BTreeMap<Arc<str>, Arc<JsonObject>>, AppError> {
        let mut shown = BTreeMap::new();
        if requested.is_empty() {
            return Ok(shown);
        }
        let own = self.identity.entity.service_configs.get(&service.id);
        for id in service.spec.configs.iter().chain(own.into_iter().flatten()) {
            if let Some(config) = self.load_config(id)?
                && requested.includes(&config.config_type)
            {
                shown.insert(Arc::clone(&config.type_name), Arc::clone(&config.content));
            }
        }
        Ok(shown)
    }

    fn load_config(&self, id: &ConfigId) -> Result<Option<Arc<ConfigData>>, AppError> {
        if let Some(cached) = self.config_cache.borrow().get(id) {
            return Ok(Some(Arc::clone(cached)));
        }
        let Some(found) = configs::find(self.rows, id)? else {
            return Ok(None);
        };
        let config: Config = found.entity;
        let data = Arc::new(ConfigData {
            type_name: self.config_type_name(&config)?,
            config_type: config.spec.config_type,
            content: Arc::new(config.spec.data),
        });
        self.config_cache
            .borrow_mut()
            .insert(id.clone(), Arc::clone(&data));
        Ok(Some(data))
    }

    /// The name of a configuration's type. Its record, which contains a whole schema, is read only
    /// if the projection does not have it.
    fn config_type_name(&self, config: &Config) -> Result<Arc<str>, AppError> {
        let id = &config.spec.config_type;
        let catalog = self.app.require_lists()?.config_types();
        let known = catalog.slot_by_id(id.as_str());
        if let Some(name) = known.and_then(|slot| catalog.name(slot)) {
            return Ok(name.into());
        }
        drop(catalog);
        Ok(configs::type_of(self.rows, config)?.spec.name.into())
    }
}

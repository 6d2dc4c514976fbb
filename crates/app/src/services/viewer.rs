//! Services as one identity sees them.

use super::Wanted;
use crate::app::App;
use crate::configs;
use crate::error::AppError;
use crate::identities::find;
use crate::posture::Judge;
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::config::{Config, Object};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ConfigId, ConfigTypeId};
use portcullis_domain::service::Service;
use portcullis_domain::view::ServiceView;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whoever looks at services, as of one moment.
pub(crate) struct Viewer<'a> {
    app: &'a App,
    rows: Rows<'a>,
    identity: Found<Identity>,
    /// The session of the request: it is the one that posture checks are held against, whoever is
    /// looked for.
    judge: Judge<'a>,
    /// The types of configurations that were named at the login.
    config_types: Vec<String>,
    /// Configurations that were read: those of a list are often the same.
    read: RefCell<BTreeMap<ConfigId, Arc<Data>>>,
}

/// What a configuration says, and what kind of thing it is.
struct Data {
    kind: ConfigTypeId,
    name: Arc<str>,
    content: Arc<Object>,
}

impl<'a> Viewer<'a> {
    /// The caller.
    pub(crate) fn of_caller(
        app: &'a App,
        rows: Rows<'a>,
        caller: &Caller,
    ) -> Result<Self, AppError> {
        let session: Option<ApiSession> = rows.get(&crate::sessions::own_key(caller))?;
        Ok(Self {
            app,
            rows,
            identity: find(rows, &caller.identity)?,
            judge: Judge::of_caller(app, rows, caller)?,
            config_types: session
                .map(|session| session.config_types)
                .unwrap_or_default(),
            read: RefCell::default(),
        })
    }

    /// The same viewer in the place of another identity.
    pub(crate) fn become_other(self, identity: Found<Identity>) -> Self {
        Self { identity, ..self }
    }

    /// Types that are wanted: those that a request names, or else those that were named at the login.
    pub(crate) fn wanted(&self, rows: Rows<'_>, named: &[&str]) -> Result<Wanted, StoreError> {
        if named.is_empty() {
            Wanted::read(rows, self.config_types.iter().map(String::as_str))
        } else {
            Wanted::read(rows, named.iter().copied())
        }
    }

    /// Puts a service together with what it is to the viewer.
    pub(crate) fn look(
        &self,
        found: Found<Service>,
        wanted: &Wanted,
    ) -> Result<ServiceView, AppError> {
        let number = found.number();
        let service = found.entity;
        let config = match wanted {
            Wanted::Nothing => None,
            wanted => Some(self.config(&service, wanted)?),
        };
        let (grants, posture) = self
            .judge
            .stand(self.rows, self.identity.number(), number)?;
        Ok(ServiceView {
            grants: Some(grants),
            config,
            posture,
            service,
        })
    }

    /// What the configurations of a service say, by the names of their types. Those that the viewer is
    /// shown stand before the service's own.
    fn config(
        &self,
        service: &Service,
        wanted: &Wanted,
    ) -> Result<BTreeMap<Arc<str>, Arc<Object>>, AppError> {
        let mut shown = BTreeMap::new();
        if wanted.is_empty() {
            return Ok(shown);
        }
        let own = self.identity.entity.service_configs.get(&service.id);
        for id in service.spec.configs.iter().chain(own.into_iter().flatten()) {
            if let Some(config) = self.data(id)?
                && wanted.includes(&config.kind)
            {
                shown.insert(Arc::clone(&config.name), Arc::clone(&config.content));
            }
        }
        Ok(shown)
    }

    fn data(&self, id: &ConfigId) -> Result<Option<Arc<Data>>, AppError> {
        if let Some(read) = self.read.borrow().get(id) {
            return Ok(Some(Arc::clone(read)));
        }
        let Some(found) = configs::find_if_any(self.rows, id)? else {
            return Ok(None);
        };
        let config: Config = found.entity;
        let data = Arc::new(Data {
            name: self.name_of_kind(&config)?,
            kind: config.spec.config_type,
            content: Arc::new(config.spec.data),
        });
        self.read.borrow_mut().insert(id.clone(), Arc::clone(&data));
        Ok(Some(data))
    }

    /// The name of the type of a configuration. The record is read where the read model does not know
    /// the type any more, or not yet: it holds a whole schema.
    fn name_of_kind(&self, config: &Config) -> Result<Arc<str>, AppError> {
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

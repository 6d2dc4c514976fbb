//! Service configs of an identity: configs that it sees in place of a service's own.

use super::update::update_identity;
use super::{Read, Update};
use crate::app::App;
use crate::configs;
use crate::error::AppError;
use crate::managed;
use crate::records::get_identity;
use crate::services::get_edge_service;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::config::{ConfigSpec, ConfigTarget};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ConfigId, ConfigTypeId, IdentityId, ServiceId};
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::view::{NamedRef, ServiceConfigView};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;
use std::collections::BTreeSet;

/// A service and the config shown with it.
pub type Assignment = (ServiceId, ConfigId);

/// Reads the service configs of an identity.
pub fn service_configs(
    app: &App,
    _permit: &Permit<Read>,
    id: &IdentityId,
) -> Result<Vec<ServiceConfigView>, AppError> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let identity = get_identity(rows, id)?.entity;
    let mut views = Vec::new();
    for (service, configs) in &identity.service_configs {
        let service = managed::get::<ServiceSpec>(rows, service).map_err(lost)?;
        for config in configs {
            let config = managed::get::<ConfigSpec>(rows, config).map_err(lost)?;
            views.push(ServiceConfigView {
                service: NamedRef::from(&service.entity),
                config: NamedRef::from(&config.entity),
            });
        }
    }
    Ok(views)
}

/// Assigns service configs to an identity. A config replaces another one of the same type.
///
/// # Errors
///
/// "Not found" for entities that do not exist; [`AppError::Field`] for a config that does not apply
/// to services.
pub async fn assign_service_configs(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    assigned: Vec<Assignment>,
) -> Result<(), AppError> {
    let now = app.env().now();
    update_identity(
        app,
        permit,
        id,
        "identity.assign-service-configs",
        move |rows, identity, _caller| {
            for (service, config) in &assigned {
                assign(rows, identity, service, config)?;
            }
            identity.updated_at = now;
            Ok(())
        },
    )
    .await
}

/// Withdraws service configs of an identity; all of them for an empty list. Unassigned ones are
/// ignored.
pub async fn withdraw_service_configs(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    withdrawn: Vec<Assignment>,
) -> Result<(), AppError> {
    let now = app.env().now();
    update_identity(
        app,
        permit,
        id,
        "identity.withdraw-service-configs",
        move |_rows, identity, _caller| {
            if withdrawn.is_empty() {
                identity.service_configs.clear();
            }
            for (service, config) in &withdrawn {
                if let Some(configs) = identity.service_configs.get_mut(service) {
                    configs.remove(config);
                }
            }
            identity
                .service_configs
                .retain(|_service, configs| !configs.is_empty());
            identity.updated_at = now;
            Ok(())
        },
    )
    .await
}

fn assign(
    rows: Rows<'_>,
    identity: &mut Identity,
    service: &ServiceId,
    config: &ConfigId,
) -> Result<(), AppError> {
    get_edge_service(rows, service)?;
    let kind = type_of(rows, config)?;
    let mut remaining = BTreeSet::from([config.clone()]);
    for other in identity.service_configs.get(service).into_iter().flatten() {
        if type_of(rows, other)? != kind {
            remaining.insert(other.clone());
        }
    }
    identity.service_configs.insert(service.clone(), remaining);
    Ok(())
}

/// The config type of a config for services.
fn type_of(rows: Rows<'_>, id: &ConfigId) -> Result<ConfigTypeId, AppError> {
    let found = configs::find(rows, id)?;
    let found = found.ok_or_else(|| AppError::not_found("config", id.as_str()))?;
    let kind = configs::type_of(rows, &found.entity)?;
    if kind.spec.target == ConfigTarget::Service {
        Ok(kind.id)
    } else {
        let reason = format!(
            "is of a config type that applies to {}, not to services",
            kind.spec.target.name()
        );
        Err(FieldError::new("configId", reason, id.as_str()).into())
    }
}

/// Referenced entities cannot be deleted, so a missing one is damage.
fn lost(error: AppError) -> AppError {
    match error {
        AppError::NotFound { kind, id } => {
            StoreError::corrupt(format!("{kind} {id} of an identity is missing")).into()
        },
        error => error,
    }
}

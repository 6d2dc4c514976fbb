//! Configurations that an identity is shown with services in the place of the services' own.

use super::update::change;
use super::{Read, Update, find};
use crate::app::App;
use crate::configs;
use crate::error::AppError;
use crate::managed;
use crate::services::find_of_the_edge;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::config::{ConfigSpec, Target};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ConfigId, ConfigTypeId, IdentityId, ServiceId};
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::view::{Named, ServiceConfigView};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::Rows;
use std::collections::BTreeSet;

/// A service, and the configuration that is shown with it.
pub type Assignment = (ServiceId, ConfigId);

/// Reads what an identity is shown.
pub fn service_configs(
    app: &App,
    _permit: &Permit<Read>,
    id: &IdentityId,
) -> Result<Vec<ServiceConfigView>, AppError> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let identity = find(rows, id)?.entity;
    let mut shown = Vec::new();
    for (service, configs) in &identity.service_configs {
        let service = managed::find::<ServiceSpec>(rows, service).map_err(lost)?;
        for config in configs {
            let config = managed::find::<ConfigSpec>(rows, config).map_err(lost)?;
            shown.push(ServiceConfigView {
                service: Named::from(&service.entity),
                config: Named::from(&config.entity),
            });
        }
    }
    Ok(shown)
}

/// Shows an identity configurations in the place of those of services. One takes the place of another
/// of the same type.
///
/// # Errors
///
/// "Not found" for what does not exist; a fault of `configId` for what is no configuration of services.
pub async fn assign_service_configs(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    assigned: Vec<Assignment>,
) -> Result<(), AppError> {
    let now = app.env().now();
    change(
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

/// Takes back what an identity is shown; all of it, if nothing is named. What it is not shown is passed
/// over.
pub async fn withdraw_service_configs(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    withdrawn: Vec<Assignment>,
) -> Result<(), AppError> {
    let now = app.env().now();
    change(
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
    find_of_the_edge(rows, service)?;
    let kind = type_of(rows, config)?;
    let mut kept = BTreeSet::from([config.clone()]);
    for other in identity.service_configs.get(service).into_iter().flatten() {
        if type_of(rows, other)? != kind {
            kept.insert(other.clone());
        }
    }
    identity.service_configs.insert(service.clone(), kept);
    Ok(())
}

/// The type of a configuration of services.
fn type_of(rows: Rows<'_>, id: &ConfigId) -> Result<ConfigTypeId, AppError> {
    let found = configs::find_if_any(rows, id)?;
    let found = found.ok_or_else(|| AppError::not_found("config", id.as_str()))?;
    let kind = configs::type_of(rows, &found.entity)?;
    if kind.spec.target == Target::Service {
        Ok(kind.id)
    } else {
        let reason = format!(
            "is of a config type that applies to {}, not to services",
            kind.spec.target.name()
        );
        Err(FieldError::new("configId", reason, id.as_str()).into())
    }
}

/// What an identity names exists as long as it does, so its absence is damage.
fn lost(error: AppError) -> AppError {
    match error {
        AppError::NotFound { kind, id } => {
            StoreError::corrupt(format!("{kind} {id} of an identity is lost")).into()
        },
        error => error,
    }
}

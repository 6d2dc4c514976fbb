//! Configurations of services and routers, and their types.

use crate::app::App;
use crate::error::{AppError, Referrer, still_referenced};
use crate::managed::{Entity, Resource, ViewContext, Writable, get};
use portcullis_config_types::{Schema, built_in};
use portcullis_domain::FieldError;
use portcullis_domain::audit::Actor;
use portcullis_domain::config::{
    Config, ConfigSpec, ConfigSpecPatch, ConfigTarget, ConfigType, ConfigTypeSpec,
    ConfigTypeSpecPatch, JsonObject,
};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ConfigId, ConfigTypeId};
use portcullis_domain::permission::Subject;
use portcullis_domain::view::{ConfigView, NamedRef};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{CONFIG, CONFIG_TYPE, Found, IDENTITY, Rows, reference};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

impl Writable for ConfigTypeSpec {}

impl Resource for ConfigTypeSpec {
    const SUBJECT: Subject = Subject::ConfigType;
    type View = ConfigType;

    fn build_view(
        _beside: ViewContext<'_>,
        found: Found<ConfigType>,
    ) -> Result<ConfigType, AppError> {
        Ok(found.entity)
    }

    fn prepare(
        _rows: Rows<'_>,
        _id: Option<&ConfigTypeId>,
        spec: &mut Self,
    ) -> Result<(), AppError> {
        compile(spec.schema.as_ref()).map(|_schema| ())
    }

    fn prepare_patch(
        _rows: Rows<'_>,
        _id: &ConfigTypeId,
        patch: &mut ConfigTypeSpecPatch,
    ) -> Result<(), AppError> {
        compile(patch.schema.as_ref()).map(|_schema| ())
    }

    fn validate_removal(rows: Rows<'_>, found: &Found<ConfigType>) -> Result<(), AppError> {
        let Some(key) = rows.referrers(&found.key, CONFIG, 1)?.into_iter().next() else {
            return Ok(());
        };
        let config: Config = rows
            .get(&key)?
            .ok_or_else(|| StoreError::corrupt(format!("config {key} is missing")))?;
        let by = Referrer {
            kind: "config",
            id: config.id.as_str(),
            name: &config.spec.name,
        };
        Err(AppError::InUse(still_referenced(
            "config type",
            "config",
            by,
        )))
    }
}

impl Writable for ConfigSpec {}

impl Resource for ConfigSpec {
    const SUBJECT: Subject = Subject::Config;
    type View = ConfigView;

    fn build_view(context: ViewContext<'_>, found: Found<Config>) -> Result<ConfigView, AppError> {
        let config = found.entity;
        let config_type = NamedRef::from(&type_of(context.rows, &config)?);
        Ok(ConfigView {
            config,
            config_type,
        })
    }

    fn prepare(rows: Rows<'_>, id: Option<&ConfigId>, spec: &mut Self) -> Result<(), AppError> {
        if let Some(id) = id {
            spec.config_type = get::<Self>(rows, id)?.entity.spec.config_type;
        }
        let Some(kind) = rows.find::<ConfigType>(&reference(&spec.config_type))? else {
            let reason = "no config type with this id exists; list them with GET config-types";
            let id = spec.config_type.as_str();
            return Err(FieldError::new("type", reason, id).into());
        };
        spec.data = normalize(&kind.entity, &spec.data)?;
        Ok(())
    }

    fn prepare_patch(
        rows: Rows<'_>,
        id: &ConfigId,
        patch: &mut ConfigSpecPatch,
    ) -> Result<(), AppError> {
        if let Some(data) = &mut patch.data {
            let config = get::<Self>(rows, id)?.entity;
            *data = normalize(&type_of(rows, &config)?, data)?;
        }
        Ok(())
    }

    /// Services and routers are unlinked from it. Identities that override a service's
    /// configuration with it prevent the removal.
    fn validate_removal(rows: Rows<'_>, found: &Found<Config>) -> Result<(), AppError> {
        let Some(key) = rows.referrers(&found.key, IDENTITY, 1)?.into_iter().next() else {
            return Ok(());
        };
        let identity: Identity = rows
            .get(&key)?
            .ok_or_else(|| StoreError::corrupt(format!("identity {key} is missing")))?;
        let by = Referrer {
            kind: "identity",
            id: identity.id.as_str(),
            name: identity.spec.name.as_str(),
        };
        Err(AppError::InUse(still_referenced("config", "identity", by)))
    }
}

/// Creates the built-in types if the store has no types at all, which is the case for a new store.
/// Later changes and deletions by administrators are kept.
///
/// # Errors
///
/// [`AppError`] when the store fails.
pub async fn ensure_built_in(app: &App) -> Result<(), AppError> {
    let missing = {
        let view = app.snapshot()?;
        missing_built_in(app, view.rows())?
    };
    if missing.is_empty() {
        return Ok(());
    }
    app.commit(Actor::controller(), move |rows| {
        for (key, kind) in &missing {
            rows.insert(key, kind)?;
        }
        Ok::<_, AppError>(())
    })
    .await
}

fn missing_built_in(app: &App, rows: Rows<'_>) -> Result<Vec<(RecordKey, ConfigType)>, StoreError> {
    let mut has_any = false;
    rows.for_each_in::<ConfigType>(&RecordKey::all(CONFIG_TYPE), &mut |_one| {
        has_any = true;
        Ok(ControlFlow::Break(()))
    })?;
    if has_any {
        return Ok(Vec::new());
    }
    let numbered = |kind| {
        (
            RecordKey::root(CONFIG_TYPE, app.next_number(CONFIG_TYPE).0),
            kind,
        )
    };
    Ok(built_in(app.env().now())
        .into_iter()
        .map(numbered)
        .collect())
}

/// The type of a configuration, which cannot be removed while it is used.
pub(crate) fn type_of(rows: Rows<'_>, config: &Config) -> Result<ConfigType, StoreError> {
    rows.find(&reference(&config.spec.config_type))?
        .map(|found| found.entity)
        .ok_or_else(|| StoreError::corrupt("the type of a configuration is missing"))
}

fn normalize(kind: &ConfigType, data: &JsonObject) -> Result<JsonObject, AppError> {
    Ok(compile(kind.spec.schema.as_ref())?.validate(data)?)
}

fn compile(schema: Option<&JsonObject>) -> Result<Schema, AppError> {
    Ok(schema.map_or(Ok(Schema::ANY), Schema::compile)?)
}

/// Validates that the configurations of an entity exist, apply to such entities, and are of
/// distinct types.
///
/// # Errors
///
/// "Not found" for one that does not exist; a [`FieldError`] for `configs` otherwise.
pub(crate) fn validate_configs<'c>(
    rows: Rows<'_>,
    configs: impl IntoIterator<Item = &'c ConfigId>,
    target: ConfigTarget,
) -> Result<(), AppError> {
    let mut types: BTreeMap<ConfigTypeId, &ConfigId> = BTreeMap::new();
    for id in configs {
        let config: Option<Found<Config>> = rows.find(&reference(id))?;
        // Clients expect this noun.
        let config = config.ok_or_else(|| AppError::not_found("config", id.as_str()))?;
        let kind = type_of(rows, &config.entity)?;
        if kind.spec.target != target {
            let reason = format!(
                "is of type {}, which applies to {}; expected a type that applies to {}",
                kind.spec.name,
                kind.spec.target.name(),
                target.name()
            );
            return Err(FieldError::new("configs", reason, id.as_str()).into());
        }
        if let Some(other) = types.insert(kind.id, id) {
            let name = kind.spec.name;
            let reason =
                format!("only one config of type {name} is allowed, and {other} already is one");
            return Err(FieldError::new("configs", reason, id.as_str()).into());
        }
    }
    Ok(())
}

/// Finds a configuration by id.
pub(crate) fn find(
    rows: Rows<'_>,
    id: &ConfigId,
) -> Result<Option<Found<Entity<ConfigSpec>>>, StoreError> {
    rows.find(&reference(id))
}

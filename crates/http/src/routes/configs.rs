//! Configurations and their types.

use super::managed::{self, Replacement, ResourceBodies};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::config::{ConfigCreate, ConfigDetail, ConfigPatch, ConfigUpdate};
use portcullis_api::config_type::{
    ConfigTypeCreate, ConfigTypeDetail, ConfigTypePatch, ConfigTypeUpdate,
};
use portcullis_app::App;
use portcullis_domain::config::{ConfigSpec, ConfigSpecPatch, ConfigTypeSpec, ConfigTypeSpecPatch};
use portcullis_domain::ids::ConfigTypeId;

pub(super) fn routes() -> Vec<Route> {
    let mut routes = managed::routes::<ConfigSpec>();
    routes.extend(managed::routes::<ConfigTypeSpec>());
    routes
}

impl ResourceBodies for ConfigSpec {
    type Spec = Self;
    type CreateBody = ConfigCreate;
    type UpdateBody = ConfigUpdate;
    type PatchBody = ConfigPatch;
    type Detail = ConfigDetail;

    fn from_create(_app: &App, body: ConfigCreate) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn from_update(body: ConfigUpdate) -> Result<Replacement<Self>, ApiError> {
        // The type never changes: the one in the body is ignored.
        Ok(Replacement::Full(body.spec(ConfigTypeId::from_wire(""))))
    }

    fn to_patch(body: ConfigPatch) -> Result<ConfigSpecPatch, ApiError> {
        Ok(body.into())
    }
}

impl ResourceBodies for ConfigTypeSpec {
    type Spec = Self;
    type CreateBody = ConfigTypeCreate;
    type UpdateBody = ConfigTypeUpdate;
    type PatchBody = ConfigTypePatch;
    type Detail = ConfigTypeDetail;

    fn from_create(_app: &App, body: ConfigTypeCreate) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn from_update(body: ConfigTypeUpdate) -> Result<Replacement<Self>, ApiError> {
        Ok(Replacement::Full(body.into()))
    }

    fn to_patch(body: ConfigTypePatch) -> Result<ConfigTypeSpecPatch, ApiError> {
        Ok(body.into())
    }
}

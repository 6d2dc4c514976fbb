//! Configurations and their types.

use super::managed::{self, Edge, Replaced, Served, Shaped};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::config::{ConfigCreate, ConfigDetail, ConfigMerge, ConfigReplace};
use portcullis_api::config_type::{
    ConfigTypeCreate, ConfigTypeDetail, ConfigTypeMerge, ConfigTypeReplace,
};
use portcullis_app::listing::{Schema, kinds};
use portcullis_domain::config::{ConfigPatch, ConfigSpec, ConfigTypePatch, ConfigTypeSpec};
use portcullis_domain::ids::ConfigTypeId;

pub(super) fn routes() -> Vec<Route> {
    let mut routes = managed::routes::<ConfigSpec, Edge>();
    routes.extend(managed::routes::<ConfigTypeSpec, Edge>());
    routes
}

impl Served for ConfigSpec {
    const COLLECTION: &'static str = "configs";
    const ALL: &'static str = "/configs";
    const ONE: &'static str = "/configs/{id}";
    const SYMBOLS: &'static Schema = &kinds::CONFIGS;
}

impl Shaped for ConfigSpec {
    type Creation = ConfigCreate;
    type Replacement = ConfigReplace;
    type Merge = ConfigMerge;
    type Detail = ConfigDetail;

    fn created(body: ConfigCreate) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn replaced(body: ConfigReplace) -> Result<Replaced<Self>, ApiError> {
        // Its type never changes: whatever is said here gives way to the one that it has.
        Ok(Replaced::Whole(body.spec(ConfigTypeId::from_wire(""))))
    }

    fn merged(body: ConfigMerge) -> Result<ConfigPatch, ApiError> {
        Ok(body.into())
    }
}

impl Served for ConfigTypeSpec {
    const COLLECTION: &'static str = "config-types";
    const ALL: &'static str = "/config-types";
    const ONE: &'static str = "/config-types/{id}";
    const SYMBOLS: &'static Schema = &kinds::CONFIG_TYPES;
}

impl Shaped for ConfigTypeSpec {
    type Creation = ConfigTypeCreate;
    type Replacement = ConfigTypeReplace;
    type Merge = ConfigTypeMerge;
    type Detail = ConfigTypeDetail;

    fn created(body: ConfigTypeCreate) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn replaced(body: ConfigTypeReplace) -> Result<Replaced<Self>, ApiError> {
        Ok(Replaced::Whole(body.into()))
    }

    fn merged(body: ConfigTypeMerge) -> Result<ConfigTypePatch, ApiError> {
        Ok(body.into())
    }
}

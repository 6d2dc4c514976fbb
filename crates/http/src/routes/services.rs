//! Services, as administrators have them.

use super::managed::{self, Served};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_api::service::{
    ServiceCreate, ServiceDetail, ServiceMerge, ServiceReplace, UnknownStrategy,
};
use portcullis_app::listing::{Schema, kinds};
use portcullis_domain::service::{ServicePatch, ServiceSpec};

pub(super) fn routes() -> Vec<Route> {
    managed::routes::<ServiceSpec>()
}

impl Served for ServiceSpec {
    const COLLECTION: &'static str = "services";
    const ALL: &'static str = "/services";
    const ONE: &'static str = "/services/{id}";
    const SYMBOLS: &'static Schema = &kinds::SERVICES;
    type Creation = ServiceCreate;
    type Replacement = ServiceReplace;
    type Merge = ServiceMerge;
    type Detail = ServiceDetail;

    fn created(body: ServiceCreate) -> Result<Self, ApiError> {
        body.spec().map_err(unknown_strategy)
    }

    fn replaced(body: ServiceReplace) -> Result<Self, ApiError> {
        body.0.spec().map_err(unknown_strategy)
    }

    fn merged(body: ServiceMerge) -> Result<ServicePatch, ApiError> {
        body.patch().map_err(unknown_strategy)
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "an error is given away when it becomes another one"
)]
fn unknown_strategy(error: UnknownStrategy) -> ApiError {
    ApiError::new(Code::NotFound).because(Cause::text(error.to_string()))
}

//! Terminators.

use super::managed::{self, Edge, Replaced, Served, Shaped};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::terminator::{
    TerminatorCreate, TerminatorDetail, TerminatorMerge, TerminatorReplace,
};
use portcullis_app::listing::{Schema, kinds};
use portcullis_domain::terminator::{TerminatorPatch, TerminatorSpec};

pub(super) fn routes() -> Vec<Route> {
    managed::routes::<TerminatorSpec, Edge>()
}

impl Served for TerminatorSpec {
    const COLLECTION: &'static str = "terminators";
    const ALL: &'static str = "/terminators";
    const ONE: &'static str = "/terminators/{id}";
    const SYMBOLS: &'static Schema = &kinds::TERMINATORS;
}

impl Shaped for TerminatorSpec {
    type Creation = TerminatorCreate;
    type Replacement = TerminatorReplace;
    type Merge = TerminatorMerge;
    type Detail = TerminatorDetail;

    fn created(body: TerminatorCreate) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn replaced(body: TerminatorReplace) -> Result<Replaced<Self>, ApiError> {
        // Which instance it is never changes: whatever is said here gives way to what it is.
        Ok(Replaced::Whole(body.spec(String::new())))
    }

    fn merged(body: TerminatorMerge) -> Result<TerminatorPatch, ApiError> {
        Ok(body.into())
    }
}

//! Terminators on the fabric.

use super::woven::{self, Change, Woven};
use crate::error::ApiError;
use crate::route::Route;
use portcullis_api::fabric::terminator::{TerminatorBody, TerminatorDetail, TerminatorPart};
use portcullis_domain::terminator::{TerminatorPatch, TerminatorSpec};

pub(super) fn routes() -> Vec<Route> {
    woven::routes::<TerminatorSpec>()
}

impl Woven for TerminatorSpec {
    type Body = TerminatorBody;
    type Part = TerminatorPart;
    type Shape = TerminatorDetail;

    fn made(body: TerminatorBody) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn remade(body: TerminatorBody) -> Result<Change<Self>, ApiError> {
        Ok(Change::Whole(body.into()))
    }

    fn mended(part: TerminatorPart) -> Result<TerminatorPatch, ApiError> {
        Ok(part.into())
    }
}

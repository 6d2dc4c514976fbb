//! Terminators on the fabric.

use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::route::{Answers, Call, Route, guarded};
use crate::routes::managed::{self, Fabric, Replaced, Shaped};
use http::Method;
use portcullis_api::fabric::terminator::{TerminatorBody, TerminatorDetail, TerminatorPart};
use portcullis_app::listing::kinds;
use portcullis_app::managed::{OnFabric, Read};
use portcullis_app::related::{self, Reference};
use portcullis_domain::access::Permit;
use portcullis_domain::terminator::{TerminatorPatch, TerminatorSpec};

pub(super) fn routes() -> Vec<Route> {
    managed::routes::<TerminatorSpec, Fabric>()
}

/// The terminators that refer to the entity in the path.
pub(super) fn of(path: &'static str, reference: Reference) -> Route {
    type Reading = OnFabric<Read<TerminatorSpec>>;
    let list = move |call: Call<Permit<Reading>, Paged>| async move {
        list::answer(call, &kinds::TERMINATORS, move |call, asked, show| {
            let app = &call.context.state.app;
            let of = (reference, call.context.id());
            related::list_referring::<TerminatorSpec>(app, &call.permit, asked, of, &mut |view| {
                show(TerminatorDetail::from(view))
            })
        })
        .await
    };
    guarded::<Reading, Paged, _, _>(Method::GET, path, list)
        .answers(Answers::list::<TerminatorDetail>())
}

impl Shaped<Fabric> for TerminatorSpec {
    type Creation = TerminatorBody;
    type Replacement = TerminatorBody;
    type Merge = TerminatorPart;
    type Detail = TerminatorDetail;

    fn created(body: TerminatorBody) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn replaced(body: TerminatorBody) -> Result<Replaced<Self>, ApiError> {
        Ok(Replaced::Whole(body.into()))
    }

    fn merged(part: TerminatorPart) -> Result<TerminatorPatch, ApiError> {
        Ok(part.into())
    }
}

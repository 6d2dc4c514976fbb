//! Lists of kinds that have no members yet.
//!
//! SDKs ask for them when they start. They go the ordinary way of a list: parameters are read
//! against the symbols of the kind, and a filter that makes no sense is refused.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{Paged, parameters};
use crate::path::Api;
use crate::query::Query;
use crate::route::{Call, Route, guarded};
use http::Method;
use portcullis_app::listing::{self, Schema, kinds};
use portcullis_app::routers::ReadOwnRouters;
use portcullis_domain::access::Permit;
use portcullis_domain::view::Page;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadOwnRouters, Paged, _, _>(
            Method::GET,
            "/current-identity/edge-routers",
            own_routers,
        )
        .only(&[Api::Client]),
    ]
}

async fn own_routers(call: Call<Permit<ReadOwnRouters>, Paged>) -> Result<Answer, ApiError> {
    empty(&kinds::EDGE_ROUTERS, &call.context.query)
}

fn empty(schema: &'static Schema, query: &Query) -> Result<Answer, ApiError> {
    let listing = listing::read(schema, &parameters(query))?;
    let page: Page<()> = listing::nothing(&listing);
    Ok(Answer::list(page, schema))
}

//! Lists of kinds that have no members yet.
//!
//! SDKs ask for them when they start. They go the ordinary way of a list: parameters are read
//! against the symbols of the kind, and a filter that makes no sense is refused.

use crate::answer::Answer;
use crate::desk::{Desk, Requester};
use crate::error::ApiError;
use crate::path::Api;
use crate::query::Query;
use crate::route::{Call, Ignored, Route, guarded, open};
use http::Method;
use portcullis_app::listing::{self, Parameters, Schema, kinds};
use portcullis_app::services::{ReadOwnRouters, ReadOwnServices, ReadServices};
use portcullis_app::{App, AppError};
use portcullis_domain::access::Permit;
use portcullis_domain::view::Page;
use std::time::Duration;

/// The longest that a list waits for the read model.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadOwnServices, Ignored, _, _>(Method::GET, "/services", own_services)
            .only(&[Api::Client]),
        guarded::<ReadServices, Ignored, _, _>(Method::GET, "/services", services)
            .only(&[Api::Management]),
        guarded::<ReadOwnRouters, Ignored, _, _>(
            Method::GET,
            "/current-identity/edge-routers",
            own_routers,
        )
        .only(&[Api::Client]),
        open::<Ignored, _, _>(Method::GET, "/external-jwt-signers", signers).only(&[Api::Client]),
    ]
}

async fn own_services(call: Call<Permit<ReadOwnServices>, Ignored>) -> Result<Answer, ApiError> {
    empty(&kinds::SERVICES, &call.context.query)
}

async fn services(call: Call<Permit<ReadServices>, Ignored>) -> Result<Answer, ApiError> {
    empty(&kinds::SERVICES, &call.context.query)
}

async fn own_routers(call: Call<Permit<ReadOwnRouters>, Ignored>) -> Result<Answer, ApiError> {
    empty(&kinds::EDGE_ROUTERS, &call.context.query)
}

async fn signers(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    empty(&kinds::EXTERNAL_JWT_SIGNERS, &call.context.query)
}

fn empty(schema: &'static Schema, query: &Query) -> Result<Answer, ApiError> {
    let listing = listing::read(schema, &parameters(query))?;
    let page: Page<()> = listing::nothing(&listing);
    Ok(Answer::list(page, schema))
}

/// Waits a while for the read model, which is built in the first moments after a start.
///
/// # Errors
///
/// 503 when that takes longer than a client is to wait.
pub(super) async fn ready(app: &App) -> Result<(), ApiError> {
    tokio::time::timeout(PATIENCE, app.lists_ready())
        .await
        .map_err(|_elapsed| AppError::NotReady.into())
}

/// Where lists are worked out: four at a time in this process, and 64 more wait.
static DESK: Desk = Desk::new(4, 64);

/// Works out a list away from the threads that serve connections: a filter may have to look at
/// every record there is, unless the requester is gone meanwhile.
pub(super) async fn work_out(
    list: impl FnOnce(&Requester) -> Result<Answer, ApiError> + Send + 'static,
) -> Result<Answer, ApiError> {
    DESK.work(list).await
}

/// The parameters of a list, as they stand in the query.
pub(super) fn parameters(query: &Query) -> Parameters<'_> {
    Parameters {
        filter: query.get("filter"),
        limit: query.get("limit"),
        offset: query.get("offset"),
        sort: query.get("sort"),
    }
}

//! Links and circuits. None exist, since no routers are connected yet.

use crate::error::ApiError;
use crate::list::{ListPayload, parameters};
use crate::response::ApiResponse;
use crate::route::{
    Call, Json, NoBody, OptionalJson, Payload, RequestContext, ResponseSpec, Route, guarded,
};
use http::{Method, StatusCode};
use portcullis_api::envelope::{Empty, ListEnvelope};
use portcullis_api::fabric::link::{CircuitDelete, LinkPatch};
use portcullis_app::AppError;
use portcullis_app::fabric::{self, Delete, Read, Update};
use portcullis_app::listing::{Schema, kinds};
use portcullis_domain::access::{Action, Permit};
use std::future::{Ready, ready};

pub(super) fn routes() -> Vec<Route> {
    const LINK: (&str, &str) = ("/links/{id}", "link");
    const CIRCUIT: (&str, &str) = ("/circuits/{id}", "circuit");
    vec![
        list("/links", &kinds::LINKS),
        not_found_route::<Read, NoBody>(Method::GET, LINK),
        not_found_route::<Update, Json<LinkPatch>>(Method::PATCH, LINK),
        not_found_route::<Delete, NoBody>(Method::DELETE, LINK),
        list("/circuits", &kinds::CIRCUITS),
        not_found_route::<Read, NoBody>(Method::GET, CIRCUIT),
        not_found_route::<Delete, OptionalJson<CircuitDelete>>(Method::DELETE, CIRCUIT),
    ]
}

/// A list without entries. The symbols of entities that are kept in memory are not listed.
fn list(path: &'static str, schema: &'static Schema) -> Route {
    let handler =
        move |call: Call<Permit<Read>, ListPayload>| -> Ready<Result<ApiResponse, ApiError>> {
            let page = fabric::empty_page(schema, &parameters(&call.context.query));
            ready(page.map_err(ApiError::from).map(|paging| {
                ApiResponse::complete_list(&ListEnvelope::<()>::new(
                    paging.into_page(Vec::<()>::new()),
                    [],
                ))
            }))
        };
    guarded::<Read, ListPayload, _, _>(Method::GET, path, handler)
        .responds(ResponseSpec::list::<Empty>())
}

/// An operation on a single entity, which does not exist.
fn not_found_route<A: Action, B: Payload>(
    method: Method,
    (path, kind): (&'static str, &'static str),
) -> Route {
    let handler = move |call: Call<Permit<A>, B>| -> Ready<Result<ApiResponse, ApiError>> {
        ready(Err(not_found(kind, &call.context).into()))
    };
    guarded::<A, B, _, _>(method, path, handler)
        .responds(ResponseSpec::error(StatusCode::NOT_FOUND))
}

fn not_found(kind: &'static str, context: &RequestContext) -> AppError {
    AppError::NotFound {
        kind,
        id: context.id().to_owned(),
    }
}

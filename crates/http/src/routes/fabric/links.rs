//! Links and circuits. Routers make them; none is connected yet.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{Paged, parameters};
use crate::route::{Answers, Call, Context, Ignored, Json, JsonIfAny, Payload, Route, guarded};
use http::{Method, StatusCode};
use portcullis_api::envelope::{Empty, ListEnvelope};
use portcullis_api::fabric::link::{CircuitDelete, LinkMerge};
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
        missing::<Read, Ignored>(Method::GET, LINK),
        missing::<Update, Json<LinkMerge>>(Method::PATCH, LINK),
        missing::<Delete, Ignored>(Method::DELETE, LINK),
        list("/circuits", &kinds::CIRCUITS),
        missing::<Read, Ignored>(Method::GET, CIRCUIT),
        missing::<Delete, JsonIfAny<CircuitDelete>>(Method::DELETE, CIRCUIT),
    ]
}

/// A list without entries. The symbols of what is kept in memory are not told.
fn list(path: &'static str, symbols: &'static Schema) -> Route {
    let answer = move |call: Call<Permit<Read>, Paged>| -> Ready<Result<Answer, ApiError>> {
        let page = fabric::nothing(symbols, &parameters(&call.context.query));
        ready(page.map_err(ApiError::from).map(|paging| {
            Answer::whole_list(&ListEnvelope::<()>::new(
                paging.holding(Vec::<()>::new()),
                [],
            ))
        }))
    };
    guarded::<Read, Paged, _, _>(Method::GET, path, answer).answers(Answers::list::<Empty>())
}

/// An operation on one of them, which is not there.
fn missing<A: Action, B: Payload>(
    method: Method,
    (path, kind): (&'static str, &'static str),
) -> Route {
    let answer = move |call: Call<Permit<A>, B>| -> Ready<Result<Answer, ApiError>> {
        ready(Err(unknown(kind, &call.context).into()))
    };
    guarded::<A, B, _, _>(method, path, answer).answers(Answers::refusal(StatusCode::NOT_FOUND))
}

fn unknown(kind: &'static str, context: &Context) -> AppError {
    AppError::NotFound {
        kind,
        id: context.id().to_owned(),
    }
}

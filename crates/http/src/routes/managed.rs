//! What administrators make: the six operations that every kind has.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::decode::Decode;
use portcullis_app::listing::Schema;
use portcullis_app::managed::{self, Create, Delete, Made, Read, Update};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::EntityId as _;
use schemars::JsonSchema;
use serde::Serialize;

/// A kind of what administrators make, as the API has it.
pub(super) trait Served: Made {
    /// Its collection: the part of the path after the API, without a slash.
    const COLLECTION: &'static str;

    /// The path of its collection.
    const ALL: &'static str;

    /// The path of one of them.
    const ONE: &'static str;

    /// Its symbols.
    const SYMBOLS: &'static Schema;

    /// The body that creates one.
    type Creation: Decode + Send + 'static;

    /// The body that replaces one.
    type Replacement: Decode + Send + 'static;

    /// The body that changes members of one.
    type Merge: Decode + Send + 'static;

    /// One of them on the wire.
    type Detail: Serialize + JsonSchema + From<Self::View>;

    /// What a creation decides.
    fn created(body: Self::Creation) -> Result<Self, ApiError>;

    /// What a replacement decides.
    fn replaced(body: Self::Replacement) -> Result<Self, ApiError>;

    /// What a merge decides.
    fn merged(body: Self::Merge) -> Result<Self::Patch, ApiError>;
}

/// All six.
pub(super) fn routes<S: Served>() -> Vec<Route> {
    let mut routes = changes::<S>();
    routes.extend([
        guarded::<Read<S>, Paged, _, _>(Method::GET, S::ALL, list::<S>)
            .answers(Answers::list::<S::Detail>())
            .only(&[Api::Management]),
        guarded::<Read<S>, Ignored, _, _>(Method::GET, S::ONE, detail::<S>)
            .answers(Answers::detail::<S::Detail>())
            .only(&[Api::Management]),
    ]);
    routes
}

/// The four that change something.
pub(super) fn changes<S: Served>() -> Vec<Route> {
    vec![
        guarded::<Create<S>, Json<S::Creation>, _, _>(Method::POST, S::ALL, create::<S>),
        guarded::<Update<S>, Json<S::Replacement>, _, _>(Method::PUT, S::ONE, replace::<S>),
        guarded::<Update<S>, Json<S::Merge>, _, _>(Method::PATCH, S::ONE, merge::<S>),
        guarded::<Delete<S>, Ignored, _, _>(Method::DELETE, S::ONE, delete::<S>),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

/// Lists them.
pub(super) async fn list<S: Served>(
    call: Call<Permit<Read<S>>, Paged>,
) -> Result<Answer, ApiError> {
    list::answer(call, S::SYMBOLS, |call, asked, show| {
        let app = &call.context.state.app;
        managed::list::<S>(app, &call.permit, asked, &mut |view| {
            show(S::Detail::from(view))
        })
    })
    .await
}

/// Creates one.
pub(super) async fn create<S: Served>(
    call: Call<Permit<Create<S>>, Json<S::Creation>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let id = managed::create::<S>(app, &call.permit, S::created(body)?).await?;
    Ok(Answer::created(S::COLLECTION, id.as_str()))
}

/// Shows one.
pub(super) async fn detail<S: Served>(
    call: Call<Permit<Read<S>>, Ignored>,
) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = managed::read::<S>(&state.app, &call.permit, &id::<S>(&call.context))?;
    Ok(Answer::detail(&S::Detail::from(view)))
}

/// Replaces one.
pub(super) async fn replace<S: Served>(
    call: Call<Permit<Update<S>>, Json<S::Replacement>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let Context { state, .. } = &call.context;
    let id = id::<S>(&call.context);
    managed::replace::<S>(&state.app, &call.permit, &id, S::replaced(body)?).await?;
    Ok(Answer::done())
}

/// Changes members of one.
pub(super) async fn merge<S: Served>(
    call: Call<Permit<Update<S>>, Json<S::Merge>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let Context { state, .. } = &call.context;
    let id = id::<S>(&call.context);
    managed::merge::<S>(&state.app, &call.permit, &id, S::merged(body)?).await?;
    Ok(Answer::done())
}

/// Deletes one.
pub(super) async fn delete<S: Served>(
    call: Call<Permit<Delete<S>>, Ignored>,
) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    managed::delete::<S>(&state.app, &call.permit, &id::<S>(&call.context)).await?;
    Ok(Answer::done())
}

/// The id in the path.
pub(super) fn id<S: Served>(context: &Context) -> S::Id {
    S::Id::from_wire(context.id().to_owned())
}

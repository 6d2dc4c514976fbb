//! What the fabric has of kinds that administrators make: the six operations, for administrators
//! alone, in the shapes of the fabric.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use crate::routes::managed::{Served, id};
use http::Method;
use portcullis_api::decode::Decode;
use portcullis_api::fabric::terminator::TerminatorDetail;
use portcullis_app::listing::kinds;
use portcullis_app::managed::{self, Create, Delete, OnFabric, Read, Update};
use portcullis_app::related::{self, Reference};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::EntityId as _;
use portcullis_domain::terminator::TerminatorSpec;
use schemars::JsonSchema;
use serde::Serialize;

/// A kind as the fabric has it.
pub(super) trait Woven: Served {
    /// The body that creates or replaces one.
    type Body: Decode + Send + 'static;

    /// The body that changes members of one.
    type Part: Decode + Send + 'static;

    /// One of them on the wire.
    type Shape: Serialize + JsonSchema + From<Self::View>;

    /// What a creation decides.
    fn made(body: Self::Body) -> Result<Self, ApiError>;

    /// What a replacement decides.
    fn remade(body: Self::Body) -> Result<Change<Self>, ApiError>;

    /// What a merge decides.
    fn mended(part: Self::Part) -> Result<Self::Patch, ApiError>;
}

/// What a replacement decides: everything, or the members that the fabric knows.
pub(super) enum Change<S: Served> {
    Whole(S),
    Members(S::Patch),
}

type Reading<S> = Permit<OnFabric<Read<S>>>;
type Updating<S> = Permit<OnFabric<Update<S>>>;

/// All six.
pub(super) fn routes<S: Woven>() -> Vec<Route> {
    vec![
        guarded::<OnFabric<Read<S>>, Paged, _, _>(Method::GET, S::ALL, list::<S>)
            .answers(Answers::list::<S::Shape>()),
        guarded::<OnFabric<Create<S>>, Json<S::Body>, _, _>(Method::POST, S::ALL, create::<S>),
        guarded::<OnFabric<Read<S>>, Ignored, _, _>(Method::GET, S::ONE, detail::<S>)
            .answers(Answers::detail::<S::Shape>()),
        guarded::<OnFabric<Update<S>>, Json<S::Body>, _, _>(Method::PUT, S::ONE, replace::<S>),
        guarded::<OnFabric<Update<S>>, Json<S::Part>, _, _>(Method::PATCH, S::ONE, merge::<S>),
        guarded::<OnFabric<Delete<S>>, Ignored, _, _>(Method::DELETE, S::ONE, delete::<S>),
    ]
}

/// The terminators that refer to the entity in the path.
pub(super) fn terminators(path: &'static str, reference: Reference) -> Route {
    type T = TerminatorSpec;
    let list = move |call: Call<Reading<T>, Paged>| async move {
        list::answer(call, &kinds::TERMINATORS, move |call, asked, show| {
            let app = &call.context.state.app;
            let of = (reference, call.context.id());
            related::list_referring::<T>(app, &call.permit, asked, of, &mut |view| {
                show(TerminatorDetail::from(view))
            })
        })
        .await
    };
    guarded::<OnFabric<Read<T>>, Paged, _, _>(Method::GET, path, list)
        .answers(Answers::list::<TerminatorDetail>())
}

async fn list<S: Woven>(call: Call<Reading<S>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, S::SYMBOLS, |call, asked, show| {
        let app = &call.context.state.app;
        managed::list::<S>(app, &call.permit, asked, &mut |view| {
            show(S::Shape::from(view))
        })
    })
    .await
}

async fn create<S: Woven>(
    call: Call<Permit<OnFabric<Create<S>>>, Json<S::Body>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let id = managed::create::<S>(app, &call.permit, S::made(body)?).await?;
    Ok(Answer::created(S::COLLECTION, id.as_str()))
}

async fn detail<S: Woven>(call: Call<Reading<S>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    let view = managed::read::<S>(&state.app, &call.permit, &id::<S>(&call.context))?;
    Ok(Answer::detail(&S::Shape::from(view)))
}

async fn replace<S: Woven>(call: Call<Updating<S>, Json<S::Body>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    match S::remade(body)? {
        Change::Whole(spec) => managed::replace::<S>(app, &call.permit, &id, spec).await?,
        Change::Members(patch) => managed::merge::<S>(app, &call.permit, &id, patch).await?,
    }
    Ok(Answer::done())
}

async fn merge<S: Woven>(call: Call<Updating<S>, Json<S::Part>>) -> Result<Answer, ApiError> {
    let Json(part) = call.body;
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    managed::merge::<S>(app, &call.permit, &id, S::mended(part)?).await?;
    Ok(Answer::done())
}

async fn delete<S: Woven>(
    call: Call<Permit<OnFabric<Delete<S>>>, Ignored>,
) -> Result<Answer, ApiError> {
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    managed::delete::<S>(app, &call.permit, &id).await?;
    Ok(Answer::done())
}

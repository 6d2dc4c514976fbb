//! What administrators make: the six operations that every kind has, on each side of the network.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::decode::Decode;
use portcullis_app::listing::Schema;
use portcullis_app::managed::{self, Create, Delete, For, Made, OnFabric, Read, Update};
use portcullis_domain::access::{Action, Permit};
use portcullis_domain::ids::EntityId as _;
use schemars::JsonSchema;
use serde::Serialize;

/// A side from which administrators look at what they make.
pub(super) trait Side: 'static {
    /// Its API.
    const API: Api;

    /// What has to be permitted there for the action `A`.
    type As<A: Action + 'static>: For<A>;
}

/// The side of the edge.
pub(super) enum Edge {}

impl Side for Edge {
    const API: Api = Api::Management;
    type As<A: Action + 'static> = A;
}

/// The side of the fabric.
pub(super) enum Fabric {}

impl Side for Fabric {
    const API: Api = Api::Fabric;
    type As<A: Action + 'static> = OnFabric<A>;
}

/// A kind of what administrators make, and where every API has it.
pub(super) trait Served: Made {
    /// Its collection: the part of the path after the API, without a slash.
    const COLLECTION: &'static str;

    /// The path of its collection.
    const ALL: &'static str;

    /// The path of one of them.
    const ONE: &'static str;

    /// Its symbols.
    const SYMBOLS: &'static Schema;
}

/// The bodies and answers of a kind, as a side has them.
pub(super) trait Shaped<F: Side = Edge>: Served {
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
    fn replaced(body: Self::Replacement) -> Result<Replaced<Self>, ApiError>;

    /// What a merge decides.
    fn merged(body: Self::Merge) -> Result<Self::Patch, ApiError>;
}

/// What a replacement decides: everything, or the members that a side knows.
pub(super) enum Replaced<S: Made> {
    Whole(S),
    Members(S::Patch),
}

/// Permission for an action, as it is needed on a side.
type Permitted<F, A> = Permit<<F as Side>::As<A>>;

/// All six.
pub(super) fn routes<S: Shaped<F>, F: Side>() -> Vec<Route> {
    let mut routes = changes::<S, F>();
    routes.extend([
        guarded::<F::As<Read<S>>, Paged, _, _>(Method::GET, S::ALL, list::<S, F>)
            .answers(Answers::list::<S::Detail>())
            .only(F::API.alone()),
        guarded::<F::As<Read<S>>, Ignored, _, _>(Method::GET, S::ONE, detail::<S, F>)
            .answers(Answers::detail::<S::Detail>())
            .only(F::API.alone()),
    ]);
    routes
}

/// The four that change something.
pub(super) fn changes<S: Shaped<F>, F: Side>() -> Vec<Route> {
    vec![
        guarded::<F::As<Create<S>>, Json<S::Creation>, _, _>(Method::POST, S::ALL, create::<S, F>),
        guarded::<F::As<Update<S>>, Json<S::Replacement>, _, _>(
            Method::PUT,
            S::ONE,
            replace::<S, F>,
        ),
        guarded::<F::As<Update<S>>, Json<S::Merge>, _, _>(Method::PATCH, S::ONE, merge::<S, F>),
        guarded::<F::As<Delete<S>>, Ignored, _, _>(Method::DELETE, S::ONE, delete::<S, F>),
    ]
    .into_iter()
    .map(|route| route.only(F::API.alone()))
    .collect()
}

/// Lists them.
pub(super) async fn list<S: Shaped<F>, F: Side>(
    call: Call<Permitted<F, Read<S>>, Paged>,
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
pub(super) async fn create<S: Shaped<F>, F: Side>(
    call: Call<Permitted<F, Create<S>>, Json<S::Creation>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let app = &call.context.state.app;
    let id = managed::create::<S>(app, &call.permit, S::created(body)?).await?;
    Ok(Answer::created(S::COLLECTION, id.as_str()))
}

/// Shows one.
pub(super) async fn detail<S: Shaped<F>, F: Side>(
    call: Call<Permitted<F, Read<S>>, Ignored>,
) -> Result<Answer, ApiError> {
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    let view = managed::read::<S>(app, &call.permit, &id)?;
    Ok(Answer::detail(&S::Detail::from(view)))
}

/// Replaces one.
pub(super) async fn replace<S: Shaped<F>, F: Side>(
    call: Call<Permitted<F, Update<S>>, Json<S::Replacement>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    match S::replaced(body)? {
        Replaced::Whole(spec) => managed::replace::<S>(app, &call.permit, &id, spec).await?,
        Replaced::Members(patch) => managed::merge::<S>(app, &call.permit, &id, patch).await?,
    }
    Ok(Answer::done())
}

/// Changes members of one.
pub(super) async fn merge<S: Shaped<F>, F: Side>(
    call: Call<Permitted<F, Update<S>>, Json<S::Merge>>,
) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    managed::merge::<S>(app, &call.permit, &id, S::merged(body)?).await?;
    Ok(Answer::done())
}

/// Deletes one.
pub(super) async fn delete<S: Shaped<F>, F: Side>(
    call: Call<Permitted<F, Delete<S>>, Ignored>,
) -> Result<Answer, ApiError> {
    let (app, id) = (&call.context.state.app, id::<S>(&call.context));
    managed::delete::<S>(app, &call.permit, &id).await?;
    Ok(Answer::done())
}

/// The id in the path.
pub(super) fn id<S: Made>(context: &Context) -> S::Id {
    S::Id::from_wire(context.id().to_owned())
}

//! Posture checks.

use super::managed::{self, Edge, Replaced, Served, Shaped};
use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::Paged;
use crate::path::Api;
use crate::route::{Answers, Call, Ignored, Route, guarded};
use http::Method;
use portcullis_api::posture_check::{PostureCheckBody, PostureCheckDetail, PostureCheckMerge};
use portcullis_app::listing::{Schema, kinds};
use portcullis_app::managed::Read;
use portcullis_domain::access::Permit;
use portcullis_domain::posture_check::{PostureCheckPatch, PostureCheckSpec};

type S = PostureCheckSpec;

pub(super) fn routes() -> Vec<Route> {
    let mut routes = managed::changes::<S, Edge>();
    routes.extend([
        guarded::<Read<S>, Paged, _, _>(Method::GET, S::ALL, list)
            .answers(Answers::list::<PostureCheckDetail>())
            .only(&[Api::Management]),
        guarded::<Read<S>, Ignored, _, _>(Method::GET, S::ONE, managed::detail::<S, Edge>)
            .answers(Answers::detail::<PostureCheckDetail>())
            .only(&[Api::Management]),
    ]);
    routes
}

async fn list(call: Call<Permit<Read<S>>, Paged>) -> Result<Answer, ApiError> {
    // This list names its character set, and always has.
    let answer = managed::list::<S, Edge>(call).await?;
    Ok(answer.typed("application/json; charset=utf-8"))
}

impl Served for PostureCheckSpec {
    const COLLECTION: &'static str = "posture-checks";
    const ALL: &'static str = "/posture-checks";
    const ONE: &'static str = "/posture-checks/{id}";
    const SYMBOLS: &'static Schema = &kinds::POSTURE_CHECKS;
}

impl Shaped for PostureCheckSpec {
    type Creation = PostureCheckBody;
    type Replacement = PostureCheckBody;
    type Merge = PostureCheckMerge;
    type Detail = PostureCheckDetail;

    fn created(body: PostureCheckBody) -> Result<Self, ApiError> {
        Ok(body.into())
    }

    fn replaced(body: PostureCheckBody) -> Result<Replaced<Self>, ApiError> {
        Ok(Replaced::Whole(body.into()))
    }

    fn merged(body: PostureCheckMerge) -> Result<PostureCheckPatch, ApiError> {
        Ok(body.into())
    }
}

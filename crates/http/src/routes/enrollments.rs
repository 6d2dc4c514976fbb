//! Enrollments.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{self, Paged};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::code::Code;
use portcullis_api::enrollment::{EnrollmentCreate, EnrollmentDetail, EnrollmentRefresh};
use portcullis_app::AppError;
use portcullis_app::enrollments::{self, Create, CreateEnrollment, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{EnrollmentId, IdentityId};

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/enrollments/{id}";
    vec![
        guarded::<Read, Paged, _, _>(Method::GET, "/enrollments", list)
            .answers(Answers::list::<EnrollmentDetail>()),
        guarded::<Create, Json<EnrollmentCreate>, _, _>(Method::POST, "/enrollments", create),
        guarded::<Read, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<EnrollmentDetail>()),
        guarded::<Delete, Ignored, _, _>(Method::DELETE, ONE, delete),
        guarded::<Update, Json<EnrollmentRefresh>, _, _>(
            Method::POST,
            "/enrollments/{id}/refresh",
            refresh,
        )
        .answers(Answers::done()),
        guarded::<Read, Paged, _, _>(Method::GET, "/identities/{id}/enrollments", list_of)
            .answers(Answers::list::<EnrollmentDetail>()),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Management]))
    .collect()
}

async fn list(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::ENROLLMENTS, |call, asked, show| {
        let app = &call.context.state.app;
        enrollments::list(app, &call.permit, asked, &mut |view| {
            show(EnrollmentDetail::from(view))
        })
    })
    .await
}

async fn list_of(call: Call<Permit<Read>, Paged>) -> Result<Answer, ApiError> {
    list::answer(call, &kinds::ENROLLMENTS, |call, asked, show| {
        let app = &call.context.state.app;
        let identity = IdentityId::from_wire(call.context.id());
        enrollments::list_of(app, &call.permit, &identity, asked, &mut |view| {
            show(EnrollmentDetail::from(view))
        })
    })
    .await
}

async fn create(call: Call<Permit<Create>, Json<EnrollmentCreate>>) -> Result<Answer, ApiError> {
    let Json(body) = call.body;
    let input = CreateEnrollment {
        method: body.enrollment(),
        identity: body.identity_id,
        expires_at: body.expires_at.into(),
    };
    let id = enrollments::create(&call.context.state.app, &call.permit, input).await?;
    Ok(Answer::created("enrollments", id.as_str()))
}

async fn detail(call: Call<Permit<Read>, Ignored>) -> Result<Answer, ApiError> {
    let view = enrollments::read(&call.context.state.app, &call.permit, &id(&call.context))?;
    Ok(Answer::detail(&EnrollmentDetail::from(view)))
}

async fn delete(call: Call<Permit<Delete>, Ignored>) -> Result<Answer, ApiError> {
    let Context { state, .. } = &call.context;
    enrollments::delete(&state.app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

async fn refresh(call: Call<Permit<Update>, Json<EnrollmentRefresh>>) -> Result<Answer, ApiError> {
    let Json(EnrollmentRefresh { expires_at }) = call.body;
    let Context { state, .. } = &call.context;
    let expires_at = expires_at.into();
    let id = id(&call.context);
    match enrollments::refresh(&state.app, &call.permit, &id, expires_at).await {
        Ok(()) => Ok(Answer::done()),
        // This operation says no more than the code.
        Err(AppError::NotFound { .. }) => Err(ApiError::new(Code::NotFound)),
        Err(error) => Err(error.into()),
    }
}

fn id(context: &Context) -> EnrollmentId {
    EnrollmentId::from_wire(context.id())
}

//! The certificates of the caller's own session.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{Paged, parameters};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Json, Route, guarded};
use http::Method;
use portcullis_api::code::Code;
use portcullis_api::session_certificate::{
    SessionCertificateCreate, SessionCertificateCreated, SessionCertificateDetail,
};
use portcullis_app::AppError;
use portcullis_app::listing::kinds;
use portcullis_app::sessions::{self, CreateCertificate, DeleteCertificate, ReadCertificates};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::SessionCertificateId;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/current-api-session/certificates";
    const ONE: &str = "/current-api-session/certificates/{id}";
    vec![
        guarded::<ReadCertificates, Paged, _, _>(Method::GET, ALL, list)
            .answers(Answers::list::<SessionCertificateDetail>()),
        guarded::<CreateCertificate, Json<SessionCertificateCreate>, _, _>(
            Method::POST,
            ALL,
            create,
        )
        .answers(Answers::created_with::<SessionCertificateCreated>()),
        guarded::<ReadCertificates, Ignored, _, _>(Method::GET, ONE, detail)
            .answers(Answers::detail::<SessionCertificateDetail>()),
        guarded::<DeleteCertificate, Ignored, _, _>(Method::DELETE, ONE, delete),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Client]))
    .collect()
}

async fn list(call: Call<Permit<ReadCertificates>, Paged>) -> Result<Answer, ApiError> {
    let Context { state, query, .. } = &call.context;
    let page = sessions::list_certificates(&state.app, &call.permit, &parameters(query))?;
    let page = page.map(SessionCertificateDetail::from);
    Ok(Answer::list(page, &kinds::SESSION_CERTIFICATES))
}

async fn create(
    call: Call<Permit<CreateCertificate>, Json<SessionCertificateCreate>>,
) -> Result<Answer, ApiError> {
    let Json(SessionCertificateCreate { csr }) = call.body;
    let app = &call.context.state.app;
    let new = sessions::create_certificate(app, &call.permit, &csr).await?;
    let authorities = app.network().bundle_pem();
    let created = SessionCertificateCreated::new(new.id, new.chain, authorities);
    Ok(Answer::created_with(&created))
}

async fn detail(call: Call<Permit<ReadCertificates>, Ignored>) -> Result<Answer, ApiError> {
    let app = &call.context.state.app;
    match sessions::read_certificate(app, &call.permit, &id(&call.context)) {
        Ok(view) => Ok(Answer::detail_without_meta(
            &SessionCertificateDetail::from(view),
        )),
        // This operation says no more than the code.
        Err(AppError::NotFound { .. }) => Err(ApiError::new(Code::NotFound)),
        Err(error) => Err(error.into()),
    }
}

async fn delete(call: Call<Permit<DeleteCertificate>, Ignored>) -> Result<Answer, ApiError> {
    let app = &call.context.state.app;
    sessions::delete_certificate(app, &call.permit, &id(&call.context)).await?;
    Ok(Answer::done())
}

fn id(context: &Context) -> SessionCertificateId {
    SessionCertificateId::from_wire(context.id())
}

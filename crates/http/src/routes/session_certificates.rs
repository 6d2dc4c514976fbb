//! The certificates of the caller's own session.

use crate::error::ApiError;
use crate::list::{ListPayload, parameters};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, RequestContext, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::session_certificate::{
    SessionCertificateCreate, SessionCertificateCreated, SessionCertificateDetail,
};
use portcullis_app::listing::kinds;
use portcullis_app::sessions::{self, CreateCertificate, DeleteCertificate, ReadCertificates};
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/current-api-session/certificates";
    const ONE: &str = "/current-api-session/certificates/{id}";
    vec![
        guarded::<ReadCertificates, ListPayload, _, _>(Method::GET, ALL, list)
            .responds(ResponseSpec::list::<SessionCertificateDetail>()),
        guarded::<CreateCertificate, Json<SessionCertificateCreate>, _, _>(
            Method::POST,
            ALL,
            create,
        )
        .responds(ResponseSpec::created_with::<SessionCertificateCreated>()),
        guarded::<ReadCertificates, NoBody, _, _>(Method::GET, ONE, detail)
            .responds(ResponseSpec::detail::<SessionCertificateDetail>()),
        guarded::<DeleteCertificate, NoBody, _, _>(Method::DELETE, ONE, delete),
    ]
    .into_iter()
    .map(|route| route.only(&[Api::Client]))
    .collect()
}

async fn list(call: Call<Permit<ReadCertificates>, ListPayload>) -> Result<ApiResponse, ApiError> {
    let RequestContext { state, query, .. } = &call.context;
    let page = sessions::list_certificates(&state.app, &call.permit, &parameters(query))?;
    let page = page.map(SessionCertificateDetail::from);
    Ok(ApiResponse::list(page, &kinds::SESSION_CERTIFICATES))
}

async fn create(
    call: Call<Permit<CreateCertificate>, Json<SessionCertificateCreate>>,
) -> Result<ApiResponse, ApiError> {
    let Json(SessionCertificateCreate { csr }) = call.body;
    let app = &call.context.state.app;
    let new = sessions::create_certificate(app, &call.permit, &csr).await?;
    let authorities = app.network().bundle_pem();
    let created = SessionCertificateCreated::new(new.id, new.chain, authorities);
    Ok(ApiResponse::created_with(&created))
}

async fn detail(call: Call<Permit<ReadCertificates>, NoBody>) -> Result<ApiResponse, ApiError> {
    let app = &call.context.state.app;
    let view = sessions::read_certificate(app, &call.permit, &call.context.entity_id())
        .map_err(ApiError::without_not_found_cause)?;
    Ok(ApiResponse::detail_without_meta(
        &SessionCertificateDetail::from(view),
    ))
}

async fn delete(call: Call<Permit<DeleteCertificate>, NoBody>) -> Result<ApiResponse, ApiError> {
    let app = &call.context.state.app;
    sessions::delete_certificate(app, &call.permit, &call.context.entity_id()).await?;
    Ok(ApiResponse::empty())
}

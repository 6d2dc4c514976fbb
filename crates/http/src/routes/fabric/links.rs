//! Links between routers.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::response::ApiResponse;
use crate::route::{Call, Json, NoBody, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::fabric::link::{LinkDetail, LinkPatch};
use portcullis_app::fabric::{self, Delete, Read, Update};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/links/{id}";
    vec![
        guarded(Method::GET, "/links", list).responds(ResponseSpec::list::<LinkDetail>()),
        guarded(Method::GET, ONE, detail).responds(ResponseSpec::detail::<LinkDetail>()),
        guarded(Method::PATCH, ONE, patch),
        guarded(Method::DELETE, ONE, delete),
    ]
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond_unnamed(call, &kinds::LINKS, |call, request, emit| {
        let app = &call.context.state.app;
        fabric::list_links(app, &call.permit, request, &mut |link| {
            emit(LinkDetail::from(link))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let app = &call.context.state.app;
    let link = fabric::read_link(app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&LinkDetail::from(link)))
}

async fn patch(call: Call<Permit<Update>, Json<LinkPatch>>) -> Result<ApiResponse, ApiError> {
    let Json(body) = call.body;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    fabric::change_link(app, &call.permit, &id, body.into()).await?;
    Ok(ApiResponse::empty())
}

async fn delete(call: Call<Permit<Delete>, NoBody>) -> Result<ApiResponse, ApiError> {
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    fabric::delete_link(app, &call.permit, &id).await?;
    Ok(ApiResponse::empty())
}

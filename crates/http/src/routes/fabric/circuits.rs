//! Circuits.

use crate::error::ApiError;
use crate::list::{self, ListPayload};
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, OptionalJson, ResponseSpec, Route, guarded};
use http::Method;
use portcullis_api::fabric::circuit::{CircuitDelete, CircuitDetail};
use portcullis_app::fabric::{self, Delete, Read};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/circuits/{id}";
    vec![
        guarded(Method::GET, "/circuits", list).responds(ResponseSpec::list::<CircuitDetail>()),
        guarded(Method::GET, ONE, detail).responds(ResponseSpec::detail::<CircuitDetail>()),
        guarded(Method::DELETE, ONE, delete),
    ]
}

async fn list(call: Call<Permit<Read>, ListPayload>) -> Result<ApiResponse, ApiError> {
    list::respond_unnamed(call, &kinds::CIRCUITS, |call, request, emit| {
        let app = &call.context.state.app;
        fabric::list_circuits(app, &call.permit, request, &mut |circuit| {
            emit(CircuitDetail::from(circuit))
        })
    })
    .await
}

async fn detail(call: Call<Permit<Read>, NoBody>) -> Result<ApiResponse, ApiError> {
    let app = &call.context.state.app;
    let circuit = fabric::read_circuit(app, &call.permit, &call.context.entity_id())?;
    Ok(ApiResponse::detail(&CircuitDetail::from(circuit)))
}

async fn delete(
    call: Call<Permit<Delete>, OptionalJson<CircuitDelete>>,
) -> Result<ApiResponse, ApiError> {
    let OptionalJson(body) = call.body;
    let immediate = body.unwrap_or_default().immediate;
    let (app, id) = (&call.context.state.app, call.context.entity_id());
    fabric::delete_circuit(app, &call.permit, &id, immediate).await?;
    Ok(ApiResponse::empty())
}

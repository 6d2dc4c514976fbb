//! Controllers of the network: this one.

use crate::error::ApiError;
use crate::list::{ListPayload, parameters};
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, ResponseSpec, Route, guarded};
use crate::state::AppState;
use http::Method;
use portcullis_api::controller::{ApiAddress, ControllerDetail};
use portcullis_api::entity::Base;
use portcullis_api::link::Links;
use portcullis_app::controllers::{self, ReadAll, ReadPeers};
use portcullis_app::listing::kinds;
use portcullis_domain::access::Permit;
use std::borrow::Cow;

pub(super) fn routes() -> Vec<Route> {
    vec![
        guarded::<ReadPeers, ListPayload, _, _>(Method::GET, "/controllers", peers)
            .responds(ResponseSpec::list::<ControllerDetail>())
            .only(&[Api::Client]),
        guarded::<ReadAll, ListPayload, _, _>(Method::GET, "/controllers", all)
            .responds(ResponseSpec::list::<ControllerDetail>())
            .only(&[Api::Management]),
    ]
}

async fn peers(call: Call<Permit<ReadPeers>, ListPayload>) -> Result<ApiResponse, ApiError> {
    let state = &call.context.state;
    let page = controllers::list(&state.app, &parameters(&call.context.query))?;
    Ok(ApiResponse::list(
        page.map(|_this| detail(state).for_clients()),
        &kinds::CONTROLLERS,
    ))
}

async fn all(call: Call<Permit<ReadAll>, ListPayload>) -> Result<ApiResponse, ApiError> {
    let state = &call.context.state;
    let page = controllers::list(&state.app, &parameters(&call.context.query))?;
    Ok(ApiResponse::list(
        page.map(|_this| detail(state)),
        &kinds::CONTROLLERS,
    ))
}

/// The wire form of this controller.
pub(super) fn detail(state: &AppState) -> ControllerDetail {
    let network = state.app.network();
    let material = network.serving_state();
    let controller = &material.controller;
    let links = Links::with_self(format!("controllers/{}", controller.id));
    let api_addresses = state.addresses.iter().map(|(api, addresses)| {
        let urls = addresses.iter().map(|address| ApiAddress {
            url: format!("https://{address}{}", api.base_path()),
            version: "v1".to_owned(),
        });
        (Cow::Borrowed(api.binding()), urls.collect())
    });
    ControllerDetail {
        base: Base::unchanging(links, controller.id.clone(), state.app.store_created_at()),
        api_addresses: api_addresses.collect(),
        cert_pem: controller.certificate.to_pem(),
        ctrl_address: network.control_addresses().first().cloned(),
        fingerprint: controller.certificate.fingerprint().to_string(),
        is_online: true,
        last_joined_at: controller.started_at.into(),
        name: controller.name.clone(),
    }
}

//! The controllers of the network: this one.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::list::{Paged, parameters};
use crate::path::Api;
use crate::route::{Answers, Call, Route, guarded};
use crate::state::State;
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
        guarded::<ReadPeers, Paged, _, _>(Method::GET, "/controllers", peers)
            .answers(Answers::list::<ControllerDetail>())
            .only(&[Api::Client]),
        guarded::<ReadAll, Paged, _, _>(Method::GET, "/controllers", all)
            .answers(Answers::list::<ControllerDetail>())
            .only(&[Api::Management]),
    ]
}

async fn peers(call: Call<Permit<ReadPeers>, Paged>) -> Result<Answer, ApiError> {
    let state = &call.context.state;
    let page = controllers::list(&state.app, &parameters(&call.context.query))?;
    Ok(Answer::list(
        page.map(|_this| detail(state).for_clients()),
        &kinds::CONTROLLERS,
    ))
}

async fn all(call: Call<Permit<ReadAll>, Paged>) -> Result<Answer, ApiError> {
    let state = &call.context.state;
    let page = controllers::list(&state.app, &parameters(&call.context.query))?;
    Ok(Answer::list(
        page.map(|_this| detail(state)),
        &kinds::CONTROLLERS,
    ))
}

/// This controller on the wire.
pub(super) fn detail(state: &State) -> ControllerDetail {
    let network = state.app.network();
    let served = network.served();
    let controller = &served.controller;
    let links = Links::to(format!("controllers/{}", controller.id));
    let api_addresses = state.addresses.iter().map(|(api, addresses)| {
        let urls = addresses.iter().map(|address| ApiAddress {
            url: format!("https://{address}{}", api.base()),
            version: "v1".to_owned(),
        });
        (Cow::Borrowed(api.binding()), urls.collect())
    });
    ControllerDetail {
        base: Base::unchanging(links, controller.id.clone(), state.app.founded_at()),
        api_addresses: api_addresses.collect(),
        cert_pem: controller.certificate.to_pem(),
        ctrl_address: network.control_addresses().first().cloned(),
        fingerprint: controller.certificate.fingerprint().to_string(),
        is_online: true,
        last_joined_at: controller.started_at.into(),
        name: controller.name.clone(),
    }
}

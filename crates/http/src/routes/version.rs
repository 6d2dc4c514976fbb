//! Version, capabilities and protocols of the controller.

use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, ResponseSpec, Route, guarded, public};
use http::Method;
use portcullis_api::capability;
use portcullis_api::version::{Address, Protocols, Version};
use portcullis_app::controllers::ReadCapabilities;
use portcullis_domain::access::Permit;
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use std::borrow::Cow;

pub(super) fn routes() -> Vec<Route> {
    vec![
        public::<NoBody, _, _>(Method::GET, "/", version)
            .responds(ResponseSpec::detail::<Version>()),
        public::<NoBody, _, _>(Method::GET, "/version", version)
            .responds(ResponseSpec::detail::<Version>()),
        public::<NoBody, _, _>(Method::GET, "/protocols", protocols)
            .responds(ResponseSpec::detail::<Protocols>())
            .only(&[Api::Client]),
        public::<NoBody, _, _>(Method::GET, "/enumerated-capabilities", capabilities)
            .responds(ResponseSpec::detail::<Vec<String>>()),
        guarded::<ReadCapabilities, NoBody, _, _>(
            Method::GET,
            "/enumerated-router-capabilities",
            router_capabilities,
        )
        .responds(ResponseSpec::detail::<Vec<String>>()),
    ]
}

async fn version(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let state = &call.context.state;
    let mut version = Version {
        build_date: state.build.build_date.to_owned(),
        build_info: Some(format!("Portcullis {}", state.build.version)),
        revision: format!(
            "{} (Portcullis {})",
            state.build.revision, state.build.version
        ),
        runtime_version: state.build.runtime.to_owned(),
        version: OPENZITI_LEVEL.to_owned(),
        ..Version::default()
    };
    for (api, addresses) in &state.addresses {
        let urls: Vec<_> = addresses
            .iter()
            .map(|address| format!("https://{address}"))
            .collect();
        version.add_api(api.binding(), api.base_path(), &urls);
        if *api == Api::Oidc {
            let offered = capability::OIDC_CAPABILITIES.map(Cow::Borrowed);
            version.capabilities.extend(offered);
        }
    }
    Ok(ApiResponse::detail(&version))
}

async fn protocols(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let address = call.context.state.app.network().api_address().to_owned();
    Ok(ApiResponse::detail(&Protocols {
        https: Address { address },
    }))
}

async fn capabilities(_call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    Ok(ApiResponse::detail(&capability::CONTROLLER_CAPABILITIES))
}

async fn router_capabilities(
    _call: Call<Permit<ReadCapabilities>, NoBody>,
) -> Result<ApiResponse, ApiError> {
    Ok(ApiResponse::detail(&capability::ROUTER_CAPABILITIES))
}

//! What the controller is: version, capabilities, protocols.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Answers, Call, Ignored, Route, guarded, open};
use http::Method;
use portcullis_api::capability;
use portcullis_api::version::Version;
use portcullis_app::controllers::ReadCapabilities;
use portcullis_domain::access::Permit;
use schemars::JsonSchema;
use serde::Serialize;

/// The level of the API by which clients decide what they may use.
pub const API_LEVEL: &str = "v2.1.0";

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Ignored, _, _>(Method::GET, "/", version).answers(Answers::detail::<Version>()),
        open::<Ignored, _, _>(Method::GET, "/version", version)
            .answers(Answers::detail::<Version>()),
        open::<Ignored, _, _>(Method::GET, "/protocols", protocols)
            .answers(Answers::detail::<Protocols>())
            .only(&[Api::Client]),
        open::<Ignored, _, _>(Method::GET, "/enumerated-capabilities", capabilities)
            .answers(Answers::detail::<Vec<String>>()),
        guarded::<ReadCapabilities, Ignored, _, _>(
            Method::GET,
            "/enumerated-router-capabilities",
            router_capabilities,
        )
        .answers(Answers::detail::<Vec<String>>()),
    ]
}

/// How the API is spoken to.
#[derive(Serialize, JsonSchema)]
struct Protocols {
    /// By HTTP over TLS.
    https: Address,
}

/// Where something listens.
#[derive(Serialize, JsonSchema)]
struct Address {
    /// Host and port.
    address: String,
}

async fn version(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let state = &call.context.state;
    let mut version = Version {
        build_date: state.build.build_date.to_owned(),
        build_info: Some(format!("Portcullis {}", state.build.version)),
        revision: format!(
            "{} (Portcullis {})",
            state.build.revision, state.build.version
        ),
        runtime_version: state.build.runtime.to_owned(),
        version: API_LEVEL.to_owned(),
        ..Version::default()
    };
    for (api, addresses) in &state.addresses {
        let urls: Vec<_> = addresses
            .iter()
            .map(|address| format!("https://{address}"))
            .collect();
        version.offer(api.binding(), api.base(), &urls);
    }
    Ok(Answer::detail(&version))
}

async fn protocols(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let address = call.context.state.app.network().api_address().to_owned();
    Ok(Answer::detail(&Protocols {
        https: Address { address },
    }))
}

async fn capabilities(_call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    Ok(Answer::detail(&capability::OF_CONTROLLERS))
}

async fn router_capabilities(
    _call: Call<Permit<ReadCapabilities>, Ignored>,
) -> Result<Answer, ApiError> {
    Ok(Answer::detail(&capability::OF_ROUTERS))
}

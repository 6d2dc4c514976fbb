//! What SDKs say of themselves, and what ends at them.

use portcullis_router::in_go;
use portcullis_wire::edge::ConnectionId;
use portcullis_xgress::Side;
use serde_json::{Value as Json, json};

use crate::relay::CarriedCircuit;
use crate::sdk_channels::{SdkEnd, SdkHandle, SdkQuestion};

/// Bytes of an answer; an SDK is not believed to have more to say.
const MAX_ANSWER: usize = 256 * 1024;

/// Asks an SDK, or one of its connections, for a value. The error is for people. Only SDKs in Go answer.
pub(super) async fn ask(
    sdk: &SdkHandle,
    connection: Option<ConnectionId>,
    name: &str,
) -> Result<Json, String> {
    let question = SdkQuestion {
        connection,
        name: name.to_owned(),
    };
    let answer = sdk.ask(question).await?;
    let text = answer.expose();
    if text.len() > MAX_ANSWER {
        return Err("the client's answer is too long".to_owned());
    }
    let mut answer: Json = serde_json::from_str(text)
        .map_err(|_error| "the client's answer cannot be read".to_owned())?;
    let values = answer.get_mut("values");
    let value = values.and_then(|values| values.get_mut(name));
    let value = value.map(Json::take).filter(|value| !value.is_null());
    value.ok_or_else(|| "the client does not tell it".to_owned())
}

/// The end of a circuit at an SDK.
pub(super) fn end(carried: &CarriedCircuit, address: &str, end: &SdkEnd) -> Json {
    json!({
        "circuitId": carried.circuit,
        "address": address,
        "originator": originator(end.side),
        "ctrlId": carried.owner.as_str(),
        "identityId": end.sdk.identity.as_str(),
        "channelConnId": channel(&end.sdk),
        "edgeConnId": end.connection.0,
        "timeSinceLastLinkRx": in_go(carried.idle).to_string(),
        "tags": carried.tags,
    })
}

/// A channel, as the log names it.
pub(super) fn channel(sdk: &SdkHandle) -> String {
    sdk.id.0.to_string()
}

pub(super) const fn originator(side: Side) -> &'static str {
    match side {
        Side::Initiator => "Initiator",
        Side::Terminator => "Terminator",
    }
}

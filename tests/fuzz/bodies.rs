//! Bodies of requests: whatever a route reads.

use crate::driver::{corpus, fuzz, place};
use portcullis_api::decode::{DecodeError, DecodeTrace};
use portcullis_api::describe::RequestDecoder;
use portcullis_api::error::ErrorBody;
use portcullis_domain::ids::RequestId;
use portcullis_http::route::BodySpec;
use portcullis_http::routes;

/// The decoders of all routes.
fn decoders() -> Vec<RequestDecoder> {
    let decoder = |body| match body {
        BodySpec::Json(decoder) | BodySpec::JsonOrText(decoder) => Some(decoder),
        BodySpec::Absent | BodySpec::Text => None,
    };
    let routes = routes::all().into_iter();
    routes.filter_map(|route| decoder((route.body)())).collect()
}

/// Types that one input is read as: all of them would take long, and tell hardly more.
const AT_A_TIME: usize = 6;

/// Roles in policies, names, tags and all the rest of a body are read or refused in words that can be
/// sent.
#[test]
fn fuzzed_bodies_are_read_or_refused_in_words() {
    let decoders = decoders();
    assert!(decoders.len() > 60, "{} decoders", decoders.len());
    fuzz("bodies", corpus("bodies"), |input| {
        let mut places = String::new();
        let sum: usize = input.iter().copied().map(usize::from).sum();
        let first = (sum + input.len()) % decoders.len();
        for decoder in decoders.iter().cycle().skip(first).take(AT_A_TIME) {
            places += &read(decoder, input)?;
        }
        Ok(places)
    });
}

fn read(decoder: &RequestDecoder, bytes: &[u8]) -> Result<String, String> {
    let name = (decoder.name)();
    let Err(error) = (decoder.decode)(bytes, &DecodeTrace::default()) else {
        return Ok("+".to_owned());
    };
    let mut led_to = place(&error.code());
    if let DecodeError::Field(field) = &error {
        if field.field.is_empty() || field.reason.is_empty() {
            return Err(format!("{name} is refused without a word: {field:?}"));
        }
        led_to = field.field.chars().take(20).collect();
    }
    let body = ErrorBody::new(error.code(), RequestId::from_wire("r"));
    let written = portcullis_api::json::to_bytes(&body.with_cause(error.into_cause()));
    let read: ErrorBody = serde_json::from_slice(&written)
        .map_err(|error| format!("the refusal by {name} is no JSON: {error}"))?;
    // No refusal is much larger than what is refused.
    if written.len() > 2 * bytes.len() + 2048 {
        let size = written.len();
        return Err(format!("the refusal by {name} is {size} bytes"));
    }
    read.code().map_or_else(
        || Err(format!("the refusal by {name} has no code")),
        |_| Ok(led_to),
    )
}

//! The descriptions of the APIs that the controller has.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::language;
use crate::openapi::{self, Document};
use crate::path::Api;
use crate::route::{Answers, Call, Context, Ignored, Route, open};
use crate::state::State;
use http::Method;
use portcullis_api::code::Code;
use portcullis_api::spec::SpecDetail;
use portcullis_app::aside;

const JSON: &str = "application/json";
const YAML: &str = "text/yaml";

pub(super) fn routes() -> Vec<Route> {
    vec![
        open::<Ignored, _, _>(Method::GET, "/specs", list)
            .answers(Answers::detail::<Vec<SpecDetail>>()),
        open::<Ignored, _, _>(Method::GET, "/specs/{id}", detail)
            .answers(Answers::detail::<SpecDetail>()),
        open::<Ignored, _, _>(Method::GET, "/specs/{id}/spec", body)
            .answers(Answers::detail::<String>())
            .producing(YAML),
    ]
}

/// Where each API describes itself. What monitors call has no room for it: all of its paths are
/// taken.
pub(super) fn descriptions(routes: &[Route]) -> Vec<Route> {
    openapi::described(routes)
        .filter(|api| *api != Api::HealthChecks)
        .map(|api| {
            open::<Ignored, _, _>(Method::GET, "/swagger.json", own)
                .answers(Answers::json::<serde_json::Map<String, serde_json::Value>>())
                .only(api.alone())
        })
        .collect()
}

async fn list(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    Ok(Answer::detail(&[spec(&call.context.state, Api::Client)]))
}

async fn detail(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let api = named(&call.context)?;
    Ok(Answer::detail(&spec(&call.context.state, api)))
}

/// The document itself as YAML; for those who take JSON alone, its text in an envelope.
async fn body(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let document = document(named(&call.context)?).await?;
    if language::accepts(&call.context.headers, YAML) {
        return Ok(Answer::fixed(YAML, &document.yaml));
    }
    Ok(Answer::fixed(JSON, &document.enveloped))
}

/// The document of the API under which it is asked for.
async fn own(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let document = document(call.context.api).await?;
    Ok(Answer::fixed(JSON, &document.json))
}

/// The API that the path names.
fn named(context: &Context) -> Result<Api, ApiError> {
    let named = Api::ALL
        .into_iter()
        .find(|api| api.binding() == context.id());
    named.ok_or_else(unknown)
}

/// The description of an API. The first one takes a while to be made, which stands in nobody's way.
async fn document(api: Api) -> Result<&'static Document, ApiError> {
    if openapi::is_ready() {
        return openapi::document(api).ok_or_else(unknown);
    }
    aside(move || openapi::document(api).ok_or_else(unknown)).await
}

fn unknown() -> ApiError {
    ApiError::new(Code::NotFound)
}

fn spec(state: &State, api: Api) -> SpecDetail {
    SpecDetail::new(api.binding(), state.app.founded_at())
}

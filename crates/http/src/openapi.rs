//! `OpenAPI` 3.1 descriptions of the APIs, one document per API.
//!
//! They are in `docs/openapi`, which the link `openapi` in this crate leads to. The tests of
//! `tests/openapi` make them from the routes, the wire types and the decoders of requests.

mod yaml;

use crate::path::Api;
use crate::response::Static;
use portcullis_api::envelope::Envelope;
use portcullis_api::json;
use serde_json::Value;
use std::sync::OnceLock;

#[derive(Debug)]
pub struct Document {
    pub json: Static,
    pub yaml: Static,
    /// The YAML as a string in an envelope, for clients that accept only JSON.
    pub enveloped: Static,
}

/// The description of an API. The first call parses its file, which takes too long for the threads
/// that serve connections. `None` for APIs that are not among [`Api::DESCRIBED`].
pub fn document(api: Api) -> Option<&'static Document> {
    let (document, text) = parts(api)?;
    Some(document.get_or_init(|| Document::new(text)))
}

/// The description of an API, if it was asked for before.
pub fn parsed_document(api: Api) -> Option<&'static Document> {
    parts(api)?.0.get()
}

/// Where the description of an API is kept, and its file.
fn parts(api: Api) -> Option<(&'static OnceLock<Document>, &'static str)> {
    static CLIENT: OnceLock<Document> = OnceLock::new();
    static MANAGEMENT: OnceLock<Document> = OnceLock::new();
    static FABRIC: OnceLock<Document> = OnceLock::new();
    static HEALTH_CHECKS: OnceLock<Document> = OnceLock::new();
    Some(match api {
        Api::Client => (&CLIENT, include_str!("../openapi/client.json")),
        Api::Management => (&MANAGEMENT, include_str!("../openapi/management.json")),
        Api::Fabric => (&FABRIC, include_str!("../openapi/fabric.json")),
        Api::HealthChecks => (
            &HEALTH_CHECKS,
            include_str!("../openapi/health-checks.json"),
        ),
        Api::Oidc => return None,
    })
}

impl Document {
    /// The forms of a document: indented in its file, compact on the wire.
    #[expect(clippy::expect_used, reason = "the files are part of the program")]
    fn new(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).expect("the description is JSON");
        let yaml = yaml::to_yaml(&value);
        Self {
            json: Static::new(value.to_string()),
            enveloped: Static::new(json::to_bytes(&Envelope::new(&yaml))),
            yaml: Static::new(yaml),
        }
    }
}

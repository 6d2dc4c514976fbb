//! `OpenAPI` 3.1 descriptions of the APIs, one document per API.
//!
//! They are in `docs/openapi`. The tests of `tests/openapi` make them from the routes, the wire types
//! and the decoders of requests.

mod yaml;

use crate::path::Api;
use crate::response::Static;
use portcullis_api::envelope::Envelope;
use portcullis_api::json;
use serde_json::Value;
use std::sync::LazyLock;

#[derive(Debug)]
pub struct Document {
    pub json: Static,
    pub yaml: Static,
    /// The YAML as a string in an envelope, for clients that accept only JSON.
    pub enveloped: Static,
}

/// Returns the description of an API.
pub fn document(api: Api) -> &'static Document {
    static CLIENT: LazyLock<Document> =
        LazyLock::new(|| Document::new(include_str!("../openapi/client.json")));
    static MANAGEMENT: LazyLock<Document> =
        LazyLock::new(|| Document::new(include_str!("../openapi/management.json")));
    static FABRIC: LazyLock<Document> =
        LazyLock::new(|| Document::new(include_str!("../openapi/fabric.json")));
    static HEALTH_CHECKS: LazyLock<Document> =
        LazyLock::new(|| Document::new(include_str!("../openapi/health-checks.json")));
    match api {
        Api::Client => &CLIENT,
        Api::Management => &MANAGEMENT,
        Api::Fabric => &FABRIC,
        Api::HealthChecks => &HEALTH_CHECKS,
    }
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

//! Checks configurations against the built-in types, and against a type of one's own.
//!
//! `cargo run -p portcullis-config-types --example check_config`

use portcullis_config_types::{Schema, built_in};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::JsonObject;
use serde_json::json;
use std::error::Error;
use std::io::{self, Write as _};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for kind in built_in(Timestamp::UNIX_EPOCH) {
        let target = kind.spec.target.name();
        writeln!(out, "{:24} for a {target}", kind.spec.name)?;
    }

    let own: JsonObject = serde_json::from_value(json!({
        "type": "object",
        "required": ["host"],
        "additionalProperties": false,
        "properties": {
            "host": {"type": "string", "minLength": 2},
            "ports": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        },
    }))?;
    let schema = Schema::compile(&own)?;
    for data in [
        json!({"host": "db", "ports": [80, 443.0]}),
        json!({"host": "db", "ports": [80, "443"]}),
        json!({"ports": []}),
        json!({"host": "db", "port": 80}),
    ] {
        let data: JsonObject = serde_json::from_value(data)?;
        match schema.validate(&data) {
            Ok(kept) => writeln!(out, "kept as {}", serde_json::to_string(&kept)?)?,
            Err(error) => writeln!(out, "refused: {error}; given: {}", error.value)?,
        }
    }
    Ok(())
}

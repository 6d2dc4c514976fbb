//! JSON Schemas of configurations.

mod display;
mod normalize;
mod numbers;
mod pattern;
mod plan;
mod report;
mod size;
mod unique;

use jsonschema::{Draft, PatternOptions, Validator};
use normalize::NormalizedSchema;
use plan::{ReportDetail, ValidationPlan, WorkLimitError};
use portcullis_domain::FieldError;
use portcullis_domain::config::JsonObject;
use serde_json::Value;

/// Maximum size of a schema, in bytes of JSON.
pub const MAX_SCHEMA_SIZE: u64 = 64 * 1024;

/// Maximum nesting of schemas and configurations.
const MAX_DEPTH: usize = 64;

/// Compiled JSON Schema of a config type.
///
/// Compiling takes about a millisecond. Malicious schemas or data cannot make compilation or validation
/// much slower: both estimate their work beforehand and refuse what is too much.
#[derive(Debug)]
pub struct Schema(Option<CompiledSchema>);

#[derive(Debug)]
struct CompiledSchema {
    plan: ValidationPlan,
    validator: Validator,
}

impl Schema {
    /// Schema of a type without a schema: accepts any object.
    pub const ANY: Self = Self(None);

    /// Compiles a schema. An empty one is [`Schema::ANY`].
    ///
    /// Keywords of the drafts 4, 6 and 7 can be mixed. Unknown formats and keywords are ignored.
    /// References must point into the same schema, since nothing is ever fetched.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `schema` if its root is not for objects, or if it is invalid, too large, too
    /// deeply nested or too complex.
    pub fn compile(schema: &JsonObject) -> Result<Self, FieldError> {
        if schema.is_empty() {
            return Ok(Self::ANY);
        }
        let shown = Value::Object(schema.clone());
        compile(&shown, schema)
            .map(|compiled| Self(Some(compiled)))
            .map_err(|reason| FieldError::new("schema", reason, display::display_value(&shown)))
    }

    /// Validates `data` and returns its normalized form, in which whole numbers have no fraction.
    ///
    /// # Errors
    ///
    /// [`FieldError`] about the most relevant violation. The field is the path to the invalid value, such as
    /// `portRanges.0.low`, or `(root)`.
    pub fn validate(&self, data: &JsonObject) -> Result<JsonObject, FieldError> {
        let Some(mut normalized) = numbers::normalize_numbers(data, MAX_DEPTH) else {
            let reason = format!("has more than {MAX_DEPTH} levels");
            return Err(FieldError::new(
                report::ROOT,
                reason,
                display::display_object(data),
            ));
        };
        if let Self(Some(compiled)) = self {
            // The validator needs a value and not an object.
            let value = Value::Object(normalized);
            compiled.validate(&value)?;
            normalized = into_object(value);
        }
        Ok(normalized)
    }
}

impl CompiledSchema {
    fn validate(&self, data: &Value) -> Result<(), FieldError> {
        let refused =
            |reason: &str| FieldError::new(report::ROOT, reason, display::display_value(data));
        let estimate = self.plan.estimate(data).map_err(|excess| {
            refused(match excess {
                WorkLimitError::Steps => {
                    "is too complex to validate against the schema of its config type"
                },
                WorkLimitError::Depth => "is nested too deeply for the schema of its config type",
            })
        })?;
        if self.validator.is_valid(data) {
            return Ok(());
        }
        let violation = match estimate.report_detail() {
            ReportDetail::All => {
                report::most_relevant(&self.validator.iter_errors(data).collect::<Vec<_>>())
            },
            ReportDetail::First => {
                report::most_relevant(self.validator.validate(data).err().as_slice())
            },
            ReportDetail::None => None,
        };
        Err(violation.map_or_else(
            || {
                refused(
                    "does not match the schema of its config type, and is too large to say where",
                )
            },
            report::Violation::into_error,
        ))
    }
}

/// Compiles `schema`; the error is a message.
fn compile(shown: &Value, schema: &JsonObject) -> Result<CompiledSchema, String> {
    if size::json_size(shown, MAX_DEPTH) > MAX_SCHEMA_SIZE {
        return Err(format!(
            "must be at most {MAX_SCHEMA_SIZE} bytes long and at most {MAX_DEPTH} levels deep"
        ));
    }
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("must have the type `object` at its root".to_owned());
    }
    let NormalizedSchema { document, plan } = NormalizedSchema::read(schema)?;
    let validator = jsonschema::options()
        .with_draft(Draft::Draft7)
        .offline()
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_keyword(unique::NAME, unique::keyword)
        .with_pattern_options(PatternOptions::regex().size_limit(pattern::MAX_COMPILED_SIZE))
        .build(&document)
        .map_err(|error| report::schema_error(&error))?;
    Ok(CompiledSchema { plan, validator })
}

fn into_object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

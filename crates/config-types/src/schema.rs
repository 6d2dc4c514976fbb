//! JSON Schemas of configurations.

mod numbers;
mod pattern;
mod plan;
mod report;
mod rules;
mod text;
mod unique;
mod weight;

use jsonschema::{Draft, PatternOptions, Validator};
use plan::{Excess, Plan, Telling};
use portcullis_domain::FieldError;
use portcullis_domain::config::Object;
use rules::Rules;
use serde_json::Value;

/// Largest schema, in bytes as JSON.
pub const LARGEST_SCHEMA: u64 = 64 * 1024;

/// How deep the values of schemas and configurations may lie.
const DEEPEST: usize = 64;

/// The JSON Schema of a type, ready to check its configurations.
///
/// Compiling takes about a millisecond, for a type that is written or whose configurations are.
/// Neither that nor a check takes much longer with a schema or data that are made to: both count
/// beforehand what they are about to do, and refuse what is too much.
#[derive(Debug)]
pub struct Schema(Option<Compiled>);

#[derive(Debug)]
struct Compiled {
    plan: Plan,
    validator: Validator,
}

impl Schema {
    /// The schema of a type that has none: any object will do.
    pub const ANY: Self = Self(None);

    /// Compiles a schema. An empty one is [`Schema::ANY`].
    ///
    /// What the drafts 4, 6 and 7 say can be mixed. Formats that are not known are ignored, and
    /// keywords too. References lead to places in the same schema, for nothing is ever fetched.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `schema` when its root is not for objects, when it is no schema, or when
    /// it is too large, lies too deep or would take too much work.
    pub fn compile(schema: &Object) -> Result<Self, FieldError> {
        if schema.is_empty() {
            return Ok(Self::ANY);
        }
        let shown = Value::Object(schema.clone());
        compile(&shown, schema)
            .map(|compiled| Self(Some(compiled)))
            .map_err(|reason| FieldError::new("schema", reason, text::of(&shown)))
    }

    /// Checks `data` and brings it into the form in which it is kept: whole numbers are written
    /// without fraction.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on the first fault. The field is the path to the value at fault, such as
    /// `portRanges.0.low`, or `(root)`.
    pub fn check(&self, data: &Object) -> Result<Object, FieldError> {
        let Some(mut settled) = numbers::settled(data, DEEPEST) else {
            let reason = format!("has more than {DEEPEST} levels");
            return Err(FieldError::new(
                report::ROOT,
                reason,
                text::of_members(data),
            ));
        };
        if let Self(Some(compiled)) = self {
            // The validator wants a value and not an object.
            let value = Value::Object(settled);
            compiled.check(&value)?;
            settled = object(value);
        }
        Ok(settled)
    }
}

impl Compiled {
    fn check(&self, data: &Value) -> Result<(), FieldError> {
        let refused = |reason: &str| FieldError::new(report::ROOT, reason, text::of(data));
        let measured = self.plan.measure(data).map_err(|excess| {
            refused(match excess {
                Excess::Steps => "is too complex to validate against the schema of its config type",
                Excess::Depth => "is nested too deeply for the schema of its config type",
            })
        })?;
        if self.validator.is_valid(data) {
            return Ok(());
        }
        let told = match measured.telling() {
            Telling::All => report::first(&self.validator.iter_errors(data).collect::<Vec<_>>()),
            Telling::First => report::first(self.validator.validate(data).err().as_slice()),
            Telling::Nothing => None,
        };
        Err(told.map_or_else(
            || {
                refused(
                    "does not match the schema of its config type, and is too large to say where",
                )
            },
            report::Fault::into_error,
        ))
    }
}

/// Compiles `schema`; the error is what is wrong with it, in words.
fn compile(shown: &Value, schema: &Object) -> Result<Compiled, String> {
    if weight::of(shown, DEEPEST) > LARGEST_SCHEMA {
        return Err(format!(
            "must be at most {LARGEST_SCHEMA} bytes long and at most {DEEPEST} levels deep"
        ));
    }
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("must have the type `object` at its root".to_owned());
    }
    let Rules { document, plan } = Rules::read(schema)?;
    let validator = jsonschema::options()
        .with_draft(Draft::Draft7)
        .offline()
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_keyword(unique::NAME, unique::keyword)
        .with_pattern_options(PatternOptions::regex().size_limit(pattern::LARGEST))
        .build(&document)
        .map_err(|error| report::of_schema(&error))?;
    Ok(Compiled { plan, validator })
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

//! JSON Schemas of domain types that responses contain.
//!
//! Crate `domain` has no schemas. The types here replace those of `domain` in
//! `#[schemars(with = "...")]`.

use crate::code::Code;
use crate::time::WireTime;
use portcullis_domain::ca::{ClaimLocation, ClaimMatcher, ClaimParser};
use portcullis_domain::config::ConfigTarget;
use portcullis_domain::identity::Precedence;
use portcullis_domain::posture_check::{CheckType, OsType};
use portcullis_domain::revocation::RevocationType;
use portcullis_domain::roles::Semantic;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Declares schema types for enums that are written as strings.
macro_rules! string_enums {
    ($($name:ident = $all:expr;)+) => {
        /// Schema types for enums that are written as strings.
        pub(crate) mod word {
            $(
                pub(crate) struct $name;
            )+
        }

        $(
            impl JsonSchema for word::$name {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
                    json_schema!({"type": "string", "enum": $all})
                }
            }
        )+
    };
}

string_enums! {
    CheckKind = CheckType::ALL.map(CheckType::name);
    Location = ClaimLocation::ALL.map(ClaimLocation::name);
    Matcher = ClaimMatcher::ALL.map(ClaimMatcher::name);
    OsType = OsType::ALL.map(OsType::name);
    Parser = ClaimParser::ALL.map(ClaimParser::name);
    Precedence = Precedence::ALL.map(Precedence::name);
    Revoked = RevocationType::ALL.map(RevocationType::name);
    Semantic = Semantic::ALL.map(Semantic::name);
    Target = ConfigTarget::ALL.map(ConfigTarget::name);
}

/// The name of an error code.
pub(crate) struct ErrorCode;

/// A map whose values are not nested.
pub(crate) struct Tags;

/// An object with arbitrary members.
pub(crate) struct Object;

impl JsonSchema for WireTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "WireTime".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

impl JsonSchema for ErrorCode {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        json_schema!({"type": "string", "enum": names})
    }
}

impl JsonSchema for Tags {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Tags".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let values = ["string", "number", "boolean", "null"];
        json_schema!({"type": "object", "additionalProperties": {"type": values}})
    }
}

impl JsonSchema for Object {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Object".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object"})
    }
}

/// Device information of a client. Members that it did not report are absent.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "schema of a type of `domain`")]
pub(crate) struct EnvInfo {
    /// Processor architecture.
    #[schemars(skip_serializing_if = "String::is_empty")]
    arch: String,
    /// Windows domain or DNS domain.
    #[schemars(skip_serializing_if = "String::is_empty")]
    domain: String,
    /// Host name.
    #[schemars(skip_serializing_if = "String::is_empty")]
    hostname: String,
    /// Operating system.
    #[schemars(skip_serializing_if = "String::is_empty")]
    os: String,
    /// Release of the operating system.
    #[schemars(skip_serializing_if = "String::is_empty")]
    os_release: String,
    /// Its version.
    #[schemars(skip_serializing_if = "String::is_empty")]
    os_version: String,
}

/// SDK information of a client. Members that it did not report are absent.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "schema of a type of `domain`")]
pub(crate) struct SdkInfo {
    /// Name of the application.
    #[schemars(skip_serializing_if = "String::is_empty")]
    app_id: String,
    /// Version of the application.
    #[schemars(skip_serializing_if = "String::is_empty")]
    app_version: String,
    /// Source branch of the SDK.
    #[schemars(skip_serializing_if = "String::is_empty")]
    branch: String,
    /// Source revision of the SDK.
    #[schemars(skip_serializing_if = "String::is_empty")]
    revision: String,
    /// Name of the SDK.
    #[schemars(rename = "type", skip_serializing_if = "String::is_empty")]
    kind: String,
    /// Version of the SDK.
    #[schemars(skip_serializing_if = "String::is_empty")]
    version: String,
}

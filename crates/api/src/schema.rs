//! JSON Schemas of what answers hold and other crates define.
//!
//! Entities and their values belong to `domain`, which knows nothing of schemas. What stands here is
//! put in their place where a schema is made: `#[schemars(with = "...")]`.

use crate::code::Code;
use crate::time::WireTime;
use portcullis_domain::ca::{Location, Matcher, Parser};
use portcullis_domain::config::Target;
use portcullis_domain::identity::Precedence;
use portcullis_domain::posture_check::{CheckKind, OsType};
use portcullis_domain::revocation::Revoked;
use portcullis_domain::roles::Semantic;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// Declares what stands for a few words.
macro_rules! words {
    ($($name:ident = $all:expr;)+) => {
        /// What stands for values that are one of a few words.
        pub(crate) mod word {
            $(
                /// One of a few words.
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

words! {
    CheckKind = CheckKind::ALL.map(CheckKind::name);
    Location = Location::ALL.map(Location::name);
    Matcher = Matcher::ALL.map(Matcher::name);
    OsType = OsType::ALL.map(OsType::name);
    Parser = Parser::ALL.map(Parser::name);
    Precedence = Precedence::ALL.map(Precedence::name);
    Revoked = Revoked::ALL.map(Revoked::name);
    Semantic = Semantic::ALL.map(Semantic::name);
    Target = Target::ALL.map(Target::name);
}

/// The name of a code of errors.
pub(crate) struct ErrorCode;

/// Values by free names that do not nest.
pub(crate) struct Tags;

/// An object with whatever members.
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

/// What a client says of its machine. Members that it did not say are left out.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "stands for a type of the domain")]
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
    /// Its release.
    #[schemars(skip_serializing_if = "String::is_empty")]
    os_release: String,
    /// Its version.
    #[schemars(skip_serializing_if = "String::is_empty")]
    os_version: String,
}

/// What a client says of its software. Members that it did not say are left out.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "stands for a type of the domain")]
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

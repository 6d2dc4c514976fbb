//! Attributes, and who they are told of.

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use portcullis_domain::clock::Timestamp;

/// Who measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Such as `portcullis-controller`.
    pub name: &'static str,
    pub version: &'static str,
    /// Tells this process from others of the same service; stays the same when it is started again.
    pub instance_id: String,
}

impl Service {
    pub(crate) fn resource(&self) -> Resource {
        Resource {
            attributes: vec![
                text("service.name", self.name),
                text("service.version", self.version),
                text("service.instance.id", &*self.instance_id),
            ],
            ..Resource::default()
        }
    }

    pub(crate) fn scope(&self) -> InstrumentationScope {
        InstrumentationScope {
            name: self.name.to_owned(),
            version: self.version.to_owned(),
            ..InstrumentationScope::default()
        }
    }
}

pub(crate) fn text(name: &str, value: impl Into<String>) -> KeyValue {
    attribute(name, Value::StringValue(value.into()))
}

pub(crate) fn integer(name: &str, value: impl Into<i64>) -> KeyValue {
    attribute(name, Value::IntValue(value.into()))
}

fn attribute(name: &str, value: Value) -> KeyValue {
    KeyValue {
        key: name.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}

/// Nanoseconds since 1970; zero, which stands for an unknown time, before that.
pub(crate) fn unix_nanos(time: Timestamp) -> u64 {
    u64::try_from(time.as_nanosecond()).unwrap_or(0)
}

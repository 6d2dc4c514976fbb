//! Bodies of service requests.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::ids::ConfigId;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::service::{ServiceSpec, ServiceSpecPatch, TerminatorStrategy};
use portcullis_domain::tags::Tags;
use serde::Serialize;
use std::collections::BTreeSet;

/// Name of the body in errors.
const PARAMETER: &str = "service";

/// The body of POST `/services`.
///
/// # Examples
///
/// ```
/// use portcullis_api::decode::Decode as _;
/// use portcullis_api::service::ServiceCreate;
/// use portcullis_domain::service::TerminatorStrategy;
///
/// let body = br#"{"name": "web", "encryptionRequired": true, "terminatorStrategy": "sticky"}"#;
/// let spec = ServiceCreate::from_body(body)?.spec()?;
/// assert_eq!(spec.terminator_strategy, TerminatorStrategy::Sticky);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceCreate {
    pub configs: BTreeSet<ConfigId>,
    /// Whether dialing and hosting clients have to use end-to-end encryption.
    pub encryption_required: bool,
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    pub max_idle_time_millis: u64,
    pub name: String,
    /// Role attributes, by which policies select it.
    pub role_attributes: RoleAttributes,
    pub tags: Tags,
    /// Strategy by which a terminator is chosen; the default if absent or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminator_strategy: Option<String>,
}

/// The body of PUT `/services/{id}`. Absent members are reset to their defaults; encryption is not
/// required by default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ServiceUpdate(pub ServiceCreate);

/// The body of PATCH `/services/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServicePatch {
    /// Replaces all configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Whether dialing and hosting clients have to use end-to-end encryption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encryption_required: Option<bool>,
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_idle_time_millis: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Replaces all role attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_attributes: Option<RoleAttributes>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
    /// Strategy by which a terminator is chosen; an empty string selects the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminator_strategy: Option<String>,
}

/// An unknown strategy. Like in OpenZiti, it is reported as an entity that is not found, with
/// [`Code::NotFound`](crate::code::Code::NotFound).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown terminator strategy {0:?}; use one of smartrouting, weighted, random, ha, sticky")]
pub struct UnknownStrategyError(pub String);

impl ServiceCreate {
    /// A service with this name and defaults for everything else, which requires encryption.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            configs: BTreeSet::new(),
            encryption_required: true,
            max_idle_time_millis: 0,
            name: name.into(),
            role_attributes: RoleAttributes::default(),
            tags: Tags::default(),
            terminator_strategy: None,
        }
    }

    /// Validates the strategy and converts to the spec.
    ///
    /// # Errors
    ///
    /// [`UnknownStrategyError`] when there is no such strategy.
    pub fn spec(self) -> Result<ServiceSpec, UnknownStrategyError> {
        Ok(ServiceSpec {
            is_fabric_only: false,
            name: self.name,
            role_attributes: self.role_attributes,
            configs: self.configs,
            encryption_required: self.encryption_required,
            terminator_strategy: self
                .terminator_strategy
                .map(parse_strategy)
                .transpose()?
                .unwrap_or_default(),
            max_idle_time_millis: self.max_idle_time_millis,
            tags: self.tags,
        })
    }

    fn decode_with(
        members: &mut Members,
        encryption: impl FnOnce(&mut Members) -> Result<bool, DecodeError>,
    ) -> Result<Self, DecodeError> {
        Ok(Self {
            configs: members.ids("configs")?.unwrap_or_default(),
            encryption_required: encryption(members)?,
            max_idle_time_millis: members
                .optional_u64("maxIdleTimeMillis")?
                .unwrap_or_default(),
            name: members.required_string("name")?,
            role_attributes: members.role_attributes()?.unwrap_or_default(),
            tags: members.tags()?.unwrap_or_default(),
            terminator_strategy: take_strategy(members)?,
        })
    }
}

impl ServicePatch {
    /// The changes to the spec.
    ///
    /// # Errors
    ///
    /// [`UnknownStrategyError`] when there is no such strategy.
    pub fn patch(self) -> Result<ServiceSpecPatch, UnknownStrategyError> {
        Ok(ServiceSpecPatch {
            name: self.name,
            role_attributes: self.role_attributes,
            configs: self.configs,
            encryption_required: self.encryption_required,
            terminator_strategy: self.terminator_strategy.map(parse_strategy).transpose()?,
            max_idle_time_millis: self.max_idle_time_millis,
            tags: self.tags,
        })
    }
}

impl Decode for ServiceCreate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Self::decode_with(members, |members| {
            members.required_bool("encryptionRequired")
        })
    }
}

impl Decode for ServiceUpdate {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let read = ServiceCreate::decode_with(members, |members| {
            let required = members.optional_bool("encryptionRequired")?;
            Ok(required.unwrap_or_default())
        });
        read.map(Self)
    }
}

impl Decode for ServicePatch {
    const BODY_NAME: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            configs: members.ids("configs")?,
            encryption_required: members.optional_bool("encryptionRequired")?,
            max_idle_time_millis: members.optional_u64("maxIdleTimeMillis")?,
            name: members.optional_string("name")?,
            role_attributes: members.role_attributes()?,
            tags: members.tags()?,
            terminator_strategy: take_strategy(members)?,
        })
    }
}

/// Takes out the strategy, which is validated later.
fn take_strategy(members: &mut Members) -> Result<Option<String>, DecodeError> {
    members.record_choices(
        "terminatorStrategy",
        &TerminatorStrategy::ALL.map(TerminatorStrategy::name),
    );
    members.optional_string("terminatorStrategy")
}

fn parse_strategy(name: String) -> Result<TerminatorStrategy, UnknownStrategyError> {
    if name.is_empty() {
        return Ok(TerminatorStrategy::default());
    }
    TerminatorStrategy::find(&name).ok_or(UnknownStrategyError(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read<D: Decode>(body: &Value) -> Result<D, DecodeError> {
        D::from_body(body.to_string().as_bytes())
    }

    fn least() -> ServiceSpec {
        ServiceSpec {
            is_fabric_only: false,
            name: "s".to_owned(),
            role_attributes: RoleAttributes::default(),
            configs: BTreeSet::new(),
            encryption_required: true,
            terminator_strategy: TerminatorStrategy::SmartRouting,
            max_idle_time_millis: 0,
            tags: Tags::default(),
        }
    }

    #[test]
    fn what_is_left_out_is_at_its_default() {
        let body = json!({"name": "s", "encryptionRequired": true, "terminatorStrategy": ""});
        let create: ServiceCreate = read(&body).unwrap();
        assert_eq!(create.spec(), Ok(least()));
        let body = json!({"NAME": "s", "configs": null, "id": "mine"});
        let ServiceUpdate(replace) = read(&body).unwrap();
        let plain = ServiceSpec {
            is_fabric_only: false,
            encryption_required: false,
            ..least()
        };
        assert_eq!(replace.spec(), Ok(plain));
        let merge: ServicePatch = read(&json!({"name": null})).unwrap();
        assert_eq!(merge.patch(), Ok(ServiceSpecPatch::default()));
    }

    #[test]
    fn lists_become_sets() {
        let body = json!({
            "name": "s", "encryptionRequired": true, "roleAttributes": ["b", "a", "b"],
            "configs": ["y", "x", "y"], "terminatorStrategy": "weighted",
            "maxIdleTimeMillis": 60000,
        });
        let create: ServiceCreate = read(&body).unwrap();
        let spec = create.spec().unwrap();
        assert_eq!(spec.role_attributes.iter().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(spec.configs, ["x", "y"].map(ConfigId::from_wire).into());
        assert_eq!(spec.terminator_strategy, TerminatorStrategy::Weighted);
        assert_eq!(spec.max_idle_time_millis, 60_000);
    }

    #[test]
    fn strategies_that_do_not_exist_are_named() {
        for name in ["nope", "Weighted", " "] {
            let body = json!({"name": "s", "encryptionRequired": true, "terminatorStrategy": name});
            let create: ServiceCreate = read(&body).unwrap();
            assert_eq!(create.spec(), Err(UnknownStrategyError(name.to_owned())));
            let merge: ServicePatch = read(&body).unwrap();
            assert_eq!(merge.patch(), Err(UnknownStrategyError(name.to_owned())));
        }
    }

    #[test]
    fn faults_are_named_in_the_order_of_members() {
        for (body, field, value) in [
            (json!({}), "encryptionRequired", "<nil>"),
            (json!({"encryptionRequired": true}), "name", "<nil>"),
            (
                json!({"encryptionRequired": true, "maxIdleTimeMillis": -1}),
                "maxIdleTimeMillis",
                "-1",
            ),
            (
                json!({"name": "s", "encryptionRequired": true, "roleAttributes": ["a", "#b"]}),
                "roleAttributes",
                "#b",
            ),
        ] {
            match read::<ServiceCreate>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
                },
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
        for body in [
            json!({"encryptionRequired": "yes"}),
            json!({"encryptionRequired": true, "name": 5}),
            json!({"encryptionRequired": true, "configs": "x"}),
        ] {
            let read = read::<ServiceCreate>(&body);
            assert!(matches!(read, Err(DecodeError::Parse(_))), "{body}");
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = ServiceCreate {
            configs: ["x"].map(ConfigId::from_wire).into(),
            encryption_required: false,
            max_idle_time_millis: 1,
            name: "s".to_owned(),
            role_attributes: RoleAttributes::new(["r"]).unwrap(),
            tags: Tags::default(),
            terminator_strategy: Some("sticky".to_owned()),
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read::<ServiceCreate>(&written).unwrap(), sent);
        let sent = ServiceUpdate(sent);
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read::<ServiceUpdate>(&written).unwrap(), sent);
        let sent = ServicePatch {
            max_idle_time_millis: Some(0),
            role_attributes: Some(RoleAttributes::default()),
            ..ServicePatch::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(
            written,
            json!({"maxIdleTimeMillis": 0, "roleAttributes": []})
        );
        assert_eq!(read::<ServicePatch>(&written).unwrap(), sent);
    }
}

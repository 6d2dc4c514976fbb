//! Wire types of service configuration overrides of identities.

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::envelope::{ListEnvelope, ListMeta, Pagination};
use crate::link::EntityRef;
use portcullis_domain::ids::{ConfigId, ServiceId};
use portcullis_domain::view::ServiceConfigView;
use serde::{Deserialize, Serialize};

/// Assignment of a configuration to a service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceConfigAssign {
    pub config_id: ConfigId,
    pub service_id: ServiceId,
}

/// The body of POST and DELETE `/identities/{id}/service-configs`: assignments to add or remove.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ServiceConfigAssignments(pub Vec<ServiceConfigAssign>);

/// Configuration of a service that is overridden for an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceConfigDetail {
    /// The configuration.
    pub config: EntityRef,
    /// Id of the configuration.
    #[schemars(with = "String")]
    pub config_id: ConfigId,
    /// The service.
    pub service: EntityRef,
    /// Id of the service.
    #[schemars(with = "String")]
    pub service_id: ServiceId,
}

impl Decode for ServiceConfigAssignments {
    const BODY_NAME: &'static str = "serviceConfigs";
    const IS_LIST: bool = true;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let assigned = members.items()?.into_iter().map(|mut item| {
            Ok(ServiceConfigAssign {
                config_id: ConfigId::from_wire(item.required_string("configId")?),
                service_id: ServiceId::from_wire(item.required_string("serviceId")?),
            })
        });
        assigned.collect::<Result<_, _>>().map(Self)
    }
}

impl ServiceConfigDetail {
    /// All overrides of an identity on a single page, without filter fields.
    pub fn list(all: impl IntoIterator<Item = ServiceConfigView>) -> ListEnvelope<Self> {
        let data: Vec<_> = all.into_iter().map(Self::from).collect();
        let count = u64::try_from(data.len()).unwrap_or(u64::MAX);
        ListEnvelope {
            data,
            meta: ListMeta::new(Pagination::new(Some(count), 0, count), []),
        }
    }
}

impl From<ServiceConfigView> for ServiceConfigDetail {
    fn from(view: ServiceConfigView) -> Self {
        Self {
            config_id: view.config.id.clone(),
            config: view.config.into(),
            service_id: view.service.id.clone(),
            service: view.service.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<ServiceConfigAssignments, DecodeError> {
        ServiceConfigAssignments::from_body(body.as_bytes())
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let assign = |config: &str, service: &str| ServiceConfigAssign {
            config_id: ConfigId::from_wire(config),
            service_id: ServiceId::from_wire(service),
        };
        for all in [vec![], vec![assign("c", "s"), assign("d", "s")]] {
            let sent = ServiceConfigAssignments(all);
            let written = serde_json::to_string(&sent).unwrap();
            assert_eq!(read(&written).unwrap(), sent, "{written}");
        }
    }

    #[test]
    fn faults_are_named_by_position() {
        for (body, field) in [
            ("", "serviceConfigs"),
            (r#"[{"configId": "c"}]"#, "0.serviceId"),
            (r#"[{"serviceId": "s"}]"#, "0.configId"),
            (r#"[{"configId": "c", "serviceId": "s"}, {}]"#, "1.configId"),
        ] {
            match read(body).unwrap_err() {
                DecodeError::Field(error) => assert_eq!(error.field, field, "{body}"),
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
        for body in ["{}", "[[]]", r#"[{"configId": 5, "serviceId": "s"}]"#] {
            assert!(matches!(read(body), Err(DecodeError::Parse(_))), "{body}");
        }
    }
}

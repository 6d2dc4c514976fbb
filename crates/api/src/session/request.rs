//! Bodies of service session requests.

use crate::decode::{Decode, DecodeError, Members};
use crate::service_policy::PolicyType;
use portcullis_domain::ids::ServiceId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::tags::{TagLimits, Tags};
use serde::Serialize;

/// The body of POST `/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionCreate {
    /// Id of the service; an absent one is treated as unknown.
    pub service_id: ServiceId,
    #[serde(skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// Type of the session; `Dial` if absent.
    #[serde(rename = "type")]
    pub grant: ServiceGrant,
}

impl Decode for SessionCreate {
    const BODY_NAME: &'static str = "session";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let service = members.optional_string("serviceId")?;
        members.set_tag_limits(TagLimits::OWN);
        let tags = members.tags()?.unwrap_or_default();
        let kind = PolicyType::take(members)?.unwrap_or(PolicyType::Dial);
        Ok(Self {
            service_id: ServiceId::from_wire(service.unwrap_or_default()),
            tags,
            grant: kind.to_grant("type")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<SessionCreate, DecodeError> {
        SessionCreate::from_body(body.as_bytes())
    }

    #[test]
    fn sessions_are_for_connecting_unless_something_else_is_asked_for() {
        use ServiceGrant::{Bind, Dial};
        for (body, service, grant) in [
            (r#"{"serviceId": "s"}"#, "s", Dial),
            (r#"{"serviceId": "s", "type": null}"#, "s", Dial),
            (r#"{"serviceId": "s", "type": "Bind"}"#, "s", Bind),
            ("{}", "", Dial),
        ] {
            let read = read(body).unwrap();
            assert_eq!((read.service_id.as_str(), read.grant), (service, grant));
        }
    }

    #[test]
    fn faults_are_named() {
        for (body, field) in [
            ("", "session"),
            (r#"{"type": "dial"}"#, "type"),
            (r#"{"type": "Invalid"}"#, "type"),
            (r#"{"tags": {"a": {}}, "type": "Fly"}"#, "tags.a"),
        ] {
            match read(body).unwrap_err() {
                DecodeError::Field(error) => assert_eq!(error.field, field, "{body}"),
                DecodeError::Parse(text) => panic!("{body}: {text}"),
            }
        }
        let number = read(r#"{"serviceId": 5}"#);
        assert!(matches!(number, Err(DecodeError::Parse(_))));
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = SessionCreate {
            service_id: ServiceId::from_wire("s"),
            tags: Tags::default(),
            grant: ServiceGrant::Bind,
        };
        let written = serde_json::to_string(&sent).unwrap();
        assert_eq!(written, r#"{"serviceId":"s","type":"Bind"}"#);
        assert_eq!(read(&written).unwrap(), sent);
    }
}

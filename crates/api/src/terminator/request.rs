//! Requests about terminators, read by the server and written by clients.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{RouterId, ServiceId};
use portcullis_domain::tags::Tags;
use portcullis_domain::terminator::{TerminatorPatch, TerminatorSpec};
use serde::Serialize;

/// Name of the body in errors.
const PARAMETER: &str = "terminator";

/// The words for how a terminator is preferred.
const PRECEDENCES: [&str; 3] = [
    Precedence::Default.name(),
    Precedence::Required.name(),
    Precedence::Failed.name(),
];

/// The body of POST `/terminators`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TerminatorCreate {
    /// Members shared with a replacement.
    #[serde(flatten)]
    pub replace: TerminatorReplace,
    /// The instance of the service that it is, for those who ask for a certain one.
    pub identity: String,
}

/// The body of PUT `/terminators/{id}`. What is left out is set back to its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TerminatorReplace {
    /// What the router connects to.
    pub address: String,
    /// The part of the router that connects circuits to the service; where it is empty, the address
    /// tells.
    pub binding: String,
    /// What it costs to use it.
    pub cost: u16,
    /// How it is preferred among those of the service.
    pub precedence: Precedence,
    /// Id of its router.
    pub router: RouterId,
    /// Id of its service.
    pub service: ServiceId,
    /// What users attach to it.
    pub tags: Tags,
}

/// The body of PATCH `/terminators/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TerminatorMerge {
    /// What the router is to connect to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// New part of the router.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// What it is to cost to use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u16>,
    /// How it is to be preferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedence: Option<Precedence>,
    /// New router.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub router: Option<RouterId>,
    /// New service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceId>,
    /// New tags, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl Decode for TerminatorCreate {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            replace: TerminatorReplace::decode(members)?,
            identity: members.optional_string("identity")?.unwrap_or_default(),
        })
    }
}

impl Decode for TerminatorReplace {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            address: members.required_string("address")?,
            binding: members.required_string("binding")?,
            cost: members.optional_u16("cost")?.unwrap_or_default(),
            precedence: precedence(members)?.unwrap_or_default(),
            router: RouterId::from_wire(members.required_string("router")?),
            service: ServiceId::from_wire(members.required_string("service")?),
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

impl Decode for TerminatorMerge {
    const PARAMETER: &'static str = PARAMETER;

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            address: members.optional_string("address")?,
            binding: members.optional_string("binding")?,
            cost: members.optional_u16("cost")?,
            precedence: precedence(members)?,
            router: members.optional_string("router")?.map(RouterId::from_wire),
            service: members
                .optional_string("service")?
                .map(ServiceId::from_wire),
            tags: members.tags()?,
        })
    }
}

impl TerminatorReplace {
    /// What is decided by it about a terminator that is the instance `instance_id` of its service.
    pub fn spec(self, instance_id: String) -> TerminatorSpec {
        TerminatorSpec {
            host_id: None,
            service: self.service,
            router: self.router,
            binding: self.binding,
            address: self.address,
            cost: self.cost,
            precedence: self.precedence,
            instance_id,
            tags: self.tags,
        }
    }
}

impl From<TerminatorCreate> for TerminatorSpec {
    fn from(create: TerminatorCreate) -> Self {
        create.replace.spec(create.identity)
    }
}

impl From<TerminatorMerge> for TerminatorPatch {
    fn from(merge: TerminatorMerge) -> Self {
        Self {
            service: merge.service,
            router: merge.router,
            binding: merge.binding,
            address: merge.address,
            cost: merge.cost,
            precedence: merge.precedence,
            host_id: None,
            tags: merge.tags,
        }
    }
}

fn precedence(members: &mut Members) -> Result<Option<Precedence>, DecodeError> {
    let path = members.path("precedence");
    let name = members.optional_choice("precedence", &PRECEDENCES)?;
    let precedence = name.map(|name| Precedence::from_name(&path, name));
    Ok(precedence.transpose()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read<D: Decode>(body: &Value) -> Result<D, DecodeError> {
        D::from_body(body.to_string().as_bytes())
    }

    fn least() -> Value {
        json!({"service": "s", "router": "r", "binding": "", "address": "tcp:a:1"})
    }

    #[test]
    fn what_is_left_out_is_at_its_default() {
        let spec: TerminatorSpec = read::<TerminatorCreate>(&least()).unwrap().into();
        assert_eq!((spec.cost, spec.precedence), (0, Precedence::Default));
        assert_eq!((&*spec.binding, &*spec.instance_id), ("", ""));
        let merge: TerminatorMerge = read(&json!({"cost": null, "identity": "x"})).unwrap();
        assert_eq!(TerminatorPatch::from(merge), TerminatorPatch::default());
    }

    #[test]
    fn faults_are_named_in_the_order_of_members() {
        let members = ["address", "binding", "router", "service"];
        for (position, member) in members.into_iter().enumerate() {
            let mut body = least();
            for missing in &members[position..] {
                body[missing] = Value::Null;
            }
            match read::<TerminatorCreate>(&body).unwrap_err() {
                DecodeError::Field(error) => {
                    assert_eq!((&*error.field, &*error.value), (member, "<nil>"));
                },
                DecodeError::Parse(text) => panic!("{member}: {text}"),
            }
        }
        for (member, value) in [
            ("cost", json!(-1)),
            ("cost", json!(65536)),
            ("precedence", json!("high")),
            ("precedence", json!("Required")),
        ] {
            let mut body = least();
            body[member] = value;
            for result in [
                read::<TerminatorCreate>(&body).map(drop),
                read::<TerminatorMerge>(&body).map(drop),
            ] {
                let error = result.unwrap_err();
                assert!(
                    matches!(&error, DecodeError::Field(error) if error.field == member),
                    "{error:?}"
                );
            }
        }
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        let sent = TerminatorCreate {
            replace: TerminatorReplace {
                address: "tcp:a:1".to_owned(),
                binding: "edge_transport".to_owned(),
                cost: 3,
                precedence: Precedence::Required,
                router: RouterId::from_wire("r"),
                service: ServiceId::from_wire("s"),
                tags: Tags::default(),
            },
            identity: "one".to_owned(),
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read::<TerminatorCreate>(&written).unwrap(), sent);
        assert_eq!(read::<TerminatorReplace>(&written).unwrap(), sent.replace);
        assert_eq!(TerminatorSpec::from(sent).instance_id, "one");
        let sent = TerminatorMerge {
            precedence: Some(Precedence::Failed),
            ..TerminatorMerge::default()
        };
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written, json!({"precedence": "failed"}));
        assert_eq!(read::<TerminatorMerge>(&written).unwrap(), sent);
    }
}

//! Bodies of enrollment requests.

use crate::decode::{Decode, DecodeError, Members};
use crate::time::WireTime;
use portcullis_domain::FieldError;
use portcullis_domain::enrollment::{EnrollmentMethod, EnrollmentMethodKind};
use portcullis_domain::ids::{CaId, IdentityId};
use serde::{Serialize, Serializer};

/// The body of POST `/enrollments`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrollmentCreate {
    /// Identity that enrolls.
    pub identity_id: IdentityId,
    /// Enrollment method.
    #[serde(serialize_with = "name_of")]
    pub method: EnrollmentMethodKind,
    /// When it expires.
    pub expires_at: WireTime,
    /// The third-party authority, for `ottca`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_id: Option<CaId>,
    /// The username, for `updb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
}

impl EnrollmentCreate {
    pub fn new(identity: IdentityId, method: EnrollmentMethod, expires_at: WireTime) -> Self {
        let kind = method.kind();
        let (ca_id, username) = match method {
            EnrollmentMethod::Ott => (None, None),
            EnrollmentMethod::OttCa { ca } => (Some(ca), None),
            EnrollmentMethod::Updb { username } => (None, Some(username)),
        };
        Self {
            identity_id: identity,
            method: kind,
            expires_at,
            ca_id,
            username,
        }
    }

    /// The method with its parameters.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `caId` or `username` if it is required and missing. It is reported as
    /// [`Code::InvalidField`](crate::code::Code::InvalidField), after the check that the identity
    /// exists.
    pub fn to_method(&self) -> Result<EnrollmentMethod, FieldError> {
        match self.method {
            EnrollmentMethodKind::Ott => Ok(EnrollmentMethod::Ott),
            EnrollmentMethodKind::OttCa => self
                .ca_id
                .clone()
                .map(|ca| EnrollmentMethod::OttCa { ca })
                .ok_or_else(|| FieldError::new("caId", "no CA with this id exists", "")),
            EnrollmentMethodKind::Updb => self
                .username
                .clone()
                .map(|username| EnrollmentMethod::Updb { username })
                .ok_or_else(|| FieldError::new("username", "is required for method updb", "")),
        }
    }
}

impl Decode for EnrollmentCreate {
    const BODY_NAME: &'static str = "enrollment";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("caId", "The third-party authority, for the method `ottca`."),
        ("username", "The username, for the method `updb`."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            identity_id: IdentityId::from_wire(members.required_string("identityId")?),
            method: method(members)?,
            expires_at: members.required_time("expiresAt")?,
            ca_id: members.non_empty_string("caId")?.map(CaId::from_wire),
            username: members.new_username("username")?,
        })
    }
}

/// The body of POST `/enrollments/{id}/refresh` and of POST `/authenticators/{id}/re-enroll`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrollmentRefresh {
    /// When the enrollment expires.
    pub expires_at: WireTime,
}

impl Decode for EnrollmentRefresh {
    const BODY_NAME: &'static str = "refresh";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            expires_at: members.required_time("expiresAt")?,
        })
    }
}

fn method(members: &mut Members) -> Result<EnrollmentMethodKind, DecodeError> {
    members.record_choices(
        "method",
        &EnrollmentMethodKind::ALL.map(EnrollmentMethodKind::name),
    );
    let name = members.required_string("method")?;
    EnrollmentMethodKind::from_name(&name).ok_or_else(|| {
        let all = EnrollmentMethodKind::ALL
            .map(EnrollmentMethodKind::name)
            .join(", ");
        FieldError::new(
            members.path("method"),
            format!("must be one of {all}"),
            name,
        )
        .into()
    })
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn name_of<S: Serializer>(method: &EnrollmentMethodKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(method.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const SOON: &str = "2031-04-05T06:07:08.009Z";

    fn read(body: &Value) -> Result<EnrollmentCreate, DecodeError> {
        EnrollmentCreate::from_body(body.to_string().as_bytes())
    }

    fn body(extra: &Value) -> Value {
        let mut body = json!({"identityId": "i", "method": "ott", "expiresAt": SOON});
        for (name, value) in extra.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    }

    #[test]
    fn methods_bring_what_they_need() {
        let enrollment = |extra: &Value| read(&body(extra)).unwrap().to_method();
        let field = |extra: &Value| enrollment(extra).unwrap_err().field;
        assert_eq!(enrollment(&json!({})), Ok(EnrollmentMethod::Ott));
        assert_eq!(
            enrollment(&json!({"method": "ottca", "caId": "c"})),
            Ok(EnrollmentMethod::OttCa {
                ca: CaId::from_wire("c")
            })
        );
        let username = "anna".to_owned();
        assert_eq!(
            enrollment(&json!({"method": "updb", "username": "anna"})),
            Ok(EnrollmentMethod::Updb { username })
        );
        assert_eq!(field(&json!({"method": "ottca"})), "caId");
        assert_eq!(field(&json!({"method": "ottca", "caId": ""})), "caId");
        assert_eq!(
            field(&json!({"method": "updb", "username": null})),
            "username"
        );
    }

    #[test]
    fn faults_are_refused() {
        for (extra, field) in [
            (json!({"identityId": null}), Some("identityId")),
            (json!({"method": null}), Some("method")),
            (json!({"method": "OTT"}), Some("method")),
            (json!({"method": "ca"}), Some("method")),
            (json!({"expiresAt": null}), Some("expiresAt")),
            (json!({"expiresAt": "tomorrow"}), None),
            (json!({"expiresAt": 1}), None),
            (json!({"username": 1}), None),
        ] {
            match (read(&body(&extra)).unwrap_err(), field) {
                (DecodeError::Field(error), Some(field)) => assert_eq!(error.field, field),
                (DecodeError::Parse(_), None) => {},
                (error, _) => panic!("{extra}: {error:?}"),
            }
        }
        assert!(EnrollmentRefresh::from_body(b"{}").is_err());
        assert!(EnrollmentRefresh::from_body(b"").is_err());
    }

    #[test]
    fn what_clients_write_is_what_the_server_reads() {
        for extra in [
            json!({}),
            json!({"method": "ottca", "caId": "c"}),
            json!({"method": "updb", "username": "anna"}),
        ] {
            let sent = read(&body(&extra)).unwrap();
            let written = serde_json::to_value(&sent).unwrap();
            assert_eq!(written, body(&extra));
            assert_eq!(read(&written).unwrap(), sent);
        }
        let refresh = EnrollmentRefresh {
            expires_at: WireTime::parse(SOON).unwrap(),
        };
        let written = serde_json::to_vec(&refresh).unwrap();
        assert_eq!(EnrollmentRefresh::from_body(&written).unwrap(), refresh);
    }
}

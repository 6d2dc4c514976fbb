//! Bodies of authentication policy requests.

use super::{Primary, Secondary};
use crate::decode::{Decode, DecodeError, Members, non_blank};
use portcullis_domain::auth_policy::{
    AuthPolicy, AuthPolicySpec, AuthPolicySpecPatch, CertPatch, CertRules, ExtJwtPatch,
    ExtJwtRules, PrimaryPatch, PrimaryRules, SecondaryPatch, SecondaryRules, UpdbPatch, UpdbRules,
};
use portcullis_domain::ids::SignerId;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The body of POST `/auth-policies` and PUT `/auth-policies/{id}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthPolicyCreate {
    pub spec: AuthPolicySpec,
}

/// The body of PATCH `/auth-policies/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthPolicyPatch {
    pub patch: AuthPolicySpecPatch,
}

/// A value of a rule.
trait Rule: Sized {
    fn required(members: &mut Members, name: &str) -> Result<Self, DecodeError>;
    fn optional(members: &mut Members, name: &str) -> Result<Option<Self>, DecodeError>;
    fn to_json(&self) -> Value;
}

/// A group of rules, read whole or as changes, and written as changes.
trait Rules: Sized {
    type Patch: Default;

    fn decode(members: &mut Members) -> Result<Self, DecodeError>;
    fn decode_patch(members: &mut Members) -> Result<Self::Patch, DecodeError>;
    fn to_json(patch: &Self::Patch) -> Option<Value>;

    fn optional_patch(members: Option<Members>) -> Result<Self::Patch, DecodeError> {
        members.map_or_else(
            || Ok(Self::Patch::default()),
            |mut members| Self::decode_patch(&mut members),
        )
    }
}

macro_rules! rules {
    ($($rules:ident, $patch:ident { $($rule:ident: $name:literal,)+ })+) => {$(
        impl Rules for $rules {
            type Patch = $patch;

            fn decode(members: &mut Members) -> Result<Self, DecodeError> {
                Ok(Self { $($rule: Rule::required(members, $name)?,)+ })
            }

            fn decode_patch(members: &mut Members) -> Result<$patch, DecodeError> {
                Ok($patch { $($rule: Rule::optional(members, $name)?,)+ })
            }

            fn to_json(patch: &$patch) -> Option<Value> {
                object([$(($name, patch.$rule.as_ref().map(Rule::to_json)),)+])
            }
        }
    )+};
}

rules! {
    CertRules, CertPatch {
        allowed: "allowed",
        allow_expired_certs: "allowExpiredCerts",
    }
    ExtJwtRules, ExtJwtPatch {
        allowed: "allowed",
        allowed_signers: "allowedSigners",
    }
    UpdbRules, UpdbPatch {
        allowed: "allowed",
        min_password_length: "minPasswordLength",
        require_special_char: "requireSpecialChar",
        require_number_char: "requireNumberChar",
        require_mixed_case: "requireMixedCase",
        max_attempts: "maxAttempts",
        lockout_duration_minutes: "lockoutDurationMinutes",
    }
    SecondaryRules, SecondaryPatch {
        require_totp: "requireTotp",
        require_ext_jwt_signer: "requireExtJwtSigner",
    }
}

impl Rule for bool {
    fn required(members: &mut Members, name: &str) -> Result<Self, DecodeError> {
        members.required_bool(name)
    }

    fn optional(members: &mut Members, name: &str) -> Result<Option<Self>, DecodeError> {
        members.optional_bool(name)
    }

    fn to_json(&self) -> Value {
        (*self).into()
    }
}

impl Rule for u32 {
    fn required(members: &mut Members, name: &str) -> Result<Self, DecodeError> {
        members.required_count(name)
    }

    fn optional(members: &mut Members, name: &str) -> Result<Option<Self>, DecodeError> {
        members.optional_count(name)
    }

    fn to_json(&self) -> Value {
        (*self).into()
    }
}

impl Rule for BTreeSet<SignerId> {
    fn required(members: &mut Members, name: &str) -> Result<Self, DecodeError> {
        let ids = members.required_string_list(name)?;
        Ok(ids.into_iter().map(SignerId::from_wire).collect())
    }

    fn optional(members: &mut Members, name: &str) -> Result<Option<Self>, DecodeError> {
        let ids = members.string_list(name)?;
        Ok(ids.map(|ids| ids.into_iter().map(SignerId::from_wire).collect()))
    }

    fn to_json(&self) -> Value {
        json!(self)
    }
}

/// A signer id; a blank one means no signer.
impl Rule for Option<SignerId> {
    fn required(members: &mut Members, name: &str) -> Result<Self, DecodeError> {
        Ok(Self::optional(members, name)?.flatten())
    }

    fn optional(members: &mut Members, name: &str) -> Result<Option<Self>, DecodeError> {
        let id = members.optional_string(name)?;
        Ok(id.map(|id| non_blank(id).map(SignerId::from_wire)))
    }

    fn to_json(&self) -> Value {
        self.as_ref()
            .map(ToString::to_string)
            .unwrap_or_default()
            .into()
    }
}

/// An object of the members that have a value; `None` if none has.
fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Option<Value> {
    let members: Map<_, _> = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect();
    (!members.is_empty()).then_some(Value::Object(members))
}

impl Decode for AuthPolicyCreate {
    const BODY_NAME: &'static str = "authPolicy";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let name = members.required_string("name")?;
        let mut primary = members.required_object("primary")?;
        let mut cert = primary.required_object("cert")?;
        let mut ext_jwt = primary.required_object("extJwt")?;
        let mut updb = primary.required_object("updb")?;
        let spec = AuthPolicySpec {
            name,
            primary: PrimaryRules {
                cert: Rules::decode(&mut cert)?,
                ext_jwt: Rules::decode(&mut ext_jwt)?,
                updb: Rules::decode(&mut updb)?,
            },
            secondary: Rules::decode(&mut members.required_object("secondary")?)?,
            tags: members.tags()?.unwrap_or_default(),
        };
        Ok(Self { spec })
    }
}

impl Decode for AuthPolicyPatch {
    const BODY_NAME: &'static str = "authPolicy";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let primary = members.object("primary")?;
        let secondary = members.object("secondary")?;
        let patch = AuthPolicySpecPatch {
            name: members.optional_string("name")?,
            primary: primary.map_or_else(|| Ok(PrimaryPatch::default()), primary_patch)?,
            secondary: SecondaryRules::optional_patch(secondary)?,
            tags: members.tags()?,
        };
        Ok(Self { patch })
    }
}

fn primary_patch(mut members: Members) -> Result<PrimaryPatch, DecodeError> {
    Ok(PrimaryPatch {
        cert: CertRules::optional_patch(members.object("cert")?)?,
        ext_jwt: ExtJwtRules::optional_patch(members.object("extJwt")?)?,
        updb: UpdbRules::optional_patch(members.object("updb")?)?,
    })
}

impl Serialize for AuthPolicyCreate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spec = self.spec.clone();
        let mut body = serializer.serialize_struct("AuthPolicyCreate", 4)?;
        body.serialize_field("name", &spec.name)?;
        body.serialize_field("primary", &Primary::from(spec.primary))?;
        body.serialize_field("secondary", &Secondary::from(spec.secondary))?;
        body.serialize_field("tags", &spec.tags)?;
        body.end()
    }
}

impl Serialize for AuthPolicyPatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let patch = &self.patch;
        let primary = object([
            ("cert", CertRules::to_json(&patch.primary.cert)),
            ("extJwt", ExtJwtRules::to_json(&patch.primary.ext_jwt)),
            ("updb", UpdbRules::to_json(&patch.primary.updb)),
        ]);
        let body = object([
            ("name", patch.name.as_ref().map(|name| json!(name))),
            ("primary", primary),
            ("secondary", SecondaryRules::to_json(&patch.secondary)),
            ("tags", patch.tags.as_ref().map(|tags| json!(tags))),
        ]);
        body.unwrap_or_else(|| json!({})).serialize(serializer)
    }
}

impl From<AuthPolicy> for AuthPolicyCreate {
    fn from(policy: AuthPolicy) -> Self {
        Self { spec: policy.spec }
    }
}

impl From<AuthPolicySpecPatch> for AuthPolicyPatch {
    fn from(patch: AuthPolicySpecPatch) -> Self {
        Self { patch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::clock::Timestamp;

    fn whole() -> Value {
        json!({
            "name": "p",
            "primary": {
                "cert": {"allowed": true, "allowExpiredCerts": false},
                "extJwt": {"allowed": true, "allowedSigners": ["b", "a", "b"]},
                "updb": {
                    "allowed": true, "minPasswordLength": -3, "requireSpecialChar": true,
                    "requireNumberChar": true, "requireMixedCase": false, "maxAttempts": -1,
                    "lockoutDurationMinutes": 15,
                },
            },
            "secondary": {"requireTotp": true, "requireExtJwtSigner": null},
        })
    }

    fn read<D: Decode>(body: &Value) -> Result<D, DecodeError> {
        D::from_body(body.to_string().as_bytes())
    }

    #[test]
    fn whole_body_is_read() {
        let AuthPolicyCreate { spec } = read(&whole()).unwrap();
        let signers: Vec<_> = spec.primary.ext_jwt.allowed_signers.iter().collect();
        assert_eq!(
            signers,
            [&SignerId::from_wire("a"), &SignerId::from_wire("b")]
        );
        let updb = spec.primary.updb;
        assert_eq!((updb.min_password_length, updb.max_attempts), (0, 0));
        assert_eq!(updb.lockout_duration_minutes, 15);
        assert_eq!(spec.secondary.require_ext_jwt_signer, None);
    }

    #[test]
    fn every_missing_member_is_named() {
        let paths = [
            "name",
            "primary",
            "primary.cert",
            "primary.cert.allowed",
            "primary.cert.allowExpiredCerts",
            "primary.extJwt",
            "primary.extJwt.allowed",
            "primary.extJwt.allowedSigners",
            "primary.updb",
            "primary.updb.allowed",
            "primary.updb.minPasswordLength",
            "primary.updb.requireSpecialChar",
            "primary.updb.requireNumberChar",
            "primary.updb.requireMixedCase",
            "primary.updb.maxAttempts",
            "primary.updb.lockoutDurationMinutes",
            "secondary",
            "secondary.requireTotp",
        ];
        for path in paths {
            let mut body = whole();
            let pointer = format!("/{}", path.replace('.', "/"));
            *body.pointer_mut(&pointer).unwrap() = Value::Null;
            match read::<AuthPolicyCreate>(&body) {
                Err(DecodeError::Field(error)) => assert_eq!(error.field, path),
                other => panic!("{path}: {other:?}"),
            }
        }
    }

    #[test]
    fn merge_changes_what_it_names() {
        let body = json!({
            "primary": {"updb": {"minPasswordLength": 12, "requireNumberChar": true}},
            "secondary": {"requireExtJwtSigner": ""},
        });
        let AuthPolicyPatch { patch } = read(&body).unwrap();
        let mut expected = AuthPolicySpecPatch::default();
        expected.primary.updb.min_password_length = Some(12);
        expected.primary.updb.require_number_char = Some(true);
        expected.secondary.require_ext_jwt_signer = Some(None);
        assert_eq!(patch, expected);
        let nothing: AuthPolicyPatch = read(&json!({"primary": null, "name": null})).unwrap();
        assert_eq!(nothing, AuthPolicyPatch::default());
    }

    #[test]
    fn counts_are_bounded() {
        let body = json!({"primary": {"updb": {"maxAttempts": 4_294_967_296_u64}}});
        match read::<AuthPolicyPatch>(&body) {
            Err(DecodeError::Field(error)) => {
                assert_eq!(error.field, "primary.updb.maxAttempts");
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn whole_policy_is_read_back_as_it_was() {
        let policy = AuthPolicy::default_policy(Timestamp::UNIX_EPOCH);
        let body = serde_json::to_vec(&AuthPolicyCreate::from(policy.clone())).unwrap();
        let AuthPolicyCreate { spec } = AuthPolicyCreate::from_body(&body).unwrap();
        assert_eq!(spec, policy.spec);
    }

    #[test]
    fn changes_are_read_back_as_they_were() {
        let mut patch = AuthPolicySpecPatch::default();
        let written = |patch: &AuthPolicySpecPatch| {
            let update = AuthPolicyPatch::from(patch.clone());
            serde_json::to_string(&update).unwrap()
        };
        assert_eq!(written(&patch), "{}");
        patch.primary.updb.max_attempts = Some(3);
        let expected = r#"{"primary":{"updb":{"maxAttempts":3}}}"#;
        assert_eq!(written(&patch), expected);
        patch.name = Some("p".to_owned());
        patch.primary.cert.allowed = Some(false);
        patch.primary.ext_jwt.allowed_signers = Some(BTreeSet::from([SignerId::from_wire("s")]));
        patch.secondary.require_ext_jwt_signer = Some(None);
        let read = AuthPolicyPatch::from_body(written(&patch).as_bytes()).unwrap();
        assert_eq!(read.patch, patch);
    }
}

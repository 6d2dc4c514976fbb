//! Bodies of authentication policy requests, as the server decodes them.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::auth_policy::{
    AuthPolicySpec, AuthPolicySpecPatch, CertPatch, CertRules, ExtJwtPatch, ExtJwtRules,
    PrimaryPatch, PrimaryRules, SecondaryPatch, SecondaryRules, UpdbPatch, UpdbRules,
};
use portcullis_domain::ids::SignerId;
use std::collections::BTreeSet;

/// The body of POST `/auth-policies` and PUT `/auth-policies/{id}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthPolicyCreateRequest {
    pub spec: AuthPolicySpec,
}

/// The body of PATCH `/auth-policies/{id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthPolicyPatchRequest {
    pub patch: AuthPolicySpecPatch,
}

impl Decode for AuthPolicyCreateRequest {
    const BODY_NAME: &'static str = "authPolicy";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let name = members.required_string("name")?;
        let primary = primary(&mut members.required_object("primary")?)?;
        let secondary = secondary(&mut members.required_object("secondary")?)?;
        let tags = members.tags()?.unwrap_or_default();
        Ok(Self {
            spec: AuthPolicySpec {
                tags,
                name,
                primary,
                secondary,
            },
        })
    }
}

fn primary(members: &mut Members) -> Result<PrimaryRules, DecodeError> {
    let mut cert = members.required_object("cert")?;
    let mut ext_jwt = members.required_object("extJwt")?;
    let mut updb = members.required_object("updb")?;
    Ok(PrimaryRules {
        cert: CertRules {
            allowed: cert.required_bool("allowed")?,
            allow_expired_certs: cert.required_bool("allowExpiredCerts")?,
        },
        ext_jwt: ExtJwtRules {
            allowed: ext_jwt.required_bool("allowed")?,
            allowed_signers: signers(ext_jwt.required_string_list("allowedSigners")?),
        },
        updb: UpdbRules {
            allowed: updb.required_bool("allowed")?,
            min_password_length: updb.required_count("minPasswordLength")?,
            require_special_char: updb.required_bool("requireSpecialChar")?,
            require_number_char: updb.required_bool("requireNumberChar")?,
            require_mixed_case: updb.required_bool("requireMixedCase")?,
            max_attempts: updb.required_count("maxAttempts")?,
            lockout_duration_minutes: updb.required_count("lockoutDurationMinutes")?,
        },
    })
}

fn secondary(members: &mut Members) -> Result<SecondaryRules, DecodeError> {
    Ok(SecondaryRules {
        require_totp: members.required_bool("requireTotp")?,
        require_ext_jwt_signer: members
            .optional_string("requireExtJwtSigner")?
            .and_then(signer),
    })
}

impl Decode for AuthPolicyPatchRequest {
    const BODY_NAME: &'static str = "authPolicy";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let primary = members.object("primary")?;
        let secondary = members.object("secondary")?;
        Ok(Self {
            patch: AuthPolicySpecPatch {
                name: members.optional_string("name")?,
                primary: primary.map_or_else(|| Ok(PrimaryPatch::default()), primary_patch)?,
                secondary: secondary
                    .map_or_else(|| Ok(SecondaryPatch::default()), secondary_patch)?,
                tags: members.tags()?,
            },
        })
    }
}

fn primary_patch(mut members: Members) -> Result<PrimaryPatch, DecodeError> {
    let mut patch = PrimaryPatch::default();
    if let Some(mut cert) = members.object("cert")? {
        patch.cert = CertPatch {
            allowed: cert.optional_bool("allowed")?,
            allow_expired_certs: cert.optional_bool("allowExpiredCerts")?,
        };
    }
    if let Some(mut ext_jwt) = members.object("extJwt")? {
        patch.ext_jwt = ExtJwtPatch {
            allowed: ext_jwt.optional_bool("allowed")?,
            allowed_signers: ext_jwt.string_list("allowedSigners")?.map(signers),
        };
    }
    if let Some(mut updb) = members.object("updb")? {
        patch.updb = UpdbPatch {
            allowed: updb.optional_bool("allowed")?,
            min_password_length: updb.optional_count("minPasswordLength")?,
            require_special_char: updb.optional_bool("requireSpecialChar")?,
            require_number_char: updb.optional_bool("requireNumberChar")?,
            require_mixed_case: updb.optional_bool("requireMixedCase")?,
            max_attempts: updb.optional_count("maxAttempts")?,
            lockout_duration_minutes: updb.optional_count("lockoutDurationMinutes")?,
        };
    }
    Ok(patch)
}

fn secondary_patch(mut members: Members) -> Result<SecondaryPatch, DecodeError> {
    Ok(SecondaryPatch {
        require_totp: members.optional_bool("requireTotp")?,
        require_ext_jwt_signer: members.optional_string("requireExtJwtSigner")?.map(signer),
    })
}

fn signers(ids: Vec<String>) -> BTreeSet<SignerId> {
    ids.into_iter().map(SignerId::from_wire).collect()
}

/// A signer id; a blank one means no signer.
fn signer(id: String) -> Option<SignerId> {
    (!id.trim().is_empty()).then(|| SignerId::from_wire(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

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
        let AuthPolicyCreateRequest { spec } = read(&whole()).unwrap();
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
            match read::<AuthPolicyCreateRequest>(&body) {
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
        let AuthPolicyPatchRequest { patch } = read(&body).unwrap();
        let mut expected = AuthPolicySpecPatch::default();
        expected.primary.updb.min_password_length = Some(12);
        expected.primary.updb.require_number_char = Some(true);
        expected.secondary.require_ext_jwt_signer = Some(None);
        assert_eq!(patch, expected);
        let nothing: AuthPolicyPatchRequest =
            read(&json!({"primary": null, "name": null})).unwrap();
        assert_eq!(nothing, AuthPolicyPatchRequest::default());
    }

    #[test]
    fn counts_are_bounded() {
        let body = json!({"primary": {"updb": {"maxAttempts": 4_294_967_296_u64}}});
        match read::<AuthPolicyPatchRequest>(&body) {
            Err(DecodeError::Field(error)) => {
                assert_eq!(error.field, "primary.updb.maxAttempts");
            },
            other => panic!("{other:?}"),
        }
    }
}

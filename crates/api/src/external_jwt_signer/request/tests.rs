use super::*;
use serde_json::{Value, json};

fn create(body: &Value) -> Result<ExternalJwtSignerCreate, DecodeError> {
    ExternalJwtSignerCreate::from_body(body.to_string().as_bytes())
}

fn least() -> Value {
    json!({"name": "n", "enabled": true, "issuer": "i", "audience": "a"})
}

#[test]
fn what_is_left_out_is_at_its_default() {
    let (settings, keys) = create(&least()).unwrap().into_parts();
    assert_eq!(settings, SignerSettings::new("n", "i", "a", true));
    assert_eq!(keys, KeySourcePatch::default());
}

#[test]
fn blank_texts_stand_for_defaults() {
    let mut body = least();
    for member in [
        "certPem",
        "jwksEndpoint",
        "kid",
        "claimsProperty",
        "externalAuthUrl",
        "clientId",
        "targetToken",
        "enrollAttributeClaimsSelector",
        "enrollNameClaimsSelector",
        "enrollAuthPolicyId",
    ] {
        body[member] = json!("");
    }
    let (settings, keys) = create(&body).unwrap().into_parts();
    assert_eq!(settings, SignerSettings::new("n", "i", "a", true));
    assert_eq!((keys.certificate, keys.endpoint), (Some(None), Some(None)));
}

#[test]
fn required_members_are_missed_by_name() {
    for member in ["name", "enabled", "issuer", "audience"] {
        let mut body = least();
        body[member] = Value::Null;
        match create(&body).unwrap_err() {
            DecodeError::Field(error) => assert_eq!(error.field, member),
            DecodeError::Parse(text) => panic!("{member}: {text}"),
        }
    }
}

#[test]
fn what_clients_write_is_what_the_server_reads() {
    let members = ExternalJwtSignerOptions {
        jwks_endpoint: Some("https://idp.example.test/keys".to_owned()),
        kid: Some("k".to_owned()),
        scopes: Some(["b", "a"].map(str::to_owned).into()),
        target_token: Some(TargetToken::Id),
        enroll_to_cert_enabled: Some(true),
        ..ExternalJwtSignerOptions::default()
    };
    let sent = ExternalJwtSignerCreate {
        name: "n".to_owned(),
        enabled: false,
        issuer: "i".to_owned(),
        audience: "a".to_owned(),
        members: members.clone(),
    };
    assert_eq!(create(&serde_json::to_value(&sent).unwrap()).unwrap(), sent);
    let sent = ExternalJwtSignerPatch {
        issuer: Some("i".to_owned()),
        members,
        ..ExternalJwtSignerPatch::default()
    };
    let bytes = serde_json::to_vec(&sent).unwrap();
    assert_eq!(ExternalJwtSignerPatch::from_body(&bytes).unwrap(), sent);
}

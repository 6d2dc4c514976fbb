use super::*;
use crate::fixture::Fixture;
use portcullis_oidc::claims::AccessClaims;
use serde_json::json;

fn claims() -> Arc<AccessClaims> {
    let claims = json!({
        "iss": "https://ctrl.test:1280/oidc",
        "jti": "id-1",
        "iat": 0,
        "nbf": 0,
        "exp": 1800,
        "z_t": "a",
        "sub": "alice",
        "aud": ["native"],
        "client_id": "native",
        "z_aid": "native",
        "scopes": ["openid"],
        "auth_time": 0,
        "amr": ["password"],
        "z_asid": "as-1",
        "z_authid": "updb",
        "z_cfs": null,
        "z_sdk": null,
        "z_env": null,
        "z_ra": "127.0.0.1:50000",
        "z_ice": false,
        "z_cer": false,
        "z_ckrr": false,
        "z_iccc": false,
    });
    Arc::new(serde_json::from_value(claims).unwrap())
}

#[tokio::test]
async fn tokens_up_to_a_length_are_remembered_to_the_byte() {
    let fixture = Fixture::start().await;
    let (tokens, vault) = (VerifiedTokens::default(), &fixture.app.vault);
    let of_length = |length| {
        let end = ".claims.signature";
        format!("{}{end}", "h".repeat(length - end.len()))
    };
    for (length, is_remembered) in [
        (100, true),
        (MAX_TOKEN_BYTES, true),
        (MAX_TOKEN_BYTES + 1, false),
    ] {
        let token = of_length(length);
        tokens.insert(vault, &token, &claims());
        let found = tokens.find(vault, &token);
        assert_eq!(found.is_some(), is_remembered, "{length}");
    }
    let known = of_length(100);
    tokens.insert(vault, &known, &claims());
    for altered in [
        known.replace("claims", "clains"),
        known.replace("signature", "signaturf"),
        known.replace('.', ""),
    ] {
        assert!(tokens.find(vault, &altered).is_none(), "{altered}");
    }
}

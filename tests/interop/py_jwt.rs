//! Tokens that `PyJWT` makes, for signers of every kind of key.

use serde_json::{Value, json};
use std::process::Command;
use support::tools::{are_available, are_required, python_with};
use support::{Api, TestDirectory, Tool, run};

/// Makes keys, and for each a self-signed certificate and tokens; writes them as JSON.
const SCRIPT: &str = r#"
import datetime, json, sys, time
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

KEYS = {
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "ES384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "ES512": lambda: ec.generate_private_key(ec.SECP521R1()),
    "RS256": lambda: rsa.generate_private_key(65537, 2048),
    "RS512": lambda: rsa.generate_private_key(65537, 2048),
    "PS256": lambda: rsa.generate_private_key(65537, 2048),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}

def certificate(key, algorithm):
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, algorithm)])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(),
                                      now, now + datetime.timedelta(days=1))
    digest = None if algorithm == "EdDSA" else hashes.SHA256()
    return builder.sign(key, digest).public_bytes(serialization.Encoding.PEM).decode()

made = []
for algorithm, make in KEYS.items():
    key, now = make(), int(time.time())
    issuer = "https://%s.example.test" % algorithm.lower()
    claims = {"iss": issuer, "aud": ["x", "portcullis"], "sub": "ada@x", "iat": now, "exp": now + 300}
    header = {"kid": algorithm}
    sign = lambda claims: jwt.encode(claims, key, algorithm=algorithm, headers=header)
    made.append({
        "issuer": issuer, "kid": algorithm, "certificate": certificate(key, algorithm),
        "good": sign(claims), "expired": sign({**claims, "exp": now - 1}),
        "other": sign({**claims, "aud": "y"}),
        "unsigned": jwt.encode(claims, None, algorithm="none", headers=header),
    })
json.dump(made, sys.stdout)
"#;

#[test]
fn tokens_of_another_library_are_understood() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let Some(python) = python_with("jwt, cryptography") else {
        assert!(
            !are_required(),
            "PyJWT is not installed, and PORTCULLIS_REQUIRE_TOOLS=1"
        );
        println!("skipped: no Python with the packages jwt and cryptography is installed");
        return;
    };
    let output = run(Command::new(python).args(["-c", SCRIPT])).success();
    let made: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(made.len(), 7);
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let body = json!({"name": "ada", "isAdmin": false, "externalId": "ada@x"});
    let created = admin.send("POST", "/identities", &body);
    let id = created.data()["id"].clone();
    let anonymous = Api::anonymous(&controller);
    for one in made {
        let member = |name: &str| one[name].as_str().unwrap();
        let signer = json!({
            "name": one["kid"], "enabled": true, "issuer": one["issuer"], "kid": one["kid"],
            "audience": "portcullis", "certPem": one["certificate"], "useExternalId": true,
        });
        let path = "/external-jwt-signers";
        let _ = admin.send("POST", path, &signer).expect_status(201);
        let log_in = |token: &str| {
            anonymous
                .curl("/edge/client/v1/authenticate?method=ext-jwt")
                .header(&format!("authorization: Bearer {token}"))
                .json("POST", &json!({}))
                .send()
        };
        let reply = log_in(member("good"));
        assert_eq!(reply.status, 200, "{}", one["kid"]);
        assert_eq!(reply.data()["identityId"], id);
        for bad in ["expired", "other", "unsigned"] {
            let reply = log_in(member(bad));
            assert_eq!(reply.error().0, 401, "{bad}, {}", one["kid"]);
        }
    }
}

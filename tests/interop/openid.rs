//! A real identity provider: its tokens, and its key set over HTTPS. `PORTCULLIS_TEST_OIDC` names a
//! folder in which the npm package `oidc-provider` is installed; without it there is nothing to
//! test with.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Curl, Openssl, TestDirectory, Tool, command};

/// Serves a provider whose clients get JWTs for themselves; says where.
const SCRIPT: &str = r"
const [folder, key, cert] = process.argv.slice(1);
const { default: Provider } = await import(`${folder}/node_modules/oidc-provider/lib/index.js`);
const { createServer } = await import('node:https');
const { generateKeyPairSync } = await import('node:crypto');
const { readFileSync } = await import('node:fs');

const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const issuer = `https://localhost:${server.address().port}`;
const jwk = (kind, options, more) => ({
  ...generateKeyPairSync(kind, options).privateKey.export({ format: 'jwk' }), use: 'sig', ...more,
});
const provider = new Provider(issuer, {
  jwks: { keys: [
    jwk('ec', { namedCurve: 'P-256' }, { kid: 'ec', alg: 'ES256' }),
    jwk('rsa', { modulusLength: 2048 }, { kid: 'rsa', alg: 'RS256' }),
  ] },
  clients: ['ES256', 'RS256'].map((alg) => ({
    client_id: `ada-${alg}`, client_secret: 'a-secret-of-the-test', redirect_uris: [],
    response_types: [], grant_types: ['client_credentials'],
  })),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, resource, client) => ({
        scope: '', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 300,
        jwt: { sign: { alg: client.clientId.split('-')[1] } },
      }),
    },
  },
});
server.on('request', provider.callback());
console.log(issuer);
";

/// The provider; it ends with the value.
struct Provider {
    child: Child,
    issuer: String,
}

impl Provider {
    fn start(folder: &Path, key: &Path, cert: &Path) -> Self {
        let mut child = Command::new("node")
            .args(["--input-type=module", "--eval", SCRIPT])
            .args([folder, key, cert])
            .stdout(Stdio::piped())
            .spawn()
            .expect("node can be started");
        let said = child.stdout.take().expect("the output is piped");
        let issuer = BufReader::new(said)
            .lines()
            .next()
            .expect("the provider says where it is")
            .expect("the provider says it as text");
        Self { child, issuer }
    }

    /// A token that a client gets for itself.
    fn token(&self, client: &str, ca: &Path) -> String {
        let form = "grant_type=client_credentials&resource=urn:portcullis";
        let reply = Curl::new(&format!("{}/token", self.issuer), ca)
            .arguments(["--user", &format!("{client}:a-secret-of-the-test")])
            .body("POST", "application/x-www-form-urlencoded", form)
            .send()
            .expect_status(200);
        let token = reply.json()["access_token"].clone();
        token.as_str().expect("a token is a text").to_owned()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A root and a certificate for `localhost`, with its key.
fn server_pki(openssl: &Openssl) -> [PathBuf; 3] {
    openssl
        .run("req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout idp-root.key -out idp-root.pem -subj /CN=idp-root -days 2")
        .success();
    openssl.csr("idp", KeyAlgorithm::P256, "/CN=localhost");
    fs::write(openssl.file("idp.ext"), "subjectAltName=DNS:localhost\n").unwrap();
    let sign = "-CA idp-root.pem -CAkey idp-root.key -CAcreateserial -days 2 -extfile idp.ext";
    openssl
        .run(&format!("x509 -req -in idp.csr -out idp.pem {sign}"))
        .success();
    ["idp-root.pem", "idp.key", "idp.pem"].map(|name| openssl.file(name))
}

#[test]
fn tokens_of_a_provider_open_sessions_with_keys_that_it_publishes() {
    let Some(folder) = std::env::var_os("PORTCULLIS_TEST_OIDC") else {
        println!("skipped: PORTCULLIS_TEST_OIDC names no folder");
        return;
    };
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    assert!(
        command::find_in_path("node").is_some(),
        "the provider needs node"
    );
    let site = TestDirectory::new();
    let openssl = Openssl::new(site.work());
    let [root, key, cert] = server_pki(&openssl);
    let provider = Provider::start(Path::new(&folder), &key, &cert);
    let controller = site
        .quickstart()
        .environment("SSL_CERT_FILE", &root)
        .start();
    let admin = Api::admin(&controller);
    let signer = json!({
        "name": "provider", "enabled": true, "issuer": provider.issuer,
        "audience": "urn:portcullis", "jwksEndpoint": format!("{}/jwks", provider.issuer),
        "claimsProperty": "client_id", "useExternalId": true,
    });
    let path = "/external-jwt-signers";
    let signer = admin.send("POST", path, &signer).expect_status(201).data();
    let anonymous = Api::anonymous(&controller);
    let log_in = |token: &str| {
        anonymous
            .curl("/edge/client/v1/authenticate?method=ext-jwt")
            .header(&format!("authorization: Bearer {token}"))
            .json("POST", &json!({}))
            .send()
    };
    for client in ["ada-ES256", "ada-RS256"] {
        let body = json!({"name": client, "isAdmin": false, "externalId": client});
        let id = admin.send("POST", "/identities", &body).data()["id"].clone();
        let token = provider.token(client, &root);
        let reply = log_in(&token).expect_status(200).data();
        assert_eq!(reply["identityId"], id);
        let opened_by = format!("extJwtId:{}", signer["id"].as_str().unwrap());
        assert_eq!(reply["authenticatorId"], Value::from(opened_by));
        let cut = &token[..token.len() - 1];
        assert_eq!(log_in(cut).error().0, 401);
    }
    // Keys that are known serve on while the provider is away.
    let token = provider.token("ada-ES256", &root);
    drop(provider);
    let _ = log_in(&token).expect_status(200);
}

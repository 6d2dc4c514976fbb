//! Every path on which a token counts, against everything that can be wrong with one: exactly the
//! token with nothing wrong passes.

use crate::support::create;
use crate::support::idp::{Idp, bearing, log_in_with, session_without_token, who};
use http::Method;
use portcullis_app::Settings;
use portcullis_testkit::{Harness, HarnessOptions, client_key_and_csr};
use serde_json::{Value, json};

/// Where tokens count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Path {
    Login,
    SecondFactor,
    EnrollToCert,
    EnrollToToken,
}

const PATHS: [Path; 4] = [
    Path::Login,
    Path::SecondFactor,
    Path::EnrollToCert,
    Path::EnrollToToken,
];

/// What is wrong.
#[derive(Debug, Clone)]
enum Wrong {
    Nothing,
    Claim(&'static str, Value),
    Header(&'static str, Value),
    /// Signed by another signer under this one's key id.
    OtherKey,
    /// Signed by another signer under its own key id.
    OtherKeyId,
    /// Of a signer that is disabled.
    Disabled,
    /// With a header that names another signer.
    NamedSigner,
}

struct Scene {
    controller: Harness,
    idp: Idp,
    other: Idp,
    off: Idp,
    /// The id of `other`.
    named: String,
    /// A session that lacks the token.
    session: String,
}

impl Scene {
    async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    async fn with(settings: Settings) -> Self {
        let controller = Harness::start_with(HarnessOptions {
            settings,
            ..HarnessOptions::default()
        })
        .await;
        let admin = controller.admin().await;
        let rules = || json!({"enrollToCertEnabled": true, "enrollToTokenEnabled": true});
        let [idp, other, off] = ["idp", "other", "off"].map(|name| Idp::new(&controller, name));
        let signer = idp.register(&controller, &admin, rules()).await;
        let named = other.register(&controller, &admin, rules()).await;
        let mut disabled = rules();
        disabled["enabled"] = json!(false);
        off.register(&controller, &admin, disabled).await;
        create(&controller, &admin, "ada", json!({"externalId": "ada@x"})).await;
        let session = session_without_token(&controller, &admin, signer).await;
        Self {
            controller,
            idp,
            other,
            off,
            named,
            session,
        }
    }

    /// The holder that a good token names on a path.
    fn holder(path: Path) -> String {
        match path {
            Path::Login => "ada@x".to_owned(),
            Path::SecondFactor => "eve@x".to_owned(),
            Path::EnrollToCert | Path::EnrollToToken => format!("{path:?}@x"),
        }
    }

    fn token(&self, path: Path, wrong: &Wrong) -> String {
        let holder = Self::holder(path);
        let mut claims = self.idp.claims(&self.controller, &holder);
        let mut header = self.idp.header();
        match wrong {
            Wrong::Nothing | Wrong::NamedSigner => {},
            Wrong::Claim(name, value) => change(&mut claims, name, value),
            Wrong::Header(name, value) => change(&mut header, name, value),
            Wrong::OtherKey => return self.other.sign(&header, &claims),
            Wrong::OtherKeyId => return self.other.sign(&self.other.header(), &claims),
            Wrong::Disabled => return self.off.token(&self.controller, &holder),
        }
        self.idp.sign(&header, &claims)
    }

    async fn passes(&self, path: Path, wrong: &Wrong) -> bool {
        let token = self.token(path, wrong);
        let tokens = [token.as_str()];
        let enroll = async |csr: &str| {
            let mut request = self.controller.request(Method::POST, "/enroll/token");
            if let Wrong::NamedSigner = wrong {
                request = request.header("ziti-token-issuer-id", &self.named);
            }
            let body = json!({ "clientCsr": csr });
            bearing(request, &tokens).json(&body).send().await
        };
        let reply = match path {
            Path::Login => log_in_with(&self.controller, &tokens).await,
            Path::SecondFactor => who(&self.controller, &self.session, &tokens).await,
            Path::EnrollToCert => enroll(&client_key_and_csr().1).await,
            Path::EnrollToToken => enroll("").await,
        };
        let refusal = match path {
            Path::Login | Path::SecondFactor => (401, "UNAUTHORIZED".to_owned()),
            _ => (400, "INVALID_ENROLLMENT_TOKEN".to_owned()),
        };
        if reply.status == 200 {
            return true;
        }
        assert_eq!(reply.error(), refusal, "{path:?}, {wrong:?}");
        false
    }
}

/// Sets a member, or takes it away when the value is null.
fn change(object: &mut Value, name: &str, value: &Value) {
    if value.is_null() {
        object.as_object_mut().unwrap().remove(name);
    } else {
        object[name] = value.clone();
    }
}

#[tokio::test]
async fn exactly_the_good_token_passes_on_every_path() {
    let scene = Scene::new().await;
    let now = scene.controller.app.env().now().as_second();
    let other = scene.other.issuer.clone();
    let mut wrongs = vec![
        Wrong::OtherKey,
        Wrong::OtherKeyId,
        Wrong::Disabled,
        Wrong::Claim("iss", json!(other)),
        Wrong::Claim("iss", json!("https://nobody.example.test")),
        Wrong::Claim("iss", json!(["https://idp.example.test"])),
        Wrong::Claim("iss", Value::Null),
        Wrong::Claim("aud", json!("others")),
        Wrong::Claim("aud", json!(["others"])),
        Wrong::Claim("aud", json!([])),
        Wrong::Claim("aud", Value::Null),
        Wrong::Claim("exp", json!(now)),
        Wrong::Claim("exp", json!(now - 3600)),
        Wrong::Claim("exp", json!("never")),
        Wrong::Claim("exp", Value::Null),
        Wrong::Claim("nbf", json!(now + 3600)),
        Wrong::Claim("iat", json!(now + 3600)),
        Wrong::Claim("sub", Value::Null),
        Wrong::Claim("sub", json!("")),
        Wrong::Claim("sub", json!(7)),
        Wrong::Header("kid", Value::Null),
        Wrong::Header("kid", json!("unheard of")),
        Wrong::Header("kid", json!(scene.other.kid)),
        Wrong::Header("alg", json!("none")),
        Wrong::Header("alg", json!("HS256")),
        Wrong::Header("alg", json!("RS256")),
        Wrong::Header("crit", json!(["x"])),
    ];
    for path in PATHS {
        for wrong in &wrongs {
            assert!(!scene.passes(path, wrong).await, "{path:?}, {wrong:?}");
        }
    }
    // Which signer a header names is for those alone to say who enroll.
    for path in [Path::EnrollToCert, Path::EnrollToToken] {
        assert!(!scene.passes(path, &Wrong::NamedSigner).await, "{path:?}");
    }
    wrongs.clear();
    for path in PATHS {
        assert!(scene.passes(path, &Wrong::Nothing).await, "{path:?}");
    }
}

#[tokio::test]
async fn tokens_that_never_expire_pass_where_the_configuration_lets_them() {
    let scene = Scene::with(Settings {
        require_token_expiry: false,
        ..Settings::default()
    })
    .await;
    let now = scene.controller.app.env().now().as_second();
    for path in PATHS {
        for expired in [json!(now), json!("never")] {
            let wrong = Wrong::Claim("exp", expired);
            assert!(!scene.passes(path, &wrong).await, "{path:?}");
        }
        let endless = Wrong::Claim("exp", Value::Null);
        assert!(scene.passes(path, &endless).await, "{path:?}");
    }
}

#[tokio::test]
async fn monsters_are_refused_quickly() {
    let scene = Scene::new().await;
    let good = scene.token(Path::Login, &Wrong::Nothing);
    let parts: Vec<_> = good.split('.').collect();
    let deep = scene.idp.sign(
        &scene.idp.header(),
        &json!({"iss": scene.idp.issuer, "x": "y".repeat(70_000)}),
    );
    for monster in [
        ".".repeat(60_000),
        format!("{good}."),
        format!("{good}=="),
        format!("{} .{}.{}", parts[0], parts[1], parts[2]),
        format!("{}.{}", parts[0], parts[1]),
        format!("{}..{}", parts[0], parts[2]),
        deep,
    ] {
        let reply = log_in_with(&scene.controller, &[&monster]).await;
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
        let reply = who(&scene.controller, &scene.session, &[&monster]).await;
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
    }
}

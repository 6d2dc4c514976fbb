//! Enrolling routers with `portcullis-router`, against a real controller.

use crate::Session;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_pki::{
    EnrollmentClaims, JwtSigner, PublicKeyKind, SigningKey, certificates_from_pem,
};
use serde_json::json;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use support::{CommandOutput, binaries, command, run, wait};

/// Files of the router, and what is in them.
const FILES: [&str; 4] = ["r1.key", "r1.cert", "r1.server.chain.cert", "r1.cas"];

/// A controller with the router `r1`, its token in `r1.jwt` and its configuration in `r1.yml`.
struct Enrollment {
    session: Session,
    router: String,
}

impl Enrollment {
    fn new() -> Self {
        let session = Session::logged_in();
        let made = session.json(&["edge-router", "create", "r1", "--output-jwt", "r1.jwt"]);
        let enrollment = Self {
            router: made["id"].as_str().unwrap().to_owned(),
            session,
        };
        let generate = [
            "config", "generate", "edge", "--name", "r1", "--tunnel", "none",
        ];
        let controller = enrollment.session.controller.host_port();
        let [edge_port, link_port] = free_ports();
        let options = [
            ["--host", "r1.example.test"],
            ["--controller", controller],
            ["--edge-port", &edge_port],
            ["--link-port", &link_port],
            ["--out", "r1.yml"],
        ];
        enrollment
            .run(&[&generate[..], options.as_flattened()].concat())
            .success();
        enrollment
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        run(self.session.command(&binaries::router()).args(arguments))
    }

    fn enroll(&self, options: &[&str]) -> CommandOutput {
        self.run(&[&["enroll", "r1.yml"], options].concat())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.session.site.file(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn key(&self) -> SigningKey {
        SigningKey::from_pem(&self.text("r1.key")).unwrap()
    }

    /// Another token for the router, which the administrator makes anew.
    fn new_token(&self, file: &str) {
        let again = ["edge-router", "re-enroll", "r1", "--output-jwt", file];
        self.session.run(&again).success();
    }

    fn claims(&self) -> EnrollmentClaims {
        let token = self.text("r1.jwt");
        let claims = token.split('.').nth(1).unwrap();
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
    }
}

/// Ports that nobody listens on.
fn free_ports() -> [String; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port().to_string())
}

#[test]
fn router_gets_certificates_for_its_key_and_names() {
    let enrollment = Enrollment::new();
    let said = enrollment.enroll(&["--jwt", "r1.jwt"]).success().text();
    let router = &enrollment.router;
    assert!(
        said.contains(&format!("Router {router} is enrolled")),
        "{said}"
    );
    assert!(
        said.contains("Next: portcullis-router run r1.yml"),
        "{said}"
    );
    for name in FILES {
        let mode = fs::metadata(enrollment.path(name)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
    }
    let key = enrollment.key();
    assert_eq!(key.public_key().kind(), PublicKeyKind::P256);
    let client = certificates_from_pem(&enrollment.text("r1.cert")).unwrap();
    assert_eq!(client[0].common_name().as_deref(), Some(router.as_str()));
    assert_eq!(client[0].public_key().unwrap(), *key.public_key());
    let server = certificates_from_pem(&enrollment.text("r1.server.chain.cert")).unwrap();
    let names: Vec<_> = server[0].dns_names().collect();
    assert!(names.contains(&"r1.example.test"), "{names:?}");
    assert!(server.len() > 1, "intermediates come along");
    let detail = enrollment.session.json(&["edge-router", "show", "r1"]);
    assert_eq!(detail["isVerified"], json!(true));
    assert!(!enrollment.path("endpoints.yml").exists());
}

#[test]
fn enrolling_twice_takes_force_and_a_new_token_and_keeps_the_key() {
    let enrollment = Enrollment::new();
    enrollment.enroll(&["--jwt", "r1.jwt"]).success();
    let (key, certificate) = (enrollment.text("r1.key"), enrollment.text("r1.cert"));
    let refused = enrollment
        .enroll(&["--jwt", "r1.jwt"])
        .expect_code(1)
        .stderr;
    assert!(refused.contains("is enrolled already"), "{refused}");
    assert!(refused.contains("--force"), "{refused}");
    let used = enrollment.enroll(&["--jwt", "r1.jwt", "--force"]);
    let used = used.expect_code(1).stderr;
    assert!(used.contains("INVALID_ENROLLMENT_TOKEN"), "{used}");
    assert_eq!(enrollment.text("r1.cert"), certificate);

    enrollment.new_token("again.jwt");
    let other_type = ["--jwt", "again.jwt", "--force", "--key-type", "rsa2048"];
    let refused = enrollment.enroll(&other_type).expect_code(1).stderr;
    assert!(refused.contains("there is a key of the type"), "{refused}");
    enrollment
        .enroll(&["--jwt", "again.jwt", "--force"])
        .success();
    assert_eq!(enrollment.text("r1.key"), key);
    assert_ne!(enrollment.text("r1.cert"), certificate);
}

#[test]
fn token_comes_from_standard_input_or_the_command_line_too() {
    let enrollment = Enrollment::new();
    let token = enrollment.text("r1.jwt");
    let mut line = enrollment.session.command(&binaries::router());
    line.args(["enroll", "r1.yml", "-a", "RSA", "--jwt", "-"]);
    command::run_with(&mut line, token.as_bytes(), wait::DEFAULT_TIMEOUT).success();
    let bits = PublicKeyKind::Rsa { bits: 4096 };
    assert_eq!(enrollment.key().public_key().kind(), bits);

    enrollment.new_token("again.jwt");
    let again = enrollment.text("again.jwt");
    enrollment
        .enroll(&["--force", "-j", again.trim()])
        .success();
}

#[test]
fn file_without_controllers_gets_those_of_the_token() {
    let enrollment = Enrollment::new();
    let lines = enrollment.text("r1.yml");
    let controller = enrollment.session.controller.host_port();
    let lines = lines.lines().filter(|line| !line.contains(controller));
    let without = lines.collect::<Vec<_>>().join("\n");
    let without = without.replace("\nctrl:\n", "\nctrl: {}\n");
    fs::write(enrollment.path("r1.yml"), without).unwrap();
    let refused = enrollment.run(&["run", "r1.yml"]).expect_code(1).stderr;
    assert!(refused.contains("`ctrl` has no `endpoint`"), "{refused}");
    enrollment.enroll(&["--jwt", "r1.jwt"]).success();
    let endpoints = enrollment.text("endpoints.yml");
    let address = enrollment.claims().ctrls.unwrap().remove(0);
    assert_eq!(endpoints, format!("endpoints:\n  - \"{address}\"\n"));
}

#[test]
fn tokens_that_lead_nowhere_are_explained_and_spend_nothing() {
    let enrollment = Enrollment::new();
    let session = &enrollment.session;
    session
        .run(&["identity", "create", "anna", "--output-jwt", "anna.jwt"])
        .success();
    let home = session.site.home();
    let key = fs::read_to_string(home.join("pki/server.key")).unwrap();
    let key = Arc::new(SigningKey::from_pem(&key).unwrap());
    let chain = fs::read_to_string(home.join("pki/server.chain.pem")).unwrap();
    let chain = certificates_from_pem(&chain).unwrap();
    let signer = JwtSigner::new(key, &chain[0]).unwrap();
    let mut claims = enrollment.claims();
    claims.exp = Some(1);
    fs::write(
        enrollment.path("expired.jwt"),
        signer.sign(&claims).unwrap(),
    )
    .unwrap();
    let stranger = enrollment.text("r1.jwt").trim().to_owned() + "x";
    fs::write(enrollment.path("altered.jwt"), stranger).unwrap();
    fs::write(enrollment.path("no.jwt"), "no token").unwrap();
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let mut claims = enrollment.claims();
    claims.iss = format!("https://{nobody}");
    fs::write(enrollment.path("nobody.jwt"), signer.sign(&claims).unwrap()).unwrap();
    for (token, code, parts) in [
        ("missing.jwt", 1, &["missing.jwt cannot be read"][..]),
        ("no.jwt", 2, &["not an enrollment token"]),
        ("anna.jwt", 1, &["for an identity", "`portcullis enroll`"]),
        (
            "expired.jwt",
            1,
            &["the token has expired", "ask the administrator"],
        ),
        ("altered.jwt", 1, &["was not issued by the controller at"]),
        ("nobody.jwt", 1, &["check that the controller is running"]),
    ] {
        let refused = enrollment
            .enroll(&["--jwt", token])
            .expect_code(code)
            .stderr;
        for part in parts {
            assert!(refused.contains(part), "{part:?} is not in {refused}");
        }
        for name in FILES {
            assert!(!enrollment.path(name).exists(), "{token}: {name}");
        }
    }
    let engine = ["--jwt", "r1.jwt", "--engine", "pkcs11:x"];
    let refused = enrollment.enroll(&engine).expect_code(2).stderr;
    assert!(refused.contains("keys in hardware"), "{refused}");
    enrollment.enroll(&["--jwt", "r1.jwt"]).success();
}

#[test]
fn enrolled_router_runs_until_it_is_told_to_stop() {
    let enrollment = Enrollment::new();
    let refused = enrollment.run(&["run", "r1.yml"]).expect_code(1).stderr;
    assert!(
        refused.contains("portcullis-router enroll r1.yml"),
        "{refused}"
    );
    enrollment.enroll(&["--jwt", "r1.jwt"]).success();
    let mut line = enrollment.session.command(&binaries::router());
    let log = fs::File::create(enrollment.path("r1.log")).unwrap();
    let mut router = line.args(["run", "r1.yml"]).stderr(log).spawn().unwrap();
    let logged = |part: &str| {
        wait::until(wait::DEFAULT_TIMEOUT, || {
            let log = enrollment.text("r1.log");
            if log.contains(part) { Ok(()) } else { Err(log) }
        })
        .unwrap();
    };
    logged("\"message\":\"running\"");
    logged(&enrollment.router);
    command::signal(&router, "HUP");
    logged("the certificates of the router are unchanged");
    enrollment.new_token("again.jwt");
    enrollment
        .enroll(&["--jwt", "again.jwt", "--force"])
        .success();
    command::signal(&router, "HUP");
    logged("were replaced by those of its files");
    command::signal(&router, "TERM");
    assert!(router.wait().unwrap().success());
    logged("\"message\":\"stopped\"");
}

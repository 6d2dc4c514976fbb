//! Certificates that clients refuse, made with `openssl`: what `config check` and `run` say of them.

use crate::support::{Serving, finish, made, program};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A controller with a server certificate of its operator, issued by the CAs of a home.
struct Scene {
    folder: TempDir,
    config: PathBuf,
}

/// Dates as `openssl ca` takes them.
type Dates = (&'static str, &'static str);

const VALID: Dates = ("20240101000000Z", "20991231235959Z");
const EXPIRED: Dates = ("20240101000000Z", "20250601000000Z");
const FUTURE: Dates = ("20980101000000Z", "20991231235959Z");

const LEAF: &str = "basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth,clientAuth\n";
const AUTHORITY: &str =
    "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n";
const NAMES: &str = "subjectAltName=DNS:localhost,IP:127.0.0.1\n";

impl Scene {
    /// `None` if there is no `openssl`.
    #[expect(clippy::print_stdout, reason = "tests that are skipped say so")]
    fn new() -> Option<Self> {
        if Command::new("openssl").arg("version").output().is_err() {
            let is_required = std::env::var("PORTCULLIS_REQUIRE_TOOLS").is_ok_and(|it| it == "1");
            assert!(!is_required, "there is no openssl");
            println!("skipped: there is no openssl");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        made(&home);
        let config = home.join("controller.yml");
        // What lies elsewhere than in a home is renewed by its operator.
        let text = fs::read_to_string(&config).unwrap();
        let text = text
            .replace("pki/server.chain.pem", "pki/own.pem")
            .replace("pki/server.key", "pki/own.key");
        fs::write(&config, text).unwrap();
        let scene = Self { folder, config };
        scene.openssl("ecparam -name prime256v1 -genkey -noout -out own.key");
        scene.openssl("req -new -key own.key -subj /CN=own -out own.csr");
        Some(scene)
    }

    fn pki(&self) -> PathBuf {
        self.folder.path().join("home/pki")
    }

    fn openssl(&self, arguments: &str) {
        let mut command = Command::new("openssl");
        command.current_dir(self.pki()).env_remove("OPENSSL_CONF");
        let output = command.args(arguments.split(' ')).output().unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
    }

    /// Has `ca` issue the certificate of a request.
    fn issue(&self, ca: &str, request: &str, extensions: &str, (begin, end): Dates) -> String {
        let pki = self.pki();
        fs::write(pki.join("index.txt"), "").unwrap();
        fs::write(pki.join("extensions"), extensions).unwrap();
        let settings = "[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nnew_certs_dir=.\n\
                        default_md=sha256\npolicy=any\nrand_serial=yes\nunique_subject=no\n\
                        [any]\ncommonName=supplied\norganizationName=optional\n";
        fs::write(pki.join("ca.cnf"), settings).unwrap();
        self.openssl(&format!(
            "ca -batch -notext -config ca.cnf -cert {ca}.cert -keyfile {ca}.key -in {request}.csr \
             -startdate {begin} -enddate {end} -extfile extensions -out issued.pem"
        ));
        fs::read_to_string(pki.join("issued.pem")).unwrap()
    }

    /// Serves a chain.
    fn serve(&self, chain: &[&str]) {
        fs::write(self.pki().join("own.pem"), chain.concat()).unwrap();
    }

    /// The certificate of the CA that issues to servers.
    fn issuer(&self) -> String {
        fs::read_to_string(self.pki().join("signing.cert")).unwrap()
    }

    /// Checks the file; answers the exit code and the findings.
    fn check(&self) -> (Option<i32>, Vec<Value>) {
        let command = ["config", "check", "--format", "json"];
        let finished = finish(program().args(command).arg(&self.config));
        let list: Value = serde_json::from_str(&finished.stdout).unwrap();
        (finished.code, list.as_array().unwrap().clone())
    }

    /// Asserts that there is one finding, an error about the value of `member`.
    #[track_caller]
    fn refused_for(&self, code: &str, member: &str, parts: &[&str]) {
        let (exit, found) = self.check();
        let [finding] = found.as_slice() else {
            panic!("{code}: {found:#?}");
        };
        assert_eq!((exit, &finding["severity"]), (Some(1), &"error".into()));
        assert_eq!(finding["code"], code, "{finding}");
        let (line, column) = place(&self.config, member);
        assert_eq!(finding["line"], line, "{finding}");
        assert_eq!(finding["column"], column, "{finding}");
        for part in parts {
            assert!(
                finding["message"].as_str().unwrap().contains(part),
                "{part:?}: {finding}"
            );
        }
    }
}

/// Line and column of the value of the first such member.
fn place(config: &Path, member: &str) -> (usize, usize) {
    let text = fs::read_to_string(config).unwrap();
    let mut lines = (1..).zip(text.lines());
    let (number, line) = lines
        .find(|(_, line)| line.contains(member))
        .unwrap_or_else(|| panic!("{member} is not in {text}"));
    (
        number,
        line.find(member).unwrap() + member.find(": ").unwrap() + 3,
    )
}

const SERVER: &str = "server_cert: ";

#[test]
fn good_certificate_of_an_operator_is_not_complained_about() {
    let Some(scene) = Scene::new() else { return };
    let leaf = scene.issue("signing", "own", &format!("{LEAF}{NAMES}"), VALID);
    scene.serve(&[&leaf, &scene.issuer()]);
    assert_eq!(scene.check(), (Some(0), Vec::new()));
}

#[test]
fn dates_are_judged() {
    let Some(scene) = Scene::new() else { return };
    let extensions = format!("{LEAF}{NAMES}");
    let leaf = scene.issue("signing", "own", &extensions, EXPIRED);
    scene.serve(&[&leaf, &scene.issuer()]);
    scene.refused_for(
        "expired-certificate",
        SERVER,
        &[
            "identity.server_cert expired ",
            " ago, at 2025-06-01T00:00:00Z; every client refuses it",
        ],
    );
    let leaf = scene.issue("signing", "own", &extensions, FUTURE);
    scene.serve(&[&leaf, &scene.issuer()]);
    scene.refused_for(
        "future-certificate",
        SERVER,
        &["is not valid before 2098-01-01T00:00:00Z", "until then"],
    );
}

#[test]
fn started_controller_says_the_same_and_serves() {
    let Some(scene) = Scene::new() else { return };
    let leaf = scene.issue("signing", "own", LEAF, EXPIRED);
    scene.serve(&[&leaf, &scene.issuer()]);
    let (exit, found) = scene.check();
    assert_eq!((exit, found.len()), (Some(1), 3), "{found:#?}");
    let mut serving = Serving::start(program().arg("run").arg(&scene.config));
    for finding in found {
        let logged = serving.logged(finding["message"].as_str().unwrap());
        let level = if finding["severity"] == "error" {
            "\"level\":\"ERROR\""
        } else {
            "\"level\":\"WARN\""
        };
        assert!(logged.contains(level), "{logged}");
        assert!(
            logged.contains(finding["help"].as_str().unwrap()),
            "{logged}"
        );
    }
    assert!(serving.serves());
    assert_eq!(serving.stop("TERM").code, Some(0));
}

#[test]
fn names_have_to_be_those_of_the_advertised_addresses() {
    let Some(scene) = Scene::new() else { return };
    let extensions = format!("{LEAF}subjectAltName=DNS:ctrl.example.test,IP:192.0.2.7\n");
    let leaf = scene.issue("signing", "own", &extensions, VALID);
    scene.serve(&[&leaf, &scene.issuer()]);
    let (exit, found) = scene.check();
    assert_eq!(exit, Some(1));
    let codes: Vec<_> = found
        .iter()
        .map(|it| (&it["code"], &it["severity"]))
        .collect();
    let (wrong, error, warning) = (
        Value::from("wrong-host"),
        Value::from("error"),
        Value::from("warning"),
    );
    assert_eq!(codes, [(&wrong, &warning), (&wrong, &error)], "{found:#?}");
    let (routers, clients) = (&found[0], &found[1]);
    assert_eq!(routers["path"], "ctrl.options.advertiseAddress");
    assert_eq!(clients["path"], "edge.api.address");
    assert_eq!(
        clients["message"],
        "the certificate identity.server_cert is not valid for localhost, the host of \
         edge.api.address; clients will refuse it there"
    );
    let help = clients["help"].as_str().unwrap();
    assert!(
        help.starts_with("it is valid for ctrl.example.test, 192.0.2.7: "),
        "{help}"
    );
}

#[test]
fn hosts_of_logins_have_to_be_covered_by_a_certificate() {
    let Some(scene) = Scene::new() else { return };
    let names = "subjectAltName=DNS:localhost,DNS:*.example.test,IP:127.0.0.1\n";
    let leaf = scene.issue("signing", "own", &format!("{LEAF}{names}"), VALID);
    scene.serve(&[&leaf, &scene.issuer()]);
    let text = fs::read_to_string(&scene.config).unwrap();
    let options = "options: {allowedHostnames: [login.example.test, login.example.com]}";
    let api = format!("    apis:\n      - binding: edge-oidc\n        {options}\n");
    fs::write(&scene.config, text.replace("    apis:\n", &api)).unwrap();
    let (exit, found) = scene.check();
    let found: Vec<_> = found
        .iter()
        .filter(|it| it["code"] == "wrong-host")
        .collect();
    let [finding] = found.as_slice() else {
        panic!("{found:#?}");
    };
    assert_eq!((exit, &finding["severity"]), (Some(1), &"error".into()));
    assert_eq!(
        finding["path"],
        "web[0].apis[0].options.allowedHostnames[1]"
    );
    assert_eq!(
        finding["message"],
        "the certificate identity.server_cert is not valid for login.example.com, the host of \
         web[0].apis[0].options.allowedHostnames[1]; clients will refuse it there"
    );
    let second = "allowedHostnames: [login.example.test,";
    let (line, column) = place(&scene.config, second);
    let column = column + second.len() - "allowedHostnames:".len();
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&line.into(), &column.into())
    );
}

#[test]
fn chain_has_to_lead_to_the_bundle() {
    let Some(scene) = Scene::new() else { return };
    let extensions = format!("{LEAF}{NAMES}");
    let leaf = scene.issue("signing", "own", &extensions, VALID);
    // The bundle of clients has the CA between, but who trusts the root alone needs it sent.
    scene.serve(&[&leaf]);
    let (exit, found) = scene.check();
    assert_eq!((exit, found.len()), (Some(0), 1), "{found:#?}");
    assert_eq!(found[0]["code"], "missing-intermediate");

    // A CA of the same name, which the bundle does not know.
    scene.openssl("ecparam -name prime256v1 -genkey -noout -out other.key");
    scene.openssl(
        "req -x509 -new -key other.key -subj /CN=other -days 100 -out other.cert \
         -addext basicConstraints=critical,CA:TRUE",
    );
    let stranger = scene.issue("other", "own", &extensions, VALID);
    let other = fs::read_to_string(scene.pki().join("other.cert")).unwrap();
    scene.serve(&[&stranger, &other]);
    scene.refused_for(
        "untrusted-certificate",
        SERVER,
        &["was issued by CN=other and does not lead to a CA of identity.ca; clients refuse it"],
    );

    scene.openssl("x509 -req -in own.csr -signkey own.key -extfile extensions -out self.pem");
    scene.serve(&[&fs::read_to_string(scene.pki().join("self.pem")).unwrap()]);
    scene.refused_for("untrusted-certificate", SERVER, &["is self-signed"]);
}

#[test]
fn root_that_the_bundle_lacks_is_one_finding() {
    let Some(scene) = Scene::new() else { return };
    let leaf = scene.issue("signing", "own", &format!("{LEAF}{NAMES}"), VALID);
    scene.serve(&[&leaf, &scene.issuer()]);
    scene.openssl(
        "req -x509 -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout other.key \
         -subj /CN=Foreign -days 100 -out cas.pem",
    );
    let missing = [
        "was issued by ",
        "CN=Portcullis root",
        "identity.ca (CN=Foreign)",
    ];
    scene.refused_for("no-authority", "cert: \"pki/signing", &missing);

    // Only its root is missing, of which a start takes no notice.
    let foreign = fs::read_to_string(scene.pki().join("cas.pem")).unwrap();
    fs::write(scene.pki().join("cas.pem"), foreign + &scene.issuer()).unwrap();
    let (exit, found) = scene.check();
    let [finding] = found.as_slice() else {
        panic!("{found:#?}");
    };
    assert_eq!((exit, &finding["severity"]), (Some(0), &"warning".into()));
    assert_eq!(finding["code"], "untrusted-certificate");
    let message = finding["message"].as_str().unwrap();
    assert!(
        message.contains("CN=Portcullis root,O=Portcullis is not in identity.ca"),
        "{message}"
    );
}

#[test]
fn certificate_has_to_be_that_of_a_server() {
    let Some(scene) = Scene::new() else { return };
    let authority = scene.issue("signing", "own", &format!("{AUTHORITY}{NAMES}"), VALID);
    scene.serve(&[&authority, &scene.issuer()]);
    scene.refused_for(
        "wrong-purpose",
        SERVER,
        &["is that of a CA; clients refuse it"],
    );

    let for_clients = format!("basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth\n{NAMES}");
    let client = scene.issue("signing", "own", &for_clients, VALID);
    scene.serve(&[&client, &scene.issuer()]);
    scene.refused_for("wrong-purpose", SERVER, &["is not for servers"]);
}

#[test]
fn chain_in_the_wrong_order_is_one_finding() {
    let Some(scene) = Scene::new() else { return };
    let leaf = scene.issue("signing", "own", &format!("{LEAF}{NAMES}"), VALID);
    scene.serve(&[&scene.issuer(), &leaf]);
    let parts = ["is number 2 in identity.server_cert", "has to be the first"];
    scene.refused_for("wrong-order", SERVER, &parts);
    let run = finish(program().arg("run").arg(&scene.config));
    run.failed_with(&["cannot be used: 1 mistake"]);
}

#[test]
fn authority_above_counts_too() {
    let Some(scene) = Scene::new() else { return };
    scene.openssl("ecparam -name prime256v1 -genkey -noout -out middle.key");
    scene.openssl("req -new -key middle.key -subj /CN=middle -out middle.csr");
    let middle = scene.issue("root", "middle", AUTHORITY, EXPIRED);
    fs::write(scene.pki().join("middle.cert"), &middle).unwrap();
    let leaf = scene.issue("middle", "own", &format!("{LEAF}{NAMES}"), VALID);
    scene.serve(&[&leaf, &middle]);
    scene.refused_for(
        "expired-certificate",
        SERVER,
        &[
            "leads to the CA CN=middle, which expired ",
            "; clients refuse it",
        ],
    );
}

#[test]
fn authority_that_signs_identities_is_judged() {
    let Some(scene) = Scene::new() else { return };
    let leaf = scene.issue("signing", "own", &format!("{LEAF}{NAMES}"), VALID);
    scene.serve(&[&leaf, &scene.issuer()]);
    scene.openssl("ecparam -name prime256v1 -genkey -noout -out issuer.key");
    scene.openssl("req -new -key issuer.key -subj /CN=issuer -out issuer.csr");
    let text = fs::read_to_string(&scene.config).unwrap();
    let text = text
        .replace("cert: \"pki/signing.cert\"", "cert: \"pki/issuer.cert\"")
        .replace("key: \"pki/signing.key\"", "key: \"pki/issuer.key\"");
    fs::write(&scene.config, text).unwrap();

    let expired = scene.issue("root", "issuer", AUTHORITY, EXPIRED);
    fs::write(scene.pki().join("issuer.cert"), expired).unwrap();
    scene.refused_for(
        "expired-certificate",
        "cert: \"pki/issuer",
        &["signingCert.cert expired ", "nobody can enroll"],
    );

    // Another root that bears the name of the one in the bundle.
    let subject = "/O=Portcullis/CN=Portcullis\\ root".replace("\\ ", " ");
    let mut command = Command::new("openssl");
    command
        .current_dir(scene.pki())
        .args(["req", "-x509", "-new", "-newkey", "ec", "-pkeyopt"]);
    command.args([
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-keyout",
        "false.key",
        "-subj",
    ]);
    command.args([&subject, "-out", "false.cert", "-days", "100"]);
    assert!(command.output().unwrap().status.success());
    let signed = scene.issue("false", "issuer", AUTHORITY, VALID);
    fs::write(scene.pki().join("issuer.cert"), signed).unwrap();
    scene.refused_for(
        "untrusted-certificate",
        "cert: \"pki/issuer",
        &["was not signed by the CA ", "what it issues is refused"],
    );
}

#[test]
fn expired_certificate_of_a_home_is_renewed_by_the_next_start() {
    let Some(scene) = Scene::new() else { return };
    scene.openssl("req -new -key server.key -subj /CN=own -out server.csr");
    let leaf = scene.issue("signing", "server", &format!("{LEAF}{NAMES}"), EXPIRED);
    let text = fs::read_to_string(&scene.config).unwrap();
    fs::write(
        &scene.config,
        text.replace("pki/own.pem", "pki/server.chain.pem")
            .replace("pki/own.key", "pki/server.key"),
    )
    .unwrap();
    fs::write(scene.pki().join("server.chain.pem"), leaf + &scene.issuer()).unwrap();
    let (exit, found) = scene.check();
    assert_eq!((exit, found.len()), (Some(0), 1), "{found:#?}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.ends_with("; the next start renews it"), "{message}");
    let mut serving = Serving::start(program().arg("run").arg(&scene.config));
    assert!(serving.serves());
    assert_eq!(serving.stop("TERM").code, Some(0));
    assert_eq!(scene.check(), (Some(0), Vec::new()));
}

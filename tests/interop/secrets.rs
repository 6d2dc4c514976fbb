//! Property S-12: what lets somebody in is not in the files of the store, and not in the logs.

use crate::tunnel;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use support::api::CLIENT;
use support::tools::are_available;
use support::{Api, Controller, Curl, Openssl, Reply, TestDirectory, Tool};

#[test]
fn secrets_are_neither_in_the_store_nor_in_the_log() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = TestDirectory::new();
    // Everything is logged that can be.
    let loud = ["--log", "trace", "--password", "administrators-password"];
    let controller = site.quickstart().with(loud).start();
    let admin = Api::anonymous(&controller).log_in("admin", "administrators-password");
    let mut secrets = vec![
        (
            "the administrator's password",
            "administrators-password".to_owned(),
        ),
        ("the administrator's session", admin.token().to_owned()),
    ];

    let laptop = admin.create_identity("laptop", &json!({"ott": true}));
    let ott = &laptop["enrollment"]["ott"];
    secrets.push((
        "an enrollment token",
        ott["token"].as_str().unwrap().to_owned(),
    ));
    secrets.push(("an enrollment JWT", ott["jwt"].as_str().unwrap().to_owned()));
    let person = admin.create_identity("person", &json!({"updb": "a-person"}));
    let updb = &person["enrollment"]["updb"];
    let token = updb["token"].as_str().unwrap().to_owned();
    let enrolled = admin
        .curl(&format!("{CLIENT}/enroll?method=updb&token={token}"))
        .json("POST", &json!({"password": "a-persons-password"}))
        .send();
    assert_eq!(enrolled.data()["username"], "a-person");
    let person = Api::anonymous(&controller).log_in("a-person", "a-persons-password");
    secrets.push(("a spent token", token));
    secrets.push(("a spent JWT", updb["jwt"].as_str().unwrap().to_owned()));
    secrets.push(("a person's password", "a-persons-password".to_owned()));
    secrets.push(("a person's session", person.token().to_owned()));
    let wrong = json!({"username": "a-person", "password": "not-the-password"});
    let login = format!("{CLIENT}/authenticate?method=password");
    assert_eq!(admin.curl(&login).json("POST", &wrong).send().status, 401);
    secrets.push(("a wrong password", "not-the-password".to_owned()));
    let refused = admin.with_token("00000000-1111-2222-3333-444444444444");
    assert_eq!(refused.get("/identities").status, 401);
    secrets.push((
        "a token that never was",
        "00000000-1111-2222-3333-444444444444".to_owned(),
    ));

    let login = json!({"username": "a-person", "password": "a-persons-password"});
    let opened = over_http2(
        &site,
        &controller,
        "/authenticate?method=password",
        |curl| curl.json("POST", &login),
    );
    let token = opened.data()["token"].as_str().unwrap().to_owned();
    over_http2(&site, &controller, "/current-identity", |curl| {
        curl.session(&token)
    })
    .data();
    secrets.push(("a session over HTTP/2", token));

    let copied = admin.send("POST", "/database/snapshot", &json!({}));
    assert_eq!(copied.status, 200);
    assert!(controller.terminate().success());
    // The search finds what is there: it looks at the right files.
    let store = files_under(&site.home());
    assert!(found("a-person", &store), "the store has the username");
    assert!(
        found("api-session.create", &[site.log()]),
        "the log has the audit lines"
    );
    let is_copy = |file: &PathBuf| file.display().to_string().contains(".portcullis-");
    let backups: Vec<_> = store.iter().filter(|file| is_copy(file)).cloned().collect();
    assert!(found("a-person", &backups), "the copy has the username");
    assert!(
        found("h2::", &[site.log()]),
        "the log has what the HTTP/2 library tells"
    );
    let files = [store, vec![site.log()]].concat();
    for (what, secret) in &secrets {
        for form in forms(secret) {
            assert!(!found(&form, &files), "{what} is in a file as {form}");
        }
    }
}

/// Sends something to the client API over HTTP/2, whose library tells more of it than ours.
fn over_http2(
    site: &TestDirectory,
    controller: &Controller,
    path: &str,
    request: impl FnOnce(Curl) -> Curl,
) -> Reply {
    let mut client = Openssl::new(site.work()).command();
    client
        .args(["s_client", "-quiet", "-connect", controller.host_port()])
        .args(["-alpn", "h2"]);
    let url = format!("http://{}{CLIENT}{path}", tunnel::open(client));
    let curl = Curl::bare(&url).argument("--http2-prior-knowledge");
    let reply = request(curl).send();
    assert_eq!(reply.version, "2");
    reply
}

/// A secret as it might be written: as it is, its bytes in hexadecimal and base64, and, for a
/// token, the same of the bytes that it stands for.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned(), secret.replace('-', "")];
    let mut values = vec![secret.as_bytes().to_vec()];
    values.extend(number(secret));
    for bytes in values {
        let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        forms.push(hex.to_uppercase());
        forms.push(hex);
        forms.push(BASE64_STANDARD_NO_PAD.encode(&bytes));
        forms.push(BASE64_URL_SAFE_NO_PAD.encode(&bytes));
    }
    // The signature is what makes a token of its claims.
    forms.extend(
        secret
            .rsplit_once('.')
            .map(|(_, signature)| signature.to_owned()),
    );
    forms
}

/// The bytes of a UUID.
fn number(text: &str) -> Option<Vec<u8>> {
    let digits = text.replace('-', "");
    let is_number = digits.len() == 32 && text.len() == 36;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    is_number.then(|| (0..32).step_by(2).map(byte).collect())?
}

/// Whether one of the files holds the text, or the bytes of the UUID that it is.
pub(crate) fn found(text: &str, files: &[PathBuf]) -> bool {
    holds(text.as_bytes(), files) || number(text).is_some_and(|bytes| holds(&bytes, files))
}

/// Whether one of the files holds the bytes.
pub(crate) fn holds(bytes: &[u8], files: &[PathBuf]) -> bool {
    files.iter().any(|file| {
        let content = fs::read(file).unwrap();
        content.windows(bytes.len()).any(|window| window == bytes)
    })
}

/// The files of the store: everything in the home but certificates, keys and the configuration.
pub(crate) fn files_under(folder: &Path) -> Vec<PathBuf> {
    let files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    assert!(!files.is_empty());
    files
}

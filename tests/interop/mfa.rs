//! TOTP with programs that know nothing of Portcullis: two that compute codes, one that reads QR
//! codes, and one that takes URLs apart.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;
use support::mfa::{CodePlacement, texts};
use support::tools::are_available;
use support::{Api, Reply, TestDirectory, Tool, TotpProgram, run};

const PASSWORD: &str = "a-persons-password";

/// Enrollments that are begun to look at what is drawn for them.
const SETS: u32 = 50;

/// Takes a provisioning URL apart, as an authenticator app would.
const READ_URL: &str = "\
import json, sys
from urllib.parse import parse_qs, unquote, urlsplit
url = urlsplit(sys.argv[1])
query = parse_qs(url.query, strict_parsing=True)
print(json.dumps({'scheme': url.scheme, 'type': url.netloc, 'label': unquote(url.path[1:]), 'query': query}))
";

#[track_caller]
fn assert_refused(reply: &Reply) {
    assert_eq!(reply.error(), (400, "MFA_INVALID_TOKEN".to_owned()));
}

/// A session that has to answer a second factor first.
fn log_in(admin: &Api, name: &str) -> Api {
    let session = admin.log_in(name, PASSWORD);
    assert!(!session.is_full(), "{name} is asked for a code");
    session
}

#[test]
fn codes_of_other_programs_are_taken_everywhere() {
    if !are_available(&[Tool::Curl, Tool::Oathtool, Tool::Python]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    for (name, program) in [
        ("anne", TotpProgram::Oathtool),
        ("bert", TotpProgram::Python),
    ] {
        walk(&admin, name, program);
    }
}

/// The life of an enrollment; no more than three codes of the app are needed in a row.
fn walk(admin: &Api, name: &str, program: TotpProgram) {
    let first = admin.create_user(name, PASSWORD);
    let mut set_up = first.begin_mfa(program);
    let wrong = set_up.app.wrong_code();
    assert_refused(&first.mfa("POST", "/verify", CodePlacement::Body(&wrong)));
    let code = set_up.app.code();
    let done = first
        .mfa("POST", "/verify", CodePlacement::Body(&code))
        .expect_status(200);
    assert_eq!(done.json(), json!({"data": {}, "meta": {}}));

    let second = log_in(admin, name);
    assert_refused(&second.answer_mfa(&code));
    let code = set_up.app.code();
    assert_eq!(second.answer_mfa(&code).status, 200);
    assert!(second.is_full());
    let third = log_in(admin, name);
    assert_refused(&third.answer_mfa(&code));
    let spent = &set_up.recovery[3];
    assert_eq!(third.answer_mfa(spent).status, 200);
    assert!(third.is_full());
    assert_refused(&log_in(admin, name).answer_mfa(spent));

    // As one SDK does it: new ones are asked for, and read with the same code.
    let code = set_up.app.code();
    let codes = "/recovery-codes";
    let made = third.mfa("POST", codes, CodePlacement::Body(&code)).data();
    let read = third.mfa("GET", codes, CodePlacement::Header(&code)).data();
    assert_eq!(read["recoveryCodes"], made["recoveryCodes"]);
    assert_refused(&third.mfa("GET", codes, CodePlacement::Header(&code)));
    let recovery = texts(&made["recoveryCodes"]);
    assert_eq!(recovery.len(), 20);
    assert!(recovery.iter().all(|code| !set_up.recovery.contains(code)));
    assert_refused(&third.mfa("DELETE", "", CodePlacement::Header(&set_up.recovery[0])));
    assert_refused(&third.mfa("DELETE", "", CodePlacement::Header(&code)));
    assert_eq!(
        third
            .mfa("DELETE", "", CodePlacement::Header(&recovery[0]))
            .status,
        200
    );
    assert!(admin.log_in(name, PASSWORD).is_full(), "none is asked for");

    // A new enrollment has a secret of its own, and ends by a code in a body.
    let mut again = third.enroll_in_mfa(program);
    assert_ne!(again.app.secret(), set_up.app.secret());
    let code = again.app.code();
    assert_eq!(
        third.mfa("DELETE", "", CodePlacement::Body(&code)).status,
        200
    );
    assert!(admin.log_in(name, PASSWORD).is_full());
}

#[test]
fn provisioning_urls_are_scanned_and_read() {
    if !are_available(&[Tool::Curl, Tool::Python, Tool::Zbarimg]) {
        return;
    }
    let site = TestDirectory::new();
    let issuer = "vault.example.test";
    let totp = format!("edge:\n  totp:\n    hostname: {issuer}\n");
    fs::write(site.file("totp.yml"), totp).unwrap();
    let config = site.file("totp.yml");
    let controller = site
        .quickstart()
        .with(["--config", config.to_str().unwrap()])
        .start();
    let admin = Api::admin(&controller);
    for name in ["laptop-07", "J. Döe & sons?#100%/x", "名前"] {
        let user = admin.create_user(&format!("user {name}"), PASSWORD);
        let set_up = user.begin_mfa(TotpProgram::Python);
        let png = user
            .mfa("GET", "/qr-code", CodePlacement::Omitted)
            .expect_status(200);
        assert_eq!(png.header("content-type"), Some("image/png"));
        let file = site.file("code.png");
        fs::write(&file, &png.body).unwrap();
        let mut zbarimg = Command::new("zbarimg");
        let scanned = run(zbarimg
            .args(["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable"])
            .arg(&file))
        .success();
        let scanned = scanned.text();
        assert_eq!(scanned.trim_end_matches('\n'), set_up.url, "{name}");

        let mut python = Command::new("python3");
        let read = run(python.args(["-c", READ_URL, &set_up.url])).success();
        let read: Value = serde_json::from_slice(&read.stdout).unwrap();
        let expected = json!({
            "scheme": "otpauth", "type": "totp", "label": format!("{issuer}:user {name}"),
            "query": {"issuer": [issuer], "secret": [set_up.app.secret()]},
        });
        assert_eq!(read, expected);
        // 160 bits.
        assert_eq!(set_up.app.secret().len(), 32);
    }
}

/// Property S-15, of a sample from the real source.
#[test]
fn secrets_and_codes_are_drawn_anew_each_time() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let user = Api::admin(&controller).create_user("anne", PASSWORD);
    let (mut secrets, mut all) = (BTreeSet::new(), BTreeSet::new());
    let mut counts = BTreeMap::<char, u32>::new();
    for _ in 0..SETS {
        let set_up = user.begin_mfa(TotpProgram::Oathtool);
        let removed = user.mfa("DELETE", "", CodePlacement::Omitted);
        assert_eq!(removed.status, 200);
        assert!(secrets.insert(set_up.app.secret().to_owned()));
        let set: BTreeSet<_> = set_up.recovery.iter().collect();
        assert_eq!(set.len(), 20, "no two of a set are alike");
        for code in set_up.recovery {
            assert_eq!(code.len(), 6);
            for character in code.chars() {
                *counts.entry(character).or_default() += 1;
            }
            all.insert(code);
        }
    }
    // Two of a thousand are alike once in two thousand samples.
    assert!(all.len() + 1 >= 20 * usize::try_from(SETS).unwrap());
    let expected = f64::from(SETS * 20 * 6) / 32.0;
    let off = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
    let chi_square: f64 = counts.values().map(off).sum();
    assert_eq!(counts.len(), 32);
    // 31 degrees of freedom: one in a million is beyond 83.
    assert!(chi_square < 83.0, "{chi_square}: {counts:?}");
}

//! Property S-12 for TOTP: secrets and recovery codes are not in the files of the store, and not in
//! the logs.

use crate::secrets::{files_under, found, holds};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use std::fmt::Write as _;
use std::fs;
use support::mfa::{CodePlacement, texts};
use support::tools::are_available;
use support::{Api, TestDirectory, Tool, TotpProgram};

const PASSWORD: &str = "a-persons-password";

#[test]
fn secrets_of_totp_are_neither_in_the_store_nor_in_the_log() {
    if !are_available(&[Tool::Curl, Tool::Oathtool]) {
        return;
    }
    let site = TestDirectory::new();
    // Everything is logged that can be.
    let controller = site.quickstart().with(["--log", "trace"]).start();
    let admin = Api::admin(&controller);
    let mut forms = Vec::new();

    let user = admin.create_user("a-person", PASSWORD);
    // Given up, and begun again.
    let abandoned = user.begin_mfa(TotpProgram::Oathtool);
    forms.extend(forms_of_secret(abandoned.app.secret()));
    forms.extend(abandoned.recovery.iter().flat_map(|code| forms_of(code)));
    assert_eq!(user.mfa("DELETE", "", CodePlacement::Omitted).status, 200);

    let mut set_up = user.begin_mfa(TotpProgram::Oathtool);
    assert_eq!(user.mfa("GET", "", CodePlacement::Omitted).status, 200);
    assert_eq!(
        user.mfa("GET", "/qr-code", CodePlacement::Omitted).status,
        200
    );
    let code = set_up.app.code();
    let given = CodePlacement::Body(&code);
    assert_eq!(user.mfa("POST", "/verify", given).status, 200);
    let login = admin.log_in("a-person", PASSWORD);
    assert_eq!(login.answer_mfa(&set_up.recovery[0]).status, 200);
    assert_eq!(login.answer_mfa(&set_up.recovery[0]).status, 400);
    // What only looks like a code is a secret of somebody, too.
    for typed in ["not-even-nearly-a-code", "ABCDEF"] {
        assert_eq!(login.answer_mfa(typed).status, 400);
        let in_header = login.mfa("DELETE", "", CodePlacement::Header(typed));
        assert_eq!(in_header.status, 400);
        forms.extend(forms_of(typed));
    }
    let code = set_up.app.code();
    let below = "/recovery-codes";
    let made = login.mfa("POST", below, CodePlacement::Body(&code)).data();
    let made = texts(&made["recoveryCodes"]);
    assert_eq!(
        login.mfa("GET", below, CodePlacement::Header(&code)).status,
        200
    );
    let read = login.mfa("GET", below, CodePlacement::Header(&made[5]));
    assert_eq!(read.status, 200);
    forms.extend(forms_of_secret(set_up.app.secret()));
    let all = set_up.recovery.iter().chain(&made);
    forms.extend(all.flat_map(|code| forms_of(code)));
    // While they are in use, and after they are gone.
    let look = || {
        let store = files_under(&site.home());
        assert!(found("a-person", &store), "the store has the name");
        let log = [site.log()];
        assert!(found("mfa.verify", &log), "the log has the audit lines");
        let files = [store, log.to_vec()].concat();
        for file in &files {
            let content = fs::read(file).unwrap();
            let content = String::from_utf8_lossy(&content);
            let form = forms.iter().find(|form| content.contains(*form));
            assert_eq!(form, None, "a secret is in {}", file.display());
        }
        for secret in [abandoned.app.secret(), set_up.app.secret()] {
            assert!(!holds(&bytes_of(secret), &files), "{secret} is in a file");
        }
    };
    look();
    assert_eq!(
        login
            .mfa("DELETE", "", CodePlacement::Header(&made[7]))
            .status,
        200
    );
    look();
    assert!(controller.terminate().success());
    look();
}

/// A secret as it might be written: in base32 as it was given, and its bytes in the other ways.
fn forms_of_secret(base32: &str) -> Vec<String> {
    let mut forms = forms_of(base32);
    forms.push(base32.to_lowercase());
    forms.extend(written(&bytes_of(base32)));
    forms
}

fn bytes_of(base32: &str) -> Vec<u8> {
    let alphabet = base32::Alphabet::Rfc4648 { padding: false };
    base32::decode(alphabet, base32).expect("the secret is in base32")
}

/// A text as it might be written.
fn forms_of(text: &str) -> Vec<String> {
    let mut forms = written(text.as_bytes());
    forms.push(text.to_owned());
    forms
}

/// Bytes in hexadecimal, and in base64, at the beginning of what is encoded and inside it.
fn written(bytes: &[u8]) -> Vec<String> {
    let hex = bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let mut forms = vec![hex.to_uppercase(), hex];
    for before in 0..3 {
        let all = [&vec![0; before], bytes].concat();
        // Characters that other bytes have a share in are left out.
        let (start, end) = ((before * 8).div_ceil(6), all.len() * 8 / 6);
        for engine in [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD] {
            forms.push(engine.encode(&all)[start..end].to_owned());
        }
    }
    forms.sort();
    forms.dedup();
    forms
}

#[test]
fn forms_are_found_inside_what_is_encoded() {
    let code = "K7QX2M";
    for text in [code.to_owned(), format!("a{code}"), format!("ab{code}cd")] {
        let encoded = BASE64_STANDARD_NO_PAD.encode(text);
        let is_found = forms_of(code).iter().any(|form| encoded.contains(form));
        assert!(is_found, "{encoded}");
    }
}

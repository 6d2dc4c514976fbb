//! Property S-64: what lets somebody in is not in the controller's memory any more once it was used.
//!
//! Searched is all memory that the process may write to, while it goes on serving others: the heap,
//! freed blocks of it and the stacks of all threads. A stack keeps what stood on it until the next call
//! that reaches as deep, so the search has a deadline rather than one chance.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use memchr::memmem;
use serde_json::json;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::time::Duration;
use support::api::CLIENT;
use support::mfa::CodePlacement;
use support::tools::are_available;
use support::{Api, TestDirectory, Tool, TotpProgram, wait};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// Longer than any secret: what two pieces have in common.
const OVERLAP: usize = 4096;

const PATIENCE: Duration = Duration::from_secs(20);

/// What is searched for: what it is, and its bytes.
type Secrets = Vec<(String, Vec<u8>)>;

#[test]
#[cfg(target_os = "linux")]
fn what_let_somebody_in_is_gone_from_memory_once_it_was_used() {
    if !are_available(&[Tool::Curl, Tool::Oathtool]) {
        return;
    }
    let site = TestDirectory::new();
    // So that the test may look although it is not root.
    let controller = site.quickstart().with(["--allow-core-dumps"]).start();
    let admin = Api::admin(&controller);
    let secrets = use_some(&admin);
    // The search finds what is there.
    let name = [("a name".to_owned(), b"a-person".to_vec())];
    assert!(!found(controller.process(), &name).is_empty());
    let gone = wait::until(PATIENCE, || {
        // What others do meanwhile, on each thread.
        for _ in 0..8 {
            assert_eq!(admin.get("/identities").status, 200);
        }
        let left = found(controller.process(), &secrets);
        if left.is_empty() { Ok(()) } else { Err(left) }
    });
    assert_eq!(gone, Ok(()), "still in memory");
}

/// Brings secrets to the controller and has it make some; each was used and is done with.
fn use_some(admin: &Api) -> Secrets {
    let mut secrets = Secrets::new();
    let mut keep = |what: &str, text: &str| {
        secrets.push((what.to_owned(), text.as_bytes().to_vec()));
        secrets.extend(bytes_of(text).map(|bytes| (format!("the bytes of {what}"), bytes)));
    };
    let person = admin.create_identity("a-person", &json!({"updb": "a-person"}));
    let enrollment = &person["enrollment"]["updb"];
    let token = enrollment["token"].as_str().unwrap();
    keep("an enrollment token", token);
    keep("an enrollment JWT", enrollment["jwt"].as_str().unwrap());
    let password = "a-password-that-is-wiped";
    keep("a password", password);
    let enroll = format!("{CLIENT}/enroll?method=updb&token={token}");
    let body = json!({"password": password});
    let enrolled = admin.curl(&enroll).json("POST", &body).send();
    assert_eq!(enrolled.status, 200);
    for way in [&["--http1.1"][..], &["--http2"]] {
        let wrong = format!("no-password-over{}", way[0]);
        keep("a wrong password", &wrong);
        let body = json!({"username": "a-person", "password": wrong});
        let login = format!("{CLIENT}/authenticate?method=password");
        let request = admin.curl(&login).arguments(way.iter().copied());
        assert_eq!(request.json("POST", &body).send().status, 401);
    }
    let session = admin.log_in("a-person", password);
    keep("a session", session.token());
    let bearer = "eyJhbGciOiJFUzI1NiJ9.a-bearer-token-of-nobody.signature";
    keep("a bearer token", bearer);
    let path = format!("{CLIENT}/current-identity");
    let request = Api::curl(&admin.with_token("nobody"), &path);
    let request = request.header(&format!("authorization: Bearer {bearer}"));
    assert_eq!(request.send().status, 401);

    let mut set_up = session.begin_mfa(TotpProgram::Oathtool);
    keep("a TOTP secret", set_up.app.secret());
    let secret = base32::decode(
        base32::Alphabet::Rfc4648 { padding: false },
        set_up.app.secret(),
    );
    let secret = secret.unwrap();
    keep(
        "a TOTP secret in base64",
        &BASE64_STANDARD_NO_PAD.encode(&secret),
    );
    let code = set_up.app.code();
    let verified = session.mfa("POST", "/verify", CodePlacement::Body(&code));
    assert_eq!(verified.status, 200);
    for recovery in &set_up.recovery {
        keep("a recovery code", recovery);
    }
    let shown = session.mfa(
        "GET",
        "/recovery-codes",
        CodePlacement::Header(&set_up.recovery[0]),
    );
    assert_eq!(shown.status, 200);
    let new = "another-password-that-is-wiped";
    keep("a new password", new);
    let own = session.curl(&format!("{CLIENT}/current-identity/authenticators"));
    let own = own.send().data()[0]["id"].as_str().unwrap().to_owned();
    let path = format!("{CLIENT}/current-identity/authenticators/{own}");
    let body = json!({"username": "a-person", "password": new, "currentPassword": password});
    assert_eq!(session.curl(&path).json("PUT", &body).send().status, 200);
    let end = session.curl(&format!("{CLIENT}/current-api-session"));
    assert_eq!(end.arguments(["--request", "DELETE"]).send().status, 200);
    secrets.push(("the bytes of a TOTP secret".to_owned(), secret));
    secrets
}

/// The bytes that a UUID stands for.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits = text.replace('-', "");
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let is_uuid = text.len() == 36 && digits.len() == 32;
    is_uuid.then(|| (0..32).step_by(2).map(byte).collect())?
}

/// Which of the secrets are in the memory of a process, and in which part of it.
fn found(process: u32, secrets: &[(String, Vec<u8>)]) -> Vec<String> {
    let finders: Vec<_> = secrets
        .iter()
        .map(|(_, bytes)| memmem::Finder::new(bytes))
        .collect();
    let memory = File::open(format!("/proc/{process}/mem")).unwrap();
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let mut found = Vec::new();
    let mut piece = vec![0; PIECE + OVERLAP];
    for line in maps.lines() {
        let Some((start, end)) = writable(line) else {
            continue;
        };
        for at in (start..end).step_by(PIECE) {
            let length = usize::try_from(end - at).unwrap().min(piece.len());
            // Part of what was mapped a moment ago may be gone.
            let Ok(length) = memory.read_at(&mut piece[..length], at) else {
                continue;
            };
            for (finder, (what, _)) in finders.iter().zip(secrets) {
                if finder.find(&piece[..length]).is_some() {
                    found.push(format!("{what} in {line}"));
                }
            }
        }
    }
    found
}

/// Where a mapping begins and ends, if the process may write to it.
fn writable(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_whitespace();
    let (range, rights) = (words.next()?, words.next()?);
    let (start, end) = range.split_once('-')?;
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    rights
        .contains('w')
        .then_some((number(start)?, number(end)?))
}

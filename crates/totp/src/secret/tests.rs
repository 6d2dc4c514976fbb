use super::*;
use crate::code::SubmittedCode;
use crate::rules::Rules;
use crate::testing::{FailingEntropy, SeededEntropy};
use portcullis_domain::clock::Timestamp;
use secrecy::ExposeSecret as _;

fn rfc_secret() -> Secret {
    Secret::from_bytes(b"12345678901234567890").unwrap()
}

fn code(text: &str) -> Code {
    match SubmittedCode::parse(text) {
        Ok(SubmittedCode::Totp(code)) => code,
        other => panic!("{text}: {other:?}"),
    }
}

fn step_at(milliseconds: u64) -> TimeStep {
    let milliseconds = i64::try_from(milliseconds).unwrap();
    TimeStep::at(Timestamp::from_millisecond(milliseconds).unwrap())
}

#[test]
fn codes_are_those_of_rfc_4226_appendix_d() {
    let codes = [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
        "520489",
    ];
    for (step, expected) in (0..).zip(codes) {
        assert_eq!(
            rfc_secret().code_at(TimeStep(step)).as_str(),
            expected,
            "{step}"
        );
    }
}

#[test]
fn codes_are_those_of_rfc_6238_appendix_b() {
    // The RFC lists eight digits; these are the last six.
    for (second, expected) in [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ] {
        let step = step_at(second * 1000);
        assert_eq!(rfc_secret().code_at(step).as_str(), expected, "{second}");
    }
}

#[test]
fn code_of_the_last_step_there_is_can_be_computed() {
    let secret = rfc_secret();
    let code = secret.code_at(TimeStep(u64::MAX));
    let window = Rules::OPENZITI.window;
    assert_eq!(
        secret.find(&code, TimeStep(u64::MAX), window),
        Some(TimeStep(u64::MAX))
    );
    assert_eq!(
        secret.find(&code, TimeStep(u64::MAX - 1), window),
        Some(TimeStep(u64::MAX))
    );
}

#[test]
fn window_ends_after_as_many_steps_as_the_rules_say() {
    let secret = rfc_secret();
    let now = 59_000_000_u64;
    for (rules, widest) in [(Rules::STRICT, 1), (Rules::OPENZITI, 2)] {
        for offset in -3_i64..=3 {
            let step = TimeStep(now.checked_add_signed(offset).unwrap());
            let found = secret.find(&secret.code_at(step), TimeStep(now), rules.window);
            let expected = (offset.abs() <= widest).then_some(step);
            assert_eq!(found, expected, "{offset} of {rules:?}");
        }
    }
}

#[test]
fn windows_begin_and_end_at_whole_half_minutes() {
    let secret = rfc_secret();
    let step = 59_000_000;
    let code = secret.code_at(TimeStep(step));
    for (rules, widest) in [(Rules::STRICT, 1), (Rules::OPENZITI, 2)] {
        let (first, end) = ((step - widest) * 30_000, (step + widest + 1) * 30_000);
        for (millisecond, is_found) in [
            (first - 1, false),
            (first, true),
            (end - 1, true),
            (end, false),
        ] {
            let found = secret.find(&code, step_at(millisecond), rules.window);
            assert_eq!(found.is_some(), is_found, "{millisecond} under {rules:?}");
        }
    }
}

#[test]
fn window_at_the_beginning_of_time_is_cut() {
    let secret = rfc_secret();
    let window = Rules::OPENZITI.window;
    for step in 0..=2 {
        let found = secret.find(&secret.code_at(TimeStep(step)), TimeStep(0), window);
        assert_eq!(found, Some(TimeStep(step)));
    }
    assert_eq!(
        secret.find(&secret.code_at(TimeStep(3)), TimeStep(0), window),
        None
    );
}

#[test]
fn newest_of_two_steps_with_the_same_code_is_found() {
    let secret = rfc_secret();
    let (older, newer) = (TimeStep(59_061_240), TimeStep(59_061_241));
    let code = code("963181");
    assert_eq!(secret.code_at(older), code);
    assert_eq!(secret.code_at(newer), code);
    for (now, found) in [
        (TimeStep(older.0 - 1), older),
        (older, newer),
        (newer, newer),
        (TimeStep(newer.0 + 1), newer),
    ] {
        assert_eq!(secret.find(&code, now, Rules::STRICT.window), Some(found));
    }
}

#[test]
fn leading_zeros_are_kept() {
    assert_eq!(
        rfc_secret().code_at(TimeStep(59_001_212)).as_str(),
        "000022"
    );
    let now = TimeStep(59_001_213);
    let window = Rules::STRICT.window;
    assert_eq!(
        rfc_secret().find(&code("000022"), now, window),
        Some(TimeStep(59_001_212))
    );
}

#[test]
fn length_is_held_to_the_rfc() {
    for (length, is_secret) in [(0, false), (15, false), (16, true), (20, true)] {
        assert_eq!(
            Secret::from_bytes(&vec![7; length]).is_ok(),
            is_secret,
            "{length}"
        );
    }
    for (length, is_secret) in [(21, true), (64, true), (65, false), (1 << 20, false)] {
        assert_eq!(
            Secret::from_bytes(&vec![7; length]).is_ok(),
            is_secret,
            "{length}"
        );
    }
    assert_eq!(
        SecretLengthError.to_string(),
        "a TOTP secret has 16 to 64 bytes"
    );
}

#[test]
fn secrets_survive_being_stored() {
    for length in Secret::MIN_LENGTH..=Secret::MAX_LENGTH {
        let bytes: Vec<u8> = (0..).take(length).collect();
        let secret = Secret::from_bytes(&bytes).unwrap();
        assert_eq!(secret.as_bytes(), bytes);
        let again = Secret::from_bytes(secret.as_bytes()).unwrap();
        assert_eq!(again.code_at(TimeStep(1)), secret.code_at(TimeStep(1)));
    }
}

#[test]
fn generated_secret_is_what_was_drawn() {
    let secret = Secret::generate(&SeededEntropy::new(1)).unwrap();
    let mut drawn = [0; Secret::GENERATED_LENGTH];
    SeededEntropy::new(1).fill(&mut drawn).unwrap();
    assert_eq!(secret.as_bytes(), drawn);
    assert_eq!(Secret::generate(&FailingEntropy).unwrap_err(), EntropyError);
}

#[test]
fn oathtool_shows_the_same_codes() {
    for length in [16, 20, 21, 32, 64] {
        let bytes: Vec<u8> = (100..).take(length).collect();
        let secret = Secret::from_bytes(&bytes).unwrap();
        let key = secret.to_base32();
        let arguments = [
            "--base32",
            "--counter=59000000",
            "--window=9",
            key.expose_secret(),
        ];
        let Ok(output) = std::process::Command::new("oathtool")
            .args(arguments)
            .output()
        else {
            println!("skipped: there is no oathtool on the PATH");
            return;
        };
        let codes = (59_000_000..)
            .take(10)
            .map(|step| secret.code_at(TimeStep(step)));
        let codes: Vec<_> = codes.map(|code| code.as_str().to_owned()).collect();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert_eq!(shown.lines().collect::<Vec<_>>(), codes, "{length} bytes");
    }
}

#[test]
fn base32_is_that_of_rfc_4648_without_padding() {
    let text = rfc_secret().to_base32();
    assert_eq!(text.expose_secret(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    let sixteen = Secret::from_bytes(b"foobarfoobarfoob").unwrap();
    assert_eq!(
        sixteen.to_base32().expose_secret(),
        "MZXW6YTBOJTG633CMFZGM33PMI"
    );
}

#[test]
fn debug_shows_nothing() {
    assert_eq!(format!("{:?}", rfc_secret()), "Secret([redacted])");
    assert_eq!(
        format!("{:?}", rfc_secret().code_at(TimeStep(0))),
        "Code([redacted])"
    );
}

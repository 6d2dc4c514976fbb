//! The rules of OpenZiti for codes, for fleets that depend on them: only when the configuration asks
//! for them, and never without a warning.

use serde_json::Value;
use std::fs;
use support::mfa::CodePlacement;
use support::tools::are_available;
use support::{Api, TestDirectory, Tool, TotpProgram};

const PASSWORD: &str = "a-persons-password";

/// Warnings at the start about what weakens the controller.
fn warnings(site: &TestDirectory) -> Vec<String> {
    let log = site.logged();
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter(|line| line["level"] == "WARN" && line["code"] == "weakened")
        .map(|line| line["message"].to_string())
        .collect()
}

/// Whether codes so many steps away let somebody in, the second time as well.
fn accepted(site: &TestDirectory, options: &[&str]) -> Vec<(i64, [bool; 2])> {
    let controller = site.quickstart().with(options.iter().copied()).start();
    let admin = Api::admin(&controller);
    let user = admin.create_user("anne", PASSWORD);
    let set_up = user.begin_mfa(TotpProgram::Oathtool);
    // What was accepted may not be the newest code: older ones are refused after it by the RFC.
    let oldest = set_up.app.code_at(-1);
    let verified = user.mfa("POST", "/verify", CodePlacement::Body(&oldest));
    assert_eq!(verified.status, 200);
    let answer = |code: &str| match admin.log_in("anne", PASSWORD).answer_mfa(code) {
        right if right.status == 200 => true,
        wrong => {
            assert_eq!(wrong.error(), (400, "MFA_INVALID_TOKEN".to_owned()));
            false
        },
    };
    // A recovery code is good once by all rules; what is right ends a row of wrong codes.
    let mut recovery = set_up.recovery.iter();
    let mut spend = || {
        let code = recovery.next().expect("few are spent");
        assert_eq!([answer(code), answer(code)], [true, false]);
        let code = recovery.next().expect("few are spent");
        assert!(answer(code));
    };
    let steps = [-3, -2, -1, 0, 1, 2, 3];
    let seen = steps.map(|steps| {
        spend();
        let code = set_up.app.code_at(steps);
        (steps, [answer(&code), answer(&code)])
    });
    assert!(controller.terminate().success());
    seen.to_vec()
}

#[test]
fn codes_are_judged_as_the_configuration_says() {
    if !are_available(&[Tool::Curl, Tool::Oathtool]) {
        return;
    }
    let site = TestDirectory::new();
    let judged = |verdicts: [[bool; 2]; 7]| (-3..=3).zip(verdicts).collect::<Vec<_>>();
    let [once, twice, never] = [[true, false], [true, true], [false, false]];
    let mut strict = accepted(&site, &[]);
    // The code of the step before was accepted on verification, or is another one by now.
    let before = strict.remove(2);
    assert!([never, once].contains(&before.1), "{before:?}");
    let mut expected = judged([never, never, never, once, once, never, never]);
    expected.remove(2);
    assert_eq!(strict, expected);
    assert_eq!(warnings(&site), [""; 0]);

    let site = TestDirectory::new();
    let config = site.file("compatible.yml");
    fs::write(&config, "edge:\n  totp:\n    compatibility: openziti\n").unwrap();
    assert_eq!(
        accepted(&site, &["--config", config.to_str().unwrap()]),
        judged([never, twice, twice, twice, twice, twice, never])
    );
    let warnings = warnings(&site);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("openziti"), "{warnings:?}");
}

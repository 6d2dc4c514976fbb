//! Explanations of failed checks.

use super::*;
use crate::testing::{
    at, check, checked_process, client, mfa_check, path, posture, prints, process, state, texts,
};
use crate::{Report, evaluate};
use portcullis_domain::posture_check::{CheckedProcesses, DomainCheck, MacCheck, OsCheck, OsType};
use portcullis_domain::roles::Semantic;

fn actual(check: &Arc<PostureCheck>, posture: &Posture, passed: Option<i64>) -> ActualValue {
    let client = client(posture, passed);
    assert!(!evaluate(check, &client, at(1000)).is_passing);
    let failure = check_failure(check, &client, at(1000));
    assert!(Arc::ptr_eq(&failure.check, check), "definitions are shared");
    failure.actual
}

fn process_checks() -> [Arc<PostureCheck>; 2] {
    let one = ProcessCheck {
        os_type: OsType::Linux,
        path: path("/x"),
        hashes: prints(&["aa"]),
        signer: None,
    };
    let several = vec![
        checked_process("/x", &["aa"], &[]),
        checked_process("/y", &[], &[]),
        checked_process("/z", &[], &[]),
    ];
    let several = ProcessMultiCheck {
        semantic: Semantic::AllOf,
        processes: CheckedProcesses::new(several).unwrap(),
    };
    [
        check("one", Check::Process(one)),
        check("several", Check::ProcessMulti(several)),
    ]
}

#[test]
fn what_was_not_reported_is_told_as_nothing() {
    let nothing = Posture::default();
    let os = OsCheck::new([("Linux", vec![">=5.0.0"])]).unwrap();
    let domain = DomainCheck::new(texts(&["d"])).unwrap();
    let mac = MacCheck::new(&texts(&["001122aabbcc"])).unwrap();
    let [one, several] = process_checks();
    for (check, expected) in [
        (check("c", Check::Os(os)), ActualValue::Os(None)),
        (check("c", Check::Domain(domain)), ActualValue::Domain(None)),
        (check("c", Check::Mac(mac)), ActualValue::Mac(None)),
        (one, ActualValue::Process(None)),
        (several, ActualValue::ProcessMulti(Vec::new())),
    ] {
        assert_eq!(actual(&check, &nothing, None), expected);
    }
}

#[test]
fn what_was_reported_is_shared_and_not_copied() {
    let mac = MacCheck::new(&texts(&["001122aabbcc"])).unwrap();
    let mac = check("c", Check::Mac(mac));
    let posture = posture(0, [Report::Mac(texts(&["ff:ff:ff:ff:ff:ff"]))]);
    let ActualValue::Mac(Some(addresses)) = actual(&mac, &posture, None) else {
        panic!("addresses were reported");
    };
    assert!(Arc::ptr_eq(&addresses, &posture.addresses().unwrap().value));
    assert_eq!(*addresses, ["ffffffffffff"]);
}

#[test]
fn processes_that_are_as_they_should_be_are_left_out() {
    let [one, several] = process_checks();
    let reports = [
        process("/x", true, "bb", &[]),
        process("/y", true, "", &[]),
        process("/other", false, "", &[]),
    ];
    let posture = posture(0, reports);
    let expected = ActualProcess {
        path: "/x".to_owned(),
        process: shared_value(posture.process_at(&path("/x")).unwrap()),
    };
    assert_eq!(
        actual(&one, &posture, None),
        ActualValue::Process(Some(expected.clone()))
    );
    assert_eq!(
        actual(&several, &posture, None),
        ActualValue::ProcessMulti(vec![expected])
    );
}

#[test]
fn codes_that_will_not_do_are_told_with_the_reason() {
    let mfa = mfa_check("c", 900, true, false);
    let still = Posture::default();
    let woken = posture(600, [state(true, true)]);
    // passed: passed at all, timed out, on wake, on unlock; remaining
    for (posture, passed, values, remaining) in [
        (&still, None, [false, true, false, false], 0),
        (&still, Some(100), [true, true, true, true], 0),
        (&woken, Some(500), [true, false, false, true], 0),
        (&woken, Some(50), [true, true, false, true], 0),
    ] {
        let ActualValue::Mfa(actual, criteria) = actual(&mfa, posture, passed) else {
            panic!("it is a check of codes");
        };
        let MfaValues {
            passed_mfa,
            timed_out,
            passed_on_wake,
            passed_on_unlock,
        } = actual;
        assert_eq!(
            [passed_mfa, timed_out, passed_on_wake, passed_on_unlock],
            values,
            "{passed:?}"
        );
        let expected = MfaCriteria {
            passed_at: passed.map(at),
            woken_at: posture.woken_at(),
            unlocked_at: posture.unlocked_at(),
            timeout: MfaCheck::parse_timeout(900).unwrap(),
            remaining: Some(remaining),
        };
        assert_eq!(criteria, expected);
    }
    let Check::Mfa(definition) = &mfa.spec.check else {
        panic!("it is a check of codes");
    };
    let expected = MfaValues::expected(*definition);
    assert!(expected.passed_mfa && !expected.timed_out);
    assert!(expected.passed_on_wake && !expected.passed_on_unlock);
}

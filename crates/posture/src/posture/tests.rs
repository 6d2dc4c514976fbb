//! Recording of reports: limits, and detection of changes.

use super::*;
use crate::testing::{at, os, path, process, state, statement, texts};
use proptest::prelude::*;

fn record_all(
    posture: &mut Posture,
    statements: Vec<PostureReport>,
    now: Timestamp,
) -> Result<ReportOutcome, FieldError> {
    posture.apply(NormalizedReports::from_batch(statements)?, now)
}

#[test]
fn the_newest_of_everything_is_kept() {
    let mut posture = Posture::default();
    let reports = vec![
        statement("a", os("Linux", "6.1.0")),
        statement("b", Report::Domain("corp".to_owned())),
        statement(
            "c",
            Report::Mac(texts(&["00:11:22:AA:BB:CC", "001122aabbcc", "ff"])),
        ),
        statement("d", process("/x", true, "AA:bb", &["FF ee", "ffee"])),
    ];
    record_all(&mut posture, reports.clone(), at(1)).unwrap();
    let newer = statement("e", os("Linux", "6.2.0"));
    posture.record(newer, at(2)).unwrap();

    let os = posture.os().unwrap();
    assert_eq!((os.check.as_str(), os.at), ("e", at(2)));
    assert_eq!(os.value.version, "6.2.0");
    let domain = posture.domain().unwrap();
    assert_eq!((domain.at, domain.value.as_str()), (at(1), "corp"));
    assert_eq!(*posture.addresses().unwrap().value, ["001122aabbcc", "ff"]);
    let process = posture.process_at(&path("/x")).unwrap();
    assert_eq!(process.value.hash, "aabb");
    assert!(process.value.signers.iter().eq(["ffee"]));
    assert_eq!(posture.processes().count(), 1);
    assert_eq!((posture.woken_at(), posture.unlocked_at()), (None, None));
}

#[test]
fn the_same_again_is_no_change() {
    let mut posture = Posture::default();
    for (second, report, has_changed) in [
        (1, os("Linux", "6.1.0"), true),
        (2, os("Linux", "6.1.0"), false),
        (3, os("Linux", "6.2.0"), true),
        (4, Report::Domain(String::new()), true),
        (5, Report::Domain(String::new()), false),
        (6, Report::Mac(texts(&["aa", "bb"])), true),
        (7, Report::Mac(texts(&["BB", "AA"])), false),
        (8, process("/x", true, "aa", &[]), true),
        (9, process("/x", true, "AA", &[]), false),
        (10, process("/x", false, "AA", &[]), true),
        (11, process("/y", false, "AA", &[]), true),
        (12, state(false, false), false),
        (13, state(true, false), true),
        (14, state(true, false), true),
        (15, state(false, true), true),
    ] {
        let outcome = posture.record(statement("q", report), at(second));
        assert_eq!(outcome.unwrap().has_changed, has_changed, "{second}");
    }
    assert_eq!(posture.os().unwrap().at, at(3));
    assert_eq!(posture.domain().unwrap().at, at(5));
    assert_eq!(posture.woken_at(), Some(at(14)));
    assert_eq!(posture.unlocked_at(), Some(at(15)));
}

#[test]
fn what_happened_is_told_of_all_reports_made_at_once() {
    let mut posture = Posture::default();
    let reports = [state(true, false), os("a", "b"), state(false, true)];
    let statements = reports.map(|report| statement("q", report)).to_vec();
    let outcome = record_all(&mut posture, statements, at(1)).unwrap();
    let (woken, unlocked) = (true, true);
    assert_eq!(outcome.prompts, MfaPrompts { woken, unlocked });
    assert!(outcome.has_changed);
    let nothing = record_all(&mut posture, Vec::new(), at(2)).unwrap();
    assert_eq!(nothing, ReportOutcome::default());
}

#[test]
fn old_clients_name_the_check_instead_of_the_path() {
    let mut posture = Posture::default();
    let report = statement("c", process("", true, "aa", &[]));
    posture.record(report, at(1)).unwrap();
    assert!(posture.process_at(&path("/x")).is_none());
    let check = PostureCheckId::from_wire("c");
    assert_eq!(posture.process_for(&check).unwrap().at, at(1));
}

#[test]
fn absurd_sizes_are_refused_and_nothing_is_recorded() {
    let long = "a".repeat(256);
    let signers: Vec<String> = (0..65).map(|number| number.to_string()).collect();
    let signers: Vec<&str> = signers.iter().map(String::as_str).collect();
    let build = OsInfo {
        build: long.clone(),
        ..OsInfo::default()
    };
    let mut posture = Posture::default();
    posture
        .record(statement("q", os("Linux", "1.2.3")), at(1))
        .unwrap();
    let before = posture.clone();
    for (check, report, field) in [
        (long.as_str(), state(true, true), "id"),
        ("q", os(&long, ""), "type"),
        ("q", os("", &long), "version"),
        ("q", Report::Os(build), "build"),
        ("q", Report::Domain(long.clone()), "domain"),
        ("q", Report::Mac(texts(&["aa", &long])), "macAddresses.1"),
        ("q", Report::Mac(texts(&["aa"; 257])), "macAddresses"),
        ("q", process(&"a".repeat(4097), true, "", &[]), "path"),
        ("q", process("/x", true, &long, &[]), "hash"),
        ("q", process("/x", true, "", &signers), "signerFingerprints"),
        (
            "q",
            process("/x", true, "", &[&long]),
            "signerFingerprints.0",
        ),
    ] {
        let error = posture
            .record(statement(check, report.clone()), at(2))
            .unwrap_err();
        assert_eq!(error.field, field);
        assert!(error.value.len() < 20, "{field} is repeated");
        let both = vec![statement("q", state(true, true)), statement(check, report)];
        let error = record_all(&mut posture, both, at(2)).unwrap_err();
        assert_eq!(error.field, format!("1.{field}"));
        assert_eq!(posture, before);
    }
    let many = vec![statement("q", state(true, true)); NormalizedReports::MAX_BATCH + 1];
    let error = record_all(&mut posture, many, at(2)).unwrap_err();
    assert_eq!(error.field, "postureResponse");
    assert_eq!(posture, before);
}

#[test]
fn a_session_takes_no_more_than_its_share_of_memory() {
    let mut posture = Posture::default();
    let place = |number: usize| format!("{number:04}");
    for number in 0..Posture::MAX_PROCESSES {
        let report = process(&place(number), true, "", &[]);
        posture.record(statement("q", report), at(1)).unwrap();
    }
    let again = process(&place(0), false, "", &[]);
    assert!(posture.record(statement("q", again), at(2)).is_ok());
    let one_more = process("one more", true, "", &[]);
    let error = posture.record(statement("q", one_more), at(2)).unwrap_err();
    assert_eq!(error.field, "path");

    let mut posture = Posture::default();
    let long = |number: usize| format!("{}{number}", "p".repeat(4000));
    let error = (0..Posture::MAX_PROCESSES)
        .find_map(|number| {
            let report = process(&long(number), true, "", &[]);
            posture.record(statement("q", report), at(1)).err()
        })
        .unwrap();
    assert_eq!(error.field, "path");
    assert!(error.reason.contains("bytes"), "{}", error.reason);
    assert_eq!(posture.processes().count(), Posture::MAX_TEXT_BYTES / 4003);
    let addresses = Report::Mac((0..256).map(|number| format!("{number:0250}")).collect());
    let report = statement("q", addresses);
    let error = posture.record(report, at(1)).unwrap_err();
    assert_eq!(error.field, "macAddresses");
}

#[test]
fn administrators_see_the_newest_of_all_sessions() {
    let [mut first, mut second] = [(); 2].map(|()| Posture::default());
    for (check, report, instant) in [
        ("1", os("Linux", "1.0.0"), 1),
        ("2", os("Linux", "2.0.0"), 2),
        ("2", process("/x", true, "aa", &[]), 3),
        ("1", process("/x", false, "", &[]), 4),
        ("1", process("/y", false, "", &[]), 5),
        ("2", Report::Domain("d".to_owned()), 6),
        ("1", state(true, false), 7),
        ("2", state(true, true), 8),
    ] {
        let posture = if check == "1" {
            &mut first
        } else {
            &mut second
        };
        posture
            .record(statement(check, report), at(instant))
            .unwrap();
    }
    for all in [[&first, &second], [&second, &first]].map(Posture::newest) {
        assert_eq!(all.os().unwrap().check.as_str(), "2");
        assert_eq!(all.domain().unwrap().at, at(6));
        assert_eq!(all.process_at(&path("/x")).unwrap().at, at(4));
        assert_eq!(all.processes().count(), 2);
        assert_eq!(all.woken_at(), Some(at(8)));
        assert_eq!(all.addresses(), None);
    }
    assert_eq!(Posture::newest([]), Posture::default());
}

fn report() -> impl Strategy<Value = Report> {
    let text = || "[a-cA-C:]{0,3}";
    prop_oneof![
        (text(), text()).prop_map(|(kind, version)| os(&kind, &version)),
        text().prop_map(Report::Domain),
        prop::collection::vec(text(), 0..3).prop_map(Report::Mac),
        ("[/ab]{0,2}", any::<bool>(), text()).prop_map(|(place, is_running, hash)| process(
            &place,
            is_running,
            &hash,
            &[]
        )),
        any::<(bool, bool)>().prop_map(|(woken, unlocked)| state(woken, unlocked)),
    ]
}

proptest! {
    /// A batch has the same effect as its reports one by one at the same instant.
    #[test]
    fn making_reports_at_once_changes_nothing(reports in prop::collection::vec(report(), 0..12)) {
        let statements: Vec<_> = reports.into_iter().map(|report| statement("q", report)).collect();
        let mut at_once = Posture::default();
        let outcome = record_all(&mut at_once, statements.clone(), at(1)).unwrap();
        let mut in_turn = Posture::default();
        let outcomes: Vec<_> = statements
            .into_iter()
            .map(|statement| in_turn.record(statement, at(1)).unwrap())
            .collect();
        prop_assert_eq!(&at_once, &in_turn);
        prop_assert_eq!(outcome.has_changed, outcomes.iter().any(|outcome| outcome.has_changed));
    }

    /// Without a reported change, nothing but the times has changed.
    #[test]
    fn no_change_is_missed(
        reports in prop::collection::vec(report(), 0..12),
        last in report(),
    ) {
        let mut posture = Posture::default();
        for report in reports {
            posture.record(statement("q", report), at(1)).unwrap();
        }
        let mut next = posture.clone();
        let outcome = next.record(statement("q", last), at(1)).unwrap();
        if !outcome.has_changed {
            prop_assert_eq!(next, posture);
        }
    }
}

#[test]
fn what_is_replaced_does_not_count() {
    let addresses = |length: usize| {
        let texts = (0..256).map(|number| format!("{number:0length$}"));
        statement("q", Report::Mac(texts.collect()))
    };
    let signers: Vec<String> = (0..64).map(|number| format!("{number:0200}")).collect();
    let signers: Vec<&str> = signers.iter().map(String::as_str).collect();
    let signed = |at: &str| statement("q", process(at, true, "", &signers));

    let mut posture = Posture::default();
    let again = vec![addresses(150), addresses(3), addresses(150), signed("/x")];
    let again = again.into_iter().chain([signed("/x"), signed("/x")]);
    record_all(&mut posture, again.collect(), at(1)).unwrap();
    let bytes = 256 * 150 + 64 * 200 + "q/xq".len();
    assert_eq!(posture.text_bytes(), bytes);

    let mut posture = Posture::default();
    let more = vec![addresses(3), addresses(150), signed("/x"), signed("/y")];
    let more = more.into_iter().chain([signed("/z")]);
    let error = record_all(&mut posture, more.collect(), at(1)).unwrap_err();
    assert_eq!(error.field, "4.path");
    assert_eq!(posture, Posture::default());
}

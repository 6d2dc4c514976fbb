//! Checks of every type: one table for each.

use super::*;
use crate::Report;
use crate::posture::Posture;
use crate::testing::{
    at, check, checked_process, client, linux_check, mfa_check, os, path, posture, prints, process,
    state, statement, texts,
};
use portcullis_domain::posture_check::{
    CheckedProcesses, DomainCheck, MacCheck, OsCheck, OsType, ProcessCheck, ProcessMultiCheck,
};
use portcullis_domain::roles::Semantic;

fn passes(check: &PostureCheck, posture: &Posture) -> bool {
    let verdict = evaluate(check, &client(posture, None), at(0));
    assert_eq!(verdict, Verdict::without_deadline(verdict.is_passing));
    assert_eq!(
        (verdict.timeout.map(NonZeroU32::get), verdict.remaining),
        (None, None)
    );
    assert_eq!(verdict.updated_at(check), check.updated_at);
    verdict.is_passing
}

#[test]
fn checks_about_the_machine_pass_where_a_router_judges_them() {
    let silent = Posture::default();
    let left = Client {
        machine_judge: MachineJudge::Router,
        ..client(&silent, None)
    };
    let domain = check(
        "d",
        Check::Domain(DomainCheck::new(texts(&["a.test"])).unwrap()),
    );
    let code = mfa_check("m", -1, false, false);
    for (check, passes_left) in [(linux_check("o"), true), (domain, true), (code, false)] {
        assert!(!evaluate(&check, &client(&silent, None), at(0)).is_passing);
        assert_eq!(evaluate(&check, &left, at(0)).is_passing, passes_left);
    }
}

#[test]
fn only_what_checks_ask_for_tells_of_a_machine() {
    assert!(!posture(0, [state(true, true)]).tells_of_machine());
    for report in [
        os("linux", "6.8"),
        Report::Domain("a.test".to_owned()),
        Report::Mac(texts(&["00:11:22:33:44:55"])),
        process("/bin/agent", true, "", &[]),
    ] {
        assert!(posture(0, [report]).tells_of_machine());
    }
}

#[test]
fn operating_systems() {
    let systems = [
        ("Windows", vec!["<1.0.0"]),
        ("Linux", vec![]),
        ("Windows", vec![">=10.0.19041 <11.0.0", "12.x"]),
    ];
    let check = check("c", Check::Os(OsCheck::new(systems).unwrap()));
    for (kind, version, is_passing) in [
        ("Windows", "10.0.22631", true),
        ("windows", "10.0.19041", true),
        ("WINDOWS", "12.7.0", true),
        ("Windows", "10.0.19040", false),
        ("Windows", "10.0.19041-rc", false),
        ("Windows", "0.9.0", false),
        ("Windows", "11.0.0", false),
        ("Windows", "10.0", false),
        ("Windows", "", false),
        ("WindowsServer", "10.0.22631", false),
        ("linux", "5.15.0-91-generic", true),
        ("Linux", "no version", true),
        ("macOS", "10.0.22631", false),
        ("", "", false),
    ] {
        let posture = posture(0, [os(kind, version)]);
        assert_eq!(passes(&check, &posture), is_passing, "{kind} {version}");
    }
    assert!(!passes(&check, &Posture::default()));
}

#[test]
fn domains() {
    let domains = texts(&["Corp.Example", "ÄRZTE"]);
    let check = check("c", Check::Domain(DomainCheck::new(domains).unwrap()));
    for (domain, is_passing) in [
        ("corp.example", true),
        ("CORP.EXAMPLE", true),
        ("ärzte", true),
        ("corp", false),
        ("", false),
    ] {
        let posture = posture(0, [Report::Domain(domain.to_owned())]);
        assert_eq!(passes(&check, &posture), is_passing, "{domain}");
    }
    assert!(!passes(&check, &Posture::default()));
}

#[test]
fn mac_addresses() {
    let asked = texts(&["00:11:22:AA:BB:CC", "0a1b2c3d4e5f"]);
    let check = check("c", Check::Mac(MacCheck::new(&asked).unwrap()));
    for (addresses, is_passing) in [
        (&["00-11-22-aa-bb-cc"][..], true),
        (&["ffffffffffff", "0A1B2C3D4E5F"], true),
        (&["ffffffffffff"], false),
        (&["001122aabbccdd"], false),
        (&["001122aabb"], false),
        (&["", "zz"], false),
        (&[], false),
    ] {
        let posture = posture(0, [Report::Mac(texts(addresses))]);
        assert_eq!(passes(&check, &posture), is_passing, "{addresses:?}");
    }
    assert!(!passes(&check, &Posture::default()));
}

#[test]
fn processes() {
    let asking = |hashes: &[&str], signer: &str| {
        let asked = ProcessCheck {
            os_type: OsType::Linux,
            path: path("/x"),
            hashes: prints(hashes),
            signer: ProcessCheck::parse_signer(signer.to_owned()).unwrap(),
        };
        check("c", Check::Process(asked))
    };
    let plain = asking(&[], "");
    let hashed = asking(&["AA:BB", "ccdd"], "");
    let signed = asking(&["aabb"], "FFEE");
    for (check, report, is_passing) in [
        (&plain, process("/x", true, "", &[]), true),
        (&plain, process("/x", false, "", &[]), false),
        (&plain, process("/y", true, "", &[]), false),
        (&plain, process("/X", true, "", &[]), false),
        (&hashed, process("/x", true, "AABB", &[]), true),
        (&hashed, process("/x", true, "CC:DD", &["11"]), true),
        (&hashed, process("/x", true, "aabbcc", &[]), false),
        (&hashed, process("/x", true, "", &[]), false),
        (&hashed, process("/x", false, "aabb", &[]), false),
        (&signed, process("/x", true, "aabb", &["11", "ff:ee"]), true),
        (&signed, process("/x", true, "aabb", &["11"]), false),
        (&signed, process("/x", true, "aabb", &[]), false),
        (&signed, process("/x", true, "ccdd", &["ffee"]), false),
    ] {
        let posture = posture(0, [report.clone()]);
        assert_eq!(passes(check, &posture), is_passing, "{report:?}");
    }
    assert!(!passes(&plain, &Posture::default()));
}

#[test]
fn a_process_without_a_path_is_that_of_the_check() {
    let asked = ProcessCheck {
        os_type: OsType::Linux,
        path: path("/x"),
        hashes: prints(&[]),
        signer: None,
    };
    let first = check("first", Check::Process(asked.clone()));
    let second = check("second", Check::Process(asked));
    let multi = Check::ProcessMulti(ProcessMultiCheck {
        semantic: Semantic::AnyOf,
        processes: CheckedProcesses::new(vec![checked_process("/x", &[], &[])]).unwrap(),
    });
    let multi = check("first", multi);
    let mut posture = Posture::default();
    let report = statement("first", process("", true, "", &[]));
    posture.record(report, at(0)).unwrap();
    assert!(passes(&first, &posture));
    assert!(!passes(&second, &posture));
    assert!(!passes(&multi, &posture), "it could be any of several");

    let report = statement("second", process("/x", false, "", &[]));
    posture.record(report, at(1)).unwrap();
    assert!(!passes(&first, &posture), "the path tells more");
}

#[test]
fn several_processes() {
    let asked = || {
        let processes = vec![
            checked_process("/x", &["AA", "bb"], &[]),
            checked_process("/y", &[], &["EE", "ff"]),
        ];
        CheckedProcesses::new(processes).unwrap()
    };
    let [all, any] = [Semantic::AllOf, Semantic::AnyOf].map(|semantic| {
        let processes = asked();
        check(
            "c",
            Check::ProcessMulti(ProcessMultiCheck {
                semantic,
                processes,
            }),
        )
    });
    let x = |hash| process("/x", true, hash, &[]);
    let y = |signer| process("/y", true, "11", &[signer]);
    for (reports, passes_all, passes_any) in [
        (vec![x("aa"), y("FF")], true, true),
        (vec![x("BB"), y("ee")], true, true),
        (vec![x("aa")], false, true),
        (vec![y("ee")], false, true),
        (vec![x("aa"), y("dd")], false, true),
        (vec![x("cc"), y("dd")], false, false),
        (vec![process("/x", false, "aa", &[]), y("ee")], false, true),
        (vec![process("/z", true, "aa", &["ee"])], false, false),
        (vec![], false, false),
    ] {
        let posture = posture(0, reports.clone());
        assert_eq!(passes(&all, &posture), passes_all, "{reports:?}");
        assert_eq!(passes(&any, &posture), passes_any, "{reports:?}");
    }
}

#[test]
fn one_session_vouches_for_itself_alone() {
    let check = linux_check("c");
    let desktop = posture(0, [os("Linux", "6.1.0")]);
    let phone = Posture::default();
    assert!(passes(&check, &desktop));
    assert!(!passes(&check, &phone));
}

#[test]
fn clients_are_told_how_long_a_code_will_do() {
    let check = mfa_check("c", 600, true, true);
    let nothing = Posture::default();
    let verdict = evaluate(&check, &client(&nothing, None), at(5));
    assert!(!verdict.is_passing);
    assert_eq!(
        (verdict.timeout.map(NonZeroU32::get), verdict.remaining),
        (Some(600), Some(0))
    );
    assert_eq!(verdict.timeout_at, Some(at(5)));
    assert_eq!(verdict.updated_at(&check), at(0));

    let woken = posture(100, [state(true, false)]);
    let verdict = evaluate(&check, &client(&woken, None), at(150));
    assert_eq!(
        verdict.updated_at(&check),
        at(0),
        "there was no code to lose"
    );

    let verdict = evaluate(&check, &client(&woken, Some(10)), at(150));
    assert!(verdict.is_passing);
    assert_eq!(
        (verdict.timeout.map(NonZeroU32::get), verdict.remaining),
        (Some(600), Some(250))
    );
    assert_eq!(verdict.timeout_at, Some(at(400)));
    assert_eq!(verdict.ends_at, Some(at(400)));
    assert_eq!(verdict.updated_at(&check), at(100));

    let mut later = posture(100, [state(true, true)]);
    let report = statement("q", state(false, true));
    later.record(report, at(200)).unwrap();
    for (wake, unlock, prompted_at) in [
        (true, false, Some(at(100))),
        (false, true, Some(at(200))),
        (true, true, Some(at(200))),
        (false, false, None),
    ] {
        let check = mfa_check("c", 600, wake, unlock);
        let verdict = evaluate(&check, &client(&later, Some(10)), at(250));
        assert_eq!(verdict.prompted_at, prompted_at, "{wake} {unlock}");
    }

    let unlimited = mfa_check("c", -1, false, true);
    let verdict = evaluate(&unlimited, &client(&woken, Some(10)), at(150));
    assert!(verdict.is_passing);
    assert_eq!(
        (verdict.timeout.map(NonZeroU32::get), verdict.remaining),
        (None, None)
    );
    assert_eq!((verdict.timeout_at, verdict.ends_at), (None, None));
    assert_eq!(
        verdict.updated_at(&unlimited),
        at(0),
        "waking up is not asked about"
    );
}

//! Parsing, validation and storage of check definitions.

use super::*;
use crate::clock::Timestamp;
use crate::roles::Semantic;
use std::num::NonZeroU32;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn prints(list: &[&str]) -> Fingerprints {
    Fingerprints::new("hashes", texts(list)).unwrap()
}

fn spec(check: Check) -> PostureCheckSpec {
    PostureCheckSpec::new("c", check)
}

fn checked(check: Check) -> PostureCheck {
    PostureCheck::new(PostureCheckId::from_wire("c"), spec(check), NOW).unwrap()
}

fn process() -> ProcessCheck {
    ProcessCheck {
        os_type: OsType::Linux,
        path: ProcessPath::new("process.path", "/usr/bin/x").unwrap(),
        hashes: prints(&["AABBCC"]),
        signer: ProcessCheck::parse_signer("FFEE".to_owned()).unwrap(),
    }
}

fn checked_process(os_type: OsType, path: &str, hashes: &[&str]) -> CheckedProcess {
    CheckedProcess {
        os_type,
        path: ProcessPath::new("processes.0.path", path).unwrap(),
        hashes: prints(hashes),
        signers: Fingerprints::default(),
    }
}

fn processes() -> CheckedProcesses {
    CheckedProcesses::new(vec![
        checked_process(OsType::Windows, "c:\\x.exe", &[]),
        checked_process(OsType::Linux, "/usr/bin/x", &["11"]),
        checked_process(OsType::Linux, "/usr/bin/x", &["AABBCC"]),
    ])
    .unwrap()
}

/// One check of each type, in the order of [`CheckType::ALL`].
fn one_of_each() -> [Check; 6] {
    let systems = [("Windows", vec![">=10.0.19041"]), ("Linux", vec![])];
    let semantic = Semantic::AnyOf;
    let processes = processes();
    [
        Check::Os(OsCheck::new(systems).unwrap()),
        Check::Domain(DomainCheck::new(texts(&["b.example.test", "a.example.test"])).unwrap()),
        Check::Mac(MacCheck::new(&texts(&["00:11:22:AA:BB:CC", "0a1b2c3d4e5f"])).unwrap()),
        Check::Mfa(MfaCheck::default()),
        Check::Process(process()),
        Check::ProcessMulti(ProcessMultiCheck {
            semantic,
            processes,
        }),
    ]
}

/// An empty patch of each type, in the order of [`CheckType::ALL`].
fn empty_patches() -> [CheckPatch; 6] {
    [
        CheckPatch::Os(None),
        CheckPatch::Domain(None),
        CheckPatch::Mac(None),
        CheckPatch::Mfa(MfaPatch::default()),
        CheckPatch::Process(ProcessPatch::default()),
        CheckPatch::ProcessMulti(ProcessMultiPatch::default()),
    ]
}

#[test]
fn the_type_of_a_check_never_changes() {
    for (kind, first) in CheckType::ALL.into_iter().zip(one_of_each()) {
        assert_eq!(first.check_type(), kind);
        assert_eq!(CheckType::find(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        for (second, patch) in one_of_each().into_iter().zip(empty_patches()) {
            let other = second.check_type();
            assert_eq!(patch.check_type(), other);
            let patch = PostureCheckSpecPatch {
                name: Some("new".to_owned()),
                check: Some(patch),
                ..PostureCheckSpecPatch::default()
            };
            let before = checked(first.clone());
            let (mut replaced, mut merged) = (before.clone(), before.clone());
            let results = [
                replaced.replace(spec(second), NOW),
                merged.patch(patch, NOW),
            ];
            if other == kind {
                assert_eq!(results, [Ok(()), Ok(())]);
                assert_eq!(merged.spec.name, "new");
                assert_eq!(merged.spec.check, before.spec.check);
                continue;
            }
            for error in results.map(Result::unwrap_err) {
                assert_eq!(error.field, "typeId");
                assert_eq!(error.value, other.name());
            }
            assert_eq!((&replaced, &merged), (&before, &before));
        }
    }
    assert_eq!(CheckType::find("os"), None);
}

#[test]
fn checks_survive_storage() {
    for check in one_of_each() {
        let before = checked(check);
        let json = serde_json::to_string(&before).unwrap();
        assert!(
            json.contains(before.spec.check.check_type().name()),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<PostureCheck>(&json).unwrap(), before);
    }
}

#[test]
fn systems_are_kept_by_type_and_the_last_of_a_type_counts() {
    let systems = [
        ("Windows", vec![">=9.0.0"]),
        ("Linux", vec![]),
        ("Windows", vec![">=11.0.0", ">=10.0.0", ">=11.0.0"]),
    ];
    let check = OsCheck::new(systems).unwrap();
    let shown: Vec<(&str, Vec<&str>)> = check
        .systems()
        .map(|(kind, ranges)| {
            let ranges = ranges.iter().map(VersionRange::as_str).collect();
            (kind.name(), ranges)
        })
        .collect();
    assert_eq!(
        shown,
        [("Linux", vec![]), ("Windows", vec![">=10.0.0", ">=11.0.0"]),]
    );
}

#[test]
fn system_names_are_exact_in_definitions_and_free_in_reports() {
    let mut sorted = OsType::ALL.map(OsType::name);
    sorted.sort_unstable();
    assert_eq!(OsType::ALL.map(OsType::name), sorted);
    for system in OsType::ALL {
        let name = system.name();
        assert_eq!(OsType::from_name("osType", name), Ok(system));
        assert_eq!(OsType::from_client(&name.to_lowercase()), Some(system));
        assert_eq!(serde_json::to_value(system).unwrap(), name);
    }
    assert!(OsType::from_name("osType", "linux").is_err());
    assert_eq!(OsType::from_client("amiga"), None);
}

#[test]
fn definitions_are_kept_as_they_are_shown() {
    let mac = MacCheck::new(&texts(&[
        "0a1b2c3d4e5f",
        "00-11-22-AA-BB-CC",
        "001122aabbcc",
    ]));
    let shown: Vec<String> = mac
        .unwrap()
        .addresses()
        .iter()
        .map(|address| address.as_str().to_owned())
        .collect();
    assert_eq!(shown, ["001122aabbcc", "0a1b2c3d4e5f"]);

    let Check::Process(process) = checked(Check::Process(process())).spec.check else {
        unreachable!("the type never changes")
    };
    assert_eq!(process.hashes, prints(&["aabbcc"]));
    assert_eq!(process.signer.unwrap().as_str(), "ffee");

    let shown: Vec<(OsType, Fingerprints)> = processes()
        .iter()
        .map(|process| (process.os_type, process.hashes.clone()))
        .collect();
    assert_eq!(
        shown,
        [
            (OsType::Linux, prints(&["AABBCC"])),
            (OsType::Windows, prints(&[])),
        ]
    );
}

#[test]
fn fingerprints_are_compared_by_their_digits() {
    let print = Fingerprint::new("hashes.0", "AA:bb-CC").unwrap();
    assert_eq!(print.as_str(), "AA:bb-CC");
    assert!(print.matches(&bare_hex("aa bb cc")));
    assert!(!print.matches("aabb") && !print.matches(""));
    assert!(prints(&[]).is_met_by([].into_iter()));
    assert!(prints(&["aa", "bb"]).is_met_by(["cc", "bb"].into_iter()));
    assert!(!prints(&["aa", "bb"]).is_met_by([].into_iter()));
}

#[test]
fn a_timeout_of_nothing_is_none() {
    for seconds in [i64::MIN, -1, 0] {
        assert_eq!(MfaCheck::parse_timeout(seconds), Ok(None));
    }
    assert_eq!(MfaCheck::parse_timeout(3600), Ok(NonZeroU32::new(3600)));
    let error = MfaCheck::parse_timeout(i64::from(u32::MAX) + 1).unwrap_err();
    assert_eq!(error.field, "timeoutSeconds");
}

#[test]
fn members_that_are_not_set_stay() {
    let mfa = MfaCheck {
        timeout_seconds: NonZeroU32::new(3600),
        prompt_on_wake: true,
        ..MfaCheck::default()
    };
    let mut check = checked(Check::Mfa(mfa));
    let patch = MfaPatch {
        timeout_seconds: Some(NonZeroU32::new(60)),
        ..MfaPatch::default()
    };
    let merge = |check: &mut PostureCheck, patch| {
        let patch = PostureCheckSpecPatch {
            check: Some(patch),
            ..PostureCheckSpecPatch::default()
        };
        check.patch(patch, NOW).unwrap();
    };
    merge(&mut check, CheckPatch::Mfa(patch));
    let timeout_seconds = NonZeroU32::new(60);
    assert_eq!(
        check.spec.check,
        Check::Mfa(MfaCheck {
            timeout_seconds,
            ..mfa
        })
    );

    let mut check = checked(Check::Process(process()));
    let patch = ProcessPatch {
        hashes: Some(prints(&["DD"])),
        ..ProcessPatch::default()
    };
    merge(&mut check, CheckPatch::Process(patch));
    let mut expected = process();
    expected.hashes = prints(&["dd"]);
    expected.normalize();
    assert_eq!(check.spec.check, Check::Process(expected));
}

#[test]
fn faults_are_named_by_the_member() {
    let os = |systems: Vec<(&str, Vec<&str>)>| OsCheck::new(systems).map(drop);
    let domains = |list: &[&str]| DomainCheck::new(texts(list)).map(drop);
    let macs = |list: &[&str]| MacCheck::new(&texts(list)).map(drop);
    let hashes = |list: Vec<String>| Fingerprints::new("process.hashes", list).map(drop);
    let path = |path: &str| ProcessPath::new("processes.0.path", path).map(drop);
    let long = "a".repeat(ProcessPath::MAX_LENGTH + 1);
    let process = checked_process(OsType::Linux, "/x", &[]);
    let many = |count: usize| vec![process.clone(); count];
    for (result, field) in [
        (os(vec![]), "operatingSystems"),
        (os(vec![("Linux", vec![]); 65]), "operatingSystems"),
        (os(vec![("Amiga", vec![])]), "operatingSystems.0.type"),
        (
            os(vec![("Linux", vec![]), ("iOS", vec!["1.2.x", "9"])]),
            "operatingSystems.1.versions.1",
        ),
        (
            os(vec![("Linux", vec!["1.x"; 65])]),
            "operatingSystems.0.versions",
        ),
        (domains(&[]), "domains"),
        (domains(&["a", " "]), "domains.1"),
        (domains(&[&long]), "domains.0"),
        (domains(&["a"; 1001]), "domains"),
        (macs(&[]), "macAddresses"),
        (macs(&["0a1b2c3d4e5f", "0a1b2c3d4e"]), "macAddresses.1"),
        (macs(&["zz:11:22:33:44:55:66"]), "macAddresses.0"),
        (macs(&[&long]), "macAddresses.0"),
        (hashes(texts(&["aa", ""])), "process.hashes.1"),
        (hashes(texts(&["xyz"])), "process.hashes.0"),
        (hashes(texts(&["::"])), "process.hashes.0"),
        (hashes(texts(&[&long])), "process.hashes.0"),
        (hashes(texts(&["aa"; 129])), "process.hashes"),
        (path(""), "processes.0.path"),
        (path(&long), "processes.0.path"),
        (CheckedProcesses::new(many(0)).map(drop), "processes"),
        (CheckedProcesses::new(many(129)).map(drop), "processes"),
        (
            ProcessCheck::parse_signer("q".to_owned()).map(drop),
            "process.signerFingerprint",
        ),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.field, field);
        assert!(error.value.len() <= 300, "{field} is repeated at length");
    }
    assert_eq!(ProcessCheck::parse_signer(String::new()), Ok(None));
}

#[test]
fn a_check_has_a_name() {
    let mut blank = spec(Check::Mfa(MfaCheck::default()));
    blank.name = " ".to_owned();
    let error = PostureCheck::new(PostureCheckId::from_wire("c"), blank, NOW).unwrap_err();
    assert_eq!(error.field, "name");
}

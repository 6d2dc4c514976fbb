//! What SDKs say of their machines.

use super::judging::second;
use super::network::{Truth, identity, insert, posture_check, service};
use super::tokens::{KEY, sign, totp_claims};
use super::world::{START, World, circuit};
use portcullis_data_model::{Entity, Policy};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::access::PostureReports;
use portcullis_router::edge::ChannelId;
use portcullis_wire::Timestamp as WireTimestamp;
use portcullis_wire::control::data_model::{
    Domains, MacAddresses, Mfa, OperatingSystem, OperatingSystems, PolicyType, PostureCheckKind,
    Process, Processes,
};
use portcullis_wire::edge::{
    Domain, MacAddresses as SaidMac, OperatingSystem as SaidSystem, Posture, PostureResponse,
    Process as SaidProcess, Processes as SaidProcesses, SdkInfo, TotpToken, Unlocked, Woken,
};

/// A world with `alice` on channel 1, who may dial `wiki` if she passes a check.
fn world(kind: PostureCheckKind) -> World {
    world_of(vec![kind])
}

/// A world where she has to pass several.
fn world_of(kinds: Vec<PostureCheckKind>) -> World {
    let mut truth = Truth::new();
    insert(&mut truth, Entity::Identity(Box::new(identity("alice"))));
    insert(&mut truth, Entity::Service(service("wiki")));
    let checks = kinds.into_iter().enumerate();
    let checks = checks.map(|(number, kind)| posture_check(&format!("check {number}"), Some(kind)));
    let checks: Vec<_> = checks.collect();
    let posture_checks = checks.iter().map(|check| check.id.clone()).collect();
    for check in checks {
        insert(&mut truth, Entity::PostureCheck(check));
    }
    let policy = Policy {
        id: "policy".to_owned(),
        name: "policy".to_owned(),
        policy_type: PolicyType::Dial,
        services: ["wiki".to_owned()].into(),
        posture_checks,
        identities: ["alice".to_owned()].into(),
    };
    insert(&mut truth, Entity::Policy(policy));
    let mut world = World::new(&truth);
    world.open(1, "alice", 100_000);
    world
}

fn passes(world: &mut World) -> bool {
    let usage = circuit(1, ServiceGrant::Dial, "probe");
    let passes = world.begin(&usage, "wiki").is_ok();
    world.control.end(&usage);
    passes
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn system(kind: &str, version: &str) -> Posture {
    Posture::OperatingSystem(Box::new(SaidSystem {
        kind: kind.to_owned(),
        version: version.to_owned(),
        build: String::new(),
    }))
}

fn process(path: &str, is_running: bool, hash: &str, signers: &[&str]) -> Posture {
    Posture::Processes(Box::new(SaidProcesses {
        processes: vec![SaidProcess {
            path: path.to_owned(),
            is_running,
            hash: hash.to_owned(),
            signer_fingerprints: texts(signers),
        }],
    }))
}

fn code(world: &World) -> Posture {
    Posture::TotpToken(Box::new(TotpToken {
        token: sign(KEY, &totp_claims("alice", world.now)),
        ..TotpToken::default()
    }))
}

fn woken(at: Option<i64>) -> Posture {
    Posture::Woken(Box::new(Woken {
        time: at.map(|seconds| WireTimestamp { seconds, nanos: 0 }),
    }))
}

/// Reports in turn, and whether the check passes after each.
fn expect(kind: PostureCheckKind, reports: Vec<(Posture, bool)>) {
    let mut world = world(kind);
    assert!(!passes(&mut world), "before any report");
    for (number, (posture, expected)) in reports.into_iter().enumerate() {
        let _ = world.report(1, vec![posture]);
        assert_eq!(passes(&mut world), expected, "report {number}");
    }
}

#[test]
fn operating_systems_have_versions_in_ranges() {
    let systems = OperatingSystems {
        systems: [
            ("Linux", vec![">=5.0.0 <6.0.0", "7.x", "no range"]),
            ("macOS", vec!["no range"]),
            ("Plan 9", vec![]),
            ("iOS", vec![]),
        ]
        .into_iter()
        .map(|(kind, versions)| OperatingSystem {
            kind: kind.to_owned(),
            versions: texts(&versions),
        })
        .collect(),
    };
    expect(
        PostureCheckKind::OperatingSystem(Box::new(systems)),
        vec![
            (system("linux", "5.15.0"), true),
            (system("Linux", "6.0.0"), false),
            (system("Linux", "7.3.1"), true),
            (system("Linux", "7.3"), false),
            // What cannot be understood does not let everybody in.
            (system("macOS", "14.0.0"), false),
            (system("Plan 9", "4.0.0"), false),
            (system("iOS", "whatever"), true),
        ],
    );
}

#[test]
fn addresses_and_domains_are_compared_without_separators_and_case() {
    let addresses = texts(&["001122aabbcc", "no address"]);
    let mac = |addresses: &[&str]| {
        Posture::MacAddresses(Box::new(SaidMac {
            addresses: texts(addresses),
        }))
    };
    expect(
        PostureCheckKind::Mac(Box::new(MacAddresses { addresses })),
        vec![
            (mac(&["00:11:22:AA:BB:CC", "00:00:00:00:00:00"]), true),
            (mac(&["00:11:22:AA:BB:CD"]), false),
            (mac(&["no address"]), false),
        ],
    );
    let domains = texts(&["Example.Test", ""]);
    let domain = |name: &str| {
        Posture::Domain(Box::new(Domain {
            name: name.to_owned(),
        }))
    };
    expect(
        PostureCheckKind::Domains(Box::new(Domains { domains })),
        vec![
            (domain("EXAMPLE.test"), true),
            (domain(""), false),
            (domain("example.test.evil"), false),
        ],
    );
}

fn required(path: &str, hashes: &[&str], fingerprints: &[&str]) -> Process {
    Process {
        operating_system: "Linux".to_owned(),
        path: path.to_owned(),
        hashes: texts(hashes),
        fingerprints: texts(fingerprints),
    }
}

#[test]
fn processes_run_from_the_right_file() {
    let kind = PostureCheckKind::Process(Box::new(required("/a", &["aa", "bb"], &["cc"])));
    expect(
        kind,
        vec![
            (process("/a", true, "BB", &["dd", "CC"]), true),
            (process("/a", false, "bb", &["cc"]), false),
            (process("/a", true, "ee", &["cc"]), false),
            (process("/a", true, "aa", &["dd"]), false),
            (process("/a", true, "aa", &["cc"]), true),
            // Another one says nothing of it.
            (process("/b", false, "", &[]), true),
        ],
    );
    let both = |semantic: &str| {
        PostureCheckKind::Processes(Box::new(Processes {
            semantic: semantic.to_owned(),
            processes: vec![required("/a", &[], &[]), required("/b", &[], &[])],
        }))
    };
    let (a, b) = (process("/a", true, "", &[]), process("/b", true, "", &[]));
    let gone = process("/a", false, "", &[]);
    let reports = |outcomes: [bool; 3]| {
        let reports = [a.clone(), b.clone(), gone.clone()];
        reports.into_iter().zip(outcomes).collect()
    };
    expect(both("AllOf"), reports([false, true, false]));
    expect(both("AnyOf"), reports([true, true, true]));
    expect(both("OneOf"), reports([false, false, false]));
}

fn mfa(wake: bool) -> PostureCheckKind {
    PostureCheckKind::Mfa(Box::new(Mfa {
        timeout_seconds: -1,
        prompts_on_wake: wake,
        prompts_on_unlock: !wake,
        ignores_legacy_endpoints: false,
    }))
}

#[test]
fn a_machine_that_woke_needs_another_code_after_the_grace() {
    let mut world = world(mfa(true));
    let given = code(&world);
    let _ = world.report(1, vec![given]);
    let usage = circuit(1, ServiceGrant::Dial, "c");
    world.begin(&usage, "wiki").unwrap();
    world.now += 1000;
    // Unlocking is not asked about, and a wake-up from before the code was answered by it.
    let unlocked = Posture::Unlocked(Box::new(Unlocked { time: None }));
    assert!(
        world
            .report(1, vec![unlocked, woken(Some(START - 5))])
            .lost
            .is_empty()
    );
    assert!(world.pass(1000).lost.is_empty());

    let now = world.now;
    assert!(
        world
            .report(1, vec![woken(Some(now - 100))])
            .lost
            .is_empty()
    );
    // Said again on another channel, it is the same wake-up.
    world.now += 150;
    assert!(
        world
            .report(1, vec![woken(Some(now - 100))])
            .lost
            .is_empty()
    );
    world.messages();
    assert!(world.pass(49).lost.is_empty());
    assert_eq!(world.pass(1).lost.len(), 1);
    assert!(!passes(&mut world));
    let given = code(&world);
    let _ = world.report(1, vec![given]);
    assert!(passes(&mut world));

    // Without a time, or with one to come, it happened just now.
    for time in [None, Some(world.now + 5000)] {
        world.now += 10;
        let _ = world.report(1, vec![woken(time)]);
        assert!(passes(&mut world));
        world.now += 300;
        assert!(!passes(&mut world));
        let given = code(&world);
        let _ = world.report(1, vec![given]);
    }
}

#[test]
fn codes_count_only_in_their_session_and_signed() {
    let mut world = world(mfa(false));
    let other = totp_claims("bob", START);
    let mut access = totp_claims("alice", START);
    access["z_t"] = "a".into();
    for refused in [
        sign(KEY, &other),
        sign(KEY, &access),
        sign("k9", &totp_claims("alice", START)),
        "123456".to_owned().into(),
    ] {
        let said = Posture::TotpToken(Box::new(TotpToken {
            token: refused,
            ..TotpToken::default()
        }));
        let _ = world.report(1, vec![said]);
        assert!(!passes(&mut world));
    }
    let given = code(&world);
    let _ = world.report(1, vec![given]);
    assert!(passes(&mut world));
}

/// Defect 8 of the original: where processes were known, a code counted for nothing, and a code or a
/// description of the SDK made the processes forgotten.
#[test]
fn nothing_that_is_said_makes_something_else_forgotten() {
    let sdk = || {
        Posture::SdkInfo(Box::new(SdkInfo {
            kind: "ziti-sdk-c".to_owned(),
            ..SdkInfo::default()
        }))
    };
    let kinds = || {
        vec![
            mfa(false),
            PostureCheckKind::Process(Box::new(required("/a", &[], &[]))),
        ]
    };
    let said = |world: &World, what: &str| match what {
        "code" => code(world),
        "process" => process("/a", true, "", &[]),
        _ => sdk(),
    };
    for order in [
        ["code", "process", "sdk"],
        ["process", "code", "sdk"],
        ["process", "sdk", "code"],
        ["sdk", "code", "process"],
    ] {
        let mut world = world_of(kinds());
        let mut missing = vec!["code", "process"];
        for what in order {
            let report = said(&world, what);
            let _ = world.report(1, vec![report]);
            missing.retain(|one| *one != what);
            assert_eq!(
                passes(&mut world),
                missing.is_empty(),
                "{what} of {order:?}"
            );
        }
        // Said again, each by itself.
        for what in order {
            let report = said(&world, what);
            let _ = world.report(1, vec![report]);
            assert!(passes(&mut world), "{what} again, after {order:?}");
        }

        let mut world = world_of(kinds());
        let reports = order.map(|what| said(&world, what));
        let _ = world.report(1, reports.into());
        assert!(passes(&mut world), "{order:?} in one message");
    }
}

#[test]
fn posture_is_one_of_the_session_and_outlives_its_channels_for_a_while() {
    let mut world = world(mfa(false));
    world.open(2, "alice", 100_000);
    let given = code(&world);
    let changed = world.report(2, vec![given]).changed_posture;
    assert_eq!(changed, [ChannelId(1), ChannelId(2)].into());
    assert!(passes(&mut world), "on the other channel");
    let now = world.time();
    world.control.close(ChannelId(1), now);
    world.control.close(ChannelId(2), now);
    let _ = world.pass(299);
    world.open(1, "alice", 100_000);
    assert!(passes(&mut world));
    let now = world.time();
    world.control.close(ChannelId(1), now);
    let _ = world.pass(300);
    world.open(1, "alice", 100_000);
    assert!(!passes(&mut world));
}

#[test]
fn too_much_is_refused_as_a_whole() {
    let mut world = world(mfa(false));
    let given = code(&world);
    let many = (0..2000).map(|number| process(&format!("/{number}"), true, "", &[]));
    let responses = std::iter::once(given)
        .chain(many)
        .map(|posture| PostureResponse {
            posture: Some(posture),
        });
    let now = second(START);
    let said = PostureReports::read(&world.control, ChannelId(1), responses.collect());
    let refused = world.control.report_posture(ChannelId(1), said, now);
    refused.unwrap_err();
    assert!(!passes(&mut world));
    // Nobody says anything for a channel that is not there.
    let _ = world.report(9, vec![woken(None)]);
}

use super::*;
use portcullis_domain::config::{ConfigSpec, ConfigTarget, ConfigTypeSpec, JsonObject};
use portcullis_domain::identity::{Disabled, IdentityName, IdentitySpec};
use portcullis_domain::ids::{
    IdentityId, PostureCheckId, RevocationId, RouterId, ServiceId, ServicePolicyId,
};
use portcullis_domain::managed::{Managed, Spec};
use portcullis_domain::policies::ServicePolicySpec;
use portcullis_domain::posture_check::{
    Check, CheckedProcess, CheckedProcesses, DomainCheck, Fingerprint, Fingerprints, MacCheck,
    MfaCheck, OsCheck, OsType, PostureCheckSpec, ProcessCheck, ProcessMultiCheck, ProcessPath,
};
use portcullis_domain::revocation::RevocationSpec;
use portcullis_domain::roles::Semantic;
use portcullis_domain::router::{RouterCertificate, RouterSpec};
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::tags::{AppData, Tags};
use portcullis_wire::control::data_model::{
    Mfa, OperatingSystem, OperatingSystems, PostureCheckKind, Process, Processes,
};
use serde_json::json;
use std::collections::BTreeMap;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn managed<I, S: Spec>(id: I, spec: S) -> Managed<I, S> {
    Managed::new(id, spec, Timestamp::UNIX_EPOCH).unwrap()
}

fn object(value: serde_json::Value) -> JsonObject {
    match value {
        serde_json::Value::Object(object) => object,
        other => panic!("{other}"),
    }
}

fn wire_identity(entity: Entity) -> wire::Identity {
    match entity {
        Entity::Identity(identity) => *identity,
        other => panic!("{other:?}"),
    }
}

#[test]
fn configurations_keep_their_data() {
    for target in ConfigTarget::ALL {
        let spec = ConfigTypeSpec {
            target,
            ..ConfigTypeSpec::named("host.v9")
        };
        let record = managed(ConfigTypeId::from_wire("t"), spec);
        let expected = wire::ConfigType {
            id: "t".to_owned(),
            name: "host.v9".to_owned(),
            target: target.name().to_owned(),
        };
        assert_eq!(config_type(&record), Entity::ConfigType(expected));
    }
    let data = object(json!({"port": 22, "address": "10.0.0.1", "big": 1.5e300, "none": null}));
    let spec = ConfigSpec::new("ssh", ConfigTypeId::from_wire("t"), data.clone());
    let Entity::Config(config) = config(&managed(ConfigId::from_wire("c"), spec)) else {
        panic!("no config");
    };
    assert_eq!(
        (&*config.id, &*config.type_id, &*config.name),
        ("c", "t", "ssh")
    );
    let sent: JsonObject = serde_json::from_str(config.data_json.expose()).unwrap();
    assert_eq!(sent, data);
}

#[test]
fn identities_have_what_hosts_need() {
    let name = IdentityName::new("host").unwrap();
    let mut record = Identity::new(IdentityId::from_wire("i"), IdentitySpec::named(name), at(0));
    let plain = wire_identity(identity(&record, at(0), |_| None));
    let expected = wire::Identity {
        id: "i".to_owned(),
        name: "host".to_owned(),
        ..wire::Identity::default()
    };
    assert_eq!(plain, expected);

    let service = ServiceId::from_wire("s");
    let hosting = &mut record.spec.hosting;
    hosting.default_cost = 65_535;
    hosting.default_precedence = Precedence::Required;
    hosting.costs.insert(service.clone(), 7);
    hosting
        .precedences
        .insert(service.clone(), Precedence::Failed);
    record.spec.app_data = AppData::from_json(object(json!({"a": [1]}))).unwrap();
    let configs = ["known", "unknown"].map(ConfigId::from_wire);
    record.service_configs = BTreeMap::from([(service, BTreeSet::from(configs))]);
    record.disabled = Some(Disabled {
        at: at(0),
        until: Some(at(10)),
    });
    let kind = ConfigTypeId::from_wire("t");
    let type_of = |config: &ConfigId| (config.as_str() == "known").then_some(&kind);
    let expected = wire::Identity {
        default_hosting_precedence: portcullis_wire::Precedence::Required,
        default_hosting_cost: 65_535,
        service_hosting_precedences: BTreeMap::from([(
            "s".to_owned(),
            portcullis_wire::Precedence::Failed,
        )]),
        service_hosting_costs: BTreeMap::from([("s".to_owned(), 7)]),
        app_data_json: Secret::new(r#"{"a":[1]}"#.into()),
        service_configs: BTreeMap::from([(
            "s".to_owned(),
            wire::ServiceConfigs {
                configs: BTreeMap::from([("t".to_owned(), "known".to_owned())]),
            },
        )]),
        is_disabled: true,
        ..expected
    };
    let disabled = wire_identity(identity(&record, at(9), type_of));
    assert_eq!(disabled, expected);
    assert!(!wire_identity(identity(&record, at(10), type_of)).is_disabled);
}

#[test]
fn services_of_the_fabric_are_left_out() {
    let spec = ServiceSpec {
        configs: BTreeSet::from(["b", "a"].map(ConfigId::from_wire)),
        ..ServiceSpec::named("wiki")
    };
    let expected = wire::Service {
        id: "s".to_owned(),
        name: "wiki".to_owned(),
        requires_encryption: true,
        configs: ["a", "b"].map(str::to_owned).into(),
    };
    let id = ServiceId::from_wire("s");
    let record = managed(id.clone(), spec.clone());
    assert_eq!(service(&record), Some(Entity::Service(expected)));
    let spec = ServiceSpec {
        is_fabric_only: true,
        ..spec
    };
    assert_eq!(service(&managed(id, spec)), None);
}

#[test]
fn routers_have_a_fingerprint_once_they_are_enrolled() {
    let mut spec = RouterSpec::edge_router("paris");
    spec.configs = BTreeSet::from([ConfigId::from_wire("link")]);
    let mut record = managed(RouterId::from_wire("r"), spec);
    let expected = wire::Router {
        id: "r".to_owned(),
        name: "paris".to_owned(),
        fingerprint: String::new(),
        configs: vec!["link".to_owned()],
        is_disabled: false,
    };
    assert_eq!(router(&record), Entity::Router(expected.clone()));
    record.spec.disabled = true;
    let certificate = RouterCertificate::from_fingerprint("ab01".to_owned());
    record.set_certificate(certificate, at(1));
    let expected = wire::Router {
        fingerprint: "ab01".to_owned(),
        is_disabled: true,
        ..expected
    };
    assert_eq!(router(&record), Entity::Router(expected));
}

#[test]
fn policies_say_what_they_grant() {
    for (grant, policy_type) in [
        (ServiceGrant::Dial, wire::PolicyType::Dial),
        (ServiceGrant::Bind, wire::PolicyType::Bind),
    ] {
        let spec = ServicePolicySpec::new("all", grant);
        let policy = policy(&managed(ServicePolicyId::from_wire("p"), spec));
        assert_eq!(
            (&*policy.id, &*policy.name, policy.policy_type),
            ("p", "all", policy_type)
        );
    }
}

#[test]
fn only_revocations_of_identities_spare_later_tokens() {
    for revoked in RevocationType::ALL {
        let spec = RevocationSpec {
            revoked,
            issued_before: at(10),
            expires_at: at(20),
            tags: Tags::default(),
        };
        let expected = wire::Revocation {
            id: "x".to_owned(),
            expires_at: Some(portcullis_wire::Timestamp {
                seconds: 20,
                nanos: 0,
            }),
            kind: revoked.name().to_owned(),
            issued_before: (revoked == RevocationType::Identity).then_some(
                portcullis_wire::Timestamp {
                    seconds: 10,
                    nanos: 0,
                },
            ),
        };
        let record = managed(RevocationId::from_wire("x"), spec);
        assert_eq!(revocation(&record), Entity::Revocation(expected));
    }
}

fn kind(check: Check) -> (String, PostureCheckKind) {
    let spec = PostureCheckSpec::new("check", check);
    let record = managed(PostureCheckId::from_wire("c"), spec);
    match posture_check(&record) {
        Entity::PostureCheck(check) => {
            assert_eq!((&*check.id, &*check.name), ("c", "check"));
            (check.type_id, check.kind.unwrap())
        },
        other => panic!("{other:?}"),
    }
}

fn fingerprints(text: &str) -> Fingerprints {
    Fingerprints::new("hashes", vec![text.to_owned()]).unwrap()
}

#[test]
fn machines_are_checked_for_their_systems_addresses_and_domains() {
    let systems = [("Linux", vec![]), ("iOS", vec![">=17.0.0"])];
    let check = OsCheck::new(systems).unwrap();
    let system = |kind: &str, versions: &[&str]| OperatingSystem {
        kind: kind.to_owned(),
        versions: versions
            .iter()
            .map(|version| (*version).to_owned())
            .collect(),
    };
    let systems = vec![system("Linux", &[]), system("iOS", &[">=17.0.0"])];
    let expected = PostureCheckKind::OperatingSystem(Box::new(OperatingSystems { systems }));
    assert_eq!(kind(Check::Os(check)), ("OS".to_owned(), expected));

    let check = MacCheck::new(&["00:11:22:AA:BB:CC".to_owned()]).unwrap();
    let expected = wire::MacAddresses {
        addresses: vec!["001122aabbcc".to_owned()],
    };
    let expected = PostureCheckKind::Mac(Box::new(expected));
    assert_eq!(kind(Check::Mac(check)), ("MAC".to_owned(), expected));

    let check = DomainCheck::new(vec!["Corp".to_owned()]).unwrap();
    let expected = wire::Domains {
        domains: vec!["Corp".to_owned()],
    };
    let expected = PostureCheckKind::Domains(Box::new(expected));
    assert_eq!(kind(Check::Domain(check)), ("DOMAIN".to_owned(), expected));
}

#[test]
fn codes_without_a_time_limit_are_good_for_ever() {
    for (timeout_seconds, sent) in [(0, -1), (600, 600)] {
        let check = MfaCheck {
            timeout_seconds: MfaCheck::parse_timeout(timeout_seconds).unwrap(),
            prompt_on_wake: true,
            prompt_on_unlock: false,
            ignore_legacy_endpoints: true,
        };
        let expected = PostureCheckKind::Mfa(Box::new(Mfa {
            timeout_seconds: sent,
            prompts_on_wake: true,
            prompts_on_unlock: false,
            ignores_legacy_endpoints: true,
        }));
        assert_eq!(kind(Check::Mfa(check)), ("MFA".to_owned(), expected));
    }
}

#[test]
fn processes_are_known_by_bare_digits() {
    let path = || ProcessPath::new("path", "/bin/agent").unwrap();
    let process = Process {
        operating_system: "Linux".to_owned(),
        path: "/bin/agent".to_owned(),
        hashes: vec!["ab01".to_owned()],
        fingerprints: vec!["cd02".to_owned()],
    };
    let check = ProcessCheck {
        os_type: OsType::Linux,
        path: path(),
        hashes: fingerprints("AB:01"),
        signer: Some(Fingerprint::new("signer", "CD-02").unwrap()),
    };
    let expected = PostureCheckKind::Process(Box::new(process.clone()));
    assert_eq!(
        kind(Check::Process(check)),
        ("PROCESS".to_owned(), expected)
    );

    let checked = CheckedProcess {
        os_type: OsType::Linux,
        path: path(),
        hashes: fingerprints("ab 01"),
        signers: fingerprints("CD02"),
    };
    let check = ProcessMultiCheck {
        semantic: Semantic::AnyOf,
        processes: CheckedProcesses::new(vec![checked]).unwrap(),
    };
    let expected = PostureCheckKind::Processes(Box::new(Processes {
        semantic: "AnyOf".to_owned(),
        processes: vec![process],
    }));
    let sent = kind(Check::ProcessMulti(check));
    assert_eq!(sent, ("PROCESS_MULTI".to_owned(), expected));
}

//! The indexes of the model against reading everything.

use super::naive::{self, Machine};
use super::network::{COUNT, Truth, change};
use super::seeds::for_seeds;
use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::{OsInfo, PostureReport, Report};
use portcullis_posture::{Client, MachineJudge, Posture};
use portcullis_router::access::{DataModel, Judgement};
use portcullis_seeded_random::Random;
use portcullis_wire::control::data_model::{Action, Event};
use std::collections::BTreeMap;

const SEEDS: u64 = 80;
const NOW: i64 = 1_900_000_000;

pub(crate) fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn random_machine(random: &mut Random) -> Machine {
    let version = ["4.9.0", "5.0.0", "6.1.0"][random.index(3)];
    let system = ["linux", "Windows"][random.index(2)];
    let domain = ["example.test", "other.test", "third.test"][random.index(3)];
    Machine {
        system: (!random.one_in(3)).then(|| (system.to_owned(), version.to_owned())),
        domain: (!random.one_in(3)).then(|| domain.to_owned()),
        totp_passed_at: (!random.one_in(3))
            .then(|| NOW - i64::try_from(random.below(1200)).unwrap()),
    }
}

fn posture(machine: &Machine) -> Posture {
    let system = machine.system.clone().map(|(kind, version)| {
        Report::Os(OsInfo {
            kind,
            version,
            build: String::new(),
        })
    });
    let domain = machine.domain.clone().map(Report::Domain);
    let mut posture = Posture::default();
    for report in system.into_iter().chain(domain) {
        let check = PostureCheckId::from_wire("");
        let report = PostureReport { check, report };
        posture.record(report, second(NOW)).unwrap();
    }
    posture
}

/// The events that lead from one network to another, as a controller would send them, without an order that
/// makes sense.
fn events(from: &Truth, to: &Truth, random: &mut Random) -> Vec<Event> {
    let model = |truth: &Truth| {
        let mut model = DataModel::default();
        model.apply(super::network::creations(truth));
        model
    };
    let mut gone = model(from).to_events();
    gone.retain(|event| {
        let id = super::network::subject_key(event.subject.as_ref().unwrap());
        id.is_some_and(|key| to.get(&key) != from.get(&key))
    });
    for event in &mut gone {
        event.action = Action::Delete;
    }
    let mut all = gone;
    all.extend(super::network::creations(to));
    if random.one_in(3) {
        // Events of unknown kinds and actions change nothing.
        all.push(Event::default());
        let mut unknown = all[0].clone();
        unknown.action = Action::Unrecognized(7);
        all.push(unknown);
    }
    all
}

#[test]
fn rights_are_those_that_reading_everything_finds() {
    let mut outcomes = BTreeMap::<&str, u64>::new();
    let is_usual = for_seeds(SEEDS, |seed| {
        let mut random = Random::from_seed(seed);
        let mut truth = Truth::new();
        for _ in 0..30 {
            change(&mut truth, &mut random);
        }
        let mut model = DataModel::default();
        model.apply(super::network::creations(&truth));
        let sdk = SdkInfo::default();
        for _ in 0..25 {
            let before = truth.clone();
            change(&mut truth, &mut random);
            model.apply(events(&before, &truth, &mut random));
            let machine = random_machine(&mut random);
            let reported = posture(&machine);
            let client = Client {
                posture: &reported,
                totp_passed_at: machine.totp_passed_at.map(second),
                sdk: &sdk,
                machine_judge: MachineJudge::Here,
            };
            for number in 0..COUNT * COUNT * 2 {
                let identity = format!("i{}", number % COUNT);
                let service = format!("s{}", number / COUNT % COUNT);
                let grant = match number / COUNT / COUNT {
                    0 => ServiceGrant::Dial,
                    _ => ServiceGrant::Bind,
                };
                let judgement = model.judge(&identity, &service, grant, Some(&client), second(NOW));
                let expected = naive::judge(&truth, &identity, &service, grant, &machine, NOW);
                let found = match judgement {
                    Judgement::Granted { ends_at } => naive::Right::Granted {
                        ends_at: ends_at.map(Timestamp::as_second),
                    },
                    Judgement::Failing(checks) => {
                        naive::Right::Failing(checks.into_iter().collect())
                    },
                    Judgement::NotGranted => naive::Right::None,
                };
                assert_eq!(found, expected, "{identity} {grant:?} {service}");
                let exempt = model.judge(&identity, &service, grant, None, second(NOW));
                assert_eq!(
                    exempt != Judgement::NotGranted,
                    expected != naive::Right::None
                );
                *outcomes
                    .entry(match expected {
                        naive::Right::Granted { ends_at: None } => "granted",
                        naive::Right::Granted { .. } => "granted for some time",
                        naive::Right::Failing(_) => "failing",
                        naive::Right::None => "not granted",
                    })
                    .or_default() += 1;
            }
        }
    });
    assert!(
        !is_usual || outcomes.len() == 4 && outcomes.values().all(|count| *count > 100),
        "all of it happens: {outcomes:?}"
    );
}

//! What is dialed.

use portcullis_domain::clock::Timestamp;
use portcullis_router::control::{
    ControlAddress, EndpointsFile, Identified, KnownControllers, Target,
};
use portcullis_router::edge::ControllerId;
use portcullis_wire::control::address::{Controller, ControllerAddresses, Endpoint};

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn address(text: &str) -> ControlAddress {
    text.parse().unwrap()
}

fn id(text: &str) -> ControllerId {
    text.into()
}

fn named(id: &str) -> Target {
    Target::Controller(id.into())
}

fn unnamed(text: &str) -> Target {
    Target::Address(address(text))
}

fn configured(addresses: &[&str]) -> KnownControllers {
    KnownControllers::new(addresses.iter().map(|text| address(text)).collect(), None)
}

fn controllers(list: &[(&str, &[&str])]) -> Vec<Controller> {
    let endpoint = |address: &&str| Endpoint {
        address: (*address).to_owned(),
        groups: Vec::new(),
    };
    list.iter()
        .map(|(id, addresses)| Controller {
            id: (*id).to_owned(),
            endpoints: addresses.iter().map(endpoint).collect(),
        })
        .collect()
}

fn list(index: u64, is_leader: bool, list: &[(&str, &[&str])]) -> ControllerAddresses {
    ControllerAddresses {
        index,
        is_leader,
        controllers: controllers(list),
        ..ControllerAddresses::default()
    }
}

fn dialed(known: &KnownControllers) -> Vec<String> {
    known.targets().keys().map(Target::to_string).collect()
}

#[test]
fn address_is_the_controller_that_answers_there() {
    let mut known = configured(&["tls:a.test:1", "tls:b.test:1"]);
    assert_eq!(dialed(&known), ["tls:a.test:1", "tls:b.test:1"]);
    let first = known.identify(&unnamed("tls:a.test:1"), &id("c1"));
    assert_eq!(first, Identified::Accepted);
    assert_eq!(
        known.identify(&named("c1"), &id("c1")),
        Identified::Accepted
    );

    let second = known.identify(&unnamed("tls:b.test:1"), &id("c1"));
    assert_eq!(second, Identified::Duplicate, "both lead to one controller");
    let both = vec![address("tls:a.test:1"), address("tls:b.test:1")];
    assert_eq!(
        known.targets().into_iter().collect::<Vec<_>>(),
        [(named("c1"), both)]
    );
    assert_eq!(known.file(), None, "no controller has said where it is");
}

#[test]
fn controller_that_was_installed_anew_keeps_the_address_of_the_old_one() {
    let file = EndpointsFile::new(controllers(&[
        ("old", &["tls:a.test:1"]),
        ("c2", &["tls:b.test:1"]),
    ]));
    let mut known = KnownControllers::new(vec![address("tls:z.test:9")], Some(file));
    assert_eq!(dialed(&known), ["c2", "old"], "the file wins");
    assert_eq!(
        known.identify(&named("old"), &id("new")),
        Identified::Accepted
    );
    assert_eq!(dialed(&known), ["c2", "new"]);
    assert_eq!(
        known.identify(&named("new"), &id("c2")),
        Identified::Duplicate
    );
    assert_eq!(dialed(&known), ["c2", "new"]);
}

#[test]
fn file_without_addresses_that_can_be_dialed_counts_as_none() {
    let file = EndpointsFile::new(controllers(&[("c1", &["quic:a.test:1"]), ("c2", &[])]));
    let known = KnownControllers::new(vec![address("tls:z.test:9")], Some(file));
    assert_eq!(dialed(&known), ["tls:z.test:9"]);
    let old = EndpointsFile {
        endpoints: vec!["tls:y.test:9".to_owned()],
        controllers: Vec::new(),
    };
    let known = KnownControllers::new(vec![address("tls:z.test:9")], Some(old));
    assert_eq!(dialed(&known), ["tls:y.test:9"]);
}

#[test]
fn list_of_the_leader_replaces_everything_and_that_of_another_only_adds() {
    let mut known = configured(&["tls:a.test:1", "tls:b.test:1"]);
    known.identify(&unnamed("tls:a.test:1"), &id("c1"));
    let follower = list(3, false, &[("c2", &["tls:c.test:1"])]);
    known.receive(&id("c1"), follower, START);
    assert_eq!(dialed(&known), ["tls:b.test:1", "c1", "c2"]);
    assert_eq!(known.deadline(), Some(START), "the leader is to be asked");
    assert_eq!(known.poll(START), None, "nobody has said who leads");
    known.lead(&id("c2"), 3);
    let later = known.deadline().unwrap();
    assert_eq!(later.as_second(), 30);
    assert_eq!(known.poll(START), None, "not so often");
    assert_eq!(known.poll(later), Some(id("c2")));

    let leader = list(
        4,
        true,
        &[("c2", &["tls:c.test:1"]), ("c3", &["tls:d.test:1"])],
    );
    known.receive(&id("c2"), leader, later);
    assert_eq!(dialed(&known), ["c2", "c3"]);
    assert_eq!(known.deadline(), None);
    let file = known.file().unwrap();
    assert_eq!(file.endpoints, ["tls:c.test:1", "tls:d.test:1"]);
}

#[test]
fn older_list_and_one_without_addresses_change_nothing() {
    let mut known = configured(&["tls:a.test:1"]);
    known.identify(&unnamed("tls:a.test:1"), &id("c1"));
    for useless in [
        list(1, true, &[]),
        list(2, true, &[("c1", &[])]),
        list(3, true, &[("", &["tls:x.test:1"])]),
    ] {
        known.receive(&id("c1"), useless, START);
        assert_eq!(dialed(&known), ["c1"]);
        assert_eq!(known.file(), None);
    }
    known.receive(
        &id("c1"),
        list(7, true, &[("c1", &["tls:n.test:1"])]),
        START,
    );
    let targets = known.targets();
    assert_eq!(targets[&named("c1")], [address("tls:n.test:1")]);
    for index in [6, 7] {
        known.receive(
            &id("c1"),
            list(index, true, &[("c9", &["tls:x.test:1"])]),
            START,
        );
        assert_eq!(dialed(&known), ["c1"]);
    }
}

#[test]
fn controller_that_moves_is_dialed_elsewhere() {
    let mut known = configured(&["tls:a.test:1"]);
    known.identify(&unnamed("tls:a.test:1"), &id("c1"));
    known.relocate(&id("c1"), &address("tls:new.test:2"));
    assert_eq!(known.targets()[&named("c1")], [address("tls:new.test:2")]);
    assert_eq!(known.file().unwrap().endpoints, ["tls:new.test:2"]);
}

#[test]
fn leader_of_an_older_change_does_not_lead() {
    let mut known = configured(&["tls:a.test:1"]);
    known.lead(&id("c2"), 5);
    known.lead(&id("c1"), 4);
    known.receive(&id("c1"), list(1, false, &[]), START);
    assert_eq!(known.poll(START), Some(id("c2")));
}

#[test]
fn list_of_thousands_is_cut() {
    let mut known = configured(&["tls:a.test:1"]);
    let names: Vec<_> = (0..5000).map(|number| format!("c{number}")).collect();
    let many: Vec<(&str, &[&str])> = names
        .iter()
        .map(|name| (name.as_str(), ["tls:x.test:1"].as_slice()))
        .collect();
    known.receive(&id("c1"), list(1, true, &many), START);
    assert_eq!(known.targets().len(), 100);
}

#[test]
fn address_needs_its_protocol_a_host_and_a_port() {
    for text in ["tls:a.test:6262", "tls:10.0.0.1:1", "tls:[2001:db8::1]:443"] {
        assert_eq!(address(text).to_string(), text);
    }
    for text in [
        "a.test:6262",
        "tcp:a.test:1",
        "tls:a.test",
        "tls::1",
        "tls:a.test:0",
        "tls:a.test:70000",
        "",
    ] {
        assert!(text.parse::<ControlAddress>().is_err(), "{text}");
    }
}

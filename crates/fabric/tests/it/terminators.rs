//! Choosing a terminator.

use crate::support::{at, link, network, outputs, report, router};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{ServiceId, TerminatorId};
use portcullis_domain::service::TerminatorStrategy;
use portcullis_fabric::{
    Choice, ChoiceError, Chosen, Network, PeerData, RouterSession, RouterSlot, Terminator,
    TerminatorCost, TerminatorCounts, Terminators,
};
use std::sync::Arc;
use std::time::Duration;

fn id(text: &str) -> TerminatorId {
    TerminatorId::from_wire(text)
}

fn terminator(name: &str, place: &str, cost: u16, precedence: Precedence) -> Terminator {
    Terminator {
        id: id(name),
        service: ServiceId::from_wire("s"),
        router: router(place),
        binding: "edge".to_owned(),
        address: name.to_owned(),
        instance: String::new(),
        cost,
        precedence,
        host: "host".to_owned(),
        peer_data: Arc::new(PeerData::new()),
    }
}

/// Routers a and b, with a link that costs 5.
fn two() -> (Network, [RouterSession; 2]) {
    let (mut network, [a, b]) = network(["a", "b"]);
    network.report_links(a, vec![report("ab", "b", 1)], false);
    network.report_latency(a, &link("ab"), Duration::from_millis(2));
    network.report_latency(b, &link("ab"), Duration::from_millis(2));
    (network, [a, b])
}

fn choose(
    terminators: &Terminators,
    network: &Network,
    from: RouterSlot,
    instance: &str,
) -> Result<(String, u32), ChoiceError> {
    let chosen = choose_without(terminators, network, (from, instance), &[])?;
    Ok((chosen.terminator.as_str().to_owned(), chosen.cost))
}

fn choose_without(
    terminators: &Terminators,
    network: &Network,
    (from, instance): (RouterSlot, &str),
    failed: &[TerminatorId],
) -> Result<Chosen, ChoiceError> {
    let choice = Choice {
        service: &ServiceId::from_wire("s"),
        instance,
        from,
        strategy: TerminatorStrategy::SmartRouting,
        sticky: None,
        failed,
        random: 0,
    };
    terminators.choose(&choice, network, at(0))
}

const DEFAULT: u32 = 1_073_741_823;

#[test]
fn the_cheapest_terminator_counts_path_and_costs_within_its_precedence() {
    let (network, [a, b]) = two();
    let (a, b) = (a.router(), b.router());
    let mut all = Terminators::new();
    all.set(terminator("near", "a", 20, Precedence::Default));
    all.set(terminator("far", "b", 4, Precedence::Default));
    // The link costs 5, entering the router 10.
    let choose = |all: &Terminators, from| choose(all, &network, from, "").unwrap();
    assert_eq!(choose(&all, a), ("far".to_owned(), DEFAULT + 19));
    assert_eq!(choose(&all, b), ("far".to_owned(), DEFAULT + 4));
    all.open(&id("far"));
    assert_eq!(choose(&all, a), ("near".to_owned(), DEFAULT + 20));
    all.fail(&id("near"), at(0));
    assert_eq!(choose(&all, a), ("far".to_owned(), DEFAULT + 21));
    all.set(terminator("near", "a", 65_535, Precedence::Required));
    assert_eq!(
        choose(&all, a),
        ("near".to_owned(), 65_555),
        "failures are kept"
    );
    all.set(terminator("near", "a", 0, Precedence::Failed));
    assert_eq!(choose(&all, a), ("far".to_owned(), DEFAULT + 21));
}

#[test]
fn equal_costs_alternate_as_circuits_open() {
    let (network, [a, _]) = two();
    let mut all = Terminators::new();
    all.set(terminator("t1", "a", 0, Precedence::Default));
    all.set(terminator("t2", "a", 0, Precedence::Default));
    let mut chosen = Vec::new();
    for _ in 0..4 {
        let (next, _) = choose(&all, &network, a.router(), "").unwrap();
        all.open(&id(&next));
        chosen.push(next);
    }
    assert_eq!(chosen, ["t1", "t2", "t1", "t2"]);
}

#[test]
fn only_terminators_of_the_instance_count() {
    let (network, [a, _]) = two();
    let a = a.router();
    let mut all = Terminators::new();
    assert_eq!(
        choose(&all, &network, a, ""),
        Err(ChoiceError::NoTerminators)
    );
    all.set(Terminator {
        instance: "blue".to_owned(),
        ..terminator("t", "a", 0, Precedence::Default)
    });
    assert_eq!(
        choose(&all, &network, a, ""),
        Err(ChoiceError::NoTerminators)
    );
    assert_eq!(
        choose(&all, &network, a, "red"),
        Err(ChoiceError::NoTerminators)
    );
    assert!(choose(&all, &network, a, "blue").is_ok());
}

#[test]
fn a_terminator_out_of_reach_is_not_chosen() {
    let (mut network, [a, b]) = two();
    let (from, missing) = (a.router(), ChoiceError::NoOnlineTerminators);
    let mut all = Terminators::new();
    all.set(terminator("t", "b", 0, Precedence::Default));
    all.set(terminator("u", "unknown", 0, Precedence::Default));
    assert!(choose(&all, &network, from, "").is_ok());
    network.set_link_down(&link("ab"), true);
    assert_eq!(choose(&all, &network, from, ""), Err(ChoiceError::NoPath));
    network.disconnect(b, at(0));
    assert_eq!(choose(&all, &network, from, ""), Err(missing));
    network.disconnect(a, at(0));
    outputs(&mut network);
    network.connect(&router("b"));
    assert_eq!(choose(&all, &network, from, ""), Err(ChoiceError::NoPath));
}

#[test]
fn those_that_have_failed_are_the_last_resort() {
    let (network, [a, _]) = two();
    let mut all = Terminators::new();
    all.set(terminator("t", "a", 0, Precedence::Required));
    all.set(terminator("u", "b", 9, Precedence::Failed));
    let pick = |failed: &[TerminatorId]| {
        let place = (a.router(), "");
        let chosen = choose_without(&all, &network, place, failed).unwrap();
        chosen.terminator.as_str().to_owned()
    };
    assert_eq!(pick(&[]), "t");
    assert_eq!(pick(&[id("t")]), "u");
    assert_eq!(pick(&[id("t"), id("u")]), "t");
}

#[test]
fn a_removed_terminator_is_forgotten_with_its_costs() {
    let (network, [a, _]) = two();
    let mut all = Terminators::new();
    all.set(terminator("t", "a", 0, Precedence::Default));
    all.open(&id("t"));
    all.fail(&id("t"), at(0));
    let expected = TerminatorCost {
        circuits: 1,
        failures: 20,
        dynamic: 22,
    };
    assert_eq!(all.cost(&id("t"), at(0)), Some(expected));
    assert!(all.remove(&id("t")).is_some());
    assert!(all.remove(&id("t")).is_none());
    assert_eq!(all.cost(&id("t"), at(0)), None);
    let gone = choose(&all, &network, a.router(), "");
    assert_eq!(gone, Err(ChoiceError::NoTerminators));
    all.close(&id("t"));
    all.set(terminator("t", "a", 0, Precedence::Default));
    assert_eq!(all.cost(&id("t"), at(0)).unwrap().dynamic, 0);
}

#[test]
fn a_terminator_may_move_to_another_service() {
    let mut all = Terminators::new();
    all.set(terminator("t", "a", 0, Precedence::Default));
    let moved = Terminator {
        service: ServiceId::from_wire("other"),
        ..terminator("t", "a", 0, Precedence::Default)
    };
    all.set(moved);
    assert_eq!(all.of_service(&ServiceId::from_wire("s")).count(), 0);
    assert_eq!(all.of_service(&ServiceId::from_wire("other")).count(), 1);
}

#[test]
fn terminators_count_as_usable_while_their_router_is_connected() {
    let (mut network, [_, b]) = two();
    let mut terminators = Terminators::new();
    for (name, place, precedence) in [
        ("t1", "a", Precedence::Default),
        ("t2", "b", Precedence::Required),
        ("t3", "b", Precedence::Default),
        ("t4", "b", Precedence::Failed),
    ] {
        terminators.set(terminator(name, place, 0, precedence));
    }
    let at_b = |terminators: &Terminators| -> Vec<String> {
        let there = terminators.at_router(&router("b"));
        there.map(|each| each.id.as_str().to_owned()).collect()
    };
    assert_eq!(at_b(&terminators), ["t2", "t3", "t4"]);
    let service = ServiceId::from_wire("s");
    let counts = |usable_default, usable_required| TerminatorCounts {
        all: 4,
        usable_default,
        usable_required,
    };
    assert_eq!(terminators.count(&service, &network), counts(2, 1));
    network.disconnect(b, at(0));
    assert_eq!(terminators.count(&service, &network), counts(1, 0));

    terminators.set(terminator("t3", "a", 0, Precedence::Default));
    terminators.remove(&id("t4"));
    assert_eq!(at_b(&terminators), ["t2"]);
}

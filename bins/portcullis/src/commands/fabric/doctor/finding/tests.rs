//! What is found, from what controllers send.

use super::*;
use crate::commands::fabric::doctor::examination::Outcome;
use crate::commands::fabric::doctor::report::Report;
use crate::commands::fabric::roster::router;
use crate::render::Render as _;
use insta::assert_snapshot;
use portcullis_wire::management::{
    CircuitDetail, ErtTerminatorDetail, ErtTerminatorDetails, LinkDetail, LinkValidity,
    SdkTerminatorDetail, SdkTerminatorDetails, TerminatorDetail, TerminatorValidity,
};
use serde_json::json;

fn text(of: &str) -> String {
    of.to_owned()
}

/// The network of these tests: one router that is there, one that is lost, one that nobody expects.
fn roster() -> Roster {
    Roster::of([
        router("r.1", "lisbon", json!({"connected": true})),
        router(
            "r.2",
            "porto",
            json!({"disconnectedAt": "2031-02-03T04:00:00Z"}),
        ),
        router("r.3", "faro", json!({"disabled": true})),
    ])
}

fn examined(check: Check, details: Vec<ManagementMessage>) -> Examined {
    let count = details.len().try_into().unwrap();
    Examined {
        check,
        outcome: Outcome::Complete { count },
        details,
    }
}

fn report(examined: &[Examined]) -> Report {
    let circuits = BTreeMap::from([(text("c1"), "2031-02-03T04:05:00Z".parse().unwrap())]);
    let roster = roster();
    let knowledge = Knowledge {
        roster: &roster,
        circuits: &circuits,
    };
    Report::new(examined, findings_of(examined, &knowledge))
}

fn shown(examined: &[Examined]) -> String {
    let now = "2031-02-03T04:15:00Z".parse().unwrap();
    report(examined).table(now).render(None)
}

fn links(router: &str, name: &str, links: Vec<LinkDetail>) -> ManagementMessage {
    ManagementMessage::LinkDetails(LinkDetails {
        router_id: text(router),
        router_name: text(name),
        is_success: true,
        text: String::new(),
        links,
    })
}

fn link(id: &str, states: [LinkValidity; 2], is_destination_connected: bool) -> LinkDetail {
    let [controller_state, router_state] = states;
    LinkDetail {
        link_id: text(id),
        controller_state,
        router_state,
        is_destination_connected,
        is_valid: false,
        destination: text("r.2"),
        is_dialed: true,
        texts: Vec::new(),
    }
}

#[test]
fn links_are_told_with_what_to_do() {
    use LinkValidity::{Established, Unknown};
    let fine = LinkDetail {
        is_valid: true,
        ..link("l0", [Established, Established], true)
    };
    let with_time = LinkDetail {
        texts: vec![text(
            "the controller has link l5 to router r.2, which the router does not have (since 2031-02-03T04:05:00Z)",
        )],
        ..link("l5", [Established, Unknown], true)
    };
    let on_its_way = LinkDetail {
        texts: vec![text(
            "link l4 has iteration 2 at the router, 1 at the controller",
        )],
        ..fine.clone()
    };
    let details = vec![
        fine,
        link("l1", [Unknown, Established], true),
        link("l2", [Established, Unknown], true),
        link("l3", [Established, Established], false),
        with_time,
        on_its_way,
    ];
    assert_snapshot!(shown(&[examined(Check::Links, vec![links("r.1", "lisbon", details)])]), @"
    links:  4 problems (1 router)

    router `porto`: it is not connected
      since 2031-02-03T04:00:00Z (15m ago)
      If it should be connected, look at its log: it says which controllers it dials, and what becomes of that.

    router `lisbon`: the router has link l1 to router `porto` (r.2), which the controller does not know
      No circuit takes this link until the router reports it, which it does at the latest when its control channel is opened again: restart the router if it stays so.

    router `lisbon`: the controller has link l2 to router `porto` (r.2), which the router does not have
      Circuits that take this link fail. The controller forgets it when the router reports its links anew: restart the router if it stays so.

    router `lisbon`: link l3 leads to router `porto` (r.2), which is not connected to the controller
      since 2031-02-03T04:00:00Z (15m ago)
      Circuits avoid this link. See why the router at its other end is not connected.

    router `lisbon`: the controller has link l5 to router `porto` (r.2), which the router does not have
      since 2031-02-03T04:05:00Z (10m ago)
      Circuits that take this link fail. The controller forgets it when the router reports its links anew: restart the router if it stays so.

    note: router `lisbon`: link l4 has iteration 2 at the router, 1 at the controller
      A report of the router may be on its way: ask again in a minute. Restart the router if it stays so.

    5 problems, 1 note
    ");
}

#[test]
fn routers_that_are_not_there_are_told_once() {
    let lost = |name: &str, id: &str| {
        ManagementMessage::LinkDetails(LinkDetails {
            router_id: text(id),
            router_name: text(name),
            text: text("router not connected"),
            ..LinkDetails::default()
        })
    };
    let circuits = |id: &str, name: &str, why: &str| {
        ManagementMessage::RouterCircuits(RouterCircuits {
            router_id: text(id),
            router_name: text(name),
            text: text(why),
            ..RouterCircuits::default()
        })
    };
    let terminator = ManagementMessage::TerminatorDetail(TerminatorDetail {
        terminator_id: text("t1"),
        router_id: text("r.2"),
        router_name: text("porto"),
        state: TerminatorValidity::Unknown,
        detail: text("router off-line"),
        ..TerminatorDetail::default()
    });
    let model = ManagementMessage::DataModelDetails(ComponentDetails {
        component_type: text("router"),
        component_id: text("r.2"),
        component_name: text("porto"),
        is_success: false,
        errors: vec![text("router not connected to controller")],
    });
    let all = [
        examined(
            Check::Links,
            vec![
                lost("porto", "r.2"),
                lost("faro", "r.3"),
                links("r.1", "lisbon", vec![]),
            ],
        ),
        examined(
            Check::Circuits,
            vec![
                circuits("r.2", "porto", "router r.2 is not connected"),
                circuits("r.1", "lisbon", "the router has not answered in time"),
            ],
        ),
        examined(Check::Terminators, vec![terminator]),
        examined(Check::DataModel, vec![model]),
    ];
    assert_snapshot!(shown(&all), @"
    links:        1 problem (3 routers)
    circuits:     2 problems (2 routers)
    terminators:  1 problem (1 terminator)
    data model:   1 problem (1 model)

    router `lisbon`: it could not be asked about circuits: the router has not answered in time
      Ask again. If it stays, look at the load of its machine and at the latency of its control channel.

    router `porto`: it is not connected; a terminator leads there
      since 2031-02-03T04:00:00Z (15m ago)
      If it should be connected, look at its log: it says which controllers it dials, and what becomes of that.

    2 problems
    ");
}

fn examined_circuits() -> Examined {
    let circuit = |id: &str, [controller, forwarder, edge, sdk]: [bool; 4]| {
        let detail = CircuitDetail {
            circuit_id: text(id),
            is_missing_in_controller: controller,
            is_missing_in_forwarder: forwarder,
            is_missing_in_edge: edge,
            is_missing_in_sdk: sdk,
            destinations: BTreeMap::new(),
        };
        (text(id), detail)
    };
    let circuits = ManagementMessage::RouterCircuits(RouterCircuits {
        router_id: text("r.1"),
        router_name: text("lisbon"),
        is_success: true,
        text: text("entries of `router-circuits` that were not read: 3"),
        circuits: BTreeMap::from([
            circuit("c0", [false; 4]),
            circuit("c1", [false, true, false, false]),
            circuit("c2", [true, false, true, true]),
        ]),
    });
    examined(Check::Circuits, vec![circuits])
}

fn examined_terminators() -> [Examined; 3] {
    let terminator = ManagementMessage::TerminatorDetail(TerminatorDetail {
        terminator_id: text("t1"),
        service_name: text("wiki"),
        router_id: text("r.1"),
        router_name: text("lisbon"),
        created_at: text("2031-02-03T04:05:06Z"),
        state: TerminatorValidity::InvalidTerminator,
        ..TerminatorDetail::default()
    });
    let held = |id: &str, state: &str, controller_state| SdkTerminatorDetail {
        terminator_id: text(id),
        controller_state,
        router_state: text(state),
        ..SdkTerminatorDetail::default()
    };
    let of_sdks = ManagementMessage::SdkTerminatorDetails(SdkTerminatorDetails {
        router_id: text("r.1"),
        router_name: text("lisbon"),
        is_success: true,
        text: String::new(),
        terminators: vec![
            held("t1", "unknown", TerminatorValidity::Valid),
            held("t2", "establishing", TerminatorValidity::Valid),
            SdkTerminatorDetail {
                is_operation_active: true,
                ..held("t4", "establishing", TerminatorValidity::Valid)
            },
        ],
    });
    let of_tunneler = ManagementMessage::ErtTerminatorDetails(ErtTerminatorDetails {
        router_id: text("r.1"),
        router_name: text("lisbon"),
        is_success: true,
        text: String::new(),
        terminators: vec![ErtTerminatorDetail {
            terminator_id: text("t3"),
            controller_state: TerminatorValidity::Unknown,
            router_state: text("established"),
            is_valid: false,
        }],
    });
    [
        examined(Check::Terminators, vec![terminator]),
        examined(Check::SdkTerminators, vec![of_sdks]),
        examined(Check::TunnelTerminators, vec![of_tunneler]),
    ]
}

#[test]
fn circuits_and_terminators_are_told_with_commands() {
    let mut all = vec![examined_circuits()];
    all.extend(examined_terminators());
    assert_snapshot!(shown(&all), @"
    circuits:                  2 problems (1 router)
    terminators:               1 problem (1 terminator)
    terminators of SDKs:       2 problems (1 router)
    terminators of tunnelers:  1 problem (1 router)

    router `porto`: it is not connected
      since 2031-02-03T04:00:00Z (15m ago)
      If it should be connected, look at its log: it says which controllers it dials, and what becomes of that.

    router `lisbon`: circuit c1 is missing in what the router forwards
      since 2031-02-03T04:05:00Z (10m ago)
      It may have just begun: ask again. If it stays, delete the circuit: nothing passes through it.
      `portcullis fabric circuit delete c1`

    router `lisbon`: circuit c2 is missing in the controller, the router's connections to SDKs and the SDK
      It may have just ended: ask again. If it stays, it ends when nothing has passed through it for a while, or when the router is restarted.

    router `lisbon`: the controller has terminator t1, which its router does not have (of service `wiki`)
      since 2031-02-03T04:05:06Z (10m ago)
      Delete the terminator: dials that choose it fail. Its host makes another one.
      `portcullis terminator delete t1`

    router `lisbon`: the router holds terminator t2, but it is establishing
      See in the router's log why the controller has not taken it.

    router `lisbon`: the router holds terminator t3 (established), which the controller does not know
      Nobody can dial what is hosted there. Restart the host, or else the router.

    note: router `lisbon`: entries of `router-circuits` that were not read: 3
      What is not told was not compared. Ask the router itself for the rest.

    note: router `lisbon`: the router holds terminator t4, but it is establishing
      The router is about it: ask again in a minute.

    6 problems, 2 notes
    ");
    let report = serde_json::to_value(report(&all)).unwrap();
    assert_eq!(report["isHealthy"], false);
    assert_eq!(report["checks"][1]["result"], "findings");
    let found = report["findings"].as_array().unwrap();
    let of_t1: Vec<_> = found
        .iter()
        .filter(|found| found["subject"] == json!({"kind": "terminator", "id": "t1"}))
        .collect();
    assert_eq!(of_t1.len(), 1);
    assert_eq!(
        of_t1[0]["checks"],
        json!(["terminators", "sdk-terminators"])
    );
}

#[test]
fn models_and_identities_are_told_in_words_of_the_controller() {
    let component = |kind: &str, id: &str, is_success, errors: &[&str]| ComponentDetails {
        component_type: text(kind),
        component_id: text(id),
        component_name: text(if kind == "router" { "lisbon" } else { id }),
        is_success,
        errors: errors.iter().copied().map(text).collect(),
    };
    let models = [
        component(
            "controller",
            "c1",
            false,
            &["service id: s1 missing: in the model"],
        ),
        component("router", "r.1", false, &["identity id: i1 diff: name"]),
    ];
    let identities = component(
        "router",
        "r.1",
        true,
        &[
            "router reports identity i1 connected, but controller disagrees",
            "router has 2 unreported events of identity i2, none of which says that it has come or gone",
            "ctrl reports identity r.1 is connected, but router disagrees",
            "ctrl reports identity i3 is connected, but router disagrees (since 2031-02-03T04:05:00Z)",
        ],
    );
    let all = [
        examined(
            Check::DataModel,
            models.map(ManagementMessage::DataModelDetails).into(),
        ),
        examined(
            Check::IdentityConnections,
            vec![ManagementMessage::IdentityConnectionDetails(identities)],
        ),
    ];
    assert_snapshot!(shown(&all), @"
    data model:            2 problems (2 models)
    identity connections:  2 problems (1 router)

    router `porto`: it is not connected
      since 2031-02-03T04:00:00Z (15m ago)
      If it should be connected, look at its log: it says which controllers it dials, and what becomes of that.

    controller: service id: s1 missing: in the model
      Restart the controller: it builds the model anew from its store.

    router `lisbon`: identity id: i1 diff: name
      A change may be on its way: ask again in a minute. If it stays, have the router take the model of the controller: `ziti fabric validate router-data-model --fix`.

    router `lisbon`: router reports identity i1 connected, but controller disagrees
      The router reports all of them from time to time: ask again in some minutes, and restart the router if it stays so.

    router `lisbon`: ctrl reports identity i3 is connected, but router disagrees
      since 2031-02-03T04:05:00Z (10m ago)
      The router reports all of them from time to time: ask again in some minutes, and restart the router if it stays so.

    note: router `lisbon`: router has 2 unreported events of identity i2, none of which says that it has come or gone
      Reports are sent every few seconds: ask again. If it stays, see in the router's log whether the controller takes them.

    5 problems, 1 note
    ");
}

#[test]
fn what_was_not_checked_is_not_fine() {
    let roster = Roster::of([router("r.1", "lisbon", json!({"connected": true}))]);
    let knowledge = Knowledge {
        roster: &roster,
        circuits: &BTreeMap::new(),
    };
    let with = |outcome| {
        let examined = [Examined {
            check: Check::Terminators,
            outcome,
            details: Vec::new(),
        }];
        Report::new(&examined, findings_of(&examined, &knowledge))
    };
    assert!(with(Outcome::Complete { count: 0 }).is_healthy());
    let not_checked = with(Outcome::NotChecked(text("c1: not supported")));
    assert!(!not_checked.is_healthy());
    let now = Timestamp::UNIX_EPOCH;
    assert_snapshot!(not_checked.table(now).render(None), @"
    terminators:  not checked: c1: not supported

    1 check not made, or not whole
    ");
    let reason = text("the controller stops");
    assert!(!with(Outcome::Incomplete { count: 3, reason }).is_healthy());
}

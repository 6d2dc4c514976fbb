use super::*;
use crate::bounded::MAX_ENTRIES;
use crate::finding::Finding as _;
use crate::fixture::{answer, assert_recorded, r1, r2, refusal};
use portcullis_wire::management::ManagementMessage;
use proptest::prelude::*;
use serde_json::json;

/// The controller that compares.
fn c1() -> ControllerId {
    ControllerId::from_wire("c1")
}

/// Circuits that pass r2.
fn known<const N: usize>(ids: [&str; N]) -> Known<CircuitId, KnownCircuit> {
    let circuit = KnownCircuit {
        path: vec![r1().id, r2().id],
        since: "2026-11-22T23:11:09Z".parse().ok(),
    };
    ids.map(|id| (CircuitId::from_wire(id), circuit.clone()))
        .into()
}

/// What a router tells: circuits that it forwards with the kinds of their ends, and ends at the edge and at
/// SDKs, each by circuit and channel.
#[derive(Clone, Default)]
struct At<'a> {
    forwarder: &'a [(&'a str, &'a [&'a str])],
    edge: &'a [(&'a str, &'a str)],
    sdk: &'a [(&'a str, &'a str)],
    /// Errors of each.
    errors: [&'a [&'a str]; 3],
}

impl At<'_> {
    fn answer(&self) -> InspectResponse {
        let forwarder = self.forwarder.iter().map(|(id, kinds)| {
            let kinds = kinds.iter().enumerate();
            let destinations: BTreeMap<_, _> =
                kinds.map(|(at, kind)| (format!("a{at}"), kind)).collect();
            (
                id,
                json!({"id": id, "ctrlId": "c1", "destinations": destinations}),
            )
        });
        let ends = |ends: &[(&str, &str)]| -> BTreeMap<_, _> {
            let ends = ends.iter().map(|(circuit, channel)| {
                let end = json!({"circuitId": circuit, "ctrlId": "c1", "channelConnId": channel});
                (format!("{circuit}/{channel}"), end)
            });
            ends.collect()
        };
        let circuits: BTreeMap<_, _> = forwarder.collect();
        let told = [
            json!(circuits),
            json!(ends(self.edge)),
            json!(ends(self.sdk)),
        ];
        let mut told = told.into_iter().zip(self.errors);
        answer(CIRCUIT_INSPECTIONS.map(|name| {
            let (circuits, errors) = told.next().unwrap();
            (
                name,
                json!({"circuits": circuits, "errors": errors}).to_string(),
            )
        }))
    }

    fn compare<const N: usize>(&self, ids: [&str; N]) -> Comparison<ComparedCircuit> {
        compare_circuits(&r2(), &c1(), &known(ids), Ok(&self.answer()))
    }
}

/// Where the circuit `c` is missing: controller, forwarder, edge, SDK.
fn missing(comparison: &Comparison<ComparedCircuit>) -> [bool; 4] {
    let details = RouterCircuits::from(comparison);
    assert!(details.is_success);
    let detail = &details.circuits["c"];
    assert_eq!(detail.circuit_id, "c");
    [
        detail.is_missing_in_controller,
        detail.is_missing_in_forwarder,
        detail.is_missing_in_edge,
        detail.is_missing_in_sdk,
    ]
}

#[test]
fn circuits_are_told_as_recorded() {
    let circuit = "lVh5jt821OhXaMKiDqwH6";
    let forwarded = json!({"circuits": {circuit: {
        "ctrlId": "c1", "id": circuit, "timeSinceActivity": "389ms",
        "routes": {"60WeiTmbTx6nlmSsAGc1ti": "6gh73JhRTRy1rllNStcJ4T"},
        "destinations": {"6gh73JhRTRy1rllNStcJ4T": SDK_END, "60WeiTmbTx6nlmSsAGc1ti": "xgress"},
    }}});
    let end = json!({"circuits": {"i/G8yq/x": {
        "circuitId": circuit, "ctrlId": "c1", "channelConnId": "G8yq", "connId": 1, "isXgress": true,
    }}});
    let [forwarded, end] = [forwarded, end].map(|value| value.to_string());
    let told = answer([
        (told::FORWARDER, &forwarded),
        (told::EDGE, &end),
        (told::SDK, &end),
    ]);
    let comparison = compare_circuits(&r2(), &c1(), &known([circuit]), Ok(&told));
    assert_eq!(comparison.findings().count(), 0);
    assert_recorded(
        &ManagementMessage::RouterCircuits((&comparison).into()),
        "S circuits r2, one circuit",
    );
    let comparison = compare_circuits(&r1(), &c1(), &known([]), Ok(&At::default().answer()));
    assert_recorded(
        &ManagementMessage::RouterCircuits((&comparison).into()),
        "S circuits r1, none",
    );
}

#[test]
fn circuit_of_an_sdk_alone_is_missing_in_three_places() {
    let id = "5lVh5jt821OhXaMKiDqwH6";
    let comparison = At {
        sdk: &[(id, "ch")],
        ..At::default()
    }
    .compare([]);
    let (_, body) = crate::fixture::content_type_and_body_of(&ManagementMessage::RouterCircuits(
        (&comparison).into(),
    ));
    // A key and a value: the id, and three flags.
    let mut entry = vec![0x2a, 0x38, 0x0a, 0x16];
    entry.extend_from_slice(id.as_bytes());
    entry.extend([0x12, 0x1e, 0x0a, 0x16]);
    entry.extend_from_slice(id.as_bytes());
    entry.extend([0x10, 1, 0x18, 1, 0x20, 1]);
    assert!(body.ends_with(&entry), "{body:02x?}");
    assert_eq!(
        comparison
            .findings()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        [
            "circuit 5lVh5jt821OhXaMKiDqwH6 is missing in the controller, what the router forwards and the \
          router's connections to SDKs"
        ]
    );
}

#[test]
fn each_place_clears_what_was_missing_there() {
    const OF_SDK: Option<&str> = Some(SDK_END);
    const OF_ROUTER: Option<&str> = Some("xgress");
    // Whether controller, forwarder (the kind of its end), edge and SDK have the circuit, and where it is
    // missing.
    for (in_controller, end, in_edge, in_sdk, expected) in [
        (true, None, false, false, [false, true, false, false]),
        (true, OF_ROUTER, false, false, [false; 4]),
        (true, OF_SDK, false, false, [false, false, true, true]),
        (true, OF_SDK, true, false, [false, false, false, true]),
        (true, OF_SDK, false, true, [false, false, true, false]),
        (true, OF_SDK, true, true, [false; 4]),
        (true, None, true, true, [false, true, false, false]),
        (false, OF_SDK, false, false, [true, false, false, false]),
        (false, None, true, false, [true, true, false, false]),
        (false, None, true, true, [true, true, false, false]),
        (false, None, false, true, [true, true, true, false]),
        (false, OF_SDK, true, true, [true, false, false, false]),
    ] {
        let kinds: Vec<_> = ["link"].into_iter().chain(end).collect();
        let forwarder = [("c", kinds.as_slice())];
        let end_of = |is_there| [("c", "ch")][..usize::from(is_there)].to_vec();
        let at = At {
            forwarder: &forwarder[..usize::from(end.is_some())],
            edge: &end_of(in_edge),
            sdk: &end_of(in_sdk),
            ..At::default()
        };
        let comparison = if in_controller {
            at.compare(["c"])
        } else {
            at.compare([])
        };
        assert_eq!(missing(&comparison), expected);
        let is_missing = expected.contains(&true);
        assert_eq!(comparison.findings().count(), usize::from(is_missing));
    }
}

#[test]
fn only_circuits_of_this_controller_and_router_are_compared() {
    let foreign = json!({"circuits": {"c": {"circuitId": "c", "ctrlId": "c2"}}}).to_string();
    let told = answer(CIRCUIT_INSPECTIONS.map(|name| (name, foreign.as_str())));
    let comparison = compare_circuits(&r2(), &c1(), &known([]), Ok(&told));
    assert_eq!(comparison.entries, Ok(vec![]));
    let mut elsewhere = known(["c"]);
    for known in elsewhere.values_mut() {
        known.path = vec![r1().id];
    }
    let comparison = compare_circuits(&r2(), &c1(), &elsewhere, Ok(&At::default().answer()));
    assert_eq!(comparison.entries, Ok(vec![]));
}

#[test]
fn routers_that_do_not_tell() {
    let told = |router: &Router, answer: Answer<'_>| {
        let details = RouterCircuits::from(&compare_circuits(router, &c1(), &known(["c"]), answer));
        (details.is_success, details.text, details.circuits.len())
    };
    let mut old = r2();
    old.tells_circuits = false;
    assert_eq!(told(&old, Ok(&refusal(&[]))), (true, String::new(), 0));
    for router in [&old, &r2()] {
        let offline = "router Pomig.x1H is not connected".to_owned();
        assert_eq!(
            told(router, Err(NoAnswer::NotConnected)),
            (false, offline, 0)
        );
    }
    let late = "the router has not answered in time".to_owned();
    assert_eq!(told(&r2(), Err(NoAnswer::TimedOut)), (false, late, 0));
    let refused = "the router does not tell: no".to_owned();
    assert_eq!(told(&r2(), Ok(&refusal(&["no"]))), (false, refused, 0));
    let none = "the router's answer cannot be read: it has no value `router-circuits`".to_owned();
    assert_eq!(told(&r2(), Ok(&refusal(&[]))), (false, none, 0));
}

#[test]
fn nothing_is_missing_in_lists_that_are_not_complete() {
    let of_sdk: &[_] = &[("c", [SDK_END].as_slice())];
    let some: &[_] = &["more"];
    let at = At {
        forwarder: of_sdk,
        ..At::default()
    };
    let edge_alone = At {
        errors: [&[], some, &[]],
        ..at.clone()
    };
    assert_eq!(
        missing(&edge_alone.compare(["c"])),
        [false, false, false, true]
    );
    let all = At {
        errors: [some; 3],
        ..At::default()
    };
    let comparison = all.compare(["c"]);
    assert_eq!(missing(&comparison), [false; 4]);
    assert_eq!(comparison.gaps.len(), 3);
    let unknown = At {
        sdk: &[("c", "ch")],
        ..all
    };
    assert_eq!(missing(&unknown.compare([])), [true, false, false, false]);

    // A router without an edge says nothing of it.
    let forwarded = json!({"circuits": {"c": {"ctrlId": "c1", "destinations": {"a": SDK_END}}}});
    let told = answer([(told::FORWARDER, &forwarded.to_string())]);
    let comparison = compare_circuits(&r2(), &c1(), &known(["c"]), Ok(&told));
    assert_eq!(comparison.findings().count(), 0);
}

#[test]
fn circuit_is_missing_in_an_sdk_that_has_told_others() {
    let at = At {
        forwarder: &[("c", &[SDK_END])],
        edge: &[("c", "go")],
        errors: [&[], &[], &["the client does not tell it"]],
        ..At::default()
    };
    assert_eq!(
        missing(&at.compare(["c"])),
        [false; 4],
        "its SDK may be in C"
    );
    let sdk: &[_] = &[("other", "go")];
    assert_eq!(
        missing(&At { sdk, ..at }.compare(["c", "other"])),
        [false, false, false, true]
    );
}

#[test]
fn circuits_beyond_the_bound_are_not_missing() {
    let all: BTreeMap<_, _> = (0..=MAX_ENTRIES)
        .map(|at| (format!("c{at}"), json!({"ctrlId": "c1"})))
        .collect();
    let forwarded = json!({"circuits": all}).to_string();
    let told = answer([(told::FORWARDER, &forwarded)]);
    let ids: Vec<_> = all.keys().map(String::as_str).collect();
    let circuit = known(["x"]).into_values().next().unwrap();
    let known = ids
        .iter()
        .map(|&id| (CircuitId::from_wire(id), circuit.clone()));
    let comparison = compare_circuits(&r2(), &c1(), &known.collect(), Ok(&told));
    assert_eq!(
        comparison
            .findings()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        ["entries of `router-circuits` that were not read: 1"]
    );
}

#[test]
fn advice_is_about_the_first_place_where_a_circuit_is_missing() {
    let advice = |places: &[CircuitPlace]| {
        let disagreement = CircuitDisagreement {
            circuit: CircuitId::from_wire("c"),
            missing_in: places.iter().copied().collect(),
            since: None,
        };
        (disagreement.to_string(), disagreement.advice())
    };
    let (text, of_forwarder) = advice(&[CircuitPlace::Edge, CircuitPlace::Forwarder]);
    assert_eq!(
        text,
        "circuit c is missing in what the router forwards and the router's connections to SDKs"
    );
    assert_eq!(of_forwarder, advice(&[CircuitPlace::Forwarder]).1);
    assert_ne!(of_forwarder, advice(&[CircuitPlace::Controller]).1);
}

proptest! {
    #[test]
    fn router_that_agrees_has_no_findings(
        ids in prop::collection::btree_map("[a-z]{1,6}", any::<bool>(), 0..8),
    ) {
        let circuit = known(["x"]).into_values().next().unwrap();
        let known = ids.keys().map(|id| (CircuitId::from_wire(id.as_str()), circuit.clone()));
        let kinds = |is_of_sdk: bool| if is_of_sdk { [SDK_END].as_slice() } else { &["link"] };
        let forwarder: Vec<_> = ids.iter().rev().map(|(id, of_sdk)| (id.as_str(), kinds(*of_sdk))).collect();
        let ends: Vec<_> = ids.iter().filter(|(_, of_sdk)| **of_sdk).map(|(id, _)| (id.as_str(), "ch")).collect();
        let at = At { forwarder: &forwarder, edge: &ends, sdk: &ends, errors: [&[]; 3] };
        let comparison = compare_circuits(&r2(), &c1(), &known.collect(), Ok(&at.answer()));
        prop_assert_eq!(comparison.findings().count(), 0);
        prop_assert_eq!(comparison.entries.map(|entries| entries.len()), Ok(ids.len()));
    }

    #[test]
    fn whatever_is_told_is_compared_or_refused(
        json in prop::collection::vec(
            r#"([\[\]{},:]|"c"|"circuits"|"ctrlId"|"c1"|"destinations"|null|1){0,24}"#, 3,
        ),
        cut in any::<prop::sample::Index>(),
    ) {
        let at = At { forwarder: &[("c", &[SDK_END])], ..At::default() };
        let whole = at.answer().values[0].value.expose().clone();
        for forwarded in [&json[0], &whole[..cut.index(whole.len())]] {
            let told = [forwarded, &json[1], &json[2]];
            let told = [(told::FORWARDER, told[0]), (told::EDGE, told[1]), (told::SDK, told[2])];
            let comparison = compare_circuits(&r2(), &c1(), &known(["c"]), Ok(&answer(told)));
            prop_assert_eq!(RouterCircuits::from(&comparison).is_success, comparison.entries.is_ok());
        }
    }
}

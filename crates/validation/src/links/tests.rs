use super::*;
use crate::NoAnswer;
use crate::fixture::{answer, assert_recorded, r1, r2, refusal, router};
use portcullis_wire::control::inspection::InspectResponse;
use portcullis_wire::management::ManagementMessage;
use proptest::prelude::*;
use serde_json::json;

const LINK: &str = "4uYvCF42fGS3hUxGKjt7UD";

fn connection(kind: &str, local_address: &str) -> LinkConnection {
    LinkConnection {
        kind: kind.to_owned(),
        local_address: local_address.to_owned(),
        remote_address: "tcp:127.0.0.1:28022".to_owned(),
    }
}

/// A link that r1 has dialed to r2.
fn known_link() -> KnownLink {
    KnownLink {
        source: r1().id,
        destination: r2().id,
        iteration: 1,
        connections_iteration: 2,
        connections: vec![connection("link.ack", "b"), connection("link.default", "a")],
        since: "2026-11-22T23:11:09Z".parse().ok(),
    }
}

fn known() -> Known<LinkId, KnownLink> {
    Known::from([(LinkId::from_wire(LINK), known_link())])
}

/// The link at r1.
fn told() -> serde_json::Value {
    let connections = known_link().connections.into_iter().rev();
    let connections = connections.map(|each| {
        json!({"Type": each.kind, "Source": each.local_address, "Dest": each.remote_address})
    });
    json!({
        "id": LINK, "iteration": 1, "key": "default->tls:default", "dest": r2().id, "dialed": true,
        "connections": connections.collect::<Vec<_>>(), "connStateIteration": 2,
    })
}

fn tell(links: &serde_json::Value) -> InspectResponse {
    answer([(LINKS, &json!({"links": links, "errors": null}).to_string())])
}

/// What is wrong with the only link of r1, once it is changed.
fn found(change: impl FnOnce(&mut serde_json::Value)) -> (Vec<LinkDisagreement>, LinkDetail) {
    let mut told = told();
    change(&mut told);
    let comparison = compare_links(&r1(), &known(), |_| true, Ok(&tell(&json!([told]))));
    let mut details = LinkDetails::from(&comparison);
    assert_eq!(details.links.len(), 1);
    let found = comparison.disagreements().cloned().collect();
    (found, details.links.remove(0))
}

#[test]
fn links_are_told_as_recorded() {
    let at_r2 = json!([{"id": LINK, "dest": r1().id, "dialed": false, "connections": null}]);
    for (router, told, name) in [
        (r2(), at_r2, "S result r2, valid link"),
        (r1(), json!([told()]), "S result r1 (dialer)"),
    ] {
        let comparison = compare_links(&router, &known(), |_| true, Ok(&tell(&told)));
        assert_eq!(comparison.findings().count(), 0);
        assert_recorded(&ManagementMessage::LinkDetails((&comparison).into()), name);
    }
    let offline = compare_links(&r1(), &known(), |_| true, Err(NoAnswer::NotConnected));
    assert_recorded(
        &ManagementMessage::LinkDetails((&offline).into()),
        "S result r1 offline",
    );
}

#[test]
fn router_that_does_not_tell_its_links_says_why() {
    let text = |answer: Answer<'_>| {
        let details = LinkDetails::from(&compare_links(&r1(), &known(), |_| true, answer));
        assert!(!details.is_success);
        assert_eq!(details.links, []);
        details.text
    };
    assert_eq!(
        text(Err(NoAnswer::TimedOut)),
        "the router has not answered in time"
    );
    assert_eq!(
        text(Ok(&refusal(&["no links", "go\naway"]))),
        "the router does not tell: no links; go\\u{a}away"
    );
    assert_eq!(
        text(Ok(&answer([("other", "{}")]))),
        "the router's answer cannot be read: it has no value `links`"
    );
    assert_eq!(
        text(Ok(&answer([(
            LINKS,
            "{\"links\": [{\"id\": \"secret\"}, \"secret\"]}"
        )]))),
        "the router's answer cannot be read: `links` is not what it should be from line 1 column 37 on"
    );
}

#[test]
fn link_unknown_to_the_controller_is_invalid_while_its_other_end_is_connected() {
    let told = tell(&json!([told()]));
    let compare = |is_connected: bool| {
        let comparison = compare_links(&r1(), &Known::new(), |_| is_connected, Ok(&told));
        let details = LinkDetails::from(&comparison).links.remove(0);
        let found: Vec<_> = comparison.disagreements().cloned().collect();
        (details, found)
    };
    let (detail, found) = compare(true);
    assert_eq!(detail.controller_state, LinkValidity::Unknown);
    assert_eq!(detail.router_state, LinkValidity::Established);
    assert!(!detail.is_valid);
    assert!(matches!(
        found[..],
        [LinkDisagreement::UnknownToController { .. }]
    ));
    assert_eq!(detail.texts, [found[0].to_string()]);

    let (detail, found) = compare(false);
    assert_eq!(detail.controller_state, LinkValidity::Unknown);
    assert!(detail.is_valid && !detail.is_destination_connected);
    assert_eq!(found, []);
}

#[test]
fn known_link_is_invalid_while_its_other_end_is_not_connected() {
    let told = tell(&json!([told()]));
    let comparison = compare_links(&r1(), &known(), |id| *id != r2().id, Ok(&told));
    let detail = LinkDetails::from(&comparison).links.remove(0);
    assert_eq!(detail.controller_state, LinkValidity::Established);
    assert!(!detail.is_valid && !detail.is_destination_connected);
    let found: Vec<_> = comparison.findings().collect();
    assert_eq!(
        found[0].to_string(),
        "link 4uYvCF42fGS3hUxGKjt7UD leads to router Pomig.x1H, which is not connected to the controller"
    );
    assert_eq!(found[0].since(), known_link().since);
}

#[test]
fn numbers_that_differ_are_told_and_connections_that_differ_are_invalid() {
    let (found_now, detail) = found(|link| link["iteration"] = 3.into());
    assert!(detail.is_valid);
    assert_eq!(
        detail.texts,
        ["link 4uYvCF42fGS3hUxGKjt7UD has iteration 3 at the router, 1 at the controller"]
    );
    assert!(matches!(
        found_now[..],
        [LinkDisagreement::Iteration {
            controller: 1,
            router: 3,
            ..
        }]
    ));

    let (found_now, detail) = found(|link| link["connStateIteration"] = 1.into());
    assert!(detail.is_valid);
    assert!(matches!(
        found_now[..],
        [LinkDisagreement::ConnectionsIteration {
            controller: 2,
            router: 1,
            ..
        }]
    ));

    for none in [json!(null), json!([])] {
        let (found_now, detail) = found(|link| link["connections"] = none);
        assert!(detail.is_valid);
        assert!(matches!(
            found_now[..],
            [LinkDisagreement::ConnectionCount {
                controller: 2,
                router: 0,
                ..
            }]
        ));
    }

    let (found_now, detail) = found(|link| link["connections"][0]["Source"] = "c".into());
    assert!(!detail.is_valid);
    assert!(matches!(
        found_now[..],
        [LinkDisagreement::Connection { .. }]
    ));
    assert_eq!(
        detail.texts,
        [
            "link 4uYvCF42fGS3hUxGKjt7UD has connection link.default c -> tcp:127.0.0.1:28022 at the \
          router, link.default a -> tcp:127.0.0.1:28022 at the controller"
        ]
    );
}

#[test]
fn connections_are_compared_for_the_dialer_only_and_if_it_tells_them() {
    let differing = |link: &mut serde_json::Value| {
        link["iteration"] = 3.into();
        link["connections"][0]["Source"] = "c".into();
    };
    let (found_now, detail) = found(|link| {
        differing(link);
        link["dialed"] = false.into();
    });
    assert_eq!((found_now, detail.is_valid), (vec![], true));

    let mut told = told();
    differing(&mut told);
    let mut old = r1();
    old.tells_circuits = false;
    let comparison = compare_links(&old, &known(), |_| true, Ok(&tell(&json!([told]))));
    assert_eq!(comparison.findings().count(), 0);

    let (found_now, _) = found(|link| {
        link.as_object_mut().unwrap().remove("connections");
        link["connStateIteration"] = 0.into();
    });
    assert_eq!(found_now, []);
}

#[test]
fn link_that_the_router_does_not_have_is_invalid_unless_it_may_be_left_out() {
    let mut known = known();
    let elsewhere = KnownLink {
        source: router("r3", "r3").id,
        ..known_link()
    };
    known.insert(LinkId::from_wire("elsewhere"), elsewhere);
    let none = answer([(
        LINKS,
        r#"{"links": null, "destinations": null, "errors": null}"#,
    )]);
    for (router, other, is_dialed) in [(r1(), r2(), true), (r2(), r1(), false)] {
        let comparison = compare_links(&router, &known, |_| true, Ok(&none));
        let details = LinkDetails::from(&comparison);
        let own = details
            .links
            .iter()
            .find(|link| link.link_id == LINK)
            .unwrap();
        assert_eq!(own.controller_state, LinkValidity::Established);
        assert_eq!(own.router_state, LinkValidity::Unknown);
        assert!(!own.is_valid && own.is_destination_connected);
        assert_eq!(
            (own.destination.as_str(), own.is_dialed),
            (other.id.as_str(), is_dialed)
        );
        // r2 is the other end of the link of r3.
        assert_eq!(details.links.len(), if is_dialed { 1 } else { 2 });
    }

    let some = answer([(
        LINKS,
        r#"{"links": [], "errors": ["2 more links are not shown"]}"#,
    )]);
    let comparison = compare_links(&r1(), &known, |_| true, Ok(&some));
    let details = LinkDetails::from(&comparison);
    assert_eq!((details.is_success, details.links), (true, vec![]));
    let gap = "the router does not tell all: 2 more links are not shown";
    assert_eq!(details.text, gap);
    assert_eq!(
        comparison
            .findings()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        [gap]
    );
}

#[test]
fn only_so_many_links_are_read() {
    let told = vec![json!({"dest": "r9"}); MAX_ENTRIES + 3];
    let comparison = compare_links(&r1(), &known(), |_| false, Ok(&tell(&told.into())));
    let details = LinkDetails::from(&comparison);
    assert_eq!(details.links.len(), MAX_ENTRIES);
    assert_eq!(details.text, "entries of `links` that were not read: 3");
    assert_eq!(comparison.disagreements().count(), 0);
}

prop_compose! {
    fn any_link()(
        id in "[a-z]{1,4}",
        is_dialed in any::<bool>(),
        iteration in 0..3_u32,
        changes in 0..3_u32,
        connections in prop::collection::vec(("[a-z]{1,3}", "[a-z]{1,3}"), 0..4),
    ) -> (String, bool, u32, u32, Vec<(String, String)>) {
        (id, is_dialed, iteration, changes, connections)
    }
}

proptest! {
    #[test]
    fn router_that_agrees_has_no_findings_whatever_the_order(
        links in prop::collection::vec(any_link(), 0..6)
            .prop_flat_map(|links| (Just(links.clone()), Just(links).prop_shuffle())),
    ) {
        let (links, shuffled) = links;
        let ids: BTreeSet<_> = links.iter().map(|link| link.0.as_str()).collect();
        prop_assume!(ids.len() == links.len());
        let known = links.iter().map(|(id, is_dialed, iteration, changes, connections)| {
            let (source, destination) =
                if *is_dialed { (r1().id, r2().id) } else { (r2().id, r1().id) };
            let connections = connections.iter().map(|(kind, local)| connection(kind, local));
            let link = KnownLink {
                source,
                destination,
                iteration: *iteration,
                connections_iteration: *changes,
                connections: connections.collect(),
                since: None,
            };
            (LinkId::from_wire(id.as_str()), link)
        });
        let told = shuffled.iter().map(|(id, is_dialed, iteration, changes, connections)| {
            let connections = connections.iter().rev().map(|(kind, local)| {
                json!({"Type": kind, "Source": local, "Dest": "tcp:127.0.0.1:28022"})
            });
            json!({
                "id": id, "iteration": iteration, "dest": "Pomig.x1H", "dialed": is_dialed,
                "connections": connections.collect::<Vec<_>>(), "connStateIteration": changes,
            })
        });
        let told: Vec<_> = told.collect();
        let answer = tell(&told.into());
        let comparison = compare_links(&r1(), &known.collect(), |_| true, Ok(&answer));
        prop_assert_eq!(comparison.findings().count(), 0);
        let details = LinkDetails::from(&comparison);
        prop_assert_eq!(details.links.len(), links.len());
        prop_assert!(details.links.iter().all(|link| link.is_valid));
    }

    #[test]
    fn whatever_is_told_is_compared_or_refused(
        json in r#"([\[\]{},:0-9"ntrue]|"links"|"id"|"iteration"|"connections"|null|true|1e999|-1){0,40}"#,
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = tell(&json!([told()])).values[0].value.expose().clone();
        let cut = whole[..cut.index(whole.len())].to_owned();
        for json in [json.clone(), format!("{{\"links\":{json}}}"), cut] {
            let answer = answer([(LINKS, &json)]);
            let comparison = compare_links(&r1(), &known(), |_| true, Ok(&answer));
            let details = LinkDetails::from(&comparison);
            prop_assert_eq!(details.is_success, comparison.entries.is_ok());
        }
    }
}

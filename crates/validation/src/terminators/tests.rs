use super::*;
use crate::NoAnswer;
use crate::fixture::{assert_recorded, terminator};
use portcullis_wire::management::{HostState, ManagementMessage};

const T: &str = "2zO5yIa1cTpCfcBzRVZZA4";

fn answer<const N: usize>(states: [(&str, bool, InvalidReason, &str); N]) -> ValidatedTerminators {
    let states = states.map(|(id, is_valid, reason, detail)| {
        let state = TerminatorState {
            is_valid,
            reason,
            detail: detail.to_owned(),
            marker: 0,
        };
        (id.to_owned(), state)
    });
    ValidatedTerminators {
        states: states.into(),
    }
}

#[test]
fn valid_terminator_is_told_as_recorded() {
    let known = [terminator(T, "tunnel")];
    let answer = answer([(T, true, InvalidReason::default(), "valid")]);
    let judged = judge_terminators(&known, Ok(&answer));
    assert_eq!(judged[0].disagreement, None);
    assert!(!judged[0].is_invalid());
    assert_recorded(
        &ManagementMessage::TerminatorDetail(judged[0].to_wire(false)),
        "S result, valid tunnel terminator",
    );
}

#[test]
fn each_reason_has_its_state() {
    for (reason, state, fault) in [
        (
            InvalidReason::UnknownBinding,
            TerminatorValidity::InvalidBinding,
            TerminatorFault::UnknownBinding,
        ),
        (
            InvalidReason::UnknownTerminator,
            TerminatorValidity::InvalidTerminator,
            TerminatorFault::UnknownTerminator,
        ),
        (
            InvalidReason::BadState,
            TerminatorValidity::InvalidState,
            TerminatorFault::BadState,
        ),
        (
            InvalidReason::Unrecognized(7),
            TerminatorValidity::InvalidState,
            TerminatorFault::BadState,
        ),
    ] {
        let known = [terminator(T, "edge")];
        let answer = answer([(T, false, reason, "no\nsuch thing")]);
        let judged = &judge_terminators(&known, Ok(&answer))[0];
        assert!(judged.is_invalid());
        let found = judged.disagreement.as_ref().unwrap();
        assert_eq!(
            (found.fault, found.since()),
            (fault, Some(known[0].created_at))
        );
        for is_fixed in [false, true] {
            let detail = judged.to_wire(is_fixed);
            assert_eq!((detail.state, detail.is_fixed), (state, is_fixed));
            assert_eq!(detail.detail, "no\\u{a}such thing");
        }
        assert!(
            found.to_string().ends_with(": no\\u{a}such thing"),
            "{found}"
        );
    }
}

#[test]
fn each_terminator_has_a_result_whatever_the_answer_is() {
    let known = [terminator("a", "edge"), terminator("b", "edge")];
    let named = answer([
        ("a", true, InvalidReason::default(), ""),
        ("x", false, InvalidReason::BadState, ""),
    ]);
    let unreadable = NoAnswer::Unreadable("bad wire type".to_owned());
    for (answer, details) in [
        (Ok(&named), ["", "the router's answer does not name it"]),
        (Err(NoAnswer::NotConnected), ["router off-line"; 2]),
        (
            Err(NoAnswer::TimedOut),
            ["the router has not answered in time"; 2],
        ),
        (
            Err(unreadable),
            ["the router's answer cannot be read: bad wire type"; 2],
        ),
    ] {
        let judged = judge_terminators(&known, answer);
        let told: Vec<_> = judged.iter().map(|judged| judged.to_wire(false)).collect();
        let ids: Vec<_> = told
            .iter()
            .map(|told| told.terminator_id.as_str())
            .collect();
        assert_eq!(ids, ["a", "b"]);
        for (told, expected) in told.iter().zip(details) {
            assert_eq!(told.detail, expected);
            let state = if expected.is_empty() {
                TerminatorValidity::Valid
            } else {
                TerminatorValidity::Unknown
            };
            assert_eq!(told.state, state);
        }
        assert!(
            !judged.iter().any(JudgedTerminator::is_invalid),
            "nothing to delete"
        );
    }
}

fn states(found: &[HostDisagreement]) -> Vec<HostState> {
    found.iter().map(Into::into).collect()
}

#[test]
fn hosts_are_counted_as_recorded() {
    let nobody = IdentityId::from_wire("06xiZ.HqH");
    let expected = ExpectedTerminators {
        per_host: Some(3),
        ..ExpectedTerminators::default()
    };
    let found = count_terminators([], [&nobody], expected);
    assert_recorded(
        &ManagementMessage::HostState(HostState::from(&found[0])),
        "S 10121 expected 3 terminators, but had 0",
    );
    let of_host = |id| KnownTerminator {
        service: ServiceId::from_wire("5t03yvb6t3jCDKMrbB42JO"),
        host: Some(IdentityId::from_wire("XY6Xg.H1H")),
        ..terminator(id, "edge")
    };
    let known = [of_host("a"), of_host("b")];
    let expected = ExpectedTerminators {
        per_service_and_host: Some(1),
        ..ExpectedTerminators::default()
    };
    let found = count_terminators(&known, [], expected);
    assert_eq!(found.len(), 1);
    assert_recorded(
        &ManagementMessage::HostState(HostState::from(&found[0])),
        "C terminators, expectedPerSvcAndHost 1; S 10121 with service",
    );
}

#[test]
fn hosts_are_counted_per_service_and_in_all() {
    let of = |id, service, host: Option<&str>| KnownTerminator {
        service: ServiceId::from_wire(service),
        host: host.map(IdentityId::from_wire),
        ..terminator(id, "edge")
    };
    let known = [
        of("1", "s", Some("h")),
        of("2", "s", Some("h")),
        of("3", "t", Some("h")),
        of("4", "s", Some("i")),
        of("5", "s", None),
    ];
    let hosts = ["h", "i", "j"].map(IdentityId::from_wire);
    let count = |per_service_and_host, per_host| {
        let expected = ExpectedTerminators {
            per_service_and_host,
            per_host,
        };
        count_terminators(&known, &hosts, expected)
    };
    assert_eq!(count(None, None), []);
    let found = count(Some(1), None);
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["terminators of identity h for service s: 2, expected: 1"]
    );
    let found = count(None, Some(1));
    let told: Vec<_> = states(&found)
        .into_iter()
        .map(|state| (state.identity_id, state.service_id, state.text))
        .collect();
    let expected = |host: &str, counted| {
        let text = format!("expected 1 terminators, but had {counted}");
        (host.to_owned(), String::new(), text)
    };
    assert_eq!(told, [expected("h", 3), expected("j", 0)]);
    assert_eq!(count(Some(2), Some(3)).len(), 4);
}

#[test]
fn hosts_that_cannot_be_chosen_are_told_once() {
    let state = invalid_identities_filter("unexpected symbol");
    assert_eq!(state.identity_id, "invalid identities query");
    assert_eq!(state.service_id, "invalid identities query");
    assert_eq!(state.text, "unexpected symbol");
}

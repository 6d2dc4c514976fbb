use super::*;
use crate::NoAnswer;
use crate::finding::Finding as _;
use crate::fixture::{answer, assert_recorded, r2, refusal, router, terminator};
use portcullis_wire::management::ManagementMessage;
use proptest::prelude::*;
use serde_json::json;

/// Of the recording.
const IDS: [&str; 2] = ["SeVcU4Oc4vvwQ4IHi6zTR", "7k5as2UxqmYzprvpfhzpyH"];

fn entry(id: &str, state: &str) -> serde_json::Value {
    json!({
        "key": id, "id": id, "state": state, "token": "ey.secret", "listenerId": "", "cost": 0,
        "operationActive": false, "createTime": "2026-11-22 23:11:49",
        "lastAttempt": "2026-11-22 23:13:12",
    })
}

fn entries(entries: &[serde_json::Value]) -> String {
    json!({"entries": entries, "errors": null}).to_string()
}

#[test]
fn terminators_are_told_as_recorded() {
    let known = IDS.map(|id| terminator(id, "edge"));
    let told = entries(&IDS.map(|id| entry(id, "established")));
    let answer_of_sdks = answer([(SDK_TERMINATORS, &told)]);
    let comparison = compare_sdk_terminators(&r2(), &known, Ok(&answer_of_sdks));
    assert_eq!(comparison.findings().count(), 0);
    assert_recorded(
        &ManagementMessage::SdkTerminatorDetails((&comparison).into()),
        "S SDK terminators r2, two entries",
    );

    let id = "2zO5yIa1cTpCfcBzRVZZA4";
    let answer = answer([(ERT_TERMINATORS, &entries(&[entry(id, "established")]))]);
    let known = [terminator(id, "tunnel")];
    let comparison = compare_ert_terminators(&r2(), &known, Ok(&answer));
    assert_recorded(
        &ManagementMessage::ErtTerminatorDetails((&comparison).into()),
        "S ERT terminators r2",
    );
}

#[test]
fn what_only_one_has_or_is_not_established_is_invalid() {
    let elsewhere = KnownTerminator {
        router: router("r9", "r9").id,
        ..terminator("elsewhere", "edge")
    };
    let known = [
        terminator("both", "edge"),
        terminator("pending", "edge"),
        terminator("controller", "edge"),
        terminator("of the tunneler", "tunnel"),
        elsewhere,
    ];
    let mut pending = entry("pending", "establishing");
    pending["operationActive"] = true.into();
    let told = entries(&[
        entry("both", "established"),
        pending,
        entry("router", "established"),
    ]);
    let answer = answer([(SDK_TERMINATORS, &told)]);
    let comparison = compare_sdk_terminators(&r2(), &known, Ok(&answer));
    let details = SdkTerminatorDetails::from(&comparison);
    assert!(details.is_success);
    let told: Vec<_> = details
        .terminators
        .iter()
        .map(|each| {
            let state = each.router_state.as_str();
            (
                each.terminator_id.as_str(),
                each.controller_state,
                state,
                each.is_valid,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("both", TerminatorValidity::Valid, "established", true),
            ("pending", TerminatorValidity::Valid, "establishing", false),
            ("router", TerminatorValidity::Unknown, "established", false),
            ("controller", TerminatorValidity::Valid, "unknown", false),
        ]
    );
    assert!(details.terminators[1].is_operation_active);
    assert_eq!(details.terminators[1].created_at, "2026-11-22 23:11:49");
    assert_eq!(details.terminators[3].created_at, "");
    let found: Vec<_> = comparison.disagreements().collect();
    assert_eq!(
        found.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "the router holds terminator pending, but it is establishing, created 2026-11-22 23:11:49, \
             last tried 2026-11-22 23:13:12",
            "the router holds terminator router (established, created 2026-11-22 23:11:49, last tried \
             2026-11-22 23:13:12), which the controller does not know",
            "the controller has terminator controller, which the router does not hold",
        ]
    );
    assert_eq!(found[2].since(), Some(known[2].created_at));
    assert!(!format!("{comparison:?}").contains("secret"));
}

#[test]
fn errors_matter_to_sdks_without_a_value_and_to_tunnelers_always() {
    let mut with_error = answer([
        (SDK_TERMINATORS, r#"{"entries": null, "errors": null}"#),
        (ERT_TERMINATORS, r#"{"entries": null, "errors": null}"#),
    ]);
    with_error.errors = vec!["no tunnel".to_owned()];
    let none = refusal(&["no xgress factory configured for edge binding"]);
    let sdk = |answer| SdkTerminatorDetails::from(&compare_sdk_terminators(&r2(), [], answer));
    let ert = |answer| ErtTerminatorDetails::from(&compare_ert_terminators(&r2(), [], answer));
    assert!(sdk(Ok(&with_error)).is_success);
    let refused = ert(Ok(&with_error));
    assert_eq!(
        (refused.is_success, refused.text.as_str()),
        (false, "the router does not tell: no tunnel")
    );
    assert_eq!(
        sdk(Ok(&none)).text,
        "the router does not tell: no xgress factory configured for edge binding"
    );
    assert_eq!(
        sdk(Err(NoAnswer::NotConnected)).text,
        "router not connected"
    );
    assert_eq!(
        ert(Err(NoAnswer::NotConnected)).text,
        "router not connected"
    );
}

#[test]
fn terminators_that_may_be_left_out_are_not_missing() {
    let told = r#"{"entries": [], "errors": ["3 more terminators are not shown"]}"#;
    let answer = answer([(SDK_TERMINATORS, told)]);
    let comparison = compare_sdk_terminators(&r2(), &[terminator("t", "edge")], Ok(&answer));
    assert_eq!(comparison.disagreements().count(), 0);
    assert_eq!(
        SdkTerminatorDetails::from(&comparison).text,
        "the router does not tell all: 3 more terminators are not shown"
    );
}

proptest! {
    #[test]
    fn router_that_agrees_has_no_findings_whatever_the_order(
        (ids, shuffled) in prop::collection::btree_set("[a-z]{1,6}", 0..8)
            .prop_map(Vec::from_iter)
            .prop_flat_map(|ids| (Just(ids.clone()), Just(ids).prop_shuffle())),
    ) {
        let known: Vec<_> = ids.iter().map(|id| terminator(id, "edge")).collect();
        let told: Vec<_> = shuffled.iter().map(|id| entry(id, "established")).collect();
        let answer = answer([(SDK_TERMINATORS, &entries(&told))]);
        let comparison = compare_sdk_terminators(&r2(), &known, Ok(&answer));
        prop_assert_eq!(comparison.findings().count(), 0);
        prop_assert_eq!(comparison.entries.map(|entries| entries.len()), Ok(ids.len()));
    }

    #[test]
    fn each_terminator_of_either_side_is_told_once(
        known in prop::collection::btree_set("[a-d]{1,2}", 0..8),
        told in prop::collection::btree_set("[a-d]{1,2}", 0..8),
    ) {
        let listed: Vec<_> = told.iter().map(|id| entry(id, "established")).collect();
        let terminators: Vec<_> = known.iter().map(|id| terminator(id, "tunnel")).collect();
        let answer = answer([(ERT_TERMINATORS, &entries(&listed))]);
        let comparison = compare_ert_terminators(&r2(), &terminators, Ok(&answer));
        let details = ErtTerminatorDetails::from(&comparison).terminators;
        prop_assert_eq!(details.len(), known.union(&told).count());
        for detail in details {
            let is_in_both = known.contains(&detail.terminator_id) && told.contains(&detail.terminator_id);
            prop_assert_eq!(detail.is_valid, is_in_both);
        }
    }
}

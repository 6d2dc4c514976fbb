use super::*;
use crate::NoAnswer;
use crate::fixture::{assert_recorded, r2};
use portcullis_wire::management::ManagementMessage;

fn difference(entity_id: &str, detail: &str) -> DataStateDiff {
    DataStateDiff {
        entity_type: "service".to_owned(),
        entity_id: entity_id.to_owned(),
        kind: "missing".to_owned(),
        detail: detail.to_owned(),
    }
}

#[test]
fn models_that_agree_are_told_as_recorded() {
    let name = "S controller, router results";
    let agrees = DataStateValidation::default();
    let comparison = compare_data_models(&r2(), Ok(&agrees));
    assert_eq!(comparison.findings().count(), 0);
    assert_recorded(
        &ManagementMessage::DataModelDetails((&comparison).into()),
        name,
    );
    let controller = controller_model_details(&ControllerId::from_wire("c1"), &[]);
    assert_recorded(&ManagementMessage::DataModelDetails(controller), name);
}

#[test]
fn each_difference_is_told() {
    let differs = DataStateValidation {
        differences: vec![
            difference("s1", "not in the copy"),
            difference("s2", "{\"name\":\n\"x\"}"),
        ],
        ..DataStateValidation::default()
    };
    let expected = [
        "service id: s1 missing: not in the copy",
        "service id: s2 missing: {\"name\":\\u{a}\"x\"}",
    ];
    let comparison = compare_data_models(&r2(), Ok(&differs));
    let details = ComponentDetails::from(&comparison);
    assert!(!details.is_success);
    assert_eq!(details.errors, expected);
    let found: Vec<_> = comparison.disagreements().cloned().collect();
    let details = controller_model_details(&ControllerId::from_wire("c1"), &found);
    assert!(!details.is_success);
    assert_eq!(details.errors, expected);
}

#[test]
fn router_that_does_not_answer_is_an_error() {
    for (failure, text) in [
        (NoAnswer::NotConnected, "router not connected to controller"),
        (NoAnswer::TimedOut, "the router has not answered in time"),
    ] {
        let details = ComponentDetails::from(&compare_data_models(&r2(), Err(failure)));
        assert_eq!(
            (details.is_success, details.errors),
            (false, vec![text.to_owned()])
        );
    }
}

#[test]
fn only_so_many_differences_are_told() {
    let differs = DataStateValidation {
        differences: vec![difference("s", ""); MAX_ENTRIES + 2],
        ..DataStateValidation::default()
    };
    let details = ComponentDetails::from(&compare_data_models(&r2(), Ok(&differs)));
    assert_eq!(details.errors.len(), MAX_ENTRIES + 1);
    assert_eq!(
        details.errors.last().unwrap(),
        "entries of `differences` that were not read: 2"
    );
}

//! Terminators that no SDK hosts, when controllers ask which there are.

use portcullis_router_config::Binding;
use portcullis_wire::control::terminator::{
    InvalidReason, TerminatorState, TerminatorToValidate, ValidateTerminators, ValidatedTerminators,
};

/// Bindings of what somebody hosts, and who that would be.
const HOSTED: [(Binding, &str); 2] = [(Binding::Edge, "SDKs"), (Binding::Tunnel, "tunnels")];

/// The state of a terminator that no SDK hosts here. Servers that the router dials itself have none.
pub(crate) fn state_of(asked: &TerminatorToValidate) -> TerminatorState {
    let hosts = HOSTED
        .iter()
        .find(|(binding, _)| asked.binding == binding.name());
    TerminatorState {
        is_valid: hosts.is_none(),
        marker: asked.marker,
        reason: InvalidReason::UnknownTerminator,
        detail: hosts.map_or_else(String::new, |(_, who)| {
            format!("no {who} host at this router")
        }),
    }
}

/// The answer of a router without an edge.
pub(crate) fn validate(question: &ValidateTerminators) -> ValidatedTerminators {
    let asked = question.terminators.iter();
    ValidatedTerminators {
        states: asked
            .map(|asked| (asked.id.clone(), state_of(asked)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_router_dials_itself_is_valid() {
        let asked = |id: &str, binding: &str| TerminatorToValidate {
            id: id.to_owned(),
            binding: binding.to_owned(),
            marker: 7,
            ..TerminatorToValidate::default()
        };
        let question = ValidateTerminators {
            terminators: vec![asked("server", "transport"), asked("sdk", "edge")],
            ..ValidateTerminators::default()
        };
        let states = validate(&question).states;
        assert!(states["server"].is_valid);
        assert_eq!(states["server"].marker, 7);
        assert!(!states["sdk"].is_valid);
        assert_eq!(states["sdk"].detail, "no SDKs host at this router");
    }
}

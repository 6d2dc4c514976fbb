//! Controllers ask which terminators there still are.

use std::collections::BTreeMap;

use portcullis_domain::clock::Timestamp;
use portcullis_router_config::Binding;
use portcullis_wire::control::terminator::{
    InvalidReason, TerminatorState, TerminatorToValidate, ValidateTerminators,
    ValidateTerminatorsV1,
};

use super::TunnelTerminators;
use crate::edge::TerminatorId;

impl TunnelTerminators {
    /// The states of the terminators of the binding `tunnel`; the others are left out.
    ///
    /// A controller that asks for a terminator has it.
    pub fn validate(
        &mut self,
        question: &ValidateTerminators,
        now: Timestamp,
    ) -> BTreeMap<String, TerminatorState> {
        let own = question.terminators.iter();
        let own = own.filter(|asked| asked.binding == Binding::Tunnel.name());
        let states = own.map(|asked| (asked.id.clone(), self.state_of(asked)));
        let states = states.collect();
        self.proceed(now);
        states
    }

    fn state_of(&mut self, asked: &TerminatorToValidate) -> TerminatorState {
        let id = TerminatorId::from(asked.id.as_str());
        let is_valid = self.table.contains_key(&id);
        self.confirmed(&id);
        TerminatorState {
            is_valid,
            marker: asked.marker,
            reason: if is_valid {
                InvalidReason::default()
            } else {
                InvalidReason::UnknownTerminator
            },
            detail: if is_valid {
                String::new()
            } else {
                "the tunneler of this router does not host it".to_owned()
            },
        }
    }

    /// The same for controllers that expect no answer: those that are not hosted here are removed.
    pub fn validate_v1(&mut self, question: &ValidateTerminatorsV1, now: Timestamp) {
        let own = question.terminators.iter();
        for asked in own.filter(|asked| asked.binding == Binding::Tunnel.name()) {
            if !self.table.contains_key(&*asked.id) {
                self.removals.add(asked.id.as_str().into());
            }
        }
        self.proceed(now);
    }
}

//! Controllers ask which terminators there still are.

use portcullis_domain::clock::Timestamp;
use portcullis_router_config::Binding;
use portcullis_wire::control::terminator::{
    InvalidReason, TerminatorState, ValidateTerminators, ValidateTerminatorsV1,
    ValidatedTerminators,
};

use super::Hosting;

impl Hosting {
    /// The answer for the terminators of the binding `edge`; the others are left out.
    ///
    /// A controller that asks for a terminator has it.
    pub fn validate(
        &mut self,
        question: &ValidateTerminators,
        now: Timestamp,
    ) -> ValidatedTerminators {
        let asks_sdk = question.fixes_invalid && !question.is_after_creation;
        let own = question.terminators.iter();
        let mut states = std::collections::BTreeMap::new();
        for asked in own.filter(|asked| asked.binding == Binding::Edge.name()) {
            let found = self.table.get(&asked.id).map(|found| found.id.clone());
            let state = match &found {
                Some(_) => TerminatorState {
                    is_valid: true,
                    marker: asked.marker,
                    ..TerminatorState::default()
                },
                None => TerminatorState {
                    is_valid: false,
                    reason: InvalidReason::UnknownTerminator,
                    detail: "the terminator is not hosted here".to_owned(),
                    marker: asked.marker,
                },
            };
            states.insert(asked.id.clone(), state);
            if let Some(id) = found {
                self.confirmed(&id);
                if asks_sdk {
                    self.inspect_again(&id, now);
                }
            }
        }
        self.proceed(now);
        ValidatedTerminators { states }
    }

    /// The same for controllers that expect no answer: those that are hosted by nobody here are removed.
    pub fn validate_v1(&mut self, question: &ValidateTerminatorsV1, now: Timestamp) {
        for asked in &question.terminators {
            let is_hosted = match Binding::from_name(&asked.binding) {
                Some(Binding::Edge) => self.table.get(&asked.id).is_some(),
                Some(Binding::Tunnel) => false,
                // What is dialed for these is in the file.
                _ => true,
            };
            if !is_hosted {
                self.removals.add(asked.id.as_str().into());
            }
        }
        self.proceed(now);
    }
}

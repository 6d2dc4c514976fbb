//! Controllers ask which terminators there still are.

use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::terminator::{
    InvalidReason, TerminatorState, ValidateTerminators, ValidatedTerminators,
};

use super::Hosting;

/// How terminators that SDKs host are bound.
const BINDING: &str = "edge";

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
        for asked in own.filter(|asked| asked.binding == BINDING) {
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
}

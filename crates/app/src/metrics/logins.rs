//! Logins by their method and outcome.

use portcullis_domain::clock::Timestamp;
use portcullis_metrics::{Counter, Figure, LabelSet, Labelled, Labels, Page};

const FIGURE: Figure = Figure {
    name: "portcullis.logins",
    help: "Attempts to log in, by method and outcome.",
};

/// How somebody logs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LoginMethod {
    Password,
    Certificate,
    Token,
}

/// How a login ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LoginOutcome {
    /// With a session.
    Success,
    /// The credential does not count.
    Refused,
    /// The login could not be processed, for instance since there are too many.
    Failed,
}

/// Counts of logins.
pub(crate) struct Logins(Labelled<Login, Counter>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Login {
    method: LoginMethod,
    outcome: LoginOutcome,
}

impl Default for Logins {
    fn default() -> Self {
        Self(Labelled::new(FIGURE, Counter::default))
    }
}

impl Logins {
    pub(crate) fn count(&self, method: LoginMethod, outcome: LoginOutcome) {
        self.0.of(&Login { method, outcome }).increment();
    }

    pub(super) fn expose(&self, page: &mut Page, time: Option<Timestamp>) {
        self.0.expose(page, time);
    }
}

impl LabelSet for Login {
    fn labels(&self) -> Labels {
        let method = match self.method {
            LoginMethod::Password => "password",
            LoginMethod::Certificate => "cert",
            LoginMethod::Token => "ext-jwt",
        };
        let outcome = match self.outcome {
            LoginOutcome::Success => "success",
            LoginOutcome::Refused => "refused",
            LoginOutcome::Failed => "failed",
        };
        Labels::default()
            .with("method", method)
            .with("outcome", outcome)
    }
}

//! What came of asking a router.

use crate::answer::{Gap, NoAnswer};
use crate::finding::{Finding, with_time};
use crate::inspection::Inspection;
use portcullis_domain::ids::RouterId;
use portcullis_wire::management::ComponentDetails;
use std::collections::BTreeMap;

/// What the controller knows, by id.
pub type Known<I, T> = BTreeMap<I, T>;

/// The router that is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Router {
    pub id: RouterId,
    pub name: String,
    /// Routers from 1.6.6 on tell their circuits and the connections of their links.
    pub tells_circuits: bool,
}

/// One thing that a router and the controller were compared about.
pub trait Compared {
    /// About what they may disagree.
    type Disagreement: Finding;

    /// Those that there are; none if the two agree.
    fn disagreements(&self) -> &[Self::Disagreement];
}

/// What a router says beside what the controller knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison<T> {
    pub router: Router,
    pub entries: Result<Vec<T>, NoAnswer>,
    /// What the router has left out.
    pub gaps: Vec<Gap>,
}

impl<T: Compared> Comparison<T> {
    /// Where the two disagree.
    pub fn disagreements(&self) -> impl Iterator<Item = &T::Disagreement> {
        let entries = self.entries.iter().flatten();
        entries.flat_map(Compared::disagreements)
    }

    /// All that is to be said about it: where the two disagree, and what could not be compared.
    pub fn findings(&self) -> impl Iterator<Item = &dyn Finding> {
        let failure = self.entries.as_ref().err();
        let failure = failure.into_iter().map(|failure| failure as &dyn Finding);
        let disagreements = self.disagreements().map(|found| found as &dyn Finding);
        let gaps = self.gaps.iter().map(|gap| gap as &dyn Finding);
        failure.chain(disagreements).chain(gaps)
    }
}

impl<T: Compared> Comparison<T> {
    /// Leaves out entries about which the two disagree, where that proves nothing.
    pub fn leave_out(&mut self, proves_nothing: impl Fn(&T) -> bool) {
        if let Ok(entries) = &mut self.entries {
            entries.retain(|entry| entry.disagreements().is_empty() || !proves_nothing(entry));
        }
    }
}

impl<T> Comparison<T> {
    /// Compares the list that a router has told.
    pub(crate) fn of<E>(
        router: &Router,
        told: Result<Inspection<E>, NoAnswer>,
        compare: impl FnOnce(E, bool) -> Vec<T>,
    ) -> Self {
        let router = router.clone();
        match told {
            Ok(told) => {
                let is_complete = told.is_complete();
                Self {
                    router,
                    entries: Ok(compare(told.entries, is_complete)),
                    gaps: told.gaps,
                }
            },
            Err(failure) => Self {
                router,
                entries: Err(failure),
                gaps: Vec::new(),
            },
        }
    }

    /// Whether the router has answered, and the text that goes with that.
    pub(crate) fn outcome(&self, not_connected: &str) -> (bool, String) {
        match &self.entries {
            Ok(_) => (true, sentences(&self.gaps)),
            Err(failure) => (false, failure.on_wire(not_connected)),
        }
    }
}

impl<T: Compared> Comparison<T> {
    /// Of a router whose findings are errors, each of them.
    pub(crate) fn component(&self, is_success: bool, not_connected: &str) -> ComponentDetails {
        let errors = match &self.entries {
            Ok(_) => self.findings().map(with_time).collect(),
            Err(failure) => vec![failure.on_wire(not_connected)],
        };
        ComponentDetails {
            component_type: "router".to_owned(),
            component_id: self.router.id.as_str().to_owned(),
            component_name: self.router.name.clone(),
            is_success,
            errors,
        }
    }
}

fn sentences(gaps: &[Gap]) -> String {
    let gaps: Vec<_> = gaps.iter().map(ToString::to_string).collect();
    gaps.join("; ")
}

//! Whether SDKs still have the binds that terminators lead to.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_wire::edge::ConnectionKind;

use super::terminator::Inspection;
use super::{HostTimer, Hosting};
use crate::edge::host_exchange::{BindKey, HostEvent};
use crate::edge::names::TerminatorId;
use crate::edge::refusal::Refusal;
use crate::time::{after, since};

/// Pause between two questions.
const INTERVAL: Duration = Duration::from_secs(10);
/// An SDK that has left so many unanswered, for so long, does not have the bind.
const MIN_ASKED: u32 = 3;
const MIN_TIME: Duration = Duration::from_mins(10);

impl Hosting {
    /// Asks the SDK, if it has not confirmed yet.
    pub(super) fn inspect(&mut self, id: &TerminatorId, now: Timestamp) {
        let Some(terminator) = self.table.get_mut(id.as_str()) else {
            return;
        };
        let bind = terminator.bind;
        let Inspection::Pending {
            since: start,
            asked,
        } = &mut terminator.inspection
        else {
            return;
        };
        if *asked >= MIN_ASKED && since(*start, now) >= MIN_TIME {
            return self.drop_terminator(id, does_not_have_it());
        }
        *asked = asked.saturating_add(1);
        self.timers
            .set(HostTimer::Inspect(id.clone()), after(now, INTERVAL));
        self.event(bind, HostEvent::Inspect);
    }

    /// Asks an SDK that has confirmed once more.
    pub(super) fn inspect_again(&mut self, id: &TerminatorId, now: Timestamp) {
        if let Some(terminator) = self.table.get_mut(id.as_str())
            && terminator.supports_inspect
        {
            terminator.inspection = Inspection::Pending {
                since: now,
                asked: 0,
            };
            self.inspect(id, now);
        }
    }

    pub(super) fn inspected(&mut self, bind: BindKey, kind: Option<ConnectionKind>) {
        let Some(terminator) = self.table.of_bind_mut(bind) else {
            return;
        };
        let id = terminator.id.clone();
        match kind {
            // It is asked again when it is time.
            None => {},
            Some(ConnectionKind::Bind) => {
                terminator.inspection = Inspection::Settled;
                self.timers.clear(&HostTimer::Inspect(id));
            },
            Some(_) => self.drop_terminator(&id, does_not_have_it()),
        }
    }
}

fn does_not_have_it() -> Refusal {
    Refusal::text("the client does not have the bind")
}

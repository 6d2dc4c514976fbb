//! The end of the channel.

use portcullis_wire::ErrorCode;
use portcullis_wire::control::route::RouteFailure;

use super::SdkChannel;
use super::inspection::Asked;
use crate::edge::action::{Action, AskId, RequestId};
use crate::edge::circuit::Closing;
use crate::edge::host_exchange::HostRequest;
use crate::edge::refusal::Refusal;

impl SdkChannel {
    /// Ends the channel because its session has ended, or the router stops. The SDK is told, in this
    /// order, about dials, connections and binds; then the channel is closed.
    pub fn end(&mut self, reason: &str) {
        if self.has_ended {
            return;
        }
        self.end_all(true);
        self.actions.push_back(Action::CloseChannel {
            reason: reason.to_owned(),
        });
    }

    /// The connections of the channel are lost: there is nobody to tell, but others wait.
    pub fn lost(&mut self) {
        if self.has_ended {
            return;
        }
        self.end_all(false);
        // What was to be sent cannot be sent.
        self.actions
            .retain(|action| !matches!(action, Action::Send(_) | Action::Ask { .. }));
    }

    fn end_all(&mut self, is_told: bool) {
        let offers: Vec<AskId> = self.offers.keys().copied().collect();
        for ask in offers {
            self.fail_offer(ask, RouteFailure::Generic, "the host is gone");
        }
        let dials: Vec<RequestId> = self.dials.keys().copied().collect();
        for request in dials {
            self.fail_dial(request, session_closed());
        }
        let (binds, others): (Vec<_>, Vec<_>) = {
            let ids = self.connections.ids().into_iter();
            ids.partition(|id| self.connections.bind(*id).is_some())
        };
        for id in others {
            self.close_circuit(id, Closing::AtOnce);
            if is_told {
                self.close(id, session_closed());
            }
        }
        for id in binds {
            if is_told {
                self.end_bind(id, session_closed());
            } else {
                self.connections.remove(id);
            }
        }
        let asked: Vec<AskId> = self.asked.keys().copied().collect();
        for ask in asked {
            if let Some(Asked::Sdk(inspection)) = self.take_asked(ask) {
                self.inspected(inspection, Err("the client is gone".to_owned()));
            }
        }
        self.actions
            .push_back(Action::Host(HostRequest::Ended(self.id)));
        self.unsubscribe();
        self.timers.clear_all();
        self.has_ended = true;
    }
}

fn session_closed() -> Refusal {
    Refusal::new(ErrorCode::InvalidApiSession, "session closed")
}

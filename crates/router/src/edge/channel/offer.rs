//! Connections that others dial are offered to the SDK.

use bytes::Bytes;
use portcullis_channel::{Frame, ReplyTo};
use portcullis_domain::clock::Timestamp;
use portcullis_wire::Secret;
use portcullis_wire::control::route::{RouteFailure, RouteOutcome};
use portcullis_wire::edge::{ConnectionId, Dial, DialSuccess, EdgeMessage, StateConnected};
use portcullis_wire::peer_data::{self, PeerData};
use portcullis_xgress::Side;

use super::{SdkChannel, Timer};
use crate::edge::action::{Action, AskId};
use crate::edge::circuit::{CircuitEnd, Closing, EndId, Flow, Offer};
use crate::edge::connections::{Bind, FIRST_OF_ROUTER, Usage};
use crate::edge::names::CircuitId;
use crate::edge::refusal::Refusal;
use crate::time::after;

/// An offer that the host has not answered.
#[derive(Debug)]
pub(super) struct PendingOffer {
    attempt: u32,
    usage: Usage,
    /// With the id of the bind, as long as the host has not chosen another.
    end: CircuitEnd,
    /// The id of the connection, unless the host chooses it.
    chosen: Option<ConnectionId>,
}

/// Why a host does not take a connection.
struct Declined {
    reason: String,
    failure: RouteFailure,
}

impl SdkChannel {
    /// Offers a connection to the host. The outcome is an [`Action::Routed`].
    pub fn offer(&mut self, offer: Offer, now: Timestamp) {
        let Offer {
            circuit, attempt, ..
        } = &offer;
        let (circuit, attempt) = (circuit.clone(), *attempt);
        if let Err(declined) = self.begin_offer(offer, now) {
            self.routed(circuit, attempt, declined.into_outcome());
        }
    }

    /// The host's answer to an offer.
    pub(super) fn offer_answered(&mut self, ask: AskId, answer: Frame) {
        let Some(offer) = self.take_offer(ask) else {
            return;
        };
        let reply_to = answer.reply_to();
        match EdgeMessage::decode(&answer.into_message()) {
            Ok(EdgeMessage::DialSuccess(success)) => self.taken(offer, success, reply_to),
            Ok(EdgeMessage::DialFailed(failed)) => {
                self.declined(offer, Declined::by_host(failed.reason));
            },
            Ok(_) | Err(_) => {
                let reason = "the host gave no answer to the offer";
                self.declined(offer, Declined::new(RouteFailure::Generic, reason));
            },
        }
    }

    pub(super) fn offer_timed_out(&mut self, ask: AskId) {
        let reason = "timed out waiting for the host";
        self.fail_offer(ask, RouteFailure::DialTimedOut, reason);
    }

    pub(super) fn fail_offer(&mut self, ask: AskId, failure: RouteFailure, reason: &str) {
        if let Some(offer) = self.take_offer(ask) {
            self.declined(offer, Declined::new(failure, reason));
        }
    }

    /// The circuit of an offer has ended by itself.
    pub(super) fn offer_has_ended(&mut self, ask: AskId, reason: &str) {
        if let Some(offer) = self.take_offer(ask) {
            if let Some(id) = offer.chosen {
                self.forget(id);
            }
            let outcome = Declined::new(RouteFailure::Generic, reason).into_outcome();
            self.routed(offer.end.id.circuit, offer.attempt, outcome);
        }
    }

    /// Tells a host that the connection that it has taken too late does not exist.
    pub(super) fn late_success(&mut self, success: &DialSuccess) {
        if !self.connections.contains(success.new_connection) {
            self.close(success.new_connection, Refusal::text("the offer has ended"));
        }
    }

    /// The offer of an end of a circuit.
    pub(super) fn offer_of(&self, end: &EndId) -> Option<AskId> {
        let mut offers = self.offers.iter();
        let found = offers.find(|(_, offer)| offer.end.id == *end);
        found.map(|(ask, _)| *ask)
    }

    /// Connections whose ids are still to be chosen by hosts.
    pub(super) fn chosen_by_hosts(&self) -> usize {
        let offers = self.offers.values();
        offers.filter(|offer| offer.chosen.is_none()).count()
    }

    /// The offers that were made for a service.
    pub(super) fn offers_by(&self, is_meant: impl Fn(&Usage) -> bool) -> Vec<AskId> {
        let offers = self.offers.iter();
        offers
            .filter(|(_, offer)| is_meant(&offer.usage))
            .map(|(ask, _)| *ask)
            .collect()
    }

    fn begin_offer(&mut self, offer: Offer, now: Timestamp) -> Result<(), Declined> {
        let Some(bind) = self.bind_of(&offer) else {
            let reason = "the bind has ended";
            return Err(Declined::new(RouteFailure::InvalidTerminator, reason));
        };
        let (usage, flow) = (bind.usage.clone(), bind.flow);
        let (dial, router_provides) = (dial(bind, &offer), bind.router_provides);
        if self.offers.len() >= self.limits.pending_offers
            || self.connections() >= self.limits.connections
        {
            let reason = "the host has too many connections";
            return Err(Declined::new(RouteFailure::ResourcesNotAvailable, reason));
        }
        if let Some(shortage) = self.shortage {
            let failure = RouteFailure::ResourcesNotAvailable;
            return Err(Declined::new(failure, &shortage.to_string()));
        }
        let id = EndId {
            circuit: offer.circuit,
            side: Side::Terminator,
        };
        if !self.is_new_end(&id) {
            let reason = "the host has the circuit already";
            return Err(Declined::new(RouteFailure::Generic, reason));
        }
        let ask = self.next_ask();
        let deadline = after(now, offer.time_left.min(self.limits.offer_time));
        let chosen = router_provides.then(|| self.connections.choose());
        let end = CircuitEnd {
            id,
            address: offer.address,
            flow,
            connection: chosen.unwrap_or(offer.bind.connection),
            service: usage.service.clone(),
            session: usage.session.clone(),
            controller: offer.controller,
        };
        if chosen.is_some() {
            // Data may come right behind the answer, or even before it.
            self.open(end.clone(), usage.clone(), Some(ask));
        }
        let pending = PendingOffer {
            attempt: offer.attempt,
            usage,
            end,
            chosen,
        };
        self.offers.insert(ask, pending);
        self.timers.set(Timer::Offer(ask), deadline);
        let message = EdgeMessage::Dial(Dial {
            new_connection: chosen,
            ..dial
        });
        self.actions.push_back(Action::Ask { ask, message });
        Ok(())
    }

    fn bind_of(&self, offer: &Offer) -> Option<&Bind> {
        let bind = self.connections.bind(offer.bind.connection)?;
        (bind.key == offer.bind).then_some(bind)
    }

    fn take_offer(&mut self, ask: AskId) -> Option<PendingOffer> {
        let offer = self.offers.remove(&ask)?;
        self.timers.clear(&Timer::Offer(ask));
        Some(offer)
    }

    /// The host takes the connection.
    fn taken(&mut self, offer: PendingOffer, success: DialSuccess, reply_to: ReplyTo) {
        let id = success.new_connection;
        let is_valid = match offer.chosen {
            Some(chosen) => id == chosen,
            None => id.0 < FIRST_OF_ROUTER && !self.connections.contains(id),
        };
        if !is_valid {
            let reason = "the host chose a connection id that it may not have";
            self.late_success(&success);
            return self.declined(offer, Declined::new(RouteFailure::Generic, reason));
        }
        let (circuit, attempt) = (offer.end.id.circuit.clone(), offer.attempt);
        let end = CircuitEnd {
            connection: id,
            ..offer.end
        };
        if let Some(open) = self.connections.open_mut(id) {
            open.offer = None;
        } else if offer.chosen.is_some() {
            // It was open before the host was asked, and has ended since.
            self.late_success(&success);
            let outcome = Declined::new(RouteFailure::Generic, "the connection has ended");
            return self.routed(circuit, attempt, outcome.into_outcome());
        } else {
            self.open(end, offer.usage, None);
            // Such a host sends no data before.
            let connected = StateConnected {
                connection: id,
                ..StateConnected::default()
            };
            self.reply(EdgeMessage::StateConnected(connected), reply_to);
        }
        let key = success.public_key.map(Secret::new);
        let peer_data = key.map(|key| (peer_data::PUBLIC_KEY, key));
        let outcome = RouteOutcome::Routed(peer_data.into_iter().collect());
        self.routed(circuit, attempt, outcome);
    }

    fn declined(&mut self, offer: PendingOffer, declined: Declined) {
        if let Some(id) = offer.chosen {
            self.close_circuit(id, Closing::AtOnce);
        }
        self.routed(offer.end.id.circuit, offer.attempt, declined.into_outcome());
    }

    fn routed(&mut self, circuit: CircuitId, attempt: u32, outcome: RouteOutcome) {
        self.actions.push_back(Action::Routed {
            circuit,
            attempt,
            outcome,
        });
    }
}

impl Declined {
    fn new(failure: RouteFailure, reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            failure,
        }
    }

    /// Hosts say why in a text for people; some of them mean something to controllers.
    fn by_host(reason: String) -> Self {
        let kinds = [
            (
                "rejected by application",
                RouteFailure::RejectedByApplication,
            ),
            ("no such host", RouteFailure::DnsResolutionFailed),
            ("server misbehaving", RouteFailure::DnsResolutionFailed),
            ("not in allowed port ranges", RouteFailure::PortNotAllowed),
        ];
        let kind = kinds.into_iter().find(|(text, _)| reason.contains(text));
        Self {
            failure: kind.map_or(RouteFailure::Generic, |(_, failure)| failure),
            reason,
        }
    }

    fn into_outcome(self) -> RouteOutcome {
        RouteOutcome::Failed {
            reason: self.reason,
            failure: self.failure,
        }
    }
}

/// What a host is asked, without the id of the connection.
fn dial(bind: &Bind, offer: &Offer) -> Dial {
    let bytes = |key| Some(offer.peer_data.get(&key)?.expose().clone());
    let text = |key| text(&offer.peer_data, key);
    let is_in_sdk = bind.flow == Flow::Sdk;
    Dial {
        connection: offer.bind.connection,
        session_token: bind.token.clone(),
        new_connection: None,
        circuit_id: Some(offer.circuit.as_str().to_owned()),
        public_key: bytes(peer_data::PUBLIC_KEY),
        caller_id: Some(text(peer_data::CALLER_ID).unwrap_or_default()),
        app_data: bytes(peer_data::APP_DATA).map(Secret::new),
        connection_marker: text(peer_data::CONNECTION_MARKER),
        dialer_identity_id: text(peer_data::DIALER_IDENTITY_ID),
        dialer_identity_name: text(peer_data::DIALER_IDENTITY_NAME),
        uses_xgress: is_in_sdk,
        controller_id: is_in_sdk.then(|| offer.controller.as_str().to_owned()),
        xgress_address: is_in_sdk.then(|| offer.address.clone()),
    }
}

fn text(peer_data: &PeerData, key: u32) -> Option<String> {
    let bytes: &Secret<Bytes> = peer_data.get(&key)?;
    String::from_utf8(bytes.expose().to_vec()).ok()
}

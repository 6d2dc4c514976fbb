//! A router whose controller has told it of a network, and clients of it.

use super::judging::second;
use super::network::{Truth, creation, creations};
use super::tokens::{KEY, Verifier, access_claims, certificate, service_claims, sign, signing_key};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::access::{
    AccessControl, Consequences, PostureReports, Replica, Usage, UsageSubject, UsedService,
};
use portcullis_router::edge::{
    Access as _, ApiSession, ChannelId, ClientCertificates, ControllerId, Refusal, ServiceSession,
    SessionKind,
};
use portcullis_wire::Token;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{
    ChangeSet, Changes, DataState, Event, KeyUsage, State, Subject,
};
use portcullis_wire::control::session::{ApiSession as Announced, ApiSessions, ApiSessionsAdded};
use portcullis_wire::edge::{Posture, PostureResponse};
use std::time::Duration;

/// The second at which worlds begin.
pub(crate) const START: i64 = 1_900_000_000;

pub(crate) struct World {
    pub(crate) control: AccessControl<Verifier>,
    pub(crate) now: i64,
    index: u64,
    subscription: String,
}

pub(crate) fn controller() -> ControllerId {
    "c1".into()
}

/// The certificate that sessions of an identity are bound to.
pub(crate) fn certificates(identity: &str) -> ClientCertificates {
    ClientCertificates {
        fingerprints: [certificate(identity)].into(),
        not_before: second(START - 1000),
        not_after: second(START + 1_000_000),
        spiffe_id: None,
        is_first_party: false,
    }
}

pub(crate) fn circuit(channel: u64, grant: ServiceGrant, name: &str) -> Usage {
    Usage {
        channel: ChannelId(channel),
        grant,
        subject: UsageSubject::Circuit(name.into()),
    }
}

pub(crate) fn terminator(channel: u64, name: &str) -> Usage {
    Usage {
        channel: ChannelId(channel),
        grant: ServiceGrant::Bind,
        subject: UsageSubject::Terminator(name.into()),
    }
}

pub(crate) fn used(service: &str) -> UsedService {
    UsedService {
        service: service.into(),
        session: None,
    }
}

impl World {
    pub(crate) fn new(truth: &Truth) -> Self {
        let control = AccessControl::new(
            Replica::new("run"),
            Verifier,
            Duration::from_mins(1),
            second(START),
        );
        let mut world = Self {
            control,
            now: START,
            index: 10,
            subscription: String::new(),
        };
        world
            .control
            .connect_controller(&controller(), second(START));
        let _ = world.replace(truth);
        world
    }

    pub(crate) fn time(&self) -> Timestamp {
        second(self.now)
    }

    pub(crate) fn receive(&mut self, message: ControlMessage) -> Consequences {
        let now = self.time();
        self.control.receive(&controller(), message, now).unwrap()
    }

    /// All messages for controllers.
    pub(crate) fn messages(&mut self) -> Vec<(ControllerId, ControlMessage)> {
        let now = self.time();
        std::iter::from_fn(|| self.control.poll(now)).collect()
    }

    /// A full state, with the key that signs tokens.
    pub(crate) fn replace(&mut self, truth: &Truth) -> Consequences {
        for (_, message) in self.messages() {
            if let ControlMessage::Subscription(request) = message {
                self.subscription = request.subscription_id;
            }
        }
        let key = signing_key(KEY, &[KeyUsage::JwtValidation]);
        let mut events = creations(truth);
        events.push(creation(Subject::PublicKey(Box::new(key))));
        self.index += 1;
        self.receive(ControlMessage::DataState(DataState {
            state: State {
                events,
                end_index: self.index,
                timeline_id: "timeline".to_owned(),
                ..State::default()
            },
            subscription_id: Some(self.subscription.clone()),
        }))
    }

    /// A change set.
    pub(crate) fn change(&mut self, events: Vec<Event>) -> Consequences {
        let previous_index = self.index;
        self.index += 2;
        self.receive(ControlMessage::ChangeSet(ChangeSet {
            changes: Changes {
                index: self.index,
                previous_index,
                events,
                ..Changes::default()
            },
            subscription_id: Some(self.subscription.clone()),
        }))
    }

    /// Opens a channel of an OIDC session whose token is good for `seconds`.
    pub(crate) fn open(&mut self, channel: u64, identity: &str, seconds: i64) -> ApiSession {
        let claims = access_claims(identity, self.now, self.now + seconds);
        let token = sign(KEY, &claims);
        let session = self.authenticate(&token, identity).unwrap();
        self.control.open(ChannelId(channel), &session);
        session
    }

    pub(crate) fn authenticate(
        &self,
        token: &Token,
        identity: &str,
    ) -> Result<ApiSession, portcullis_router::edge::LoginRefusal> {
        let certificates = certificates(identity);
        self.control.authenticate(token, &certificates, self.time())
    }

    /// Opens a channel of a legacy session, which the controller has announced.
    pub(crate) fn open_legacy(&mut self, channel: u64, identity: &str) -> ApiSession {
        let token = Token::new(format!("uuid of {identity}"));
        let announced = Announced {
            token: token.clone(),
            fingerprints: vec![certificate(identity)],
            id: super::tokens::session_id(identity),
            identity_id: identity.to_owned(),
        };
        let news = self.receive(ControlMessage::ApiSessionsAdded(ApiSessionsAdded {
            sessions: ApiSessions {
                is_full_state: false,
                sessions: vec![announced],
            },
            sync_type: "instant".to_owned(),
            sync_state: r#"{"id":"a","isLast":true,"sequence":0}"#.to_owned(),
        }));
        assert!(news.has_news_for_logins);
        let session = self.authenticate(&token, identity).unwrap();
        assert_eq!(session.kind, SessionKind::Legacy(controller()));
        self.control.open(ChannelId(channel), &session);
        session
    }

    pub(crate) fn service_session(
        &self,
        session: &ApiSession,
        (service, grant): (&str, &str),
    ) -> Result<ServiceSession, Refusal> {
        let claims = service_claims(session.identity.as_str(), service, grant, self.now + 1000);
        let token = sign(KEY, &claims);
        self.control
            .check_service_session(session, &token, self.time())
    }

    pub(crate) fn begin(&mut self, usage: &Usage, service: &str) -> Result<(), Refusal> {
        let now = self.time();
        self.control.begin(usage.clone(), used(service), now)
    }

    pub(crate) fn report(&mut self, channel: u64, said: Vec<Posture>) -> Consequences {
        let now = self.time();
        let responses = said.into_iter().map(Some);
        let responses = responses.map(|posture| PostureResponse { posture });
        let channel = ChannelId(channel);
        let said = PostureReports::read(&self.control, channel, responses.collect());
        self.control.report_posture(channel, said, now).unwrap()
    }

    /// Lets time pass, in one step.
    pub(crate) fn pass(&mut self, seconds: i64) -> Consequences {
        self.now += seconds;
        let now = self.time();
        self.control.handle_timeout(now)
    }
}

//! What controllers and SDKs tell a router about rights, and the file that it keeps of it.

use crate::driver::{fuzz, place};
use bytes::Bytes;
use portcullis_channel::{ContentType, Headers, Message};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::access::{
    AccessControl, DataModel, PostureReports, Replica, TokenVerifier, Usage, UsageSubject,
    UsedService,
};
use portcullis_router::edge::{
    Access as _, ApiSession, ChannelId, ClientCertificates, ControllerId, SessionKind,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{
    ChangeSet, Changes, DataState, Event, Identity, KeyUsage, Mfa, PolicyType, PostureCheck,
    PostureCheckKind, PublicKey, RelatedEntity, Revocation, Service, ServicePolicy,
    ServicePolicyChange, State, Subject,
};
use portcullis_wire::control::session::{
    ApiSession as Announced, ApiSessions, ApiSessionsAdded, ApiSessionsRemoved,
};
use portcullis_wire::edge::{
    Domain, EdgeMessage, Posture, PostureResponse, PostureResponses, TotpToken,
};
use portcullis_wire::{Content, Token};
use serde_json::{Value, json};
use std::time::Duration;

/// Records of an input: kind, length in two bytes, content.
const STATE: u8 = 0;
const CHANGES: u8 = 1;
const ADDED: u8 = 2;
const REMOVED: u8 = 3;
const SESSIONS_REMOVED: u8 = 4;
const POSTURE: u8 = 5;
const TIME: u8 = 6;
const TOKEN: u8 = 7;

const START: Timestamp = Timestamp::constant(1_900_000_000, 0);

/// Takes whatever is JSON for signed.
#[derive(Debug)]
struct Credulous;

impl TokenVerifier for Credulous {
    fn key_id(&self, _: &str) -> Option<String> {
        Some("k".to_owned())
    }

    fn verify(&self, token: &str, _: &PublicKey) -> Option<Value> {
        serde_json::from_str(token.strip_prefix("ey")?).ok()
    }
}

fn creation(subject: Subject) -> Event {
    Event {
        subject: Some(subject),
        ..Event::default()
    }
}

fn record(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap().to_be_bytes();
    [&[kind], length.as_slice(), content].concat()
}

fn body<C: Content>(content: &C) -> Bytes {
    content.encode().unwrap().1
}

/// The entities of a small network: one identity may dial one service with a code.
fn entities() -> Vec<Subject> {
    let relate = |entity_type, id: &str| {
        Subject::ServicePolicyChange(Box::new(ServicePolicyChange {
            policy_id: "p".to_owned(),
            entity_ids: vec![id.to_owned()],
            entity_type,
            adds: true,
        }))
    };
    let named = |id: &str| (id.to_owned(), id.to_owned());
    let (id, name) = named("i");
    let identity = Identity {
        id,
        name,
        ..Identity::default()
    };
    let (id, name) = named("s");
    let service = Service {
        id,
        name,
        ..Service::default()
    };
    let mfa = Mfa {
        timeout_seconds: 60,
        prompts_on_wake: true,
        ..Mfa::default()
    };
    let check = PostureCheck {
        id: "c".to_owned(),
        kind: Some(PostureCheckKind::Mfa(Box::new(mfa))),
        ..PostureCheck::default()
    };
    let policy = ServicePolicy {
        id: "p".to_owned(),
        policy_type: PolicyType::Dial,
        ..ServicePolicy::default()
    };
    let key = PublicKey {
        key_id: "k".to_owned(),
        usages: vec![KeyUsage::JwtValidation],
        ..PublicKey::default()
    };
    vec![
        Subject::Identity(Box::new(identity)),
        Subject::Service(Box::new(service)),
        Subject::PostureCheck(Box::new(check)),
        Subject::ServicePolicy(Box::new(policy)),
        relate(RelatedEntity::Service, "s"),
        relate(RelatedEntity::PostureCheck, "c"),
        relate(RelatedEntity::Identity, "i"),
        Subject::PublicKey(Box::new(key)),
    ]
}

fn state() -> DataState {
    DataState {
        state: State {
            events: entities().into_iter().map(creation).collect(),
            end_index: 1,
            timeline_id: "t".to_owned(),
            ..State::default()
        },
        subscription_id: None,
    }
}

/// The tokens of the identity do not count any more.
fn changes() -> ChangeSet {
    let revocation = Revocation {
        id: "i".to_owned(),
        kind: "IDENTITY".to_owned(),
        ..Revocation::default()
    };
    ChangeSet {
        changes: Changes {
            index: 2,
            previous_index: 1,
            events: vec![creation(Subject::Revocation(Box::new(revocation)))],
            ..Changes::default()
        },
        subscription_id: None,
    }
}

fn added() -> ApiSessionsAdded {
    let session = Announced {
        token: Token::new("uuid".to_owned()),
        identity_id: "i".to_owned(),
        id: "legacy".to_owned(),
        fingerprints: vec!["f".to_owned()],
    };
    ApiSessionsAdded {
        sessions: ApiSessions {
            is_full_state: true,
            sessions: vec![session],
        },
        ..ApiSessionsAdded::default()
    }
}

/// What an SDK tells of its machine.
fn said() -> PostureResponses {
    let totp = json!({"iat": 1_900_000_000, "z_t": "t", "z_asid": "a"});
    let said = [
        Posture::Domain(Box::new(Domain {
            name: "d".to_owned(),
        })),
        Posture::Woken(Box::default()),
        Posture::TotpToken(Box::new(TotpToken {
            token: Token::new(format!("ey{totp}")),
            ..TotpToken::default()
        })),
    ];
    PostureResponses {
        responses: said
            .map(|posture| PostureResponse {
                posture: Some(posture),
            })
            .into(),
    }
}

/// What happens in the network.
fn history() -> Vec<u8> {
    let removed = ApiSessionsRemoved {
        tokens: vec![Token::new("uuid".to_owned())],
        ids: vec![],
    };
    let claims = json!({
        "sub": "i", "aud": "openziti", "exp": 4_102_444_800_i64, "iat": 1, "z_t": "a",
        "z_asid": "a", "z_cfs": ["f"], "amr": ["totp"], "auth_time": 1_899_999_990,
    });
    [
        record(STATE, &body(&state())),
        record(TOKEN, format!("ey{claims}").as_bytes()),
        record(POSTURE, &body(&said())),
        record(TIME, &[30]),
        record(ADDED, &body(&added())),
        record(TOKEN, b"uuid"),
        record(TIME, &[100]),
        record(REMOVED, &body(&removed)),
        record(CHANGES, &body(&changes())),
        record(SESSIONS_REMOVED, b"\x0a\x01x"),
    ]
    .concat()
}

/// A router in the middle of an input.
struct Router {
    control: AccessControl<Credulous>,
    controller: ControllerId,
    subscription: String,
    now: Timestamp,
    channels: u64,
    /// What has happened, in a few words.
    seen: Vec<&'static str>,
}

impl Router {
    fn new() -> Self {
        let controller = ControllerId::from("c");
        let minute = Duration::from_mins(1);
        let mut control = AccessControl::new(Replica::new("r"), Credulous, minute, START);
        control.connect_controller(&controller, START);
        let mut router = Self {
            control,
            controller,
            subscription: String::new(),
            now: START,
            channels: 0,
            seen: Vec::new(),
        };
        router.drain();
        router
    }

    fn drain(&mut self) {
        while let Some((_, message)) = self.control.poll(self.now) {
            if let ControlMessage::Subscription(request) = message {
                self.subscription = request.subscription_id;
            }
        }
    }

    fn take(&mut self, kind: u8, content: &[u8]) -> Result<(), String> {
        match kind {
            STATE => self.control_message(20500, content, true),
            CHANGES => self.control_message(20501, content, true),
            ADDED => self.control_message(20200, content, false),
            REMOVED => self.control_message(20202, content, false),
            SESSIONS_REMOVED => self.control_message(20102, content, false),
            POSTURE => self.posture(content),
            TIME => {
                let seconds = content.first().copied().unwrap_or_default();
                self.now += SignedDuration::from_secs(seconds.into());
                let consequences = self.control.handle_timeout(self.now);
                self.note(!consequences.lost.is_empty(), "lost by time");
                self.drain();
                if self.control.deadline() <= self.now {
                    return Err("what is due is not done".to_owned());
                }
            },
            _ => self.token(content),
        }
        Ok(())
    }

    fn control_message(&mut self, content_type: i32, content: &[u8], is_model: bool) {
        let headers = if is_model {
            Headers::builder().string(portcullis_channel::HeaderKey(1026), &self.subscription)
        } else {
            // Which part of which state it is, is for the input to say, too.
            let state = String::from_utf8_lossy(content);
            let state = state.split_once('{').map_or_else(
                || r#"{"id":"a","isLast":true}"#.to_owned(),
                |(_, rest)| format!("{{{rest}"),
            );
            Headers::builder()
                .string(portcullis_channel::HeaderKey(1013), "instant")
                .string(portcullis_channel::HeaderKey(1014), &state)
        };
        let message = Message::new(ContentType(content_type))
            .with_headers(headers.build())
            .with_body(Bytes::copy_from_slice(content));
        let Ok(message) = ControlMessage::decode(&message) else {
            return self.note(true, "unreadable");
        };
        if let Some(consequences) = self.control.receive(&self.controller, message, self.now) {
            self.note(!consequences.ended.is_empty(), "ended");
            self.note(!consequences.lost.is_empty(), "lost");
            self.note(!consequences.changed_services.is_empty(), "services");
        }
        self.drain();
    }

    fn posture(&mut self, content: &[u8]) {
        let message = Message::new(ContentType(10800)).with_body(Bytes::copy_from_slice(content));
        let Ok(EdgeMessage::PostureResponses(said)) = EdgeMessage::decode(&message) else {
            return self.note(true, "unreadable");
        };
        for channel in 1..=self.channels {
            let channel = ChannelId(channel);
            let said = PostureReports::read(&self.control, channel, said.responses.clone());
            let outcome = self.control.report_posture(channel, said, self.now);
            self.note(outcome.is_err(), "refused posture");
            self.note(outcome.is_ok_and(|it| !it.lost.is_empty()), "lost posture");
        }
    }

    /// Somebody logs in, dials and subscribes.
    fn token(&mut self, content: &[u8]) {
        let certificates = ClientCertificates {
            fingerprints: ["f".to_owned()].into(),
            not_before: Timestamp::MIN,
            not_after: Timestamp::MAX,
            spiffe_id: Some(String::from_utf8_lossy(content).into_owned()),
            is_first_party: true,
        };
        let token = Token::new(String::from_utf8_lossy(content).into_owned());
        let Ok(session) = self.control.authenticate(&token, &certificates, self.now) else {
            return self.note(true, "not admitted");
        };
        self.channels += 1;
        let channel = ChannelId(self.channels);
        self.control.open(channel, &session);
        let _ = self.control.subscribe(channel);
        let _ = self.control.posture_state(channel, self.now);
        let usage = Usage {
            channel,
            grant: ServiceGrant::Dial,
            subject: UsageSubject::Circuit("c".into()),
        };
        let used = UsedService {
            service: "s".into(),
            session: None,
        };
        let begun = self.control.begin(usage, used, self.now).is_ok();
        self.note(begun, "dialed");
        self.note(!begun, "admitted");
        self.note(begun && !self.may_dial(&session), "dialed without a right");
    }

    fn may_dial(&self, session: &ApiSession) -> bool {
        matches!(session.kind, SessionKind::Legacy(_))
            || self
                .control
                .check_grant(session, ServiceGrant::Dial, &"s".into(), self.now)
                .is_ok()
    }

    fn note(&mut self, has_happened: bool, what: &'static str) {
        if has_happened && self.seen.len() < 12 {
            self.seen.push(what);
        }
    }
}

/// Whatever arrives, nothing is dialed without a right, and the model is one that a router would have got
/// in one piece.
#[test]
fn fuzzed_messages_about_rights_are_taken_or_refused() {
    fuzz("rights", vec![history()], |input| {
        let mut router = Router::new();
        let mut rest = input;
        while let Some(([kind, high, low], after)) = rest.split_first_chunk() {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            let (content, after) = after.split_at(length.min(after.len()));
            router.take(*kind % 8, content)?;
            rest = after;
        }
        if router.seen.contains(&"dialed without a right") {
            return Err("a service is dialed without a right".to_owned());
        }
        let replica = router.control.replica();
        let mut anew = DataModel::default();
        anew.apply(replica.model().to_events());
        if anew != *replica.model() {
            return Err("the indexes of the model are wrong".to_owned());
        }
        let file = replica.to_file().map_err(|error| error.to_string())?;
        match Replica::from_file("r", &file) {
            Ok(read) if read.model() == replica.model() => Ok(router.seen.join(", ")),
            other => Err(format!("a file does not lead back: {other:?}")),
        }
    });
}

/// A file that is read is one that was written.
#[test]
fn fuzzed_files_of_the_model_are_damage_unless_they_are_whole() {
    let mut router = Router::new();
    let full = history();
    let length = usize::from(u16::from_be_bytes([full[1], full[2]]));
    router.control_message(20500, &full[3..3 + length], true);
    let file = router.control.replica().to_file().unwrap();
    let (whole, empty) = (file.clone(), Replica::new("r").to_file().unwrap());
    fuzz(
        "files of the model",
        vec![file, empty],
        |input| match Replica::from_file("r", input) {
            Ok(replica) if replica.to_file().is_ok_and(|file| file == input) => {
                Ok(place(&(input == whole)))
            },
            Ok(_) => Err("a file is read that was never written".to_owned()),
            Err(error) => Ok(place(&error)),
        },
    );
}

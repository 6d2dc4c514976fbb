//! A right that a TOTP code opens for ten minutes.
//!
//! `cargo run -p portcullis-router --example rights`

use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::access::{
    AccessControl, PostureReports, Replica, TokenVerifier, Usage, UsageSubject, UsedService,
};
use portcullis_router::edge::{Access as _, ChannelId, ClientCertificates, ControllerId};
use portcullis_wire::Token;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{
    DataState, Event, Identity, KeyUsage, Mfa, PolicyType, PostureCheck, PostureCheckKind,
    PublicKey, RelatedEntity, Service, ServicePolicy, ServicePolicyChange, State, Subject,
};
use portcullis_wire::edge::{Posture, PostureResponse, TotpToken};
use serde_json::{Value, json};
use std::error::Error;
use std::io::Write as _;
use std::time::Duration;

/// Believes everything. A router verifies signatures.
struct Believing;

impl TokenVerifier for Believing {
    fn key_id(&self, _: &str) -> Option<String> {
        Some("key".to_owned())
    }

    fn verify(&self, token: &str, _: &PublicKey) -> Option<Value> {
        serde_json::from_str(token.strip_prefix("ey")?).ok()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let start: Timestamp = "2031-04-05T06:00:00Z".parse()?;
    let controller = ControllerId::from("c1");
    let minute = Duration::from_mins(1);
    let mut control = AccessControl::new(Replica::new("run"), Believing, minute, start);

    control.connect_controller(&controller, start);
    let Some((_, ControlMessage::Subscription(request))) = control.poll(start) else {
        return Err("a router subscribes first".into());
    };
    let state = DataState {
        state: State {
            events: network().into_iter().map(creation).collect(),
            end_index: 7,
            timeline_id: "timeline".to_owned(),
            ..State::default()
        },
        subscription_id: Some(request.subscription_id),
    };
    let news = control.receive(&controller, ControlMessage::DataState(state), start);
    writeln!(
        out,
        "logins may go on: {}",
        news.is_some_and(|news| news.has_news_for_logins)
    )?;

    let access = json!({
        "sub": "alice", "aud": "openziti", "exp": start.as_second() + 3600, "z_t": "a",
        "z_asid": "session", "z_cfs": ["fingerprint"],
    });
    let certificates = ClientCertificates {
        fingerprints: ["fingerprint".to_owned()].into(),
        not_before: start,
        not_after: start + SignedDuration::from_hours(24),
        spiffe_id: None,
        is_first_party: false,
    };
    let token = Token::new(format!("ey{access}"));
    let session = control
        .authenticate(&token, &certificates, start)
        .map_err(|refusal| format!("{refusal:?}"))?;
    let channel = ChannelId(1);
    control.open(channel, &session);

    let dialed = Usage {
        channel,
        grant: ServiceGrant::Dial,
        subject: UsageSubject::Circuit("circuit".into()),
    };
    let wiki = UsedService {
        service: "wiki".into(),
        session: None,
    };
    if let Err(refusal) = control.begin(dialed.clone(), wiki.clone(), start) {
        writeln!(out, "without a code: {}", refusal.reason)?;
    }
    let code = json!({"iat": start.as_second(), "z_t": "t", "z_asid": "session"});
    let code = Posture::TotpToken(Box::new(TotpToken {
        token: Token::new(format!("ey{code}")),
        ..TotpToken::default()
    }));
    let said = vec![PostureResponse {
        posture: Some(code),
    }];
    let said = PostureReports::read(&control, channel, said);
    let _ = control.report_posture(channel, said, start)?;
    let is_open = control.begin(dialed, wiki, start).is_ok();
    writeln!(out, "with a code: {is_open}")?;

    let mut now = start;
    loop {
        while control.poll(now).is_some() {} // For the controller.
        now = control.deadline();
        let consequences = control.handle_timeout(now);
        if let Some(reason) = consequences.lost.values().next() {
            let seconds = now.duration_since(start).as_secs();
            writeln!(out, "after {seconds} seconds: {reason}")?;
            break;
        }
    }
    Ok(())
}

/// `alice` may dial `wiki`, if she has given a code within ten minutes.
fn network() -> Vec<Subject> {
    let relate = |entity_type, id: &str| {
        Subject::ServicePolicyChange(Box::new(ServicePolicyChange {
            policy_id: "policy".to_owned(),
            entity_ids: vec![id.to_owned()],
            entity_type,
            adds: true,
        }))
    };
    vec![
        Subject::Identity(Box::new(Identity {
            id: "alice".to_owned(),
            ..Identity::default()
        })),
        Subject::Service(Box::new(Service {
            id: "wiki".to_owned(),
            ..Service::default()
        })),
        Subject::PostureCheck(Box::new(PostureCheck {
            id: "code".to_owned(),
            kind: Some(PostureCheckKind::Mfa(Box::new(Mfa {
                timeout_seconds: 600,
                ..Mfa::default()
            }))),
            ..PostureCheck::default()
        })),
        Subject::ServicePolicy(Box::new(ServicePolicy {
            id: "policy".to_owned(),
            policy_type: PolicyType::Dial,
            ..ServicePolicy::default()
        })),
        relate(RelatedEntity::Service, "wiki"),
        relate(RelatedEntity::PostureCheck, "code"),
        relate(RelatedEntity::Identity, "alice"),
        Subject::PublicKey(Box::new(PublicKey {
            key_id: "key".to_owned(),
            usages: vec![KeyUsage::JwtValidation],
            ..PublicKey::default()
        })),
    ]
}

fn creation(subject: Subject) -> Event {
    Event {
        subject: Some(subject),
        ..Event::default()
    }
}

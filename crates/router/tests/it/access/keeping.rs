//! A control that others change while it is asked.

use super::judging::second;
use super::network::{creation, identity};
use super::tokens::{
    KEY, Verifier, access_claims, service_claims, session_id, sign, signing_key, totp_claims,
};
use super::world::{START, certificates, controller};
use portcullis_router::access::{AccessControl, Keeper, PostureReports, Replica, TokenVerifier};
use portcullis_router::edge::{Access as _, ApiSession, ChannelId, LoginRefusal, SessionKind};
use portcullis_wire::Token;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{
    Action, ChangeSet, Changes, Event, KeyUsage, PublicKey, Revocation, Subject,
};
use portcullis_wire::edge::{Posture, PostureResponse, TotpToken};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

/// Verifies only while nobody looks.
struct Watching {
    is_held: Rc<Cell<bool>>,
    /// Signatures that were verified.
    verified: Rc<Cell<usize>>,
}

impl TokenVerifier for Watching {
    fn key_id(&self, token: &str) -> Option<String> {
        Verifier.key_id(token)
    }

    fn verify(&self, token: &str, key: &PublicKey) -> Option<Value> {
        assert!(!self.is_held.get(), "others wait for a signature");
        self.verified.update(|count| count + 1);
        Verifier.verify(token, key)
    }
}

/// A control that changes behind the back of those who ask.
struct Kept {
    control: RefCell<AccessControl<Watching>>,
    verifier: Watching,
    /// What happens after the next look.
    next: RefCell<Vec<Event>>,
}

impl Kept {
    fn new() -> Self {
        let (is_held, verified) = (Rc::default(), Rc::default());
        let watching = || Watching {
            is_held: Rc::clone(&is_held),
            verified: Rc::clone(&verified),
        };
        let (replica, interval) = (Replica::new("run"), Duration::from_mins(1));
        let control = AccessControl::new(replica, watching(), interval, second(START));
        let kept = Self {
            control: RefCell::new(control),
            verifier: watching(),
            next: RefCell::default(),
        };
        let key = signing_key(KEY, &[KeyUsage::JwtValidation]);
        kept.apply(vec![
            creation(Subject::PublicKey(Box::new(key))),
            creation(Subject::Identity(Box::new(identity("alice")))),
        ]);
        kept
    }

    fn apply(&self, events: Vec<Event>) {
        let message = ControlMessage::ChangeSet(ChangeSet {
            changes: Changes {
                events,
                is_synthetic: true,
                ..Changes::default()
            },
            subscription_id: None,
        });
        let mut control = self.control.borrow_mut();
        let _ = control.receive(&controller(), message, second(START));
    }

    fn authenticate_alice(&self) -> Result<ApiSession, LoginRefusal> {
        self.authenticate(&access(100), &certificates("alice"), second(START))
    }
}

impl Keeper for Kept {
    type Verifier = Watching;

    fn verifier(&self) -> &Watching {
        &self.verifier
    }

    fn look<R>(&self, look: impl FnOnce(&AccessControl<Watching>) -> R) -> R {
        self.verifier.is_held.set(true);
        let seen = look(&self.control.borrow());
        self.verifier.is_held.set(false);
        let next = self.next.take();
        if !next.is_empty() {
            self.apply(next);
        }
        seen
    }
}

fn access(seconds: i64) -> Token {
    sign(KEY, &access_claims("alice", START, START + seconds))
}

/// A client has entered a code.
fn code() -> PostureResponse {
    let code = TotpToken {
        token: sign(KEY, &totp_claims("alice", START)),
        ..TotpToken::default()
    };
    PostureResponse {
        posture: Some(Posture::TotpToken(Box::new(code))),
    }
}

fn revocation(id: &str, kind: &str) -> Event {
    creation(Subject::Revocation(Box::new(Revocation {
        id: id.to_owned(),
        kind: kind.to_owned(),
        ..Revocation::default()
    })))
}

fn deletion_of_alice() -> Event {
    Event {
        action: Action::Delete,
        ..creation(Subject::Identity(Box::new(identity("alice"))))
    }
}

#[test]
fn nobody_waits_while_signatures_are_verified() {
    let kept = Kept::new();
    let now = second(START);
    let session = kept.authenticate_alice().unwrap();
    let channel = ChannelId(1);
    kept.control.borrow_mut().open(channel, &session);
    let renewed = kept.renew(&session, &access(200), now).unwrap();
    kept.control.borrow_mut().renewed(&renewed);
    kept.check_session(&renewed, now).unwrap();
    let dial = sign(KEY, &service_claims("alice", "wiki", "Dial", START + 100));
    kept.check_service_session(&renewed, &dial, now).unwrap();
    let said = PostureReports::read(&kept, channel, vec![code()]);
    let mut control = kept.control.borrow_mut();
    let _ = control.report_posture(channel, said, now).unwrap();
}

#[test]
fn no_signature_is_verified_where_posture_counts_for_nothing() {
    let kept = Kept::new();
    let session = ApiSession {
        kind: SessionKind::Legacy(controller()),
        ..kept.authenticate_alice().unwrap()
    };
    let (legacy, closed) = (ChannelId(1), ChannelId(2));
    kept.control.borrow_mut().open(legacy, &session);
    let before = kept.verifier.verified.get();
    for channel in [legacy, closed] {
        let said = PostureReports::read(&kept, channel, vec![code()]);
        let mut control = kept.control.borrow_mut();
        let _ = control
            .report_posture(channel, said, second(START))
            .unwrap();
        assert_eq!(kept.verifier.verified.get(), before);
    }
}

#[test]
fn what_is_revoked_while_its_signature_is_verified_does_not_count() {
    let session = Kept::new().authenticate_alice().unwrap();
    let kept = Kept::new();
    kept.next
        .replace(vec![revocation(&session_id("alice"), "API_SESSION")]);
    let refused = kept.authenticate_alice().unwrap_err();
    let revoked = "the session has been revoked".to_owned();
    assert_eq!(refused, LoginRefusal::Refused(revoked.clone()));

    let kept = Kept::new();
    kept.next.replace(vec![revocation("token of alice", "JTI")]);
    let refused = kept.renew(&session, &access(200), second(START));
    assert_eq!(refused.unwrap_err().reason, revoked);

    let kept = Kept::new();
    kept.next
        .replace(vec![revocation("alice Dial wiki", "JTI")]);
    let dial = sign(KEY, &service_claims("alice", "wiki", "Dial", START + 100));
    let refused = kept.check_service_session(&session, &dial, second(START));
    assert_eq!(
        refused.unwrap_err().reason,
        "the token does not count any more"
    );
}

/// Between its login and its channel, nothing is known of a client.
#[test]
fn who_ends_before_its_channel_is_open_is_found_when_it_is() {
    for (event, reason) in [
        (deletion_of_alice(), "the identity has been deleted"),
        (
            revocation(&session_id("alice"), "API_SESSION"),
            "the session has been revoked",
        ),
    ] {
        let kept = Kept::new();
        let session = kept.authenticate_alice().unwrap();
        kept.apply(vec![event]);
        kept.control.borrow_mut().open(ChannelId(1), &session);
        let ended = kept.check_session(&session, second(START));
        assert_eq!(ended, Err(reason.to_owned()));
    }
}

#[test]
fn copy_of_the_model_shares_what_has_not_changed() {
    let kept = Kept::new();
    kept.apply(vec![creation(Subject::Identity(Box::new(identity("bob"))))]);
    let copy = kept.look(|control| control.model().clone());
    let mut changed = identity("alice");
    changed.is_disabled = true;
    kept.apply(vec![creation(Subject::Identity(Box::new(changed)))]);
    kept.look(|control| {
        let (model, same) = (control.model(), copy.identity("bob").unwrap());
        assert!(std::ptr::eq(model.identity("bob").unwrap(), same));
        assert_ne!(model.identity("alice"), copy.identity("alice"));
    });
    assert_eq!(copy.identity("alice"), Some(&identity("alice")));
}

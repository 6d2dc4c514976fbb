//! What the audit trail has to tell of a request.

use super::walk::{Walk, Who};
use crate::support::text;
use http::StatusCode;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{AuditTrail, EntitySnapshot, Reply, Request};
use serde_json::Value;
use std::collections::BTreeSet;

/// Where all requests come from that are looked at.
const SOURCE: &str = "198.51.100.7";

/// Who acts.
enum Acting<'w> {
    /// Somebody through a session.
    Through(&'w Who),
    /// Somebody without one.
    Stranger(String),
    /// Whoever comes into being.
    Newcomer,
}

/// What the audit trail has to tell of a request.
#[must_use]
pub(super) struct Expected<'w> {
    walk: &'w Walk,
    actor: Acting<'w>,
    operation: Option<&'w str>,
    /// What it is done to; what the answer names otherwise.
    entity: Option<String>,
    /// What is told beside it.
    companions: Vec<&'w str>,
    changes: Option<Value>,
}

impl<'w> Expected<'w> {
    /// An operation of the administrator, or nothing at all.
    pub(super) fn of_operation(walk: &'w Walk, operation: Option<&'w str>) -> Self {
        Self {
            walk,
            actor: Acting::Through(&walk.admin),
            operation,
            entity: None,
            companions: Vec::new(),
            changes: None,
        }
    }

    /// It is done to what has this id.
    pub(super) fn of(mut self, id: &str) -> Self {
        self.entity = Some(id.to_owned());
        self
    }

    /// Somebody else than the administrator does it.
    pub(super) fn by(mut self, who: &'w Who) -> Self {
        self.actor = Acting::Through(who);
        self
    }

    /// Somebody does it without a session.
    pub(super) fn by_stranger(mut self, id: &str) -> Self {
        self.actor = Acting::Stranger(id.to_owned());
        self
    }

    /// Whoever becomes an identity by it does it.
    pub(super) fn by_newcomer(mut self) -> Self {
        self.actor = Acting::Newcomer;
        self
    }

    /// It takes others along.
    pub(super) fn and(mut self, operations: &[&'w str]) -> Self {
        self.companions.extend(operations);
        self
    }

    /// What no list shows of the change; `null` where it is not said here what a member was or is.
    pub(super) fn changes(mut self, changes: Value) -> Self {
        self.changes = Some(changes);
        self
    }

    /// Sends the request, which has to succeed, and looks at what is told of it.
    pub(super) async fn send(self, request: Request<'_>) -> Reply {
        let walk = self.walk;
        walk.note(&request);
        let (before, trail) = (walk.world().await, AuditTrail::from_now(&walk.controller));
        let reply = request.from(SOURCE).send().await;
        assert!(reply.status.is_success(), "{}", reply.text());
        let events = trail.events();
        let after = walk.world().await;
        before.assert_audited(&after, &events);
        self.check(&reply, &events, (&before, &after));
        walk.controller.clock.advance(SignedDuration::from_secs(1));
        reply
    }

    fn check(&self, reply: &Reply, events: &[Value], worlds: (&EntitySnapshot, &EntitySnapshot)) {
        let mut operations: Vec<_> = events
            .iter()
            .map(|event| text(event, "operation"))
            .collect();
        operations.sort_unstable();
        let mut expected: Vec<_> = self.operation.into_iter().collect();
        expected.extend(&self.companions);
        expected.sort_unstable();
        assert_eq!(operations, expected, "{events:#?}");
        let Some(operation) = self.operation else {
            return;
        };
        let is_main = |event: &&Value| event["operation"] == operation;
        let main = events.iter().find(is_main).unwrap();
        let entity = text(main, "entity");
        match (&self.entity, &self.actor) {
            (Some(wanted), _) => assert_eq!(entity, wanted, "{main}"),
            (None, Acting::Newcomer) => assert_eq!(worlds.0.name(entity), None, "{main}"),
            (None, _) => assert_eq!(entity, created(reply), "{main}"),
        }
        if let Some(changes) = &self.changes {
            assert_changes(&main["changes"], changes);
        }
        self.check_actor(entity, events, worlds);
        self.check_origin(events);
    }

    /// Who it was, under which name, and how they had got in.
    fn check_actor(
        &self,
        entity: &str,
        events: &[Value],
        (before, after): (&EntitySnapshot, &EntitySnapshot),
    ) {
        let name = |id: &str| {
            after
                .name(id)
                .or_else(|| before.name(id))
                .map(str::to_owned)
        };
        let (id, name, session) = match &self.actor {
            Acting::Through(who) => {
                // Its list says by which authenticator it was opened.
                assert_eq!(before.session_owner(&who.session), Some(&*who.id));
                (&*who.id, Some(who.name.clone()), Some(&*who.session))
            },
            Acting::Stranger(id) => (&**id, name(id), None),
            Acting::Newcomer => (entity, name(entity), None),
        };
        for event in events {
            let told = |member: &str| event[member].as_str();
            assert_eq!(told("actor"), Some(id), "{event}");
            assert_eq!(told("actorName"), name.as_deref(), "{event}");
            assert_eq!(told("session"), session, "{event}");
        }
    }

    /// From where, by which request and when.
    fn check_origin(&self, events: &[Value]) {
        let request = text(&events[0], "request");
        assert!(self.walk.is_new(request), "an earlier request: {events:#?}");
        let now = self.walk.controller.app.env().now().to_string();
        for (nth, event) in (0..).zip(events) {
            assert_eq!(text(event, "source"), SOURCE, "{event}");
            assert_eq!(text(event, "request"), request, "{event}");
            assert_eq!(text(event, "timestamp"), now, "{event}");
            let first = events[0]["seq"].as_u64().unwrap();
            assert_eq!(event["seq"], first + nth, "{event}");
        }
    }
}

/// Asserts that `told` names the members of `expected`, and what they were and are if that is said.
fn assert_changes(told: &Value, expected: &Value) {
    let [names, expected_names] = [told, expected].map(|changes| {
        let members = changes.as_object().into_iter().flatten();
        members.map(|(name, _)| name).collect::<BTreeSet<_>>()
    });
    assert_eq!(names, expected_names);
    for (name, change) in expected.as_object().unwrap() {
        assert!(change.is_null() || told[name] == *change, "{name}: {told}");
    }
}

/// The id of what a request made.
fn created(reply: &Reply) -> String {
    assert!(reply.status == StatusCode::CREATED || reply.status == StatusCode::OK);
    text(&reply.data(), "id").to_owned()
}

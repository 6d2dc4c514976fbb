//! Committed changes with just what the tests are about.

use crate::support::{
    self, authenticator, edge_router_policy, enrollment, identity, policy, service_session,
    session, terminator,
};
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::config::{Config, ConfigSpec, ConfigType, ConfigTypeSpec, JsonObject};
use portcullis_domain::enrollment::EnrollmentMethod;
use portcullis_domain::ids::{ConfigId, ConfigTypeId, RecordNumber};
use portcullis_domain::policies::ServiceGrant;
use portcullis_index::Projections;
use std::sync::Arc;

pub(crate) fn put_identity(number: u64, name: &str) -> Change {
    Change::Identity(EntityChange {
        owner: None,
        number: RecordNumber(number),
        before: None,
        entity: Some(Arc::new(identity(&format!("i{number}"), name, 0))),
    })
}

pub(crate) fn remove_identity(number: u64) -> Change {
    Change::Identity(EntityChange {
        owner: None,
        number: RecordNumber(number),
        before: None,
        entity: None,
    })
}

pub(crate) fn put_enrollment(number: u64, owner: u64) -> Change {
    Change::Enrollment(EntityChange {
        owner: Some(Owner::Identity(RecordNumber(owner))),
        number: RecordNumber(number),
        before: None,
        entity: Some(Arc::new(enrollment(
            &format!("e{number}"),
            0,
            EnrollmentMethod::Ott,
        ))),
    })
}

pub(crate) fn put_authenticator(number: u64, owner: u64) -> Change {
    Change::Authenticator(EntityChange {
        owner: Some(Owner::Identity(RecordNumber(owner))),
        number: RecordNumber(number),
        before: None,
        entity: Some(Arc::new(authenticator(&format!("a{number}"), 0, None))),
    })
}

pub(crate) fn remove_authenticator(number: u64) -> Change {
    Change::Authenticator(EntityChange {
        owner: None,
        number: RecordNumber(number),
        before: None,
        entity: None,
    })
}

pub(crate) fn put_policy(number: u64, name: &str) -> Change {
    Change::AuthPolicy(EntityChange {
        owner: None,
        number: RecordNumber(number),
        before: None,
        entity: Some(Arc::new(policy(&format!("p{number}"), name, 0))),
    })
}

pub(crate) fn put_session(number: u8, owner: u64) -> Change {
    Change::ApiSession(EntityChange {
        owner: Some(Owner::Identity(RecordNumber(owner))),
        number: RecordNumber(number.into()),
        before: None,
        entity: Some(Arc::new(session(&format!("s{number}"), number, 0))),
    })
}

pub(crate) fn root<E>(number: u64, entity: E) -> EntityChange<E> {
    EntityChange {
        owner: None,
        number: RecordNumber(number),
        before: None,
        entity: Some(Arc::new(entity)),
    }
}

pub(crate) fn put_service_session(number: u64, owner: u64) -> Change {
    let session = service_session(&format!("s{number}"), 0, "service", ServiceGrant::Dial);
    Change::Session(EntityChange {
        owner: Some(Owner::Identity(RecordNumber(owner))),
        ..root(number, session)
    })
}

/// One of each kind that has a catalog and is nowhere else in these tests.
pub(crate) fn of_others(number: u64) -> [Change; 5] {
    let id = format!("x{number}");
    let config = ConfigSpec::new(
        id.clone(),
        ConfigTypeId::from_wire("type"),
        JsonObject::new(),
    );
    let config_type = ConfigTypeSpec::named(id.clone());
    let now = support::at(0);
    let config = Config::new(ConfigId::from_wire(&id), config, now).unwrap();
    let config_type = ConfigType::new(ConfigTypeId::from_wire(&id), config_type, now).unwrap();
    [
        Change::Config(root(number, config)),
        Change::ConfigType(root(number, config_type)),
        Change::Terminator(root(number, terminator(&id, 0, ["s", "r", ""]))),
        Change::EdgeRouterPolicy(root(number, edge_router_policy(&id, true))),
        put_service_session(number, 1),
    ]
}

pub(crate) fn remove_session(number: u64) -> Change {
    Change::ApiSession(EntityChange {
        owner: None,
        number: RecordNumber(number),
        before: None,
        entity: None,
    })
}

pub(crate) fn loaded(records: &[Change]) -> Projections {
    let projections = Projections::default();
    projections.begin_load();
    for record in records {
        projections.load_put(record);
    }
    projections.finish_load(10);
    projections
}

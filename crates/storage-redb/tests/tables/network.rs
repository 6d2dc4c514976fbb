//! A sample network, with an entity of each kind that is tested here.

use crate::entities::{
    config, config_type, edge_router_policy, host, ids, posture_check, revocation, router,
    router_enrollment, service, service_edge_router_policy, service_policy, service_session,
    terminator,
};
use crate::support::{Store, session, store, write};
use portcullis_domain::ids::RecordNumber;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::*;

/// A network in which each entity is referred to by every possible referrer. All have the number 1,
/// except the configuration `shown`, which only the identity refers to and which has the number 2.
pub(crate) fn network() -> Store {
    let store = store();
    write(&store, |rows| {
        let key = |kind| RecordKey::root(kind, 1);
        rows.insert(&key(CONFIG_TYPE), &config_type("t", "type"))?;
        rows.insert(&key(CONFIG), &config("c", "config", "t"))?;
        let shown = RecordKey::root(CONFIG, 2);
        rows.insert(&shown, &config("shown", "shown", "t"))?;
        rows.insert(&key(SERVICE), &service("s", "service", ids(&["c"])))?;
        rows.insert(&key(ROUTER), &router("r", "router", ids(&["c"])))?;
        rows.insert(&key(POSTURE_CHECK), &posture_check("p", "check"))?;
        rows.insert(&key(REVOCATION), &revocation("v"))?;
        let laptop = host("i", "laptop", &ids(&["s"]), &ids(&["shown"]));
        rows.insert(&key(IDENTITY), &laptop)?;
        let policy = service_policy("sp", "one", ids(&["i"]), ids(&["s"]), ids(&["p"]));
        rows.insert(&key(SERVICE_POLICY), &policy)?;
        let policy = edge_router_policy("ep", "one", ids(&["i"]), ids(&["r"]));
        rows.insert(&key(EDGE_ROUTER_POLICY), &policy)?;
        let policy = service_edge_router_policy("sep", "one", ids(&["s"]), ids(&["r"]));
        rows.insert(&key(SERVICE_EDGE_ROUTER_POLICY), &policy)?;

        let owner = identity_key(RecordNumber(1));
        let opened = session(&laptop, 1);
        rows.insert(&owner.dependent(API_SESSION, 1), &opened)?;
        let granted = service_session("z", &opened, "s");
        rows.insert(&owner.dependent(SESSION, 1), &granted)?;
        let hosted = terminator("x", "s", "r", Some(&granted));
        rows.insert(&key(TERMINATOR), &hosted)?;
        let enrollment = router_enrollment("e", "r", 1);
        let key = router_key(RecordNumber(1)).dependent(ENROLLMENT, 1);
        rows.insert(&key, &enrollment)
    })
    .unwrap();
    store
}

use super::*;
use crate::fixture::dialing::Dialing;
use portcullis_domain::policies::{ServiceGrant, ServicePolicy};

#[tokio::test]
async fn routers_hear_which_service_sessions_have_ended() {
    let dialing = Dialing::start().await;
    let (app, router) = (&dialing.fixture.app, &dialing.router);
    let dial = dialing.service_session(ServiceGrant::Dial).await;
    let bind = dialing.service_session(ServiceGrant::Bind).await;
    let [dial, bind] = [dial, bind].map(|session| session.view.session.id);
    let ids = ["unknown", dial.as_str(), bind.as_str()];
    assert_eq!(find_ended(app, router, &ids).unwrap(), [0]);
    let key = dialing.dial_policy;
    dialing.fixture.remove::<ServicePolicy>(key).await;
    assert_eq!(find_ended(app, router, &ids).unwrap(), [0, 1]);
}

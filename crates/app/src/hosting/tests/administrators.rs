use super::*;
use crate::error::{AppError, NotAllowedError};
use crate::fixture::permit;
use crate::managed;
use portcullis_domain::terminator::TerminatorSpecPatch;

#[tokio::test]
async fn administrators_change_what_a_terminator_costs_but_not_where_it_leads() {
    let hosting = Hosting::start().await;
    let (app, admin) = (hosting.app(), &hosting.network.admin);
    hosting.create(offer("t1")).await.unwrap();
    let id = TerminatorId::from_wire("t1");
    let dearer = TerminatorSpecPatch {
        cost: Some(8),
        ..TerminatorSpecPatch::default()
    };
    managed::patch::<TerminatorSpec>(app, &permit(admin), &id, dearer)
        .await
        .unwrap();
    assert_eq!(hosting.find("t1").unwrap().spec.cost, 8);
    let elsewhere = TerminatorSpecPatch {
        address: Some("tcp:elsewhere:80".to_owned()),
        ..TerminatorSpecPatch::default()
    };
    let refused = managed::patch::<TerminatorSpec>(app, &permit(admin), &id, elsewhere).await;
    assert!(matches!(
        refused,
        Err(AppError::NotAllowed(NotAllowedError::Update { .. }))
    ));
    managed::delete::<TerminatorSpec>(app, &permit(admin), &id)
        .await
        .unwrap();
    assert!(!hosting.has("t1"));
}

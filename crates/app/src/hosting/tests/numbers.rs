use super::*;
use crate::error::AppError;
use portcullis_domain::terminator::TerminatorHost;
use portcullis_storage::tables::TERMINATOR;
use tokio::task::JoinSet;

/// Adds terminators of the client at once.
async fn fill(hosting: &Hosting, count: usize) {
    let app = hosting.app();
    let (router, host) = (hosting.network.router.id().clone(), &hosting.network.client);
    let now = app.env().now();
    let all: Vec<_> = (0..count)
        .map(|number| {
            let spec = TerminatorSpec {
                host: Some(TerminatorHost {
                    identity: host.clone(),
                    session: None,
                    access_token: None,
                }),
                ..TerminatorSpec::new(ServiceId::from_wire(SERVICE), router.clone(), "a")
            };
            let id = TerminatorId::from_wire(format!("filler-{number}"));
            let key = RecordKey::root(TERMINATOR, app.next_number(TERMINATOR).0);
            (key, Terminator::new(id, spec, now).unwrap())
        })
        .collect();
    let filled = app.commit_unaudited(move |rows| {
        for (key, terminator) in &all {
            rows.insert(key, terminator)?;
        }
        Ok::<_, AppError>(())
    });
    filled.await.unwrap();
}

#[tokio::test]
async fn an_identity_has_no_more_terminators_than_it_may() {
    let hosting = Hosting::start().await;
    fill(&hosting, 9_999).await;
    hosting.create(offer("last")).await.unwrap();
    let error = hosting.create(offer("beyond")).await.unwrap_err();
    assert!(matches!(error, TerminatorError::TooMany(_)), "{error}");
    assert_eq!(error.retry_hint().number(), 3);
    hosting.create(offer("last")).await.unwrap();
}

#[tokio::test]
async fn hundreds_are_created_at_once() {
    let hosting = Hosting::start().await;
    let mut creations = JoinSet::new();
    for number in 0..300 {
        let (app, router) = (Arc::clone(hosting.app()), hosting.network.router.clone());
        let session = hosting.session.token.expose_secret().to_owned();
        let api_session = hosting.network.token().to_owned();
        creations.spawn(async move {
            let presented = PresentedSession {
                api_session: &api_session,
                service_session: &session,
            };
            create_for_client(&app, &router, presented, offer(&format!("t{number}"))).await
        });
    }
    let mut busy = 0;
    for outcome in creations.join_all().await {
        match outcome {
            Ok(()) => {},
            Err(TerminatorError::Refused(Refusal::Busy)) => busy += 1,
            Err(other) => panic!("{other}"),
        }
    }
    let listed = list_for_router(hosting.app(), &hosting.network.router).unwrap();
    assert_eq!(listed.len() + busy, 300);
    assert!(listed.len() >= 256, "{busy}");
}

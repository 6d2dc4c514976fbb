use super::*;
use crate::fixture::{Fixture, permit};

#[tokio::test]
async fn ending_a_session_that_is_gone_succeeds_and_changes_nothing() {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    let key = own_session_key(&caller);
    end(&fixture.app, &permit(&caller)).await.unwrap();
    let session: Option<ApiSession> = fixture.read(|rows| rows.get(&key).unwrap());
    assert_eq!(session, None);
    end(&fixture.app, &permit(&caller)).await.unwrap();
}

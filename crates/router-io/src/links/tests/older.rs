//! Links with routers before 1.6.6.

use super::world::{World, settings, wait_until};
use portcullis_channel::Role;

#[tokio::test]
async fn older_routers_get_a_connection_for_data_and_one_for_acknowledgments() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    first.learn("r2", "v1.5.0", second.address);
    let dialed = first.linked(2).await;
    let accepted = second.linked(2).await;
    assert_eq!(dialed.id, accepted.id);
    assert_eq!(dialed.roles, [Role::Default; 2], "two channels");
    let kinds: Vec<_> = dialed
        .connections
        .iter()
        .map(|it| it.kind.as_str())
        .collect();
    assert_eq!(kinds, ["split.payload", "split.ack"]);
}

#[tokio::test]
async fn older_routers_get_one_connection_if_the_file_says_so() {
    let world = World::new();
    let mut single = settings();
    single.dialers[0].split = false;
    let first = world.router_with("r1", single).await;
    let second = world.router("r2").await;
    first.learn("r2", "v1.5.0", second.address);
    assert_eq!(first.linked(1).await.connections[0].kind, "single");
    wait_until(|| second.used().len() == 1).await;
}

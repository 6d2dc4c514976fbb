//! Many SDKs that are connected and do nothing.

use crate::network::Network;
use crate::stalls::memory;
use portcullis_simulated_sdk::Sdk;
use std::fs;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinSet;

/// SDKs without another wish; `PORTCULLIS_IDLE_SDKS` sets any number.
const SDKS: usize = 300;
/// Memory of a connection, with its TLS session.
const MEMORY: usize = 80 * 1024;
/// Connections that are opened at a time.
const AT_A_TIME: usize = 32;

/// How many files this process and those that it starts may open.
fn files() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let soft = line.unwrap().split_whitespace().nth(3).unwrap();
    soft.parse().unwrap_or(usize::MAX)
}

#[tokio::test]
async fn idle_sdks_are_held() {
    let wished = std::env::var("PORTCULLIS_IDLE_SDKS");
    let count = wished.map_or(SDKS, |count| count.parse().expect("a number of SDKs"));
    // The router gives half of its files to SDKs, a few of which are those of others here.
    let needed = 2 * (count + 10);
    assert!(
        files() >= needed,
        "{needed} files have to be open: raise the limit with `ulimit -n`"
    );
    let mut network = Network::new(1).await;
    let mut router = network.routers[0].run();
    router.until_logged("running");
    network.controller.until_online(1).await;
    // Identities have a limited number of channels each.
    let mut people = Vec::new();
    for number in 0..count.div_ceil(1000) {
        people.push(Arc::new(
            network.controller.person(&format!("p{number}")).await,
        ));
    }
    network.others_go_on(0, 0).await;
    let before = memory(router.process());
    let start = Instant::now();
    let (address, authorities) = network.routers[0].edge();
    let mut opening = JoinSet::new();
    let mut sdks: Vec<Sdk> = Vec::with_capacity(count);
    for number in 0..count {
        if opening.len() == AT_A_TIME {
            sdks.push(opening.join_next().await.unwrap().unwrap());
        }
        let person = Arc::clone(&people[number / 1000]);
        let authorities = authorities.to_vec();
        opening.spawn(async move {
            person
                .connect((address, authorities.as_slice()))
                .await
                .unwrap()
        });
    }
    sdks.extend(opening.join_all().await);
    let grown = memory(router.process()).saturating_sub(before);
    println!(
        "{count} SDKs, {} bytes each, connected in {:.1?}",
        grown / count,
        start.elapsed()
    );
    assert!(grown / count < MEMORY, "{} bytes each", grown / count);
    network.others_go_on(0, 0).await;
    let lost = sdks.iter().filter_map(|sdk| sdk.channel.close_reason());
    assert_eq!(lost.count(), 0, "some were put off");
}

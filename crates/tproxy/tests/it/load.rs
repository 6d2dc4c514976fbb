//! Many services.

use crate::echo::{self, added, greeting, options, removed};
use crate::namespace::isolated;
use std::time::{Duration, Instant};

/// 2000 services with ten ranges of ports each.
fn rules() -> Vec<String> {
    let of_service = |service: u32| {
        (0..10).map(move |range| {
            let [_, _, high, low] = service.to_be_bytes();
            let (first, last) = (1_000 + range * 100, 1_050 + range * 100);
            match service % 4 {
                0 => format!("tcp fd64::{service:x}:0/112 {first}-{last}"),
                1 => format!("udp 100.{high}.{low}.0/24 {first}"),
                2 => format!("tcp 100.{high}.{low}.7 {first}-{last} from 192.0.2.0/24"),
                _ => format!("tcp 100.{high}.{low}.0/24 {first}-{last}"),
            }
        })
    };
    (0..2_000).flat_map(of_service).collect()
}

#[test]
fn thousands_of_services_are_loaded_and_one_changes() {
    isolated(
        "load::thousands_of_services_are_loaded_and_one_changes",
        || async {
            let rules = rules();
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            let start = Instant::now();
            let interceptor = echo::start(options(), &[]).await;
            println!("started in {:?}", start.elapsed());
            let start = Instant::now();
            interceptor.apply(added(&rules)).await.expect("is applied");
            let loaded = start.elapsed();
            println!("{} rules loaded in {loaded:?}", rules.len());
            assert!(loaded < Duration::from_secs(20), "{loaded:?}");
            assert!(
                greeting("100.0.3.200:1950")
                    .await
                    .starts_with("intercepted ")
            );

            let start = Instant::now();
            for _ in 0..10 {
                interceptor
                    .apply(removed(&["tcp 100.0.3.0/24 1900-1950"]))
                    .await
                    .expect("is applied");
                interceptor
                    .apply(added(&["tcp 100.0.3.0/24 1900-1950"]))
                    .await
                    .expect("is applied");
            }
            let change = start.elapsed() / 20;
            println!("one rule changes in {change:?}");
            assert!(change < Duration::from_secs(2), "{change:?}");
            assert!(
                greeting("100.0.3.200:1950")
                    .await
                    .starts_with("intercepted ")
            );

            let start = Instant::now();
            interceptor.stop().await;
            println!("removed in {:?}", start.elapsed());
        },
    );
}

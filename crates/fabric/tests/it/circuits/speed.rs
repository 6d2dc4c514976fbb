//! How fast circuits are made. `cargo test --release -p portcullis-fabric --test it -- --ignored
//! --nocapture speed`.

use super::stage::{Stage, terminator};
use portcullis_fabric::FabricOptions;
use std::time::Instant;

#[test]
#[ignore = "measures"]
fn speed_of_circuits() {
    let options = FabricOptions {
        max_circuits_per_router: usize::MAX,
        ..FabricOptions::default()
    };
    let mut stage = Stage::new(&["a", "b", "c"], &["ab", "bc"], options);
    stage.fabric.set_terminator(terminator("t", "c"));
    let ids: Vec<_> = (0..100_000).map(|number| format!("c{number}")).collect();
    let started = Instant::now();
    for id in &ids {
        stage.dial("a", id);
        stage.confirm();
        stage.actions();
        stage.events();
    }
    let took = started.elapsed();
    assert_eq!(stage.fabric.circuits().count(), ids.len());
    println!("{} circuits over three routers in {took:?}", ids.len());

    let started = Instant::now();
    stage.lose_link("bc");
    println!("all of them lose their path in {:?}", started.elapsed());
    let started = Instant::now();
    stage.fabric.retain_circuits(|_, _| false);
    println!("all of them end in {:?}", started.elapsed());
}

//! A router that subscribes, gets changes, is away for a while and returns.
//!
//! `cargo run -p portcullis-data-model --example one_router`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use portcullis_data_model::{Change, DataModel, Entity, Moment, NotRising, Options, Update};
use portcullis_wire::control::data_model::{Service, Subscription};

fn main() -> Result<(), NotRising> {
    let now = Moment::ZERO;
    let options = Options {
        max_change_sets: 2,
        ..Options::default()
    };
    let mut model = DataModel::new(options, ("timeline".to_owned(), 0), [], []);
    model.commit(1, [service("wiki")])?;

    println!("A router without a model subscribes:");
    let session = model.connect("paris".to_owned(), now);
    model.subscribe(session, &subscription("first", 0), now);
    print_updates(&mut model, now);
    println!("The store goes on:");
    model.commit(4, [service("mail")])?;
    print_updates(&mut model, now);
    model.disconnect(session);

    println!("It returns after one change:");
    model.commit(5, [service("chat")])?;
    let session = model.connect("paris".to_owned(), now);
    model.subscribe(session, &subscription("second", 4), now);
    print_updates(&mut model, now);
    model.disconnect(session);

    println!("It returns after more changes than are kept:");
    for index in 6..10 {
        model.commit(index, [service(&format!("service-{index}"))])?;
    }
    let session = model.connect("paris".to_owned(), now);
    model.subscribe(session, &subscription("third", 5), now);
    print_updates(&mut model, now);
    Ok(())
}

fn service(id: &str) -> Change {
    Change::Set(Entity::Service(Service {
        id: id.to_owned(),
        name: id.to_owned(),
        ..Service::default()
    }))
}

fn subscription(id: &str, current_index: u64) -> Subscription {
    Subscription {
        current_index,
        duration_seconds: 300,
        timeline_id: "timeline".to_owned(),
        subscription_id: id.to_owned(),
        ..Subscription::default()
    }
}

fn print_updates(model: &mut DataModel, now: Moment) {
    while let Some((session, update)) = model.poll_update(now) {
        match update {
            Update::State { state, .. } => {
                let state = state.to_message();
                println!(
                    "  the whole state at {}: {} events",
                    state.end_index,
                    state.events.len()
                );
            },
            Update::Changes { changes, .. } => println!(
                "  the changes from {} to {}: {} events",
                changes.previous_index,
                changes.index,
                changes.events.len()
            ),
            Update::Index(index) => println!("  the model is at {}", index.index),
        }
        model.written(session);
    }
}

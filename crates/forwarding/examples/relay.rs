//! A router between two links: each connection is a thread that forwards what it reads.

use portcullis_channel::Moment;
use portcullis_forwarding::{Activity, Faults, Forwarder, ForwardingOptions, Hop};
use portcullis_wire::control::route::{DestinationKind, Forward, Route};
use std::error::Error;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread;

/// A payload as it was read: it is passed on unchanged.
type Payload = &'static str;

struct Router {
    forwarder: RwLock<Forwarder<&'static str, SyncSender<Payload>>>,
    faults: Mutex<Faults<&'static str>>,
}

impl Router {
    /// What the reader of a link does with each payload.
    fn forward(&self, circuit: &str, from: Hop, payload: Payload, now: Moment) {
        let forwarder = self
            .forwarder
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Ok(queue) = forwarder.forward(circuit, from, Activity::Shown, now) {
            // A full queue drops it; the end that sent it sends it again.
            let _full = queue.try_send(payload);
            return;
        }
        let owner = forwarder.owner(circuit).copied();
        drop(forwarder);
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.add(circuit, owner.as_ref(), now);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = ForwardingOptions::default();
    let mut forwarder = Forwarder::new(options);
    let (to_first, _first) = sync_channel(128);
    let (to_second, second) = sync_channel(128);
    let (first_link, _) = forwarder.attach("link 1", to_first);
    let (second_link, _) = forwarder.attach("link 2", to_second);
    let forward = |from: &str, to: &str| Forward {
        source: from.to_owned(),
        destination: to.to_owned(),
        destination_kind: DestinationKind::Link,
    };
    let route = Route {
        circuit_id: "circuit".to_owned(),
        forwards: vec![forward("link 1", "link 2"), forward("link 2", "link 1")],
        ..Route::default()
    };
    forwarder.route(&route, &"controller", Moment::ZERO)?;

    let router = Router {
        forwarder: RwLock::new(forwarder),
        faults: Mutex::new(Faults::new(&options)),
    };
    thread::scope(|scope| {
        scope.spawn(|| router.forward("circuit", first_link, "payload", Moment::ZERO));
        scope.spawn(|| router.forward("unknown", second_link, "payload", Moment::ZERO));
    });
    assert_eq!(second.try_recv(), Ok("payload"));
    let faults = router.faults.into_inner()?;
    assert!(faults.poll_timeout().is_some());
    Ok(())
}

use super::*;
use bytes::Bytes;
use portcullis_channel::Moment;
use std::time::Duration;

mod model;

fn key(client: u8, port: u16) -> FlowKey {
    FlowKey {
        client: ([192, 0, 2, client], port).into(),
        destination: "100.64.0.2:53".parse().unwrap(),
    }
}

fn at(seconds: u64) -> Moment {
    Moment::ZERO + Duration::from_secs(seconds)
}

fn small() -> FlowOptions {
    FlowOptions {
        max_flows: 4,
        max_flows_of_client: 3,
        max_waiting_of_flow: 2,
        max_waiting_bytes_of_flow: 10,
        max_waiting_bytes: 15,
        ..FlowOptions::default()
    }
}

/// Begins a flow, and says which one it displaces.
fn dial(flows: &mut FlowTable<u32>, key: FlowKey, now: Moment) -> (FlowId, Option<FlowKey>) {
    match flows.receive(key, Bytes::new(), now) {
        Received::Dial { flow, displaced } => (flow, displaced.map(|ended| ended.id.key())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_waited_is_handed_over_whole_and_in_order() {
    let mut flows = FlowTable::new(FlowOptions::default());
    let (flow, _) = dial(&mut flows, key(1, 1), at(0));
    for datagram in ["one", "", "three"] {
        let received = flows.receive(key(1, 1), datagram.into(), at(1));
        assert_eq!(received, Received::Waits);
    }
    assert_eq!(flows.waiting_bytes(), 8);
    let waiting = flows.opened(flow, 7, at(2)).unwrap();
    assert_eq!(waiting, ["", "one", "", "three"]);
    assert_eq!(flows.waiting_bytes(), 0);
    assert_eq!(flows.circuit(flow), Some(&7));
    assert_eq!(flows.opened(flow, 8, at(2)), Err(8), "it has one");
}

#[test]
fn what_there_is_no_room_for_is_dropped() {
    let mut flows = FlowTable::<u32>::new(small());
    let mut receive = |client, length: usize| {
        let received = flows.receive(key(client, 1), vec![0; length].into(), at(0));
        match received {
            Received::Dial { .. } | Received::Waits => None,
            Received::Dropped(reason) => Some(reason),
            Received::Forward { .. } => panic!("nothing is open"),
        }
    };
    for (client, length, dropped) in [
        (1, 11, Some(DropReason::FlowFull)),
        (1, 6, None),
        (1, 5, Some(DropReason::FlowFull)),
        (1, 4, None),
        (1, 0, Some(DropReason::FlowFull)),
        (2, 6, Some(DropReason::WaitingFull)),
        (2, 5, None),
        (2, 1, Some(DropReason::WaitingFull)),
        (3, 0, None),
    ] {
        assert_eq!(receive(client, length), dropped, "{length} of {client}");
    }
    assert_eq!((flows.len(), flows.waiting_bytes()), (3, 15));
}

#[test]
fn flows_end_when_nothing_has_come_in_either_direction() {
    let mut flows = FlowTable::new(FlowOptions::default());
    let (first, _) = dial(&mut flows, key(1, 1), at(0));
    let (second, _) = dial(&mut flows, key(1, 2), at(0));
    assert_eq!(flows.poll_timeout(), Some(at(300)));
    flows.opened(first, 1, at(0)).unwrap();
    assert!(flows.answered(first, at(200)));
    assert!(!flows.answered(second, at(200)), "nothing is open");

    let ended = flows.handle_timeout(at(300)).unwrap();
    assert_eq!((ended.id, ended.circuit), (second, None));
    assert_eq!(flows.handle_timeout(at(499)), None);
    assert_eq!(flows.poll_timeout(), Some(at(500)));
    let ended = flows.handle_timeout(at(500)).unwrap();
    assert_eq!((ended.id, ended.circuit), (first, Some(1)));
    assert_eq!((flows.poll_timeout(), flows.is_empty()), (None, true));
    assert!(!flows.answered(first, at(500)));
    assert_eq!(flows.opened(second, 2, at(500)), Err(2), "it is too late");
}

#[test]
fn a_flow_may_have_a_shorter_time() {
    let mut flows = FlowTable::<u32>::new(FlowOptions::default());
    let (flow, _) = dial(&mut flows, key(1, 1), at(0));
    flows.set_idle_timeout(flow, Duration::from_secs(10));
    assert_eq!(flows.poll_timeout(), Some(at(10)));
    assert!(flows.handle_timeout(at(10)).is_some());
}

#[test]
fn a_circuit_that_cannot_be_dialed_is_not_dialed_for_each_datagram() {
    let mut flows = FlowTable::<u32>::new(FlowOptions::default());
    let (flow, _) = dial(&mut flows, key(1, 1), at(0));
    let again = flows.receive(key(1, 1), "again".into(), at(1));
    assert_eq!(again, Received::Waits);
    flows.failed(flow, at(10));
    assert_eq!(flows.waiting_bytes(), 0);
    let dropped = Received::Dropped(DropReason::DialFailed);
    assert_eq!(flows.receive(key(1, 1), Bytes::new(), at(10)), dropped);
    assert_eq!(flows.poll_timeout(), Some(at(11)));

    let (later, _) = dial(&mut flows, key(1, 1), at(11));
    assert_ne!(later, flow);
    flows.failed(flow, at(11));
    assert!(flows.opened(later, 1, at(11)).is_ok(), "it is another flow");

    let (other, _) = dial(&mut flows, key(1, 2), at(11));
    flows.failed(other, at(11));
    assert_eq!(flows.handle_timeout(at(12)), None, "nobody is to be told");
    assert_eq!(flows.len(), 1);
}

#[test]
fn a_client_displaces_its_own_flows() {
    let mut flows = FlowTable::new(small());
    for port in 1..=3 {
        assert_eq!(dial(&mut flows, key(1, port), at(0)).1, None);
    }
    let received = flows.receive(key(1, 1), Bytes::new(), at(1));
    assert_eq!(received, Received::Waits);
    assert_eq!(dial(&mut flows, key(1, 4), at(2)).1, Some(key(1, 2)));
    assert_eq!(flows.len(), 3);
}

#[test]
fn the_client_with_the_most_flows_gives_way() {
    let mut flows = FlowTable::new(small());
    for port in 1..=3 {
        dial(&mut flows, key(1, port), at(0));
    }
    assert_eq!(dial(&mut flows, key(2, 1), at(1)).1, None);
    assert_eq!(dial(&mut flows, key(3, 1), at(2)).1, Some(key(1, 1)));
    // Two, one and one: none has two more than the others.
    assert_eq!(dial(&mut flows, key(2, 2), at(3)).1, Some(key(2, 1)));
    assert_eq!(dial(&mut flows, key(4, 1), at(4)).1, Some(key(1, 2)));
    // One each: nobody loses the last one.
    let refused = flows.receive(key(5, 1), Bytes::new(), at(5));
    assert_eq!(refused, Received::Dropped(DropReason::TableFull));
}

#[test]
fn clients_are_known_by_their_address_in_either_form() {
    let mut flows = FlowTable::new(FlowOptions {
        max_flows_of_client: 1,
        ..FlowOptions::default()
    });
    dial(&mut flows, key(1, 1), at(0));
    let mapped = FlowKey {
        client: "[::ffff:192.0.2.1]:2".parse().unwrap(),
        ..key(1, 1)
    };
    assert_eq!(dial(&mut flows, mapped, at(0)).1, Some(key(1, 1)));
}

#[test]
fn flows_that_are_meant_end() {
    let mut flows = FlowTable::new(FlowOptions::default());
    let (first, _) = dial(&mut flows, key(1, 1), at(0));
    let (second, _) = dial(&mut flows, key(1, 2), at(0));
    flows.opened(first, 1, at(0)).unwrap();
    let ended = flows.end_where(|_, circuit| circuit == Some(&1));
    assert_eq!(
        ended,
        [EndedFlow {
            id: first,
            circuit: Some(1),
        }]
    );
    assert_eq!(flows.end(first), None);
    assert_eq!(flows.end(second).map(|ended| ended.circuit), Some(None));
    assert_eq!((flows.len(), flows.poll_timeout()), (0, None));
}

/// What a datagram costs must not grow with the number of flows. What is counted is how often flows are looked
/// at when time goes by: once for each that ends, and once for each that was used since its timer was set.
#[test]
fn ten_thousand_flows_are_looked_at_when_their_time_has_come() {
    let mut flows = FlowTable::new(FlowOptions::default());
    let keys = || (0..10_000_u16).map(|port| key(u8::try_from(port % 200).unwrap(), port));
    for key in keys() {
        let (flow, _) = dial(&mut flows, key, at(0));
        flows
            .opened(flow, u32::from(key.client.port()), at(0))
            .unwrap();
    }
    for round in 1..=20 {
        for key in keys() {
            let received = flows.receive(key, Bytes::new(), at(round));
            assert!(matches!(received, Received::Forward { .. }));
        }
        // Nothing is due, so nothing is looked at.
        assert_eq!(flows.handle_timeout(at(round)), None);
        assert_eq!(flows.poll_timeout(), Some(at(300)));
    }
    assert_eq!(flows.handle_timeout(at(300)), None);
    assert_eq!(flows.poll_timeout(), Some(at(320)));
    let mut ended = 0;
    while flows.handle_timeout(at(320)).is_some() {
        ended += 1;
    }
    assert_eq!((ended, flows.len()), (10_000, 0));
}

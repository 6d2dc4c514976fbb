use super::*;
use portcullis_domain::ids::RecordNumber;
use proptest::prelude::*;
use std::time::Duration;

fn at(last: u8) -> Peer {
    Peer::from_address([192, 0, 2, last].into())
}

fn drain(queue: &mut FairQueue<(u8, u32)>) -> Vec<(u8, u32)> {
    std::iter::from_fn(|| queue.pop()).collect()
}

/// Queues jobs `0..count` of a peer; returns the rejected ones.
fn fill(queue: &mut FairQueue<(u8, u32)>, lane: Lane, peer: u8, count: u32) -> Vec<(u8, u32)> {
    (0..count)
        .filter_map(|number| queue.push(lane, at(peer), (peer, number), Instant::now()))
        .collect()
}

#[test]
fn one_peer_takes_half_of_the_places_and_no_more() {
    let mut queue = FairQueue::new(8);
    let refused = fill(&mut queue, Lane::Unknown, 1, 6);
    assert_eq!(refused, [(1, 4), (1, 5)]);
    assert_eq!(fill(&mut queue, Lane::Unknown, 2, 4), []);
}

#[test]
fn peers_take_turns() {
    let mut queue = FairQueue::new(8);
    assert_eq!(fill(&mut queue, Lane::Unknown, 1, 4), []);
    assert_eq!(fill(&mut queue, Lane::Unknown, 2, 1), []);
    assert_eq!(
        drain(&mut queue),
        [(1, 0), (2, 0), (1, 1), (1, 2), (1, 3)],
        "the second peer waits for one job of the first"
    );
}

#[test]
fn the_longest_backlog_loses_its_newest_job_to_a_newcomer() {
    let mut queue = FairQueue::new(8);
    assert_eq!(fill(&mut queue, Lane::Unknown, 1, 4), []);
    assert_eq!(fill(&mut queue, Lane::Unknown, 2, 4), []);
    // Either of two equal peers may lose.
    assert_eq!(fill(&mut queue, Lane::Unknown, 3, 1), [(2, 3)]);
    assert_eq!(fill(&mut queue, Lane::Unknown, 4, 1), [(1, 3)]);
    assert_eq!(drain(&mut queue).len(), 8);
}

#[test]
fn of_those_who_come_once_the_first_keep_their_places() {
    let mut queue = FairQueue::new(2);
    assert_eq!(fill(&mut queue, Lane::Unknown, 1, 1), []);
    assert_eq!(fill(&mut queue, Lane::Unknown, 2, 1), []);
    assert_eq!(fill(&mut queue, Lane::Unknown, 3, 1), [(3, 0)]);
    assert_eq!(drain(&mut queue), [(1, 0), (2, 0)]);
}

#[test]
fn whoever_comes_once_takes_the_place_of_one_who_retries() {
    let mut queue = FairQueue::new(2);
    for number in 0..3 {
        assert_eq!(
            queue.push(Lane::Unknown, at(1), (1, number), Instant::now()),
            None
        );
        assert_eq!(queue.pop(), Some((1, number)));
    }
    assert_eq!(fill(&mut queue, Lane::Unknown, 1, 1), []);
    assert_eq!(fill(&mut queue, Lane::Unknown, 2, 1), []);
    assert_eq!(fill(&mut queue, Lane::Unknown, 3, 1), [(1, 0)]);
    assert_eq!(drain(&mut queue), [(2, 0), (3, 0)]);
}

/// Each member of a crowd retries as soon as it is answered. The crowd has twice as many peers as
/// there are places; a hash takes 10 ms.
#[test]
fn a_crowd_that_retries_keeps_no_newcomer_out() {
    const ROOM: usize = 128;
    let mut queue = FairQueue::new(ROOM);
    let begin = Instant::now();
    let address = |number: u32| {
        Peer::from_address(std::net::Ipv4Addr::from_bits(0x0a00_0000 + number).into())
    };
    let mut outside: VecDeque<u32> = (0..260).collect();
    let (mut served, mut came) = (0, 0);
    for tick in 0..6000 {
        let now = begin + Duration::from_millis(10) * tick;
        // A new peer arrives once a second.
        if tick % 100 == 99 {
            came += 1;
            let newcomer = 1000 + tick;
            outside.extend(queue.push(Lane::Unknown, address(newcomer), newcomer, now));
        }
        for _ in 0..outside.len() {
            let number = outside.pop_front().unwrap();
            if number < 1000 {
                outside.extend(queue.push(Lane::Unknown, address(number), number, now));
            }
        }
        match queue.pop() {
            Some(number) if number < 1000 => outside.push_back(number),
            Some(_) => served += 1,
            None => {},
        }
    }
    // Those of the last turns are still queued.
    assert!(came == 60 && served >= 58, "{served} of {came}");
}

#[test]
fn strangers_keep_no_trusted_peer_out() {
    let mut queue = FairQueue::new(4);
    for peer in 10..200 {
        let _refused = fill(&mut queue, Lane::Unknown, peer, 1);
    }
    assert_eq!(fill(&mut queue, Lane::Trusted, 1, 2), []);
    let order: Vec<u8> = drain(&mut queue)
        .into_iter()
        .map(|(peer, _)| peer)
        .collect();
    assert_eq!(order, [1, 10, 1, 11, 12, 13]);
}

#[test]
fn a_queue_with_one_place_has_it_for_everybody() {
    let mut queue = FairQueue::new(1);
    assert_eq!(fill(&mut queue, Lane::Unknown, 1, 2), [(1, 1)]);
    assert_eq!(fill(&mut queue, Lane::Unknown, 2, 1), [(1, 0)]);
    let session = Peer::Identity(RecordNumber(1));
    assert_eq!(
        queue.push(Lane::Trusted, session, (0, 0), Instant::now()),
        None
    );
    assert_eq!(drain(&mut queue), [(0, 0), (2, 0)]);
}

proptest! {
    /// Every job is served or rejected exactly once, limits hold, and nobody is rejected while a
    /// heavier peer has a place.
    #[test]
    fn nothing_is_lost_and_nobody_has_too_much(
        steps in prop::collection::vec((any::<bool>(), any::<bool>(), 0_u8..6), 1..200),
        room in 1_usize..12,
    ) {
        let mut queue = FairQueue::new(room);
        let (mut pushed, mut gone, now) = (0_u32, Vec::new(), Instant::now());
        for (is_push, is_trusted, peer) in steps {
            if !is_push {
                gone.extend(queue.pop());
                continue;
            }
            let lane = if is_trusted { Lane::Trusted } else { Lane::Unknown };
            let job = (peer, pushed);
            pushed += 1;
            let turned_away = queue.push(lane, at(peer), job, now);
            let Backlog { usage, weights, attempts, .. } = queue.backlog(lane);
            prop_assert!(usage.total() <= room);
            let heaviest = usage.heaviest().map_or(0, |(_, amount)| amount);
            prop_assert!(heaviest <= (room / 2).max(1));
            if turned_away == Some(job) {
                let own = usage.get(at(peer));
                let weight = own + 1 + attempts.count(at(peer));
                let most = weights.heaviest().map_or(0, |(_, most)| most);
                prop_assert!(own >= (room / 2).max(1) || most <= weight);
            }
            gone.extend(turned_away);
        }
        gone.extend(drain(&mut queue));
        gone.sort_unstable_by_key(|&(_, number)| number);
        let numbers: Vec<u32> = gone.into_iter().map(|(_, number)| number).collect();
        prop_assert_eq!(numbers, (0..pushed).collect::<Vec<_>>());
    }
}

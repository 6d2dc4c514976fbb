//! Work for a few workers.

use portcullis_forwarding::{QueueFull, WorkQueue};

#[test]
fn work_that_does_not_fit_is_given_back() {
    let mut queue = WorkQueue::new(2, 2);
    for work in 1..=2 {
        queue.push(work).unwrap();
        assert_eq!(queue.start(), Some(work));
    }
    queue.push(3).unwrap();
    queue.push(4).unwrap();
    assert_eq!(queue.push(5), Err(QueueFull(5)));
    assert_eq!(queue.start(), None);
    assert_eq!((queue.working(), queue.waiting()), (2, 2));
    queue.finish();
    assert_eq!(queue.start(), Some(3));
    queue.push(5).unwrap();
}

#[test]
fn idle_workers_are_room() {
    let mut queue = WorkQueue::new(1, 3);
    for work in 1..=4 {
        queue.push(work).unwrap();
    }
    assert_eq!(queue.push(5), Err(QueueFull(5)));
    while queue.start().is_some() {}
    assert_eq!((queue.working(), queue.waiting()), (3, 1));
    assert_eq!(queue.push(5), Err(QueueFull(5)));
    let mut queue = WorkQueue::new(0, 0);
    queue.push(1).unwrap();
    assert_eq!(queue.start(), Some(1));
    queue.finish();
    queue.finish();
    assert_eq!(queue.working(), 0);
}

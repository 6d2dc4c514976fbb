//! Work that is done by a few at a time.

use std::collections::VecDeque;

/// Work that waits for workers, such as dials of services or links. What there is no room for is refused
/// at once, so that whoever asked for it can be told: OpenZiti drops such routes, and controllers wait.
#[derive(Debug)]
pub struct WorkQueue<T> {
    limit: usize,
    workers: usize,
    working: usize,
    waiting: VecDeque<T>,
}

/// Work that was refused, and is given back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the queue is full")]
pub struct QueueFull<T>(pub T);

impl<T> WorkQueue<T> {
    /// A queue in which `limit` may wait, with as many `workers`, both at least one.
    pub fn new(limit: usize, workers: usize) -> Self {
        Self {
            limit: limit.max(1),
            workers: workers.max(1),
            working: 0,
            waiting: VecDeque::new(),
        }
    }

    /// Accepts work while fewer than `limit` would wait once idle workers have taken theirs.
    pub fn push(&mut self, work: T) -> Result<(), QueueFull<T>> {
        let idle = self.workers - self.working;
        if self.waiting.len() >= self.limit.saturating_add(idle) {
            return Err(QueueFull(work));
        }
        self.waiting.push_back(work);
        Ok(())
    }

    /// Work to be begun now. [`finish`](Self::finish) has to follow when it is done.
    pub fn start(&mut self) -> Option<T> {
        if self.working >= self.workers {
            return None;
        }
        let work = self.waiting.pop_front()?;
        self.working += 1;
        Some(work)
    }

    /// Work that was begun is done, in whatever way.
    pub const fn finish(&mut self) {
        self.working = self.working.saturating_sub(1);
    }

    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub const fn working(&self) -> usize {
        self.working
    }
}

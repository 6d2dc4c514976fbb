//! Which upstreams answer, and in which order they are asked.

use crate::event::NameServerEvent;
use crate::options::UpstreamOrder;
use crate::upstream::Upstream;
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use std::collections::VecDeque;

/// Silences in a row after which an upstream is asked last.
const AWAY_AFTER: u32 = 3;

#[derive(Debug)]
pub(crate) struct Upstreams {
    order: UpstreamOrder,
    all: Vec<Known>,
    /// The one that answered last.
    last_answered: usize,
}

#[derive(Debug)]
struct Known {
    upstream: Upstream,
    silences: u32,
}

impl Upstreams {
    pub(crate) fn new(upstreams: &[Upstream], order: UpstreamOrder) -> Self {
        let known = |upstream: &Upstream| Known {
            upstream: *upstream,
            silences: 0,
        };
        Self {
            order,
            all: upstreams.iter().map(known).collect(),
            last_answered: 0,
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn get(&self, index: usize) -> Option<Upstream> {
        self.all.get(index).map(|known| known.upstream)
    }

    /// How many are asked at a time.
    pub(crate) const fn at_a_time(&self) -> usize {
        match self.order {
            UpstreamOrder::Parallel => usize::MAX,
            UpstreamOrder::Serial | UpstreamOrder::Failover | UpstreamOrder::Random => 1,
        }
    }

    /// In which order they are asked. Those that are away come last: somebody has to find out that they are back.
    pub(crate) fn order(&self, entropy: &dyn Entropy) -> Result<VecDeque<usize>, EntropyError> {
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        match self.order {
            UpstreamOrder::Parallel | UpstreamOrder::Serial => {},
            UpstreamOrder::Failover => order.rotate_left(self.last_answered),
            UpstreamOrder::Random => shuffle(&mut order, entropy)?,
        }
        order.sort_by_key(|index| self.is_away(*index));
        Ok(order.into())
    }

    fn is_away(&self, index: usize) -> bool {
        let known = self.all.get(index);
        known.is_some_and(|known| known.silences >= AWAY_AFTER)
    }

    pub(crate) fn answered(&mut self, index: usize) -> Option<NameServerEvent> {
        let was_away = self.is_away(index);
        let known = self.all.get_mut(index)?;
        known.silences = 0;
        self.last_answered = index;
        was_away.then_some(NameServerEvent::UpstreamBack(known.upstream))
    }

    /// It answered, but that it cannot.
    pub(crate) fn failed(&mut self, index: usize) -> Option<NameServerEvent> {
        let last_answered = self.last_answered;
        let event = self.answered(index);
        self.last_answered = last_answered;
        event
    }

    pub(crate) fn was_silent(&mut self, index: usize) -> Option<NameServerEvent> {
        let known = self.all.get_mut(index)?;
        known.silences = known.silences.saturating_add(1);
        (known.silences == AWAY_AFTER).then_some(NameServerEvent::UpstreamAway(known.upstream))
    }
}

/// Fisher and Yates. That the first places are a little likelier does not matter here.
fn shuffle(order: &mut [usize], entropy: &dyn Entropy) -> Result<(), EntropyError> {
    for last in (1..order.len()).rev() {
        let drawn = usize::from(u16::from_le_bytes(entropy::bytes(entropy)?));
        order.swap(last, drawn % (last + 1));
    }
    Ok(())
}

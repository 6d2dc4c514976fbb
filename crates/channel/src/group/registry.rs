//! The listener's side of groups: registry of groups and their channels.
//!
//! | A hello that | results in |
//! |---|---|
//! | is not grouped | a channel of its own |
//! | names a group with an open channel, and presents its secret | one more connection of that channel |
//! | names such a group and presents another secret, or none | closing the connection |
//! | names a group whose channel is being opened | waiting for that, one second at most |
//! | names an unknown group, and founds one | a reservation, so that a second connection finds the group |
//! | names an unknown group, and does not found one | closing the connection without an answer |
//!
//! A dialer keeps its id and secret for its lifetime, so both are accepted as they are; the listener
//! generates whichever is missing.

mod admission;
mod table;
mod wait_queue;

pub use admission::{
    Admission, AdmissionTicket, Attachment, Decision, GeneratedCredentials, RefusalReason,
    Registration, Reservation, ReservationExpiredError,
};

use super::{ChannelGrant, GroupId, GroupSecret};
use crate::hello::{GroupHello, Grouping, Hello};
use crate::time::Moment;
use std::collections::VecDeque;
use std::time::Duration;
use table::{GroupEntry, GroupKey, GroupTable};
use wait_queue::WaitQueue;

/// Limits of a registry. Worst-case memory is proportional to the number of verified peers, times
/// `groups_per_peer`, times what `waiting_per_group` adds to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupLimits {
    /// Maximum number of groups of one peer, including reservations.
    pub groups_per_peer: usize,
    /// Maximum number of connections that wait for one reservation.
    pub waiting_per_group: usize,
    /// How long a connection waits for a reservation.
    pub waiting_time: Duration,
    /// How long a reservation is valid: the time for all checks before a channel is opened.
    pub reservation_time: Duration,
}

impl Default for GroupLimits {
    fn default() -> Self {
        Self {
            groups_per_peer: 1024,
            waiting_per_group: 16,
            waiting_time: Duration::from_secs(1),
            reservation_time: Duration::from_secs(30),
        }
    }
}

/// Registry of the groups of a listener.
///
/// `P` identifies a peer as verified for the connection at hand: what a certificate proved, never
/// what a hello says. A group is only found by the peer that founded it and under the same hello
/// id, so nobody can join, squat on or even discover the groups of others, whatever they know. `C`
/// is the caller's identifier of channels.
///
/// ```text
/// admit --> Admission::New(reservation)  --> open(reservation, channel) or abandon(reservation)
///       --> Admission::Attach(attachment)
///       --> Admission::Wait(ticket)      --> poll_decision()
///       --> Admission::Refuse(refusal)
/// ```
#[derive(Debug)]
pub struct GroupRegistry<P, C> {
    limits: GroupLimits,
    table: GroupTable<P, C>,
    waiting: WaitQueue<P>,
    decisions: VecDeque<(AdmissionTicket, Decision<C>)>,
}

impl<P: Ord + Clone, C: Clone> GroupRegistry<P, C> {
    /// Creates an empty registry.
    pub const fn new(limits: GroupLimits) -> Self {
        Self {
            limits,
            table: GroupTable::new(),
            waiting: WaitQueue::new(),
            decisions: VecDeque::new(),
        }
    }

    /// Determines which channel a connection of a verified peer belongs to.
    ///
    /// `generated` is for groups whose dialer brought no id or secret of its own.
    pub fn admit(
        &mut self,
        peer: &P,
        hello: &Hello,
        generated: GeneratedCredentials,
        now: Moment,
    ) -> Admission<P, C> {
        let Grouping::Grouped(group) = &hello.grouping else {
            return Admission::New(Reservation::ungrouped(generated.id));
        };
        let key = GroupKey {
            peer: peer.clone(),
            hello: hello.id.clone(),
            group: group.id.clone().unwrap_or(generated.id),
        };
        match self.table.get(&key) {
            Some(entry) if group.secret.as_ref() != Some(entry.secret()) => {
                Admission::Refuse(RefusalReason::WrongSecret)
            },
            Some(GroupEntry::Open {
                channel, secret, ..
            }) => Admission::Attach(Attachment {
                channel: channel.clone(),
                grant: ChannelGrant::grouped(key.group, secret.clone()),
            }),
            Some(GroupEntry::Reserved { .. }) => self.enqueue(key, now),
            None => self.create_group(key, group, generated.secret, now),
        }
    }

    /// Turns a reservation into a group, and admits connections that have waited for it.
    ///
    /// An error means that it took too long: the group may belong to somebody else by now.
    pub fn open(
        &mut self,
        reservation: Reservation<P>,
        channel: C,
    ) -> Result<Registration<P>, ReservationExpiredError> {
        let (member, grant) = reservation.into_parts();
        if let Some((key, number)) = &member.slot {
            self.table
                .open(key, *number, channel.clone())
                .ok_or(ReservationExpiredError)?;
            for ticket in self.waiting.drain_group(key) {
                let attachment = Attachment {
                    channel: channel.clone(),
                    grant: grant.clone(),
                };
                self.decisions
                    .push_back((ticket, Decision::Attach(attachment)));
            }
        }
        Ok(member)
    }

    /// Cancels a reservation: the founding connection is gone or rejected.
    pub fn abandon(&mut self, reservation: Reservation<P>) {
        self.close(reservation.into_parts().0);
    }

    /// Removes a group whose channel is closed. A later group of the same id is not affected.
    pub fn close(&mut self, member: Registration<P>) {
        if let Some((key, number)) = member.slot
            && self.table.remove(&key, number)
        {
            self.refuse_all_waiting(&key);
        }
    }

    /// Removes a connection that no longer waits.
    pub fn withdraw(&mut self, ticket: AdmissionTicket) {
        self.waiting.remove(ticket);
        self.decisions.retain(|(decided, _)| *decided != ticket);
    }

    /// The next decision about a waiting connection.
    pub fn poll_decision(&mut self) -> Option<(AdmissionTicket, Decision<C>)> {
        self.decisions.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        let first = self.table.next_deadline().into_iter();
        first.chain(self.waiting.next_deadline()).min()
    }

    /// Ends expired reservations and waits.
    pub fn handle_timeout(&mut self, now: Moment) {
        while let Some(ticket) = self.waiting.pop_expired(now) {
            let refusal = Decision::Refuse(RefusalReason::UnknownGroup);
            self.decisions.push_back((ticket, refusal));
        }
        while let Some(key) = self.table.pop_expired(now) {
            self.refuse_all_waiting(&key);
        }
    }

    fn enqueue(&mut self, key: GroupKey<P>, now: Moment) -> Admission<P, C> {
        if self.waiting.count(&key) >= self.limits.waiting_per_group {
            return Admission::Refuse(RefusalReason::TooManyWaiting);
        }
        Admission::Wait(self.waiting.insert(key, now + self.limits.waiting_time))
    }

    fn create_group(
        &mut self,
        key: GroupKey<P>,
        hello: &GroupHello,
        generated: GroupSecret,
        now: Moment,
    ) -> Admission<P, C> {
        if !hello.is_first {
            return Admission::Refuse(RefusalReason::UnknownGroup);
        }
        if self.table.count_groups(&key.peer) >= self.limits.groups_per_peer {
            return Admission::Refuse(RefusalReason::TooManyGroups);
        }
        let secret = hello.secret.clone().unwrap_or(generated);
        let grant = ChannelGrant::grouped(key.group.clone(), secret.clone());
        let deadline = now + self.limits.reservation_time;
        let number = self.table.reserve(key.clone(), secret, deadline);
        Admission::New(Reservation::grouped(key, number, grant))
    }

    fn refuse_all_waiting(&mut self, key: &GroupKey<P>) {
        for ticket in self.waiting.drain_group(key) {
            let refusal = Decision::Refuse(RefusalReason::UnknownGroup);
            self.decisions.push_back((ticket, refusal));
        }
    }
}

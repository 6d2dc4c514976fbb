//! The listener's side: which connection belongs to which channel.
//!
//! | A hello that | leads to |
//! |---|---|
//! | is not grouped | a channel of its own |
//! | names a group with an open channel, and shows its secret | one more connection of that channel |
//! | names such a group and shows another secret, or none | the end of the connection |
//! | names a group whose channel is being made | waiting for that, one second at most |
//! | names no such group, and founds one | a reservation, so that a second connection finds the group |
//! | names no such group, and does not found one | the end of the connection, without an answer |
//!
//! A dialer keeps its id and secret for as long as it lives, so both are taken as they come; where one is
//! missing, the listener gives it.

mod admission;
mod table;
mod waiting;

pub use admission::{
    Admission, Attachment, Decision, Fresh, Member, Refusal, Reservation, ReservationExpired,
    Ticket,
};

use super::{Grant, GroupId, GroupSecret};
use crate::hello::{GroupHello, Grouping, Hello};
use crate::time::Moment;
use std::collections::VecDeque;
use std::time::Duration;
use table::{Entry, Key, Table};
use waiting::Waiting;

/// What a registry of groups may hold. Worst-case memory is proportional to the number of peers that
/// were verified, times `groups_per_peer`, times what `waiting_per_group` adds to each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupLimits {
    /// Groups of one peer, reservations included.
    pub groups_per_peer: usize,
    /// Connections that wait for one reservation.
    pub waiting_per_group: usize,
    /// How long a connection waits for a reservation.
    pub waiting_time: Duration,
    /// How long a reservation holds: the time for whatever is done before a channel is opened.
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

/// The groups that a listener knows.
///
/// `P` says who a peer is, as it was verified for the connection at hand: what a certificate proved, never
/// what a hello says. A group is only ever found by the peer that founded it and under the same hello id.
/// So nobody joins, squats on or even learns of a group of others, whatever they know. `C` is what the
/// caller calls its channels.
///
/// ```text
/// admit --> Admission::New(reservation)  --> open(reservation, channel) or abandon(reservation)
///       --> Admission::Attach(attachment)
///       --> Admission::Wait(ticket)      --> poll_decision()
///       --> Admission::Refuse(refusal)
/// ```
#[derive(Debug)]
pub struct Groups<P, C> {
    limits: GroupLimits,
    table: Table<P, C>,
    waiting: Waiting<P>,
    decisions: VecDeque<(Ticket, Decision<C>)>,
}

impl<P: Ord + Clone, C: Clone> Groups<P, C> {
    /// A registry without groups.
    pub const fn new(limits: GroupLimits) -> Self {
        Self {
            limits,
            table: Table::new(),
            waiting: Waiting::new(),
            decisions: VecDeque::new(),
        }
    }

    /// Finds out where a connection belongs, whose peer has been verified.
    ///
    /// `fresh` is what the peer gets where it brought none of its own.
    pub fn admit(&mut self, peer: &P, hello: &Hello, fresh: Fresh, now: Moment) -> Admission<P, C> {
        let Grouping::Group(group) = &hello.grouping else {
            return Admission::New(Reservation::alone(fresh.id));
        };
        let key = Key {
            peer: peer.clone(),
            hello: hello.id.clone(),
            group: group.id.clone().unwrap_or(fresh.id),
        };
        match self.table.get(&key) {
            Some(entry) if group.secret.as_ref() != Some(entry.secret()) => {
                Admission::Refuse(Refusal::WrongSecret)
            },
            Some(Entry::Open {
                channel, secret, ..
            }) => Admission::Attach(Attachment {
                channel: channel.clone(),
                grant: Grant::grouped(key.group, secret.clone()),
            }),
            Some(Entry::Reserved { .. }) => self.wait(key, now),
            None => self.found(key, group, fresh.secret, now),
        }
    }

    /// Makes a reservation into a group, and lets those in that have waited for it.
    ///
    /// An error means that it took too long: the group may be somebody else's by now.
    pub fn open(
        &mut self,
        reservation: Reservation<P>,
        channel: C,
    ) -> Result<Member<P>, ReservationExpired> {
        let (member, grant) = reservation.into_parts();
        if let Some((key, number)) = &member.place {
            self.table
                .open(key, *number, channel.clone())
                .ok_or(ReservationExpired)?;
            for ticket in self.waiting.take(key) {
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

    /// Gives a reservation up: the connection that founded the group is gone or not wanted.
    pub fn abandon(&mut self, reservation: Reservation<P>) {
        self.close(reservation.into_parts().0);
    }

    /// Forgets a group whose channel is closed. A later group of the same id is not touched.
    pub fn close(&mut self, member: Member<P>) {
        if let Some((key, number)) = member.place
            && self.table.remove(&key, number)
        {
            self.refuse_waiting(&key);
        }
    }

    /// Forgets a connection that does not wait any more.
    pub fn withdraw(&mut self, ticket: Ticket) {
        self.waiting.remove(ticket);
        self.decisions.retain(|(decided, _)| *decided != ticket);
    }

    /// What became of a connection that had to wait.
    pub fn poll_decision(&mut self) -> Option<(Ticket, Decision<C>)> {
        self.decisions.pop_front()
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Moment> {
        let first = self.table.first_deadline().into_iter();
        first.chain(self.waiting.first_deadline()).min()
    }

    /// Ends reservations and waits whose time is over.
    pub fn handle_timeout(&mut self, now: Moment) {
        while let Some(ticket) = self.waiting.expired(now) {
            let refusal = Decision::Refuse(Refusal::UnknownGroup);
            self.decisions.push_back((ticket, refusal));
        }
        while let Some(key) = self.table.expired(now) {
            self.refuse_waiting(&key);
        }
    }

    fn wait(&mut self, key: Key<P>, now: Moment) -> Admission<P, C> {
        if self.waiting.count(&key) >= self.limits.waiting_per_group {
            return Admission::Refuse(Refusal::TooManyWaiting);
        }
        Admission::Wait(self.waiting.insert(key, now + self.limits.waiting_time))
    }

    fn found(
        &mut self,
        key: Key<P>,
        hello: &GroupHello,
        fresh: GroupSecret,
        now: Moment,
    ) -> Admission<P, C> {
        if !hello.is_first {
            return Admission::Refuse(Refusal::UnknownGroup);
        }
        if self.table.groups_of(&key.peer) >= self.limits.groups_per_peer {
            return Admission::Refuse(Refusal::TooManyGroups);
        }
        let secret = hello.secret.clone().unwrap_or(fresh);
        let grant = Grant::grouped(key.group.clone(), secret.clone());
        let deadline = now + self.limits.reservation_time;
        let number = self.table.reserve(key.clone(), secret, deadline);
        Admission::New(Reservation::grouped(key, number, grant))
    }

    fn refuse_waiting(&mut self, key: &Key<P>) {
        for ticket in self.waiting.take(key) {
            let refusal = Decision::Refuse(Refusal::UnknownGroup);
            self.decisions.push_back((ticket, refusal));
        }
    }
}

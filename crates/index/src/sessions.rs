//! The mirror of the API sessions, with what is known of their activity.

mod activity;

use crate::catalog::Direction;
use crate::order::Order;
use crate::slots::{Slot, Slots};
use activity::Activity;
use hashbrown::HashTable;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::Number;
use portcullis_domain::quota::Stored as _;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The API sessions, found by token, id and identity.
///
/// The last activity of a session runs ahead of its record: [`Session::touch`] notes it with a
/// shared borrow, and [`Sessions::drain_dirty_activity`] hands out what the store does not know
/// yet.
#[derive(Debug, Default)]
pub struct Sessions {
    slots: Slots,
    rows: Vec<Option<Row>>,
    activity: Activity,
    /// Slots hashed by the token hashes of their sessions.
    by_token: HashTable<Slot>,
    by_id: Order,
    by_owner: Order,
    /// Bytes that the sessions of each identity take in the store: every login asks for them.
    bytes_by_owner: HashMap<Number, usize>,
}

#[derive(Debug)]
struct Row {
    owner: Number,
    record: Arc<ApiSession>,
}

/// A session as the mirror knows it.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    /// Number of its record.
    pub number: Number,
    /// Number of its identity's record.
    pub owner: Number,
    /// The session as it stands in the store.
    pub record: &'a Arc<ApiSession>,
    sessions: &'a Sessions,
    slot: Slot,
}

impl Session<'_> {
    /// When it was last used, whether or not the store knows it.
    pub fn last_activity_at(&self) -> Timestamp {
        self.sessions.activity.last(self.slot)
    }

    /// Notes that it was used at `now`. Earlier instants than the one known change nothing.
    pub fn touch(&self, now: Timestamp) {
        self.sessions.activity.touch(self.slot, self.number, now);
    }
}

impl Sessions {
    /// Mirrors the given sessions: number, number of the identity, record. Among several of one
    /// number the last one counts.
    pub fn from_records(
        records: impl IntoIterator<Item = (Number, Number, Arc<ApiSession>)>,
    ) -> Self {
        let mut sessions = Self::default();
        for (number, owner, record) in records {
            let slot = match sessions.slots.find(number) {
                Some(slot) => {
                    sessions.unhash(slot);
                    slot
                },
                None => sessions.slots.claim(number),
            };
            sessions.set(slot, owner, record);
            sessions.hash(slot);
        }
        let mut slots: Vec<Slot> = sessions.live().collect();
        slots.sort_by(|left, right| sessions.compare_ids(*left, *right));
        sessions.by_id = Order::from_sorted(&slots);
        slots.sort_by(|left, right| sessions.compare_owners(*left, *right));
        sessions.by_owner = Order::from_sorted(&slots);
        sessions
    }

    /// Mirrors a session, or takes over what it is now. What is known of its activity stays, if
    /// it is later than what the record says.
    pub fn put(&mut self, number: Number, owner: Number, record: Arc<ApiSession>) {
        let found = self.slots.find(number);
        let stays = found.and_then(|slot| self.row(slot)).is_some_and(|row| {
            row.owner == owner
                && row.record.id == record.id
                && row.record.token_hash == record.token_hash
        });
        if let Some(slot) = found.filter(|_| !stays) {
            self.unlink(slot);
        }
        let slot = found.unwrap_or_else(|| self.slots.claim(number));
        self.set(slot, owner, record);
        if !stays {
            self.link(slot);
        }
    }

    /// Forgets a session. Returns whether it was there.
    pub fn remove(&mut self, number: Number) -> bool {
        let Some(slot) = self.slots.find(number) else {
            return false;
        };
        self.unlink(slot);
        self.activity.forget(slot);
        let row = self.rows.get_mut(slot.index()).and_then(Option::take);
        self.release_bytes(row.as_ref());
        self.slots.release(number).is_some()
    }

    /// Forgets all sessions of an identity.
    pub fn remove_owned_by(&mut self, owner: Number) {
        for number in self.owned_by(owner, 0, usize::MAX) {
            self.remove(number);
        }
    }

    /// Number of sessions.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The session that the token with that hash opens.
    pub fn find(&self, hash: TokenHash) -> Option<Session<'_>> {
        let slot = self.by_token.find(digest(hash), |slot| {
            self.row(*slot)
                .is_some_and(|row| row.record.token_hash == hash)
        })?;
        self.session(*slot)
    }

    /// The session with that id.
    pub fn find_by_id(&self, id: &str) -> Option<Session<'_>> {
        let rank = self.by_id.rank(|slot| self.id(slot).cmp(id)).ok()?;
        self.session(self.by_id.select(rank)?)
    }

    /// The session whose record has that number.
    pub fn get(&self, number: Number) -> Option<Session<'_>> {
        self.session(self.slots.find(number)?)
    }

    /// All sessions, in no order.
    pub fn iter(&self) -> impl Iterator<Item = Session<'_>> {
        self.live().filter_map(|slot| self.session(slot))
    }

    /// Notes that the session with that token was used at `now`. Returns whether there is one.
    pub fn touch(&self, hash: TokenHash, now: Timestamp) -> bool {
        self.find(hash).map(|session| session.touch(now)).is_some()
    }

    /// A page of all sessions by id: at most `limit` after the first `offset`.
    pub fn page(&self, direction: Direction, offset: u64, limit: usize) -> Vec<Number> {
        let len = self.by_id.len();
        let offset = usize::try_from(offset).unwrap_or(len).min(len);
        let count = limit.min(len - offset);
        let numbers = |from| {
            self.by_id
                .iter_from(from)
                .take(count)
                .map(|slot| self.slots.raw(slot))
        };
        match direction {
            Direction::Ascending => numbers(offset).collect(),
            Direction::Descending => {
                let mut page: Vec<Number> = numbers(len - offset - count).collect();
                page.reverse();
                page
            },
        }
    }

    /// The sessions of an identity by id: at most `limit` after the first `offset`.
    pub fn owned_by(&self, owner: Number, offset: u64, limit: usize) -> Vec<Number> {
        let (start, end) = self.owned_ranks(owner);
        let from = usize::try_from(offset).map_or(end, |offset| start.saturating_add(offset));
        self.by_owner
            .iter_from(from)
            .take(end.saturating_sub(from).min(limit))
            .map(|slot| self.slots.raw(slot))
            .collect()
    }

    /// Number of sessions of an identity.
    pub fn owned_count(&self, owner: Number) -> usize {
        let (start, end) = self.owned_ranks(owner);
        end - start
    }

    /// Bytes that the sessions of an identity take in the store.
    pub fn owned_bytes(&self, owner: Number) -> usize {
        self.bytes_by_owner.get(&owner).copied().unwrap_or(0)
    }

    /// At most `at_most` sessions that were not used for `timeout` at `now`, each as identity and
    /// session. Calling it again gives the same ones until they are removed.
    pub fn expired(
        &self,
        now: Timestamp,
        timeout: SignedDuration,
        at_most: usize,
    ) -> Vec<(Number, Number)> {
        self.activity
            .until(now, timeout)
            .filter_map(|slot| self.session(slot))
            .map(|session| (session.owner, session.number))
            .take(at_most)
            .collect()
    }

    /// At most `at_most` sessions whose activity the store does not know yet: identity, session
    /// and last activity. They count as known from then on; see [`Sessions::restore_dirty`].
    pub fn drain_dirty_activity(&self, at_most: usize) -> Vec<(Number, Number, Timestamp)> {
        let mut drained = Vec::new();
        while drained.len() < at_most {
            let Some(number) = self.activity.next_dirty() else {
                break;
            };
            let Some(session) = self.get(number) else {
                continue;
            };
            if let Some(last) = self.activity.take_dirty(session.slot) {
                drained.push((session.owner, number, last));
            }
        }
        drained
    }

    /// Takes back that the store knows the activity of a session, because it could not be written.
    pub fn restore_dirty(&self, number: Number) {
        if let Some(slot) = self.slots.find(number) {
            self.activity.mark(slot, number);
        }
    }

    /// Memory behind the mirror, in bytes, by its own count; the records are not in it.
    pub fn heap_bytes(&self) -> usize {
        self.slots.heap_bytes()
            + self.rows.capacity() * size_of::<Option<Row>>()
            + self.activity.heap_bytes()
            + self.by_token.allocation_size()
            + self.by_id.heap_bytes()
            + self.by_owner.heap_bytes()
            + self.bytes_by_owner.capacity() * size_of::<(Number, usize)>()
    }

    fn live(&self) -> impl Iterator<Item = Slot> {
        self.slots.live().iter().map(Slot::from_bit)
    }

    fn row(&self, slot: Slot) -> Option<&Row> {
        self.rows.get(slot.index())?.as_ref()
    }

    fn session(&self, slot: Slot) -> Option<Session<'_>> {
        let row = self.row(slot)?;
        Some(Session {
            number: self.slots.number(slot)?,
            owner: row.owner,
            record: &row.record,
            sessions: self,
            slot,
        })
    }

    fn id(&self, slot: Slot) -> &str {
        self.row(slot).map_or("", |row| row.record.id.as_str())
    }

    fn owner(&self, slot: Slot) -> Option<Number> {
        self.row(slot).map(|row| row.owner)
    }

    /// The first rank of the sessions of `owner`, and the one after the last.
    fn owned_ranks(&self, owner: Number) -> (usize, usize) {
        let start = self
            .by_owner
            .partition_point(|slot| self.owner(slot) < Some(owner));
        let end = self
            .by_owner
            .partition_point(|slot| self.owner(slot) <= Some(owner));
        (start, end)
    }

    /// By id, then, so that the order stays sound whatever the records say, by number.
    fn compare_ids(&self, left: Slot, right: Slot) -> Ordering {
        self.id(left)
            .cmp(self.id(right))
            .then_with(|| self.slots.raw(left).cmp(&self.slots.raw(right)))
    }

    fn compare_owners(&self, left: Slot, right: Slot) -> Ordering {
        self.owner(left)
            .cmp(&self.owner(right))
            .then_with(|| self.compare_ids(left, right))
    }

    fn set(&mut self, slot: Slot, owner: Number, record: Arc<ApiSession>) {
        self.activity.learn(slot, record.last_activity_at);
        if self.rows.len() <= slot.index() {
            self.rows.resize_with(slot.index() + 1, || None);
        }
        let bytes = record.stored_bytes();
        if let Some(row) = self.rows.get_mut(slot.index()) {
            let before = row.replace(Row { owner, record });
            self.release_bytes(before.as_ref());
            *self.bytes_by_owner.entry(owner).or_default() += bytes;
        }
    }

    /// Takes a session off the bytes of its identity.
    fn release_bytes(&mut self, row: Option<&Row>) {
        let Some(row) = row else {
            return;
        };
        if let Entry::Occupied(mut bytes) = self.bytes_by_owner.entry(row.owner) {
            *bytes.get_mut() -= row.record.stored_bytes();
            if *bytes.get() == 0 {
                bytes.remove();
            }
        }
    }

    fn hash(&mut self, slot: Slot) {
        let Some(hash) = self.row(slot).map(|row| row.record.token_hash) else {
            return;
        };
        let rows = &self.rows;
        self.by_token.insert_unique(digest(hash), slot, |slot| {
            let row = rows.get(slot.index()).and_then(Option::as_ref);
            row.map_or(0, |row| digest(row.record.token_hash))
        });
    }

    fn unhash(&mut self, slot: Slot) {
        let Some(hash) = self.row(slot).map(|row| row.record.token_hash) else {
            return;
        };
        if let Ok(entry) = self
            .by_token
            .find_entry(digest(hash), |other| *other == slot)
        {
            entry.remove();
        }
    }

    /// Takes a slot out of the index by token and the orders, while its row still is what it was.
    fn unlink(&mut self, slot: Slot) {
        self.unhash(slot);
        // The orders are set aside so that the rows can be read while they change.
        let mut by_id = std::mem::take(&mut self.by_id);
        let mut by_owner = std::mem::take(&mut self.by_owner);
        by_id.remove(|other| self.compare_ids(other, slot));
        by_owner.remove(|other| self.compare_owners(other, slot));
        (self.by_id, self.by_owner) = (by_id, by_owner);
    }

    fn link(&mut self, slot: Slot) {
        self.hash(slot);
        let mut by_id = std::mem::take(&mut self.by_id);
        let mut by_owner = std::mem::take(&mut self.by_owner);
        by_id.insert(slot, |other| self.compare_ids(other, slot));
        by_owner.insert(slot, |other| self.compare_owners(other, slot));
        (self.by_id, self.by_owner) = (by_id, by_owner);
    }
}

/// The first half of a hash; it is keyed, so nobody can choose tokens to collide.
fn digest(hash: TokenHash) -> u64 {
    u64::from_le_bytes(hash.0.first_chunk().copied().unwrap_or_default())
}

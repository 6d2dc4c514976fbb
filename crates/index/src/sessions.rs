//! In-memory mirror of the API sessions with their activity.

mod activity;

use crate::catalog::Direction;
use crate::order::Order;
use crate::slots::{Slot, Slots};
use activity::Activity;
use hashbrown::HashTable;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::quota::StoredSize as _;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The API sessions by token, id and identity.
///
/// The last activity of a session is ahead of its record: [`MirroredSession::touch`] updates it
/// through a shared reference, and [`ApiSessionMirror::drain_dirty_activity`] returns updates that
/// the store does not have yet.
#[derive(Debug, Default)]
pub struct ApiSessionMirror {
    slots: Slots,
    rows: Vec<Option<MirrorRow>>,
    activity: Activity,
    /// Slots by token hash.
    by_token: HashTable<Slot>,
    by_id: Order,
    by_owner: Order,
    /// Stored bytes of each identity's sessions, which every login reads.
    bytes_by_owner: HashMap<RecordNumber, usize>,
}

#[derive(Debug)]
struct MirrorRow {
    owner: RecordNumber,
    record: Arc<ApiSession>,
}

/// A session in the mirror.
#[derive(Debug, Clone, Copy)]
pub struct MirroredSession<'a> {
    /// Record number of the session.
    pub number: RecordNumber,
    /// Record number of the identity.
    pub owner: RecordNumber,
    /// The session as stored.
    pub record: &'a Arc<ApiSession>,
    sessions: &'a ApiSessionMirror,
    slot: Slot,
}

impl MirroredSession<'_> {
    /// Time of its last use, whether or not the store has it.
    pub fn last_activity_at(&self) -> Timestamp {
        self.sessions.activity.last_activity(self.slot)
    }

    /// Records its use at `now`. Earlier instants have no effect.
    pub fn touch(&self, now: Timestamp) {
        self.sessions.activity.touch(self.slot, self.number, now);
    }
}

impl ApiSessionMirror {
    /// Builds a mirror from session number, identity number and record. Of several with the same
    /// number the last one counts.
    pub fn from_records(
        records: impl IntoIterator<Item = (RecordNumber, RecordNumber, Arc<ApiSession>)>,
    ) -> Self {
        let mut sessions = Self::default();
        for (number, owner, record) in records {
            let slot = match sessions.slots.find(number) {
                Some(slot) => {
                    sessions.unindex_token(slot);
                    slot
                },
                None => sessions.slots.assign(number),
            };
            sessions.write_row(slot, owner, record);
            sessions.index_token(slot);
        }
        let mut slots: Vec<Slot> = sessions.live().collect();
        slots.sort_by(|left, right| sessions.compare_ids(*left, *right));
        sessions.by_id = Order::from_sorted(&slots);
        slots.sort_by(|left, right| sessions.compare_owners(*left, *right));
        sessions.by_owner = Order::from_sorted(&slots);
        sessions
    }

    /// Inserts or updates a session. Activity that is later than that of the record is kept.
    pub fn put(&mut self, number: RecordNumber, owner: RecordNumber, record: Arc<ApiSession>) {
        let found = self.slots.find(number);
        let stays = found.and_then(|slot| self.row(slot)).is_some_and(|row| {
            row.owner == owner
                && row.record.id == record.id
                && row.record.token_hash == record.token_hash
        });
        if let Some(slot) = found.filter(|_| !stays) {
            self.unlink(slot);
        }
        let slot = found.unwrap_or_else(|| self.slots.assign(number));
        self.write_row(slot, owner, record);
        if !stays {
            self.link(slot);
        }
    }

    /// Removes a session. Returns whether it existed.
    pub fn remove(&mut self, number: RecordNumber) -> bool {
        let Some(slot) = self.slots.find(number) else {
            return false;
        };
        self.unlink(slot);
        self.activity.clear(slot);
        let row = self.rows.get_mut(slot.index()).and_then(Option::take);
        self.subtract_bytes(row.as_ref());
        self.slots.release(number).is_some()
    }

    /// Removes all sessions of an identity.
    pub fn remove_owned_by(&mut self, owner: RecordNumber) {
        for number in self.owned_by(owner, 0, usize::MAX) {
            self.remove(number);
        }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The session with that token hash.
    pub fn find(&self, hash: TokenHash) -> Option<MirroredSession<'_>> {
        let slot = self.by_token.find(hash_prefix(hash), |slot| {
            self.row(*slot)
                .is_some_and(|row| row.record.token_hash == hash)
        })?;
        self.session(*slot)
    }

    pub fn find_by_id(&self, id: &str) -> Option<MirroredSession<'_>> {
        let rank = self.by_id.rank(|slot| self.id(slot).cmp(id)).ok()?;
        self.session(self.by_id.select(rank)?)
    }

    /// The session with that record number.
    pub fn get(&self, number: RecordNumber) -> Option<MirroredSession<'_>> {
        self.session(self.slots.find(number)?)
    }

    /// All sessions in arbitrary order.
    pub fn iter(&self) -> impl Iterator<Item = MirroredSession<'_>> {
        self.live().filter_map(|slot| self.session(slot))
    }

    /// Records the use of the session with that token at `now`. Returns whether it exists.
    pub fn touch(&self, hash: TokenHash, now: Timestamp) -> bool {
        self.find(hash).map(|session| session.touch(now)).is_some()
    }

    /// A page of all sessions by id: at most `limit` after the first `offset`.
    pub fn page(&self, direction: Direction, offset: u64, limit: usize) -> Vec<RecordNumber> {
        let len = self.by_id.len();
        let offset = usize::try_from(offset).unwrap_or(len).min(len);
        let count = limit.min(len - offset);
        let numbers = |from| {
            self.by_id
                .iter_from(from)
                .take(count)
                .map(|slot| self.slots.number_or_stale(slot))
        };
        match direction {
            Direction::Ascending => numbers(offset).collect(),
            Direction::Descending => {
                let mut page: Vec<RecordNumber> = numbers(len - offset - count).collect();
                page.reverse();
                page
            },
        }
    }

    /// The sessions of an identity by id: at most `limit` after the first `offset`.
    pub fn owned_by(&self, owner: RecordNumber, offset: u64, limit: usize) -> Vec<RecordNumber> {
        let (start, end) = self.owned_ranks(owner);
        let from = usize::try_from(offset).map_or(end, |offset| start.saturating_add(offset));
        self.by_owner
            .iter_from(from)
            .take(end.saturating_sub(from).min(limit))
            .map(|slot| self.slots.number_or_stale(slot))
            .collect()
    }

    /// Number of sessions of an identity.
    pub fn owned_count(&self, owner: RecordNumber) -> usize {
        let (start, end) = self.owned_ranks(owner);
        end - start
    }

    /// Stored bytes of an identity's sessions.
    pub fn owned_bytes(&self, owner: RecordNumber) -> usize {
        self.bytes_by_owner.get(&owner).copied().unwrap_or(0)
    }

    /// The sessions that were idle for `timeout` at `now`. Those of OIDC logins have to be over as well.
    pub fn expired(
        &self,
        now: Timestamp,
        timeout: SignedDuration,
    ) -> impl Iterator<Item = MirroredSession<'_>> {
        self.activity
            .idle_slots(now, timeout)
            .filter_map(|slot| self.session(slot))
            .filter(move |session| {
                let oidc = session.record.oidc.as_ref();
                oidc.is_none_or(|oidc| oidc.has_expired(now))
            })
    }

    /// At most `at_most` sessions whose activity the store does not have yet: identity number,
    /// session number and last activity. They count as stored afterwards; see
    /// [`ApiSessionMirror::restore_dirty`].
    pub fn drain_dirty_activity(
        &self,
        at_most: usize,
    ) -> Vec<(RecordNumber, RecordNumber, Timestamp)> {
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

    /// Marks the activity of a session as not stored again, because writing it failed.
    pub fn restore_dirty(&self, number: RecordNumber) {
        if let Some(slot) = self.slots.find(number) {
            self.activity.mark_dirty(slot, number);
        }
    }

    /// Heap memory in bytes, estimated, without the records.
    pub fn heap_bytes(&self) -> usize {
        self.slots.heap_bytes()
            + self.rows.capacity() * size_of::<Option<MirrorRow>>()
            + self.activity.heap_bytes()
            + self.by_token.allocation_size()
            + self.by_id.heap_bytes()
            + self.by_owner.heap_bytes()
            + self.bytes_by_owner.capacity() * size_of::<(RecordNumber, usize)>()
    }

    fn live(&self) -> impl Iterator<Item = Slot> {
        self.slots.live().iter().map(Slot::from_bit)
    }

    fn row(&self, slot: Slot) -> Option<&MirrorRow> {
        self.rows.get(slot.index())?.as_ref()
    }

    fn session(&self, slot: Slot) -> Option<MirroredSession<'_>> {
        let row = self.row(slot)?;
        Some(MirroredSession {
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

    fn owner(&self, slot: Slot) -> Option<RecordNumber> {
        self.row(slot).map(|row| row.owner)
    }

    /// The first rank of the sessions of `owner`, and the one after the last.
    fn owned_ranks(&self, owner: RecordNumber) -> (usize, usize) {
        let start = self
            .by_owner
            .partition_point(|slot| self.owner(slot) < Some(owner));
        let end = self
            .by_owner
            .partition_point(|slot| self.owner(slot) <= Some(owner));
        (start, end)
    }

    /// By id, then by number, so that the order stays sound even if records conflict.
    fn compare_ids(&self, left: Slot, right: Slot) -> Ordering {
        self.id(left).cmp(self.id(right)).then_with(|| {
            self.slots
                .number_or_stale(left)
                .cmp(&self.slots.number_or_stale(right))
        })
    }

    fn compare_owners(&self, left: Slot, right: Slot) -> Ordering {
        self.owner(left)
            .cmp(&self.owner(right))
            .then_with(|| self.compare_ids(left, right))
    }

    fn write_row(&mut self, slot: Slot, owner: RecordNumber, record: Arc<ApiSession>) {
        self.activity.load(slot, record.last_activity_at);
        if self.rows.len() <= slot.index() {
            self.rows.resize_with(slot.index() + 1, || None);
        }
        let bytes = record.stored_bytes();
        if let Some(row) = self.rows.get_mut(slot.index()) {
            let before = row.replace(MirrorRow { owner, record });
            self.subtract_bytes(before.as_ref());
            *self.bytes_by_owner.entry(owner).or_default() += bytes;
        }
    }

    /// Subtracts a session from the bytes of its identity.
    fn subtract_bytes(&mut self, row: Option<&MirrorRow>) {
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

    fn index_token(&mut self, slot: Slot) {
        let Some(hash) = self.row(slot).map(|row| row.record.token_hash) else {
            return;
        };
        let rows = &self.rows;
        self.by_token
            .insert_unique(hash_prefix(hash), slot, |slot| {
                let row = rows.get(slot.index()).and_then(Option::as_ref);
                row.map_or(0, |row| hash_prefix(row.record.token_hash))
            });
    }

    fn unindex_token(&mut self, slot: Slot) {
        let Some(hash) = self.row(slot).map(|row| row.record.token_hash) else {
            return;
        };
        if let Ok(entry) = self
            .by_token
            .find_entry(hash_prefix(hash), |other| *other == slot)
        {
            entry.remove();
        }
    }

    /// Removes a slot from the token index and the orders before its row changes.
    fn unlink(&mut self, slot: Slot) {
        self.unindex_token(slot);
        // The orders are moved out so that the rows can be read while they change.
        let mut by_id = std::mem::take(&mut self.by_id);
        let mut by_owner = std::mem::take(&mut self.by_owner);
        by_id.remove(|other| self.compare_ids(other, slot));
        by_owner.remove(|other| self.compare_owners(other, slot));
        (self.by_id, self.by_owner) = (by_id, by_owner);
    }

    fn link(&mut self, slot: Slot) {
        self.index_token(slot);
        let mut by_id = std::mem::take(&mut self.by_id);
        let mut by_owner = std::mem::take(&mut self.by_owner);
        by_id.insert(slot, |other| self.compare_ids(other, slot));
        by_owner.insert(slot, |other| self.compare_owners(other, slot));
        (self.by_id, self.by_owner) = (by_id, by_owner);
    }
}

/// The first bytes of a token hash. It is keyed, so clients cannot choose tokens that collide.
fn hash_prefix(hash: TokenHash) -> u64 {
    u64::from_le_bytes(hash.0.first_chunk().copied().unwrap_or_default())
}

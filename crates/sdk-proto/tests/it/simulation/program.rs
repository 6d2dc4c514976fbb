//! A program at one end of a connection: it writes, reads, pauses, and ends in one of several ways. What it reads is
//! checked at once.

use crate::support::at;
use bytes::Bytes;
use portcullis_channel::Moment;
use portcullis_sdk_proto::{CloseReason, EdgeChannel, Read, WriteError};
use portcullis_seeded_random::Random;
use portcullis_wire::edge::ConnectionId;
use std::collections::BTreeSet;
use std::time::Duration;

/// How a program ends its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// It ends its direction, and closes when the other one has ended.
    HalfClose,
    /// It closes when all is written.
    Close,
    /// It aborts in the middle.
    Abort,
}

#[derive(Debug)]
pub(super) struct Program {
    connection: ConnectionId,
    pub(super) manner: Manner,
    own_seed: u64,
    pub(super) to_write: u64,
    written: u64,
    peer_seed: u64,
    pub(super) read: u64,
    random: Random,
    may_write: bool,
    may_read: bool,
    /// How long it does nothing.
    pub(super) pause: Option<Moment>,
    has_finished: bool,
    /// It waits a while before it closes what is over.
    lingers: bool,
    /// Whether the other direction has ended, and was cut off or not.
    pub(super) ended: Option<Ended>,
    pub(super) is_gone: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Completely,
    Early,
}

fn byte(seed: u64, position: u64) -> u8 {
    let [low, ..] = (position * 31 + position / 251 + seed * 7).to_le_bytes();
    low
}

impl Program {
    pub(super) fn new(
        connection: ConnectionId,
        (own_seed, peer_seed): (u64, u64),
        (to_write, manner): (u64, Manner),
    ) -> Self {
        Self {
            connection,
            manner,
            own_seed,
            to_write,
            written: 0,
            peer_seed,
            read: 0,
            random: Random::new(own_seed, "program"),
            may_write: true,
            may_read: true,
            pause: None,
            has_finished: false,
            lingers: own_seed.is_multiple_of(3),
            ended: None,
            is_gone: false,
        }
    }

    pub(super) fn readable(&mut self) {
        self.may_read = true;
    }

    pub(super) fn writable(&mut self) {
        self.may_write = true;
    }

    /// Does something; returns whether it did.
    pub(super) fn act(
        &mut self,
        channel: &mut EdgeChannel,
        now: Moment,
        reached: &mut BTreeSet<String>,
    ) -> bool {
        if self.is_gone || self.pause.is_some_and(|until| until > now) {
            return false;
        }
        self.pause = None;
        if self.random.one_in(40) {
            let micros = self.random.below(300_000);
            self.pause = Some(now + Duration::from_micros(micros));
            return true;
        }
        let has_written = self.may_write && self.write(channel, now, reached);
        let has_read = self.may_read && self.read(channel, now, reached);
        self.end(channel, now) || has_written || has_read
    }

    fn write(
        &mut self,
        channel: &mut EdgeChannel,
        now: Moment,
        reached: &mut BTreeSet<String>,
    ) -> bool {
        if self.written >= self.to_write {
            return false;
        }
        let length = (1 + self.random.below(60_000)).min(self.to_write - self.written);
        let bytes = self.written..self.written + length;
        let mut data: Bytes = bytes
            .map(|position| byte(self.own_seed, position))
            .collect();
        match channel.write(self.connection, &mut data, at(now)) {
            Ok(taken) => self.written += u64::try_from(taken).unwrap(),
            Err(WriteError::Blocked) => {
                reached.insert("blocked".to_owned());
                self.may_write = false;
            },
            Err(WriteError::Stopped | WriteError::Closed(_)) => {
                reached.insert("stopped".to_owned());
                self.to_write = self.written;
            },
            Err(other) => panic!("{other:?}"),
        }
        true
    }

    fn read(
        &mut self,
        channel: &mut EdgeChannel,
        now: Moment,
        reached: &mut BTreeSet<String>,
    ) -> bool {
        if self.ended.is_some() {
            return false;
        }
        match channel.read(self.connection, at(now)) {
            Ok(Some(Read::Data(data))) => {
                assert!(!data.is_empty());
                for byte_read in &data {
                    assert_eq!(*byte_read, byte(self.peer_seed, self.read));
                    self.read += 1;
                }
            },
            Ok(Some(Read::Finished)) => self.ended = Some(Ended::Completely),
            Ok(None) => self.may_read = false,
            Err(error) => {
                reached.insert("lost".to_owned());
                assert!(!matches!(error, portcullis_sdk_proto::ReadError::NotOpen));
                self.ended = Some(Ended::Early);
            },
        }
        true
    }

    fn end(&mut self, channel: &mut EdgeChannel, now: Moment) -> bool {
        let has_written = self.written >= self.to_write;
        match self.manner {
            Manner::HalfClose => {
                if has_written && !self.has_finished {
                    self.has_finished = true;
                    channel.finish(self.connection, at(now));
                    return true;
                }
                if self.has_finished && self.ended.is_some() {
                    if std::mem::take(&mut self.lingers) {
                        self.pause = Some(now + Duration::from_secs(2));
                        return true;
                    }
                    self.is_gone = true;
                    channel.close(self.connection, at(now));
                }
            },
            Manner::Close if has_written => {
                self.is_gone = true;
                channel.close(self.connection, at(now));
            },
            Manner::Abort if self.written >= self.to_write / 2 => {
                self.is_gone = true;
                channel.abort(self.connection, at(now));
            },
            Manner::Close | Manner::Abort => {},
        }
        self.is_gone
    }

    /// The channel says that the connection is over.
    pub(super) fn closed(&mut self, why: &CloseReason, reached: &mut BTreeSet<String>) {
        assert!(!self.is_gone, "nobody is there to hear it");
        reached.insert(format!("{why:?}"));
        self.may_read = true;
        self.may_write = true;
    }
}

//! Sockets that answer intercepted datagrams from where they were sent to.

use crate::transparent;
use socket2::{Socket, Type};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Sends datagrams from addresses of others, by a socket for each.
#[derive(Debug)]
pub(crate) struct Replies {
    own_mark: u32,
    sockets: Mutex<Sockets>,
}

/// Open sockets, by when they were used.
#[derive(Debug, Default)]
struct Sockets {
    by_address: HashMap<SocketAddr, Entry>,
    by_use: BTreeMap<u64, SocketAddr>,
    uses: u64,
}

#[derive(Debug)]
struct Entry {
    socket: Arc<Socket>,
    last_use: u64,
    used_at: Instant,
}

const MAX_SOCKETS: usize = 1_024;

const IDLE_TIME: Duration = Duration::from_mins(1);

impl Replies {
    pub(crate) fn new(own_mark: u32) -> Self {
        Self {
            own_mark,
            sockets: Mutex::default(),
        }
    }

    pub(crate) fn send(
        &self,
        destination: SocketAddr,
        client: SocketAddr,
        datagram: &[u8],
    ) -> io::Result<()> {
        let socket = self.socket(destination)?;
        match socket.send_to(datagram, &client.into()) {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Closes sockets that have not been used for a while.
    pub(crate) fn close_idle(&self) {
        self.lock().close_idle(Instant::now());
    }

    fn socket(&self, address: SocketAddr) -> io::Result<Arc<Socket>> {
        let mut sockets = self.lock();
        let now = Instant::now();
        sockets.close_idle(now);
        if let Some(socket) = sockets.use_open(&address, now) {
            return Ok(socket);
        }
        let socket = transparent::unbound(Type::DGRAM, address, self.own_mark)?;
        // Other tunnelers may answer from the same address.
        socket.set_reuse_address(true)?;
        socket.bind(&address.into())?;
        // Nobody reads from it. The kernel makes of it the least that it knows.
        socket.set_recv_buffer_size(1)?;
        let socket = Arc::new(socket);
        sockets.insert(address, Arc::clone(&socket), now);
        Ok(socket)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Sockets> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sockets {
    fn use_open(&mut self, address: &SocketAddr, now: Instant) -> Option<Arc<Socket>> {
        let entry = self.by_address.get_mut(address)?;
        self.by_use.remove(&entry.last_use);
        self.uses += 1;
        entry.last_use = self.uses;
        entry.used_at = now;
        self.by_use.insert(self.uses, *address);
        Some(Arc::clone(&entry.socket))
    }

    fn insert(&mut self, address: SocketAddr, socket: Arc<Socket>, now: Instant) {
        if self.by_address.len() >= MAX_SOCKETS {
            self.close_oldest();
        }
        self.uses += 1;
        let entry = Entry {
            socket,
            last_use: self.uses,
            used_at: now,
        };
        self.by_use.insert(self.uses, address);
        self.by_address.insert(address, entry);
    }

    fn close_idle(&mut self, now: Instant) {
        while let Some((_, address)) = self.by_use.first_key_value()
            && let Some(entry) = self.by_address.get(address)
            && now.saturating_duration_since(entry.used_at) >= IDLE_TIME
        {
            self.close_oldest();
        }
    }

    fn close_oldest(&mut self) {
        if let Some((_, address)) = self.by_use.pop_first() {
            self.by_address.remove(&address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(sockets: &mut Sockets, port: u16, now: Instant) {
        let address: SocketAddr = ([10, 0, 0, 1], port).into();
        if sockets.use_open(&address, now).is_none() {
            let (one, _other) =
                Socket::pair(socket2::Domain::UNIX, Type::DGRAM, None).expect("sockets");
            sockets.insert(address, Arc::new(one), now);
        }
    }

    fn ports(sockets: &Sockets) -> Vec<u16> {
        assert_eq!(sockets.by_use.len(), sockets.by_address.len());
        sockets.by_use.values().map(SocketAddr::port).collect()
    }

    #[test]
    fn sockets_that_are_idle_are_closed() {
        let mut sockets = Sockets::default();
        let start = Instant::now();
        for port in [1, 2, 3] {
            open(&mut sockets, port, start);
        }
        open(&mut sockets, 1, start + IDLE_TIME / 2);
        sockets.close_idle(start + IDLE_TIME);
        assert_eq!(ports(&sockets), [1]);
        sockets.close_idle(start + IDLE_TIME * 2);
        assert!(ports(&sockets).is_empty());
    }

    #[test]
    fn the_one_that_was_used_least_recently_gives_way() {
        let mut sockets = Sockets::default();
        let now = Instant::now();
        // The least that processes may usually open are 1024 files.
        let entry = |port: u16| -> SocketAddr { ([10, 0, 0, 1], port).into() };
        let (socket, _other) =
            Socket::pair(socket2::Domain::UNIX, Type::DGRAM, None).expect("sockets");
        let socket = Arc::new(socket);
        for port in 0..1_024 {
            sockets.insert(entry(port), Arc::clone(&socket), now);
        }
        open(&mut sockets, 0, now);
        sockets.insert(entry(5_000), socket, now);
        assert_eq!(sockets.by_address.len(), MAX_SOCKETS);
        assert!(sockets.by_address.contains_key(&entry(0)));
        assert!(!sockets.by_address.contains_key(&entry(1)));
    }
}

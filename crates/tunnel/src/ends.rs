//! When connections have to end.

use portcullis_tunneler::ServiceId;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use tokio_util::sync::CancellationToken;

/// When a connection has to end, although both its ends could go on.
#[derive(Debug, Clone)]
pub(crate) struct Ends {
    right: CancellationToken,
    name: Option<CancellationToken>,
}

impl Ends {
    /// Returns once the connection has to end.
    pub(crate) async fn reached(&self) {
        match &self.name {
            None => self.right.cancelled().await,
            Some(name) => tokio::select! {
                () = self.right.cancelled() => {},
                () = name.cancelled() => {},
            },
        }
    }
}

/// What ends connections: that a right or a name goes.
#[derive(Debug, Default)]
pub(crate) struct Rights {
    dialed: Tokens<ServiceId>,
    hosted: Tokens<ServiceId>,
    /// Names, by the addresses that stand for them.
    names: Tokens<IpAddr>,
}

impl Rights {
    /// `name` is the address that stands for the name that is dialed, if it is one.
    pub(crate) fn dialing(&mut self, service: &ServiceId, name: Option<IpAddr>) -> Ends {
        Ends {
            right: self.dialed.of(service),
            name: name.map(|address| self.names.of(&address)),
        }
    }

    pub(crate) fn hosting(&mut self, service: &ServiceId) -> Ends {
        Ends {
            right: self.hosted.of(service),
            name: None,
        }
    }

    pub(crate) fn end_dialed(&mut self, service: &ServiceId) {
        self.dialed.end(service);
    }

    pub(crate) fn end_hosted(&mut self, service: &ServiceId) {
        self.hosted.end(service);
    }

    pub(crate) fn end_name(&mut self, address: IpAddr) {
        self.names.end(&address.to_canonical());
    }
}

/// One token for all connections of a key.
#[derive(Debug)]
struct Tokens<K>(HashMap<K, CancellationToken>);

impl<K: Clone + Eq + Hash> Tokens<K> {
    fn of(&mut self, key: &K) -> CancellationToken {
        if let Some(token) = self.0.get(key) {
            return token.clone();
        }
        let token = CancellationToken::new();
        self.0.insert(key.clone(), token.clone());
        token
    }

    fn end(&mut self, key: &K) {
        if let Some(token) = self.0.remove(key) {
            token.cancel();
        }
    }
}

impl<K> Default for Tokens<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

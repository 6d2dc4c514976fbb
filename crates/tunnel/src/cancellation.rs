//! Cancellation of connections whose right to go on is lost.

use portcullis_tunneler::ServiceId;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Cancels a connection, although both its ends could go on.
#[derive(Debug, Clone)]
pub(crate) struct Cancellation {
    right: Arc<CancellationToken>,
    name: Option<Arc<CancellationToken>>,
}

impl Cancellation {
    /// Returns once the connection is cancelled.
    pub(crate) async fn cancelled(&self) {
        match &self.name {
            None => self.right.cancelled().await,
            Some(name) => tokio::select! {
                () = self.right.cancelled() => {},
                () = name.cancelled() => {},
            },
        }
    }
}

/// What cancels connections: that a right or a name goes.
#[derive(Debug, Default)]
pub(crate) struct Cancellations {
    dialed: Tokens<ServiceId>,
    hosted: Tokens<ServiceId>,
    /// Names, by the addresses that stand for them.
    names: Tokens<IpAddr>,
}

impl Cancellations {
    /// `name` is the address that stands for the name that is dialed, if it is one.
    pub(crate) fn dialing(&mut self, service: &ServiceId, name: Option<IpAddr>) -> Cancellation {
        Cancellation {
            right: self.dialed.of(service),
            name: name.map(|address| self.names.of(&address)),
        }
    }

    pub(crate) fn hosting(&mut self, service: &ServiceId) -> Cancellation {
        Cancellation {
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

    /// Whether there are connections to the name that an address stands for.
    pub(crate) fn is_name_in_use(&self, address: IpAddr) -> bool {
        self.names.is_in_use(&address.to_canonical())
    }

    /// The addresses that stand for names to which there have been connections since this was asked last.
    pub(crate) fn used_names(&mut self) -> Vec<IpAddr> {
        let used = self.names.0.keys().copied().collect();
        self.names.0.retain(|_, token| Arc::strong_count(token) > 1);
        used
    }

    pub(crate) fn end_name(&mut self, address: IpAddr) {
        self.names.end(&address.to_canonical());
    }
}

/// One token for all connections of a key.
#[derive(Debug)]
struct Tokens<K>(HashMap<K, Arc<CancellationToken>>);

impl<K: Clone + Eq + Hash> Tokens<K> {
    fn of(&mut self, key: &K) -> Arc<CancellationToken> {
        if let Some(token) = self.0.get(key) {
            return Arc::clone(token);
        }
        let token = Arc::new(CancellationToken::new());
        self.0.insert(key.clone(), Arc::clone(&token));
        token
    }

    /// Whether a connection has the token.
    fn is_in_use(&self, key: &K) -> bool {
        let token = self.0.get(key);
        token.is_some_and(|token| Arc::strong_count(token) > 1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_in_use_while_a_connection_may_end_with_it() {
        let mut cancellations = Cancellations::default();
        let (name, other) = ([100, 64, 0, 2].into(), [100, 64, 0, 3].into());
        let service = ServiceId::from("wiki");
        let first = cancellations.dialing(&service, Some(name));
        let second = first.clone();
        drop(first);
        assert!(cancellations.is_name_in_use(name) && !cancellations.is_name_in_use(other));
        assert_eq!(cancellations.used_names(), [name]);
        assert_eq!(cancellations.used_names(), [name]);
        drop(second);
        assert!(!cancellations.is_name_in_use(name));
        assert_eq!(cancellations.used_names(), [name], "it was used until now");
        assert_eq!(
            cancellations.used_names(),
            [IpAddr::V4(std::net::Ipv4Addr::LOCALHOST); 0]
        );
    }
}

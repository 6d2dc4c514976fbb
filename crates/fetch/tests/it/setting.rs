//! Fetchers in a world of a few names.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use portcullis_domain::fetch_rules::FetchRules;
use portcullis_fetch::{FetchError, Fetcher, Resolve, ResolveFuture};
use rustls::RootCertStore;

/// Rules under which servers at 127.0.0.1 can be reached, and no others on this machine.
pub(crate) fn near() -> FetchRules {
    FetchRules {
        allowed_ips: vec!["127.0.0.1".parse().unwrap()],
        ..FetchRules::default()
    }
}

/// A fetcher that trusts nobody and resolves nothing but what the machine itself does.
pub(crate) fn fetcher(rules: FetchRules) -> Fetcher {
    Fetcher::new(rules, Arc::new(RootCertStore::empty())).unwrap()
}

/// Fetches `url`.
pub(crate) async fn fetch(fetcher: &Fetcher, url: &str) -> Result<String, FetchError> {
    let document = fetcher.fetch(&url.parse().unwrap()).await?;
    Ok(String::from_utf8(document).unwrap())
}

/// Finds for whatever name the addresses that a test has laid out, one list for each time it is
/// asked.
#[derive(Default)]
pub(crate) struct Scripted {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Scripted {
    pub(crate) fn new(answers: &[&[&str]]) -> Arc<Self> {
        let one = |answer: &&[&str]| answer.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self {
            answers: Mutex::new(answers.iter().map(one).collect()),
            asked: Mutex::default(),
        })
    }

    /// The names that were asked for, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolve for Scripted {
    fn resolve<'r>(&'r self, host: &'r str) -> ResolveFuture<'r> {
        self.asked.lock().unwrap().push(host.to_owned());
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move { answer.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }
}

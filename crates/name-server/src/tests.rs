use super::*;
use domain::base::{Message, ToName as _};
use domain::rdata::AllRecordData;
use portcullis_channel::Moment;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_tunnel_config::{Intercept, NameAddresses};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

mod answers;
mod clients;
mod properties;
mod upstreams;

pub(crate) type Names = InterceptedNames<&'static str>;

/// Numbers that look random (`SplitMix64`), until they fail.
#[derive(Default)]
pub(crate) struct SeededEntropy {
    drawn: AtomicU64,
    is_broken: AtomicBool,
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(EntropyError);
        }
        for byte in bytes {
            let state = self
                .drawn
                .fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            *byte = ((mixed ^ (mixed >> 27)) >> 56).try_into().unwrap();
        }
        Ok(())
    }
}

pub(crate) fn intercept(addresses: &[&str]) -> Intercept {
    let config = json!({
        "protocols": ["tcp"],
        "addresses": addresses,
        "portRanges": [{"low": 443, "high": 443}],
    });
    Intercept::from_intercept_v1(&config).unwrap()
}

pub(crate) fn names(range: &str) -> Names {
    let addresses = NameAddresses::new(range.parse().unwrap());
    let mut names = Names::new(addresses, NameLimits::default());
    names.insert("wiki", &intercept(&["wiki.corp", "10.0.0.0/8"]));
    names.insert("all", &intercept(&["*.all.corp"]));
    names
}

pub(crate) const A: u16 = 1;
pub(crate) const PTR: u16 = 12;
pub(crate) const MX: u16 = 15;
pub(crate) const AAAA: u16 = 28;
pub(crate) const HTTPS: u16 = 65;
pub(crate) const AXFR: u16 = 252;
pub(crate) const ANY: u16 = 255;

/// A name as it stands in messages.
pub(crate) fn wire_name(name: &str) -> Vec<u8> {
    let labels = name.split('.').filter(|label| !label.is_empty());
    let mut wire: Vec<u8> = labels
        .flat_map(|label| {
            let length = u8::try_from(label.len()).unwrap();
            std::iter::once(length).chain(label.bytes())
        })
        .collect();
    wire.push(0);
    wire
}

pub(crate) fn question(name: &str, rtype: u16, class: u16) -> Vec<u8> {
    let mut wire = wire_name(name);
    wire.extend(rtype.to_be_bytes());
    wire.extend(class.to_be_bytes());
    wire
}

/// A query as stub resolvers write them.
pub(crate) fn query(id: u16, name: &str, rtype: u16) -> Vec<u8> {
    let mut message = id.to_be_bytes().to_vec();
    message.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    message.extend(question(name, rtype, 1));
    message
}

/// With one more OPT record.
pub(crate) fn with_edns(mut message: Vec<u8>, size: u16, version: u8, flags: u16) -> Vec<u8> {
    message[11] += 1;
    message.extend([0, 0, 41]);
    message.extend(size.to_be_bytes());
    message.extend([0, version]);
    message.extend(flags.to_be_bytes());
    message.extend([0, 0]);
    message
}

/// The answer to a query, with the records that follow the question.
pub(crate) fn answer(query: &[u8], code: u8, count: u8, records: &[u8]) -> Vec<u8> {
    let name = query[12..].iter().position(|byte| *byte == 0).unwrap();
    let mut message = query[..12 + name + 5].to_vec();
    message[2] |= 0x80;
    message[3] = 0x80 | code;
    message[7] = count;
    message[11] = 0;
    message.extend(records);
    message
}

/// A record of the name in the question.
pub(crate) fn a_record(address: [u8; 4]) -> Vec<u8> {
    let mut record = vec![0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4];
    record.extend(address);
    record
}

/// A message in words: code, flags, question, records, and what is said by EDNS.
pub(crate) fn words(message: &[u8]) -> String {
    let message = Message::from_octets(message).unwrap();
    let mut words = vec![
        message.opt_rcode().to_string(),
        message.header().flags().to_string(),
    ];
    for question in message.question() {
        words.push(question.unwrap().qname().to_vec().to_string());
    }
    for record in message.answer().unwrap() {
        let record = record.unwrap();
        let data = record.to_any_record::<AllRecordData<_, _>>().unwrap();
        words.push(format!(
            "{} {} {}",
            data.ttl().as_secs(),
            data.rtype(),
            data.data()
        ));
    }
    if let Some(edns) = message.opt() {
        let dnssec = if edns.dnssec_ok() { " do" } else { "" };
        words.push(format!("EDNS {}{dnssec}", edns.udp_payload_size()));
    }
    words.join("; ")
}

pub(crate) fn client(port: u16) -> Client {
    Client {
        address: ([192, 0, 2, 7], port).into(),
        transport: Transport::Udp,
        socket: 0,
    }
}

pub(crate) fn at(millis: u64) -> Moment {
    Moment::ZERO + Duration::from_millis(millis)
}

pub(crate) fn outputs(server: &mut NameServer) -> Vec<Output> {
    std::iter::from_fn(|| server.poll_output()).collect()
}

pub(crate) fn events(server: &mut NameServer) -> Vec<NameServerEvent> {
    std::iter::from_fn(|| server.poll_event()).collect()
}

pub(crate) fn server(options: &NameServerOptions) -> NameServer {
    NameServer::new(options, Arc::new(SeededEntropy::default()))
}

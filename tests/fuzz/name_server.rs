//! Messages of DNS, from clients and from upstreams.

use crate::driver::{fuzz, place};
use portcullis_channel::Moment;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_name_server::{
    Client, InterceptedNames, NameLimits, NameServer, NameServerOptions, Output, Transport,
};
use portcullis_tunnel_config::{Intercept, NameAddresses};
use serde_json::json;
use std::sync::Arc;

/// Every identifier is this one, so that fuzzed answers can have it.
const DRAWN: u8 = 7;

struct ConstantEntropy;

impl Entropy for ConstantEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        bytes.fill(DRAWN);
        Ok(())
    }
}

/// The question for the address of `wiki.corp`, or of another name of that length.
fn question(name: [u8; 4]) -> Vec<u8> {
    [b"\x04", name.as_slice(), b"\x04corp\0\0\x01\0\x01"].concat()
}

fn query(name: [u8; 4], additional: &[u8]) -> Vec<u8> {
    let records = u8::from(!additional.is_empty());
    let header = [DRAWN, DRAWN, 1, 0, 0, 1, 0, 0, 0, 0, 0, records];
    [&header, &*question(name), additional].concat()
}

fn client(transport: Transport) -> Client {
    Client {
        address: "192.0.2.7:5000".parse().unwrap(),
        transport,
        socket: 0,
    }
}

fn server() -> (NameServer, InterceptedNames<u8>) {
    let config = json!({
        "protocols": ["tcp"],
        "addresses": ["*.wiki.corp"],
        "portRanges": [{"low": 443, "high": 443}],
    });
    let mut names = InterceptedNames::new(NameAddresses::default(), NameLimits::default());
    names.insert(0, &Intercept::from_intercept_v1(&config).unwrap());
    let options = NameServerOptions {
        upstreams: vec!["udp://10.0.0.1:53".parse().unwrap()],
        ..NameServerOptions::default()
    };
    (NameServer::new(&options, Arc::new(ConstantEntropy)), names)
}

/// A query gets one answer at most, with its identifier, and what goes to an upstream has no other one than what
/// was drawn.
#[test]
fn fuzzed_queries_get_one_answer_at_most() {
    let edns = b"\0\0\x29\x04\xd0\0\0\x80\0\0\0";
    let inputs = vec![
        query(*b"wiki", &[]),
        query(*b"wiki", edns),
        query(*b"home", &[]),
        query(*b"home", edns),
    ];
    fuzz("queries for names", inputs, |input| {
        let (mut server, mut names) = server();
        server.handle_query(input, client(Transport::Udp), &mut names, Moment::ZERO);
        match (server.poll_output(), server.poll_output()) {
            (None, None) => Ok("nothing".to_owned()),
            (Some(Output::Reply { message, .. }), None) => {
                if message.get(..2) != input.get(..2) || message.len() > 512 {
                    return Err("the answer is to something else, or too long".to_owned());
                }
                Ok(place(&(message[2], message[3], message[7])) + &format!("{}", message[3] % 16))
            },
            (Some(Output::Ask { message, .. }), None) if message.starts_with(&[DRAWN; 2]) => {
                Ok(format!("asked, {} more", message[11]))
            },
            other => Err(format!("{other:?}")),
        }
    });
}

/// What an upstream says reaches the client only if it says it about the question, and then the question is as the
/// client has written it.
#[test]
fn fuzzed_answers_are_those_to_the_question_or_nothing() {
    let asked = query(*b"home", &[]);
    let answer = |code: u8, records: u8| {
        let mut message = asked.clone();
        message[2] |= 0x80;
        message[3] = code;
        message[7] = records;
        let record = b"\xc0\x0c\0\x01\0\x01\0\0\x01\0\0\x04\x0a\0\0\x01";
        message.extend(record.repeat(records.into()));
        message
    };
    let inputs = vec![answer(0, 1), answer(3, 0), answer(2, 0), answer(0, 40)];
    fuzz("answers of name servers", inputs, |input| {
        let (mut server, mut names) = server();
        let mut spelled = asked.clone();
        spelled[13] = b'H';
        let client = client(Transport::Udp);
        server.handle_query(&spelled, client, &mut names, Moment::ZERO);
        let Some(Output::Ask {
            query, upstream, ..
        }) = server.poll_output()
        else {
            return Err("no upstream is asked".to_owned());
        };
        server.handle_answer(query, upstream.address, input, Moment::ZERO);
        let outputs: Vec<_> = std::iter::from_fn(|| server.poll_output()).collect();
        match &*outputs {
            [] => Ok("nothing".to_owned()),
            [Output::Forget(_), Output::Reply { message, .. }] => {
                let question = question(*b"Home");
                if message.get(12..12 + question.len()) != Some(&*question) || message.len() > 512 {
                    return Err("the answer is to something else, or too long".to_owned());
                }
                Ok(format!("{} {}", message[2] & 2, message[3] % 16))
            },
            other => Err(format!("{other:?}")),
        }
    });
}

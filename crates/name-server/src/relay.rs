//! Answers of upstreams, as clients get them.

use crate::answer::{self, MAX_UDP_SIZE};
use crate::query::{Edns, Query, Question};
use crate::upstream::Transport;
use domain::base::iana::{Opcode, Rcode};
use domain::base::{Header, Message};

/// Where the question begins.
const HEADER_LENGTH: usize = 12;
/// Whatever the client says, it can take that much (RFC 6891, section 6.2.3).
const LEAST_UDP_SIZE: u16 = 512;

/// Whether an upstream answers, or says that it cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Answer,
    Failure(Rcode),
}

/// The question as it stands in a message.
fn wire_question(question: &Question) -> Vec<u8> {
    let mut wire = question.qname().as_slice().to_vec();
    wire.extend(question.qtype().to_int().to_be_bytes());
    wire.extend(question.qclass().to_int().to_be_bytes());
    wire
}

/// What a message is as an answer to this question. `None` if it is none (RFC 5452, section 9.1).
pub(crate) fn judge(message: &[u8], id: u16, question: &Question) -> Option<Verdict> {
    let parsed = Message::from_slice(message).ok()?;
    let header = parsed.header();
    let is_answer = header.qr() && header.id() == id && header.opcode() == Opcode::QUERY;
    if !is_answer || parsed.header_counts().qdcount() != 1 {
        return None;
    }
    let expected = wire_question(question);
    let name = question.qname().as_slice().len();
    let found = message.get(HEADER_LENGTH..HEADER_LENGTH + expected.len())?;
    // The lengths of labels are no letters.
    let is_same = found
        .get(..name)?
        .eq_ignore_ascii_case(expected.get(..name)?)
        && found.get(name..) == expected.get(name..);
    is_same.then(|| match header.rcode() {
        Rcode::NOERROR | Rcode::NXDOMAIN => Verdict::Answer,
        code => Verdict::Failure(code),
    })
}

/// An answer that was judged, as one of the clients gets it who asked that question: with its own identifier,
/// the name as it has spelled it, and no longer than it can take.
pub(crate) fn for_client(message: &[u8], query: &Query, transport: Transport) -> Vec<u8> {
    let Query {
        header: asked,
        question,
        edns,
    } = query;
    if message.len() > longest(*edns, transport) {
        let mut header =
            Message::from_slice(message).map_or_else(|_| Header::new(), Message::header);
        header.set_id(asked.id());
        return answer::truncated(header, question, *edns);
    }
    let mut relayed = message.to_vec();
    let own = asked.id().to_be_bytes();
    let question = wire_question(question);
    for (place, bytes) in [(0, own.as_slice()), (HEADER_LENGTH, &question)] {
        if let Some(target) = relayed.get_mut(place..place + bytes.len()) {
            target.copy_from_slice(bytes);
        }
    }
    relayed
}

fn longest(edns: Option<Edns>, transport: Transport) -> usize {
    let udp = edns.map_or(LEAST_UDP_SIZE, |edns| {
        edns.udp_size.clamp(LEAST_UDP_SIZE, MAX_UDP_SIZE)
    });
    match transport {
        Transport::Udp => udp.into(),
        Transport::Tcp => u16::MAX.into(),
    }
}

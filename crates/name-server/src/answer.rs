//! Messages that are written here: answers, and queries to upstreams.

use crate::query::{Edns, Query, Question};
use domain::base::iana::{Class, OptRcode, Rcode};
use domain::base::message_builder::{AnswerBuilder, PushError};
use domain::base::name::NameBuilder;
use domain::base::{Header, MessageBuilder, Name, StaticCompressor, Ttl};
use domain::rdata::{A, Aaaa, Ptr};
use portcullis_tunnel_config::HostName;
use std::net::IpAddr;

/// The longest message over UDP: no path of IPv6 cuts it into fragments (RFC 8200, section 5: 1280 bytes, with the
/// headers of IP and UDP).
pub(crate) const MAX_UDP_SIZE: u16 = 1_232;

/// What is known about an intercepted name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Known<'k> {
    /// It has no record of the type that is asked for.
    Nothing,
    Address(IpAddr),
    Name(&'k HostName),
    /// There is no such name.
    NoName,
}

type Target = StaticCompressor<Vec<u8>>;

/// An error. It has the question if that could be read, and EDNS if the client has it.
pub(crate) fn error(
    asked: Header,
    question: Option<&Question>,
    code: OptRcode,
    edns: Option<Edns>,
) -> Vec<u8> {
    let built = begin(asked, question, code.rcode()).and_then(|answer| finish(answer, code, edns));
    built.unwrap_or_else(|_| bare(asked, code.rcode()))
}

/// An answer about a name that is intercepted, or the reverse of its address.
///
/// There is no SOA record beside an answer of nothing, so that nobody remembers it: a service may come.
pub(crate) fn known(query: &Query, known: Known<'_>, ttl: u32, recursion: bool) -> Vec<u8> {
    write_known(query, known, ttl, recursion)
        .unwrap_or_else(|_| bare(query.header, Rcode::SERVFAIL))
}

fn write_known(
    query: &Query,
    known: Known<'_>,
    ttl: u32,
    recursion: bool,
) -> Result<Vec<u8>, PushError> {
    let mut answer = begin(query.header, Some(&query.question), Rcode::NOERROR)?;
    let header = answer.header_mut();
    header.set_aa(true);
    header.set_ra(recursion);
    let (owner, ttl) = (query.question.qname(), Ttl::from_secs(ttl));
    match known {
        Known::Nothing => {},
        Known::NoName => answer.header_mut().set_rcode(Rcode::NXDOMAIN),
        Known::Address(IpAddr::V4(address)) => {
            answer.push((owner, Class::IN, ttl, A::new(address)))?;
        },
        Known::Address(IpAddr::V6(address)) => {
            answer.push((owner, Class::IN, ttl, Aaaa::new(address)))?;
        },
        Known::Name(name) => {
            if let Some(name) = wire_name(name) {
                answer.push((owner, Class::IN, ttl, Ptr::new(name)))?;
            }
        },
    }
    finish(answer, Rcode::NOERROR.into(), query.edns)
}

/// A query for an upstream. Of what the client said by EDNS only what concerns the answer goes along.
pub(crate) fn ask(query: &Query, id: u16) -> Option<Vec<u8>> {
    let mut header = Header::new();
    header.set_id(id);
    header.set_rd(query.header.rd());
    header.set_cd(query.header.cd());
    header.set_ad(query.header.ad());
    let write = || {
        let mut asked = builder(header).question();
        asked.push(&query.question)?;
        finish(asked.answer(), Rcode::NOERROR.into(), query.edns)
    };
    write().ok()
}

/// What is left of an answer that is too long (RFC 2181, section 9).
pub(crate) fn truncated(answer: Header, question: &Question, edns: Option<Edns>) -> Vec<u8> {
    let mut header = answer;
    header.set_tc(true);
    let write = || {
        let mut answer = builder(header).question();
        answer.push(question)?;
        finish(answer.answer(), header.rcode().into(), edns)
    };
    write().unwrap_or_else(|_: PushError| bare(header, Rcode::SERVFAIL))
}

fn builder(header: Header) -> MessageBuilder<Target> {
    let target = StaticCompressor::new(Vec::with_capacity(512));
    let Ok(mut builder) = MessageBuilder::from_target(target);
    *builder.header_mut() = header;
    builder
}

fn begin(
    asked: Header,
    question: Option<&Question>,
    code: Rcode,
) -> Result<AnswerBuilder<Target>, PushError> {
    let mut answer = builder(answer_header(asked, code)).question();
    if let Some(question) = question {
        answer.push(question)?;
    }
    Ok(answer.answer())
}

fn answer_header(asked: Header, code: Rcode) -> Header {
    let mut header = Header::new();
    header.set_id(asked.id());
    header.set_qr(true);
    header.set_opcode(asked.opcode());
    header.set_rd(asked.rd());
    header.set_cd(asked.cd());
    header.set_rcode(code);
    header
}

/// Says by EDNS what concerns this server, if the client has it (RFC 6891, section 6.1.1).
fn finish(
    answer: AnswerBuilder<Target>,
    code: OptRcode,
    edns: Option<Edns>,
) -> Result<Vec<u8>, PushError> {
    let mut additional = answer.additional();
    if let Some(edns) = edns {
        additional.opt(|opt| {
            opt.set_udp_payload_size(MAX_UDP_SIZE);
            opt.set_dnssec_ok(edns.dnssec_ok);
            opt.set_rcode(code);
            Ok(())
        })?;
    }
    Ok(additional.finish().into_target())
}

/// Nothing but a header: what is left if nothing else can be said.
fn bare(asked: Header, code: Rcode) -> Vec<u8> {
    builder(answer_header(asked, code)).finish().into_target()
}

/// `None` if DNS cannot have such a name: one with a label of more than 63 bytes.
fn wire_name(name: &HostName) -> Option<Name<Vec<u8>>> {
    let mut builder = NameBuilder::new_vec();
    for label in name.as_str().split('.') {
        builder.append_label(label.as_bytes()).ok()?;
    }
    builder.into_name().ok()
}

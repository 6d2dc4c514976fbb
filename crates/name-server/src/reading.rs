//! How messages of clients are read.

use crate::answer;
use crate::query::{Edns, Query, Question};
use domain::base::iana::{Class, Opcode, OptRcode, Rcode};
use domain::base::opt::{Opt, OptRecord};
use domain::base::wire::ParseError;
use domain::base::{Header, Message, Rtype, ToName as _};

/// Why a query is not looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// It is no query, or nobody could tell what it is.
    Dropped,
    /// It gets this answer.
    Answered(Vec<u8>),
}

/// Reads a query that can be looked into.
pub(crate) fn read(message: &[u8]) -> Result<Query, Rejection> {
    let header = read_header(message).ok_or(Rejection::Dropped)?;
    if header.qr() {
        // An answer to it might be answered, and so on.
        return Err(Rejection::Dropped);
    }
    let rejected = |question: Option<&Question>, code: OptRcode, edns: Option<Edns>| {
        Rejection::Answered(answer::error(header, question, code, edns))
    };
    if header.opcode() != Opcode::QUERY {
        return Err(rejected(None, Rcode::NOTIMP.into(), None));
    }
    let (question, said) =
        read_sections(message).ok_or_else(|| rejected(None, Rcode::FORMERR.into(), None))?;
    let edns = said.map(|(edns, _)| edns);
    if said.is_some_and(|(_, version)| version > 0) {
        return Err(rejected(Some(&question), OptRcode::BADVERS, edns));
    }
    let is_transfer = matches!(question.qtype(), Rtype::AXFR | Rtype::IXFR);
    if question.qtype() == Rtype::OPT {
        return Err(rejected(Some(&question), Rcode::FORMERR.into(), edns));
    }
    if question.qclass() != Class::IN || is_transfer {
        return Err(rejected(Some(&question), Rcode::REFUSED.into(), edns));
    }
    Ok(Query {
        header,
        question,
        edns,
    })
}

/// Identifier and flags, even of a message that ends after them.
fn read_header(message: &[u8]) -> Option<Header> {
    let [id_high, id_low, flags_high, flags_low] = *message.first_chunk()?;
    let whole = [
        id_high, id_low, flags_high, flags_low, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    Some(*Header::for_message_slice(&whole))
}

/// The only question, and what the client says by EDNS.
fn read_sections(message: &[u8]) -> Option<(Question, Option<(Edns, u8)>)> {
    let message = Message::from_slice(message).ok()?;
    let question = message.sole_question().ok()?;
    let question = Question::new(
        question.qname().to_vec(),
        question.qtype(),
        question.qclass(),
    );
    Some((question, read_edns(message).ok()?))
}

/// What the client says by EDNS, and in which version. There may be one such record, of the root (RFC 6891,
/// section 6.1).
fn read_edns(message: &Message<[u8]>) -> Result<Option<(Edns, u8)>, ParseError> {
    let (_, _, _, additional) = message.sections()?;
    let mut edns = None;
    for record in additional {
        let record = record?;
        if record.rtype() != Rtype::OPT {
            continue;
        }
        let is_root = record.owner().is_root();
        let record = record.to_record::<Opt<_>>()?;
        let (Some(record), true, None) = (record, is_root, edns) else {
            return Err(ParseError::form_error(
                "not the only OPT record, or not of the root",
            ));
        };
        let record = OptRecord::from(record);
        let said = Edns {
            udp_size: record.udp_payload_size(),
            dnssec_ok: record.dnssec_ok(),
        };
        edns = Some((said, record.version()));
    }
    Ok(edns)
}

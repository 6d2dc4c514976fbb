//! Memory of requests, charged to their senders.

use crate::route::Route;
use bytes::Bytes;
use http::request::Parts;
use portcullis_domain::access::{AuthLevel, Caller, Origin};
use portcullis_domain::peer::Peer;
use portcullis_listener::{Body, BodyError, Budgets, Pace, RequestCharge};

/// Bytes of a request head that are free of charge: nearly all heads are shorter.
const FREE_HEAD_BYTES: usize = 4 * 1024;

/// Overhead of a header besides name and value, as HTTP/2 counts it (RFC 9113, section 6.5.2).
const HEADER_OVERHEAD: usize = 32;

/// The memory of one request.
///
/// Handlers keep the head of their request, and those that change something also outlive their
/// client; so a long head is charged like a body, and both until the handler has ended.
pub(crate) struct RequestMemory<'a> {
    budgets: &'a Budgets,
    payer: Payer,
    head: usize,
    charge: Option<RequestCharge>,
}

/// The peer that a request is charged to.
#[derive(Clone, Copy)]
enum Payer {
    /// The address of a client without a full session.
    Unauthenticated(Peer),
    /// The identity of a full session.
    Session(Peer),
}

impl<'a> RequestMemory<'a> {
    /// Charges the head of a request to the address that it comes from.
    pub(crate) fn unauthenticated(
        budgets: &'a Budgets,
        origin: &Origin,
        head: &Parts,
    ) -> Result<Self, BodyError> {
        let mut memory = Self {
            budgets,
            payer: Payer::Unauthenticated(Peer::from_address(origin.address())),
            head: charged_head(head),
            charge: None,
        };
        memory.charge_head()?;
        Ok(memory)
    }

    /// Charges the request to the caller from now on, unless its session is partial: that takes
    /// only a password, and so gets no more than an unauthenticated client.
    pub(crate) fn transfer_to(&mut self, caller: &Caller) -> Result<(), BodyError> {
        if caller.auth_level == AuthLevel::Full {
            self.payer = Payer::Session(Peer::Identity(caller.identity_number));
            self.charge_head()?;
        }
        Ok(())
    }

    fn charge_head(&mut self) -> Result<(), BodyError> {
        if self.head > 0 {
            let charge = self.new_charge()?;
            charge.set_arrived();
            self.charge = Some(charge);
        }
        Ok(())
    }

    fn new_charge(&self) -> Result<RequestCharge, BodyError> {
        let (budget, peer) = match self.payer {
            Payer::Unauthenticated(peer) => (&self.budgets.unauthenticated_requests, peer),
            Payer::Session(peer) => (&self.budgets.session_requests, peer),
        };
        RequestCharge::new(budget, peer, self.head).ok_or(BodyError::OutOfMemory)
    }

    /// Reads the body, if the route needs it. The returned charge has to be kept for as long as the
    /// request is in memory.
    pub(crate) async fn read(
        mut self,
        route: &Route,
        body: Body,
    ) -> Result<(Bytes, Option<RequestCharge>), BodyError> {
        if !route.reads_body || body.is_absent() {
            return Ok((Bytes::new(), self.charge));
        }
        // In one piece: a charge that has arrived can no longer be cancelled.
        drop(self.charge.take());
        let mut charge = self.new_charge()?;
        let pace = Pace::default();
        let bytes = body
            .read_charged(route.body_limit, &pace, &mut charge)
            .await?;
        Ok((bytes, Some(charge)))
    }
}

/// Returns how many bytes of a head are charged.
fn charged_head(head: &Parts) -> usize {
    let line = head
        .uri
        .path_and_query()
        .map_or(0, |target| target.as_str().len());
    let headers = head.headers.iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + HEADER_OVERHEAD);
    let bytes = line + headers.sum::<usize>();
    if bytes > FREE_HEAD_BYTES { bytes } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;
    use portcullis_domain::clock::Timestamp;
    use portcullis_domain::ids::{ApiSessionId, IdentityId, RecordNumber, RequestId};
    use portcullis_domain::permission::PermissionSet;
    use portcullis_listener::{Quota, Quotas};

    fn budgets() -> Budgets {
        let quota = Quota {
            total: 64 * 1024,
            per_peer: 32 * 1024,
        };
        Budgets::new(&Quotas {
            session_requests: quota,
            unauthenticated_requests: quota,
            ..Quotas::default()
        })
    }

    fn origin() -> Origin {
        Origin::new(RequestId::from_wire("r"), ([192, 0, 2, 1], 1).into())
    }

    fn head(bytes: usize) -> Parts {
        let request = Request::get("/").header("x", "y".repeat(bytes));
        request.body(()).unwrap().into_parts().0
    }

    fn caller(auth_level: AuthLevel) -> Caller {
        Caller {
            origin: origin(),
            identity: IdentityId::from_wire("i".to_owned()),
            identity_number: RecordNumber(7),
            session: ApiSessionId::from_wire("s".to_owned()),
            session_number: RecordNumber(8),
            access_token: None,
            second_factor_token: None,
            auth_level,
            last_factor_at: Timestamp::UNIX_EPOCH,
            is_admin: false,
            permissions: PermissionSet::default(),
        }
    }

    #[test]
    fn long_head_is_charged_to_whoever_has_a_full_session() {
        let budgets = budgets();
        let in_use = || {
            let Budgets {
                session_requests,
                unauthenticated_requests,
                ..
            } = &budgets;
            (
                session_requests.in_use() > 0,
                unauthenticated_requests.in_use() > 0,
            )
        };
        let head = head(5000);
        let mut memory = RequestMemory::unauthenticated(&budgets, &origin(), &head).unwrap();
        assert_eq!(in_use(), (false, true));
        memory.transfer_to(&caller(AuthLevel::Partial)).unwrap();
        assert_eq!(in_use(), (false, true));
        memory.transfer_to(&caller(AuthLevel::Full)).unwrap();
        assert_eq!(in_use(), (true, false));
        drop(memory);
        assert_eq!(in_use(), (false, false));
    }

    #[test]
    fn usual_head_costs_nothing_and_many_long_ones_do() {
        let budgets = budgets();
        let (usual, long) = (head(1000), head(10_000));
        let charge = |head| RequestMemory::unauthenticated(&budgets, &origin(), head);
        let _usual: Vec<_> = (0..100).map(|_| charge(&usual).unwrap()).collect();
        assert_eq!(budgets.unauthenticated_requests.in_use(), 0);
        let _long: Vec<_> = (0..3).map(|_| charge(&long).unwrap()).collect();
        assert!(matches!(charge(&long), Err(BodyError::OutOfMemory)));
    }
}

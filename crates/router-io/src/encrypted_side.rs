//! End-to-end encryption by the router, where no SDK hosts a service.

use std::io;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use portcullis_e2e_encryption::{Header, OpenError, Opener, Sealer, StreamKey, StreamKeys};
use portcullis_wire::xgress::Control;
use portcullis_xgress::{EndReason, Segment};

use crate::ends::{FromLocal, LocalSide};

/// A local side whose data is encrypted in the circuit. Segments without data are not: they carry flags.
///
/// When something arrives that the other end cannot have sealed, both directions end.
pub(crate) struct EncryptedSide<L> {
    side: L,
    /// Until it is sent.
    header: Option<Header>,
    sealer: Sealer,
    receiving: Receiving,
    failure: Option<OpenError>,
}

enum Receiving {
    /// The header comes first.
    Begin(StreamKey),
    Messages(Opener),
}

impl<L: LocalSide> EncryptedSide<L> {
    /// `header` has to be random.
    pub(crate) fn new(side: L, keys: StreamKeys, header: Header) -> Self {
        Self {
            side,
            header: Some(header),
            sealer: Sealer::new(&keys.send, &header),
            receiving: Receiving::Begin(keys.receive),
            failure: None,
        }
    }

    /// Opens what was sealed; nothing comes out of the header.
    fn open(&mut self, sealed: Bytes) -> Result<Bytes, OpenError> {
        match &mut self.receiving {
            Receiving::Begin(key) => {
                let header = Header::try_from(&sealed[..])?;
                self.receiving = Receiving::Messages(Opener::new(key, &header));
                Ok(Bytes::new())
            },
            Receiving::Messages(opener) => opener.open(sealed),
        }
    }

    fn check(&self) -> io::Result<()> {
        match self.failure {
            Some(failure) => Err(io::Error::new(io::ErrorKind::InvalidData, failure)),
            None => Ok(()),
        }
    }
}

impl<L: LocalSide> LocalSide for EncryptedSide<L> {
    fn kind(&self) -> &'static str {
        self.side.kind()
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FromLocal>> {
        self.check()?;
        if let Some(header) = self.header.take() {
            let header = Bytes::copy_from_slice(&header.0);
            return Poll::Ready(Ok(FromLocal::Segment(header.into())));
        }
        let read = ready!(self.side.poll_read(context))?;
        Poll::Ready(Ok(match read {
            FromLocal::Segment(segment) if !segment.data.expose().is_empty() => {
                FromLocal::Segment(Segment {
                    data: self.sealer.seal(segment.data.expose()).into(),
                    ..segment
                })
            },
            other => other,
        }))
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        self.side.poll_ready(context)
    }

    fn write(&mut self, segment: Segment) {
        let Segment { headers, data } = segment;
        let sealed = data.into_inner();
        let opened = if sealed.is_empty() {
            Ok(sealed)
        } else {
            self.open(sealed)
        };
        match opened {
            Ok(data) => self.side.write(Segment {
                headers,
                data: data.into(),
            }),
            Err(failure) => self.failure = Some(failure),
        }
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        self.side.poll_flush(context)
    }

    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.side.poll_finish(context)
    }

    fn forward_control(&mut self, control: Control) -> Option<Control> {
        self.side.forward_control(control)
    }

    fn ended(&mut self, reason: EndReason) {
        self.side.ended(reason);
    }
}

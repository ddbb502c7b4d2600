//! Frames as gRPC messages: the bytes as they are, so that no message description is needed.

use bytes::{Buf, BufMut, Bytes};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// The path of the one call that a listener answers; another version has another path.
pub(crate) const PATH: &str = "/moretta.federation.v1/Link";

/// Bytes that a peer may have on the way to us; more are faster over long distances, and take more
/// memory where the party is slow.
pub(crate) const WINDOW: u32 = 256 << 10;

/// Bytes in, bytes out.
#[derive(Clone, Copy)]
pub(crate) struct Frames;

impl Codec for Frames {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Frames;
    type Decoder = Frames;

    fn encoder(&mut self) -> Frames {
        Frames
    }

    fn decoder(&mut self) -> Frames {
        Frames
    }
}

impl Encoder for Frames {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, frame: Bytes, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put(frame);
        Ok(())
    }
}

impl Decoder for Frames {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, message: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(message.copy_to_bytes(message.remaining())))
    }
}

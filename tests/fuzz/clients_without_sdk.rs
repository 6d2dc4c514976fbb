//! What programs without SDK, and the dialing ends of circuits, send to a router.

use crate::driver::{fuzz, place};
use portcullis_e2e_encryption::{Header, OVERHEAD, Opener, Sealer, StreamKey};
use portcullis_router::ingress::{DialLine, MAX_LINE};

/// A line that is read names a service, and says the same when it is written again.
#[test]
fn fuzzed_first_lines_are_refused_or_name_a_service() {
    let inputs = [
        r#"{"id":"me","svcId":"echo"}"#,
        "{\"svcId\":\"a@b\",\"more\":[{}]}\n",
        r#"{"id":null,"svcId":"\ud83d\ude00"}"#,
        r#"["me","echo"]"#,
        "GET / HTTP/1.1\r\n",
    ];
    let inputs = inputs.map(|text| text.as_bytes().to_vec()).into();
    fuzz("first lines", inputs, |input| {
        let line = match DialLine::parse(input) {
            Ok(line) => line,
            Err(error) => return Ok(place(&error)),
        };
        if line.service.is_empty() || input.len() > MAX_LINE {
            return Err("a line is read that should not be".to_owned());
        }
        let written = serde_json::json!({ "id": line.client, "svcId": line.service });
        match DialLine::parse(written.to_string().as_bytes()) {
            Ok(again) if again == line => Ok("read".to_owned()),
            _ if written.to_string().len() > MAX_LINE => Ok("longer when written".to_owned()),
            _ => Err("what was read is written otherwise".to_owned()),
        }
    });
}

/// Nothing is opened but what was sealed, and it is still opened after what was not.
#[test]
fn fuzzed_messages_are_not_opened() {
    let key = || StreamKey::from([1; 32]);
    let header = Header([2; Header::LEN]);
    let sealed = |message: &[u8]| Sealer::new(&key(), &header).seal(message);
    let genuine = [&b""[..], b"hello", &[0; 64], &[7; 300]].map(|message| sealed(message).to_vec());
    fuzz("encrypted messages", genuine.clone().into(), |input| {
        let mut opener = Opener::new(&key(), &header);
        match opener.open(input.to_vec().into()) {
            Ok(message) if sealed(&message) == input => Ok("genuine".to_owned()),
            Ok(_) => Err("a message is opened that was never sealed".to_owned()),
            Err(error) => match opener.open(genuine[1].clone().into()) {
                Ok(message) if message == "hello" => {
                    Ok(format!("{}, {}", place(&error), input.len() < OVERHEAD))
                },
                _ => Err("the stream is broken by a message that is not of it".to_owned()),
            },
        }
    });
}

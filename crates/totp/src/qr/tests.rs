use super::*;
use crate::secret::Secret;
use crate::url::provisioning_url;
use secrecy::ExposeSecret as _;
use std::io::{Cursor, Write as _};
use std::process::Command;

/// A URL of `length` bytes.
fn url(length: usize) -> String {
    let (head, tail) = (
        "otpauth://totp/openziti.io:",
        "?issuer=openziti.io&secret=gezdgnbvgy3",
    );
    let fill = "abcdefghij%c3%a9klmnopqrstuvwxyz".chars().cycle();
    let name: String = fill.take(length - head.len() - tail.len()).collect();
    format!("{head}{name}{tail}")
}

/// Capacity of versions 5 to 40 at level M in bytes (ISO/IEC 18004 table 7); a URL with a secret
/// needs at least version 5.
const CAPACITIES: [usize; 36] = [
    84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666, 711, 779, 857,
    911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099, 2213,
    2331,
];

/// The modules of the code for `text` as the encoder produces them.
fn reference(text: &str) -> Vec<Vec<bool>> {
    let code = qrcode::QrCode::with_error_correction_level(text, qrcode::EcLevel::M).unwrap();
    let colors = code.to_colors();
    let rows = colors.chunks(code.width());
    rows.map(|row| {
        row.iter()
            .map(|&color| color == qrcode::Color::Dark)
            .collect()
    })
    .collect()
}

/// The pixels of a PNG, row by row, `true` where they are black.
fn pixels(png: &[u8]) -> Vec<Vec<bool>> {
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height), (256, 256));
    assert_eq!(
        (info.color_type, info.bit_depth),
        (png::ColorType::Grayscale, png::BitDepth::One)
    );
    let bits = |byte: &u8| {
        (0..8)
            .rev()
            .map(move |bit| byte >> bit & 1 == 0)
            .collect::<Vec<_>>()
    };
    bytes
        .chunks(info.line_size)
        .map(|row| row.iter().flat_map(bits).collect())
        .collect()
}

#[test]
fn image_shows_the_modules_as_squares_in_a_quiet_zone() {
    for (version, length) in (5..).zip(CAPACITIES) {
        let text = url(length);
        let modules = reference(&text);
        assert_eq!(modules.len(), 17 + 4 * version, "{length}");
        let pixels = pixels(&QrCode::encode(&text).unwrap().to_png());
        let side = modules.len();
        let scale = 256 / (side + 8);
        let margin = (256 - side * scale) / 2;
        assert!(scale >= 1 && margin >= 4 * scale, "{length}");
        for (y, row) in pixels.iter().enumerate() {
            for (x, &is_black) in row.iter().enumerate() {
                let module = |pixel: usize| pixel.checked_sub(margin).map(|pixel| pixel / scale);
                let expected = module(y).zip(module(x)).is_some_and(|(y, x)| {
                    modules
                        .get(y)
                        .and_then(|row| row.get(x))
                        .copied()
                        .unwrap_or(false)
                });
                assert_eq!(is_black, expected, "length {length}, pixel {x}, {y}");
            }
        }
    }
}

/// What `zbarimg` reads in `png`; `None` when it is not installed.
fn scan(png: &[u8]) -> Option<String> {
    let mut file = tempfile::Builder::new().suffix(".png").tempfile().unwrap();
    file.write_all(png).unwrap();
    let scanned = Command::new("zbarimg")
        .args(["-q", "--raw"])
        .arg(file.path())
        .output();
    let Ok(output) = scanned else {
        println!("skipped: there is no zbarimg on the PATH");
        return None;
    };
    Some(
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned(),
    )
}

#[test]
fn scanner_reads_images_of_every_size() {
    for length in CAPACITIES {
        let text = url(length);
        let Some(read) = scan(&QrCode::encode(&text).unwrap().to_png()) else {
            return;
        };
        assert_eq!(read, text, "{length}");
    }
}

#[test]
fn scanner_reads_a_provisioning_url() {
    let secret = Secret::from_bytes(b"12345678901234567890").unwrap();
    let url = provisioning_url("openziti.io", "Zoë's \"laptop\" 100%", &secret);
    let png = QrCode::encode(url.expose_secret()).unwrap().to_png();
    if let Some(read) = scan(&png) {
        assert_eq!(read, url.expose_secret());
    }
}

#[test]
fn texts_that_no_code_holds_are_refused() {
    let longest = "a".repeat(2331);
    assert!(QrCode::encode(&longest).is_ok());
    assert_eq!(
        QrCode::encode(&format!("{longest}a")).unwrap_err(),
        QrCodeError
    );
    assert_eq!(
        QrCode::encode(&"a".repeat(1 << 20)).unwrap_err(),
        QrCodeError
    );
    assert!(QrCode::encode("").is_ok());
}

#[test]
fn terminal_shows_the_modules_in_a_quiet_zone() {
    for length in [70, 120, 400, 1000] {
        let text = url(length);
        let mut expected = vec![vec![false; reference(&text).len() + 8]; 4];
        for row in reference(&text) {
            expected.push([&[false; 4][..], &row, &[false; 4]].concat());
        }
        expected.extend_from_within(..4);
        let code = QrCode::encode(&text).unwrap();
        assert_eq!(rows_of_ascii(&code.to_ascii()), expected, "{length}");
        let mut shown = rows_of_text(&code.to_text());
        assert_eq!(shown.len(), expected.len() + 1);
        assert!(
            shown.pop().unwrap().iter().all(|&is_dark| is_dark),
            "below the last row"
        );
        assert_eq!(shown, expected, "{length}");
    }
}

fn rows_of_text(text: &str) -> Vec<Vec<bool>> {
    let halves = |shown| match shown {
        '█' => (false, false),
        '▀' => (false, true),
        '▄' => (true, false),
        ' ' => (true, true),
        other => panic!("{other:?}"),
    };
    let pair = |line: &str| {
        let (upper, lower) = line.chars().map(halves).unzip();
        [upper, lower]
    };
    text.lines().flat_map(pair).collect()
}

fn rows_of_ascii(text: &str) -> Vec<Vec<bool>> {
    let row = |line: &str| {
        line.as_bytes()
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| pair == b"  ")
            .collect()
    };
    text.lines().map(row).collect()
}

#[test]
fn scanner_reads_what_a_terminal_shows() {
    let text = url(120);
    let rows = rows_of_text(&QrCode::encode(&text).unwrap().to_text());
    let side = u32::try_from(rows[0].len()).unwrap() * 4;
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, side, side);
    encoder.set_depth(png::BitDepth::Eight);
    let mut shown = Vec::new();
    // The half line below the last row is beyond the square.
    for row in &rows[..rows[0].len()] {
        let line: Vec<u8> = row
            .iter()
            .flat_map(|&is_dark| [u8::from(!is_dark) * 255; 4])
            .collect();
        shown.extend(line.repeat(4));
    }
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&shown)
        .unwrap();
    if let Some(read) = scan(&png) {
        assert_eq!(read, text);
    }
}

#[test]
fn debug_shows_nothing() {
    let code = QrCode::encode("otpauth://totp/x").unwrap();
    assert_eq!(format!("{code:?}"), "QrCode([redacted])");
}

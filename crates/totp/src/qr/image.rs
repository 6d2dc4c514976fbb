//! A QR code as an image.

use super::QrCode;

impl QrCode {
    /// Pixels of a side of the image.
    pub const PIXELS: u16 = 256;

    /// Draws the code as a PNG of 256 by 256 pixels, black on white.
    ///
    /// A module is a square of whole pixels, as large as fits with a quiet zone of four modules;
    /// what is left over makes the margin wider.
    pub fn to_png(&self) -> Vec<u8> {
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, Self::PIXELS.into(), Self::PIXELS.into());
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::One);
        // Memory takes all that is written to it, and the rows have the size that was announced.
        let _ = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.rows()));
        png
    }

    /// The rows of the image, a bit for each pixel, set where it is white.
    fn rows(&self) -> Vec<u8> {
        let pixels = usize::from(Self::PIXELS);
        let scale = self.scale();
        let margin = (pixels - self.side * scale) / 2;
        let module = |pixel: usize| pixel.checked_sub(margin).map(|pixel| pixel / scale);
        let mut bytes = vec![0; pixels * pixels / 8];
        for (place, byte) in bytes.iter_mut().enumerate() {
            let (row, first) = (place * 8 / pixels, place * 8 % pixels);
            for column in first..first + 8 {
                let is_dark = self.is_dark(module(row), module(column));
                *byte = *byte << 1 | u8::from(!is_dark);
            }
        }
        bytes
    }

    /// Pixels of a side of a module.
    fn scale(&self) -> usize {
        let pixels = usize::from(Self::PIXELS);
        pixels / (self.side + 2 * Self::QUIET_ZONE)
    }
}

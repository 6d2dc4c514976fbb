//! PNG rendering of QR codes.

use super::QrCode;

impl QrCode {
    /// Pixels per side of the image.
    pub const PIXELS: u16 = 256;

    /// Renders the code as a PNG of 256 by 256 pixels, black on white.
    ///
    /// A module is a square of whole pixels, as large as fits with a quiet zone of four modules;
    /// the rest widens the margin.
    pub fn to_png(&self) -> Vec<u8> {
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, Self::PIXELS.into(), Self::PIXELS.into());
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::One);
        // Writing to memory cannot fail, and the rows have the announced size.
        let _ = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.rows()));
        png
    }

    /// The rows of the image, one bit per pixel, set for white.
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

    /// Pixels per side of a module.
    fn scale(&self) -> usize {
        let pixels = usize::from(Self::PIXELS);
        pixels / (self.side + 2 * Self::QUIET_ZONE)
    }
}

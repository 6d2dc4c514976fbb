//! QR codes, for browsers and terminals.

mod image;
mod text;

use zeroize::Zeroizing;

/// A text as a QR code (ISO/IEC 18004) of error-correction level M.
///
/// It is wiped on drop, and `Debug` hides it: the text holds a secret.
pub struct QrCode {
    /// Whether each module is dark, row by row.
    modules: Zeroizing<Vec<bool>>,
    /// Modules per side.
    side: usize,
}

/// The text exceeds the capacity of a QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is too long for a QR code")]
pub struct QrCodeError;

impl QrCode {
    /// Width of the light margin in modules.
    const QUIET_ZONE: usize = 4;

    /// Encodes `text` in the smallest code that holds it.
    ///
    /// # Errors
    ///
    /// [`QrCodeError`] beyond 2331 bytes; somewhat later for a text with runs of digits or
    /// capitals.
    pub fn encode(text: &str) -> Result<Self, QrCodeError> {
        let level = qrcode::EcLevel::M;
        let code = qrcode::QrCode::with_error_correction_level(text, level)
            .map_err(|_too_long| QrCodeError)?;
        let side = code.width();
        let modules = code.into_colors().into_iter();
        let modules = modules.map(|color| color == qrcode::Color::Dark).collect();
        Ok(Self {
            modules: Zeroizing::new(modules),
            side,
        })
    }

    /// Whether a module is dark; those outside the code are light.
    fn is_dark(&self, row: Option<usize>, column: Option<usize>) -> bool {
        let (Some(row), Some(column)) = (row, column) else {
            return false;
        };
        column < self.side && self.modules.get(row * self.side + column) == Some(&true)
    }
}

impl std::fmt::Debug for QrCode {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("QrCode([redacted])")
    }
}

#[cfg(test)]
mod tests;

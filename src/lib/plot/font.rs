//! The font of all pictures, which is part of the program, and PNG made with it.

use std::sync::{Arc, LazyLock, Once};

use plotters::style::{FontStyle, register_font};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::error::{Error, Result};

/// What SVG files call it, so that a reader's own font serves as well.
const FAMILY: &str = "sans-serif";
/// Its own name.
const NAME: &str = "Noto Sans";
const IS_A_FONT: &str = "the font that is part of the program is one";

/// Makes the font known to plotters, which needs the width of texts.
pub(super) fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let fonts =
            [(FontStyle::Normal, notosans::REGULAR_TTF), (FontStyle::Bold, notosans::BOLD_TTF)];
        for (style, bytes) in fonts {
            assert!(register_font(FAMILY, style, bytes).is_ok(), "{IS_A_FONT}");
        }
    });
}

fn options() -> Options<'static> {
    static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
        fonts.load_font_data(notosans::BOLD_TTF.to_vec());
        fonts.set_sans_serif_family(NAME);
        Arc::new(fonts)
    });
    Options { fontdb: Arc::clone(&FONTS), font_family: NAME.into(), ..Options::default() }
}

/// The PNG of an SVG.
pub(super) fn png(svg: &str) -> Result<Vec<u8>> {
    let wrong = |what: String| Error::Message(format!("a picture cannot be made into PNG: {what}"));
    let tree = Tree::from_str(svg, &options()).map_err(|error| wrong(error.to_string()))?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height())
        .ok_or_else(|| wrong(format!("it has {} × {} pixels", size.width(), size.height())))?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| wrong(error.to_string()))
}

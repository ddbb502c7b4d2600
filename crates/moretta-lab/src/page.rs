//! A page that shows the drawings that lie beside it, and tables.

use moretta_report::Markup;

const STYLE: &str = ":root{color-scheme:light dark}body{font-family:sans-serif;max-width:1200px;\
    margin:2em auto;padding:0 1em}pre{overflow-x:auto;font-size:12px}img{max-width:100%}";

/// The page; `drawings` are files beside it.
pub(crate) fn page(title: &str, text: &str, drawings: &[(String, String)]) -> String {
    let mut page = Markup::default();
    page.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.leaf("title", &[], title);
    page.leaf("style", &[], STYLE);
    page.raw("\n</head>\n<body>\n");
    page.leaf("h1", &[], title);
    page.raw("\n");
    for (name, drawing) in drawings {
        page.element("p", &[], |page| {
            let width = width(drawing);
            page.shape("img", &[("src", name), ("alt", name), ("width", &width)]);
        });
        page.raw("\n");
    }
    page.raw("<h2>Figures</h2>\n");
    page.leaf("pre", &[], text);
    page.raw("\n</body>\n</html>\n");
    page.into_string()
}

/// The width that a drawing is made for; else a small one would be blown up to that of the page.
fn width(drawing: &str) -> &str {
    let sizes = drawing.split_once("viewBox=\"0 0 ");
    let width = sizes.and_then(|(_, sizes)| sizes.split_once(' '));
    width.map_or("auto", |(width, _)| width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use moretta_report::figure::Drawing;

    #[test]
    fn drawings_keep_their_size() {
        let drawing = Drawing::new(620.0, 360.0, "title").finish();
        let page = page("t", "", &[("a.svg".to_owned(), drawing)]);
        assert!(page.contains("src=\"a.svg\""), "{page}");
        assert!(page.contains("width=\"620\""), "{page}");
    }
}

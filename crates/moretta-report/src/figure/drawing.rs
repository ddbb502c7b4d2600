//! An SVG as text, element by element.

use crate::axis::At;
use crate::markup::{Attributes, Markup};
use std::fmt::Arguments;

/// Paper, ink and lines follow the reader's choice of light or dark; tones are readable
/// on both, and told apart by those who see few colours (Okabe and Ito).
const STYLE: &str = "\
.paper{fill:#fff}text{fill:#222}.muted{fill:#666}.axis{stroke:#777;fill:none}\
.grid{stroke:#e4e4e4;fill:none}.ink{stroke:#222;fill:none}\
.t0{stroke:#808890;fill:#808890}.t1{stroke:#d55e00;fill:#d55e00}.t2{stroke:#2a86c4;fill:#2a86c4}\
.t3{stroke:#009e73;fill:#009e73}.t4{stroke:#b5679a;fill:#b5679a}\
.line{fill:none;stroke-width:1.5;stroke-linejoin:round}.dashed{stroke-dasharray:5 3}\
.ring{fill:none;stroke-width:1.5}.thick{stroke-width:4;stroke-linecap:round}\
.column{stroke-width:12}\
text.t0,text.t1,text.t2,text.t3,text.t4{stroke:none}\
@media (prefers-color-scheme:dark){.paper{fill:#16191d}text{fill:#e2e5e9}.muted{fill:#a0a8b2}\
.axis{stroke:#8a929c}.grid{stroke:#2b3138}.ink{stroke:#e2e5e9}}";

/// The colour of what is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tone(
    /// Which of the tones; 0 is grey.
    pub usize,
);

impl Tone {
    /// How many there are; the first is grey.
    pub const COUNT: usize = 5;

    /// Its class; of more series than tones some share one.
    pub fn class(self) -> String {
        format!("t{}", self.0 % Self::COUNT)
    }
}

/// Where a text is with respect to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A drawing under way.
pub struct Drawing(Markup);

impl Drawing {
    /// An empty one with a title.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let opening = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ";
        Drawing::open(opening, width, height, title)
    }

    /// An empty one inside of a page, which needs no name of its language.
    pub(crate) fn inside(width: f64, height: f64, title: &str) -> Self {
        Drawing::open("<svg viewBox=\"0 0 ", width, height, title)
    }

    fn open(opening: &'static str, width: f64, height: f64, title: &str) -> Self {
        let mut page = Markup::default();
        let (width, height) = (At(width.round()), At(height.round()));
        page.raw(opening);
        page.text(format_args!("{width} {height}"));
        page.raw("\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n");
        page.leaf("title", &[], title);
        page.element("style", &[], |page| page.raw(STYLE));
        page.shape(
            "rect",
            &[("class", &"paper"), ("width", &width), ("height", &height)],
        );
        let heading: Attributes<'_> = &[("x", &16), ("y", &26), ("font-size", &15)];
        page.leaf("text", heading, title);
        page.raw("\n");
        Drawing(page)
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.into_markup().into_string()
    }

    /// The whole, to be part of a page.
    pub(crate) fn into_markup(mut self) -> Markup {
        self.0.raw("</svg>\n");
        self.0
    }

    /// Words, with classes of the style.
    pub fn text(&mut self, (x, y): (f64, f64), align: Align, class: &str, words: &str) {
        let anchor = match align {
            Align::Start => "start",
            Align::Middle => "middle",
            Align::End => "end",
        };
        let attributes: Attributes<'_> = &[
            ("x", &At(x)),
            ("y", &At(y)),
            ("text-anchor", &anchor),
            ("class", &class),
        ];
        self.0.leaf("text", attributes, words);
        self.0.raw("\n");
    }

    /// Words that are read from below upwards, centred.
    pub fn upward(&mut self, (x, y): (f64, f64), class: &str, words: &str) {
        let turned = format!("translate({} {}) rotate(-90)", At(x), At(y));
        let attributes: Attributes<'_> = &[
            ("transform", &turned),
            ("text-anchor", &"middle"),
            ("class", &class),
        ];
        self.0.leaf("text", attributes, words);
        self.0.raw("\n");
    }

    /// A path, with classes of the style.
    pub fn path(&mut self, class: &str, outline: Arguments<'_>) {
        self.0.shape("path", &[("class", &class), ("d", &outline)]);
        self.0.raw("\n");
    }

    /// A line through points, dropped when there are none.
    pub fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.is_empty() {
            return;
        }
        let points = points.iter().map(|(x, y)| format!("{},{}", At(*x), At(*y)));
        let points = points.collect::<Vec<_>>().join(" ");
        self.0
            .shape("polyline", &[("class", &class), ("points", &points)]);
        self.0.raw("\n");
    }

    /// A circle that tells its detail when it is pointed at.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64, detail: &str) {
        let attributes: Attributes<'_> = &[
            ("class", &class),
            ("cx", &At(x)),
            ("cy", &At(y)),
            ("r", &At(radius)),
        ];
        self.0
            .element("circle", attributes, |page| page.leaf("title", &[], detail));
        self.0.raw("\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_cannot_become_elements() {
        let mut drawing = Drawing::new(10.0, 10.0, "a < b & \"c\"");
        drawing.text((1.0, 2.0), Align::End, "muted", "<script>");
        drawing.circle("t1", (1.0, 2.0), 3.0, "1 > 0");
        let svg = drawing.finish();
        assert!(
            svg.contains("<title>a &lt; b &amp; &quot;c&quot;</title>"),
            "{svg}"
        );
        assert!(
            !svg.contains("<script>") && svg.ends_with("</svg>\n"),
            "{svg}"
        );
        assert!(svg.contains("1 &gt; 0"), "{svg}");
    }

    #[test]
    fn every_tone_has_a_colour() {
        for tone in 0..12 {
            let class = format!(".{}{{stroke", Tone(tone).class());
            assert!(STYLE.contains(&class), "{class}");
        }
    }
}

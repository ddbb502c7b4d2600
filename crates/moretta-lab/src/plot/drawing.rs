//! An SVG as text, element by element.

use std::fmt::{Arguments, Write};

/// Paper, ink and lines follow the reader's choice of light or dark; tones are readable
/// on both, and told apart by those who see few colours (Okabe and Ito).
const STYLE: &str = "\
.paper{fill:#fff}text{fill:#222}.muted{fill:#666}.axis{stroke:#777;fill:none}\
.grid{stroke:#e4e4e4;fill:none}.ink{stroke:#222;fill:none}\
.t0{stroke:#808890;fill:#808890}.t1{stroke:#d55e00;fill:#d55e00}.t2{stroke:#2a86c4;fill:#2a86c4}\
.t3{stroke:#009e73;fill:#009e73}.t4{stroke:#b5679a;fill:#b5679a}\
.line{fill:none;stroke-width:1.5;stroke-linejoin:round}.dashed{stroke-dasharray:5 3}\
.ring{fill:none;stroke-width:1.5}.thick{stroke-width:4;stroke-linecap:round}\
text.t0,text.t1,text.t2,text.t3,text.t4{stroke:none}\
@media (prefers-color-scheme:dark){.paper{fill:#16191d}text{fill:#e2e5e9}.muted{fill:#a0a8b2}\
.axis{stroke:#8a929c}.grid{stroke:#2b3138}.ink{stroke:#e2e5e9}}";

/// The colour of what is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tone(pub(crate) usize);

impl Tone {
    /// How many there are; the first is grey.
    const COUNT: usize = 5;

    /// Its class; of more series than tones some share one.
    pub(crate) fn class(self) -> String {
        format!("t{}", self.0 % Self::COUNT)
    }
}

/// Where a text is with respect to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A drawing under way.
pub(crate) struct Drawing(String);

impl Drawing {
    /// An empty one with a title.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        let title = escape(title);
        let mut drawing = Drawing(String::new());
        drawing.add(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n\
             <text x=\"16\" y=\"26\" font-size=\"15\">{title}</text>"
        ));
        drawing
    }

    /// The whole text.
    pub(crate) fn finish(mut self) -> String {
        self.add(format_args!("</svg>"));
        self.0
    }

    /// Words, with classes of the style.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), align: Align, class: &str, words: &str) {
        let anchor = match align {
            Align::Start => "start",
            Align::Middle => "middle",
            Align::End => "end",
        };
        let words = escape(words);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{words}</text>"
        ));
    }

    /// Words that are read from below upwards, centred.
    pub(crate) fn upward(&mut self, (x, y): (f64, f64), class: &str, words: &str) {
        let words = escape(words);
        self.add(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\" \
             class=\"{class}\">{words}</text>"
        ));
    }

    /// A path, with classes of the style.
    pub(crate) fn path(&mut self, class: &str, outline: Arguments<'_>) {
        self.add(format_args!("<path class=\"{class}\" d=\"{outline}\"/>"));
    }

    /// A line through points, dropped when there are none.
    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.is_empty() {
            return;
        }
        let points: Vec<String> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let points = points.join(" ");
        self.add(format_args!(
            "<polyline class=\"{class}\" points=\"{points}\"/>"
        ));
    }

    /// A circle that tells its detail when it is pointed at.
    pub(crate) fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64, detail: &str) {
        let detail = escape(detail);
        self.add(format_args!(
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\">\
             <title>{detail}</title></circle>"
        ));
    }

    fn add(&mut self, element: Arguments<'_>) {
        writeln!(self.0, "{element}").expect("a string takes every write");
    }
}

/// A text without marks that mean something in XML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
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

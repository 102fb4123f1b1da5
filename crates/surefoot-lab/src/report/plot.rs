//! Pictures as SVG: learning curves with bands, and the numbers of an action. Colours are
//! variables, so that one picture fits light, dark and paper; a shape and a dash go with every
//! colour.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::numbers::{duration, label, shown, ticks};
use crate::portrait::PlaneView;

/// One line of a plot.
pub struct Series {
    pub name: String,
    /// Which colour, dash and marker; the same for the same thing in every plot.
    pub style: usize,
    pub points: Vec<CurvePoint>,
}

/// Traces, mean, half the width of the interval.
pub type CurvePoint = (usize, f64, Option<f64>);

/// Styles that can be told apart by colour alone; beyond, dash and marker tell.
const COLOURS: usize = 7;
const MARKERS: usize = 6;

/// The rules that pictures need, in a page or alone.
pub const STYLE: &str = include_str!("plot.css");

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A marker around a point.
fn marker(style: usize, x: f64, y: f64) -> String {
    let shape = match style % MARKERS {
        0 => return format!("<circle class=\"marker\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"),
        1 => "m-2.8 -2.8h5.6v5.6h-5.6z",
        2 => "m0 -3.9l3.9 3.9l-3.9 3.9l-3.9 -3.9z",
        3 => "m0 -3.6l3.6 6.2h-7.2z",
        4 => "m0 3.6l3.6 -6.2h-7.2z",
        _ => "m-3.4 0h6.8m-3.4 -3.4v6.8",
    };
    format!("<path class=\"marker\" d=\"M{x:.1} {y:.1}{shape}\"/>")
}

fn classes(style: usize) -> String {
    format!("c{} d{}", style % COLOURS, style % MARKERS)
}

/// A line with its marker, for a legend beside plots.
pub fn swatch(style: usize) -> String {
    format!(
        "<svg class=\"swatch\" viewBox=\"0 0 34 12\" width=\"34\" height=\"12\" \
         aria-hidden=\"true\"><g class=\"series {}\">\
         <path class=\"line\" d=\"M1 6H33\"/>{}</g></svg>",
        classes(style),
        marker(style, 17.0, 6.0)
    )
}

/// What a picture is, for those who do not see it, and how it is put on a page.
pub struct Frame<'a> {
    /// Unique on the page.
    pub id: &'a str,
    pub title: &'a str,
    /// Whether it stands in a file of its own, with its rules and a legend.
    pub alone: bool,
}

impl Frame<'_> {
    fn open(&self, width: f64, height: f64, description: &str) -> String {
        let Frame { id, title, alone } = self;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {width} \
             {height}\" role=\"img\" \
             aria-labelledby=\"{id}-t {id}-d\"{}><title id=\"{id}-t\">{}</title><desc \
             id=\"{id}-d\">{}</desc>",
            if *alone { format!(" width=\"{width}\" height=\"{height}\"") } else { String::new() },
            escaped(title),
            escaped(description)
        );
        if *alone {
            // A ground of its own: the colours follow the reader's settings, and the page around it
            // may not.
            let _ = write!(
                text,
                "<style>{STYLE}</style><path class=\"ground\" d=\"M0 0H{width}V{height}H0Z\"/>"
            );
        }
        text
    }
}

/// Where the axes of a plot are in its picture.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// What a curve is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CurveQuantity {
    /// Shares, from 0 to 1.
    Share,
    /// Seconds, on a logarithmic axis between powers of ten.
    Seconds,
}

impl CurveQuantity {
    /// A value as it is said.
    fn said(self, value: f64) -> String {
        match self {
            CurveQuantity::Share => shown(value),
            CurveQuantity::Seconds => duration(value),
        }
    }
}

/// The axes of a learning curve: from the least to the highest number of traces, and from the
/// lowest to the highest value.
struct CurveScale {
    area: Area,
    low: f64,
    high: f64,
    quantity: CurveQuantity,
    /// The decades of the least and of the greatest number of seconds.
    decades: (i32, i32),
}

impl CurveScale {
    fn x(&self, traces: usize) -> f64 {
        let CurveScale { area: Area { left, right, .. }, low, high, .. } = *self;
        if high > low {
            left + 8.0 + (right - left - 16.0) * (traces as f64 / low).ln() / (high / low).ln()
        } else {
            (left + right) / 2.0
        }
    }

    fn y(&self, value: f64) -> f64 {
        let Area { top, bottom, .. } = self.area;
        let (least, most) = self.decades;
        let height = match self.quantity {
            CurveQuantity::Share => value,
            CurveQuantity::Seconds => (value.log10() - f64::from(least)) / f64::from(most - least),
        };
        bottom - (bottom - top) * height.clamp(0.0, 1.0)
    }

    /// Values with a line across the plot, and their labels.
    fn lines(&self) -> Vec<(f64, String)> {
        match self.quantity {
            CurveQuantity::Share => {
                [0.0, 0.25, 0.5, 0.75, 1.0].map(|value| (value, label(value))).to_vec()
            }
            CurveQuantity::Seconds => {
                let (least, most) = self.decades;
                (least..=most)
                    .map(|decade| (10f64.powi(decade), duration(10f64.powi(decade))))
                    .collect()
            }
        }
    }

    /// A place in a path.
    fn place(&self, traces: usize, value: f64) -> String {
        format!("{:.1} {:.1}", self.x(traces), self.y(value))
    }

    /// The outline of the intervals around a line.
    fn band(&self, points: &[CurvePoint]) -> String {
        let upper = points
            .iter()
            .map(|&(traces, mean, half)| self.place(traces, mean + half.unwrap_or(0.0)));
        let lower = points
            .iter()
            .rev()
            .map(|&(traces, mean, half)| self.place(traces, mean - half.unwrap_or(0.0)));
        upper.chain(lower).collect::<Vec<_>>().join("L")
    }
}

/// The decades around all values of some lines.
fn decades(series: &[Series]) -> (i32, i32) {
    let values = || series.iter().flat_map(|line| &line.points).map(|&(_, value, _)| value.log10());
    let least = values().reduce(f64::min).unwrap_or(0.0).floor() as i32;
    let most = values().reduce(f64::max).unwrap_or(0.0).ceil() as i32;
    (least, most.max(least + 1))
}

/// A learning curve over numbers of traces on a logarithmic axis.
pub fn curves(frame: &Frame<'_>, quantity: CurveQuantity, series: &[Series]) -> String {
    let legend = if frame.alone { 16.0 * series.len() as f64 + 8.0 } else { 0.0 };
    let (width, height) = (340.0, 230.0);
    let area = Area { left: 38.0, right: 330.0, top: 26.0, bottom: 190.0 };
    let Area { left, right, bottom, .. } = area;
    let traces: BTreeSet<usize> =
        series.iter().flat_map(|line| &line.points).map(|(traces, _, _)| *traces).collect();
    let low = traces.first().map_or(f64::MAX, |&traces| traces as f64);
    let high = traces.last().map_or(f64::MIN, |&traces| traces as f64);
    let scale = CurveScale { area, low, high, quantity, decades: decades(series) };
    let ends: Vec<String> = series
        .iter()
        .filter_map(|line| {
            line.points.last().map(|(traces, mean, _)| {
                format!("{}: {} with {traces} traces", line.name, quantity.said(*mean))
            })
        })
        .collect();
    let mut text = frame.open(width, height + legend, &ends.join("; "));
    let _ = write!(
        text,
        "<text class=\"heading\" x=\"{left}\" y=\"15\">{}</text>",
        escaped(frame.title)
    );
    for (value, label) in scale.lines() {
        let y = scale.y(value);
        let _ = write!(text, "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>");
        let _ = write!(
            text,
            "<text class=\"tick end\" x=\"{}\" y=\"{:.1}\">{}</text>",
            left - 5.0,
            y + 3.5,
            label
        );
    }
    let mut before = f64::MIN;
    for count in traces {
        let x = scale.x(count);
        let _ = write!(text, "<path class=\"notch\" d=\"M{x:.1} {bottom}v4\"/>");
        // Labels that would touch are left out.
        if x - before > 18.0 {
            let _ = write!(
                text,
                "<text class=\"tick middle\" x=\"{x:.1}\" y=\"{}\">{count}</text>",
                bottom + 16.0
            );
            before = x;
        }
    }
    let _ = write!(
        text,
        "<text class=\"axis middle\" x=\"{}\" y=\"{}\">traces to learn from (log scale)</text>",
        (left + right) / 2.0,
        height - 8.0
    );
    for line in series {
        let _ = write!(text, "<g class=\"series {}\">", classes(line.style));
        if line.points.len() > 1 {
            let _ = write!(text, "<path class=\"band\" d=\"M{}Z\"/>", scale.band(&line.points));
        }
        let path: Vec<String> =
            line.points.iter().map(|&(traces, mean, _)| scale.place(traces, mean)).collect();
        if !path.is_empty() {
            let _ = write!(text, "<path class=\"line\" d=\"M{}\"/>", path.join("L"));
        }
        for &(traces, mean, half) in &line.points {
            let width = super::numbers::interval(half);
            let _ = write!(
                text,
                "<g><title>{}, {traces} traces: {} {width}</title>{}</g>",
                escaped(&line.name),
                quantity.said(mean),
                marker(line.style, scale.x(traces), scale.y(mean))
            );
        }
        text += "</g>";
    }
    if frame.alone {
        for (index, line) in series.iter().enumerate() {
            let y = height + 8.0 + 16.0 * index as f64;
            let _ = write!(
                text,
                "<g class=\"series {}\"><path class=\"line\" d=\"M{left} {y}h32\"/>{}</g><text \
                 class=\"tick\" x=\"{}\" y=\"{}\">{}</text>",
                classes(line.style),
                marker(line.style, left + 16.0, y),
                left + 40.0,
                y + 3.5,
                escaped(&line.name)
            );
        }
    }
    text + "</svg>"
}

/// The axes of a projection: the values of two functions that its frame spans.
struct ProjectionScale {
    area: Area,
    /// The least and the highest value across, then those up.
    frame: [f64; 4],
}

impl ProjectionScale {
    fn x(&self, value: f64) -> f64 {
        let (Area { left, right, .. }, [low, high, _, _]) = (self.area, self.frame);
        left + (right - left) * (value - low) / (high - low)
    }

    fn y(&self, value: f64) -> f64 {
        let (Area { top, bottom, .. }, [_, _, low, high]) = (self.area, self.frame);
        bottom - (bottom - top) * (value - low) / (high - low)
    }

    /// A place in a path.
    fn place(&self, [x, y]: [f64; 2]) -> String {
        format!("{:.1} {:.1}", self.x(x), self.y(y))
    }

    /// One path for all points of a kind: pages have thousands of them.
    fn points(&self, kind: &str, points: &[[f64; 2]], shape: &str) -> String {
        if points.is_empty() {
            return String::new();
        }
        let path: String =
            points.iter().map(|&point| format!("M{}{shape}", self.place(point))).collect();
        format!("<path class=\"{kind}\" d=\"{path}\"/>")
    }
}

/// What was observed, the region around it, and what is refused, on two functions.
pub fn projection(frame: &Frame<'_>, view: &PlaneView) -> String {
    let flat = view.y.is_none();
    let (width, height) = (300.0, if flat { 96.0 } else { 236.0 });
    let (left, top) = if flat { (12.0, 12.0) } else { (46.0, 24.0) };
    let (right, bottom) = (290.0, height - 42.0);
    let scale = ProjectionScale { area: Area { left, right, top, bottom }, frame: view.frame };
    let [x0, x1, y0, y1] = view.frame;
    let description = format!(
        "{} observed points, the region learned around them, {} test states refused by numbers and \
         {} refused by atoms alone",
        view.observed.len(),
        view.refused.len(),
        view.refused_by_atoms.len()
    );
    let mut text = frame.open(width, height, &description);
    let _ = write!(text, "<path class=\"frame\" d=\"M{left} {top}H{right}V{bottom}H{left}Z\"/>");
    for x in ticks(x0, x1, 5) {
        let place = scale.x(x);
        let _ = write!(text, "<path class=\"grid\" d=\"M{place:.1} {top}V{bottom}\"/>");
        let _ = write!(
            text,
            "<text class=\"tick middle\" x=\"{place:.1}\" y=\"{:.1}\">{}</text>",
            bottom + 14.0,
            label(x)
        );
    }
    if !flat {
        for y in ticks(y0, y1, 4) {
            let place = scale.y(y);
            let _ = write!(text, "<path class=\"grid\" d=\"M{left} {place:.1}H{right}\"/>");
            let _ = write!(
                text,
                "<text class=\"tick end\" x=\"{}\" y=\"{:.1}\">{}</text>",
                left - 5.0,
                place + 3.5,
                label(y)
            );
        }
    }
    let _ = write!(
        text,
        "<text class=\"axis middle\" x=\"{}\" y=\"{}\">{}</text>",
        (left + right) / 2.0,
        height - 8.0,
        escaped(&view.x)
    );
    if let Some(y) = &view.y {
        let _ = write!(text, "<text class=\"axis\" x=\"4\" y=\"14\">↑ {}</text>", escaped(y));
    }
    if !view.outline.is_empty() {
        let corners: Vec<String> = view.outline.iter().map(|&corner| scale.place(corner)).collect();
        let _ = write!(
            text,
            "<path class=\"region{}\" d=\"M{}Z\"/>",
            if view.open { " open" } else { "" },
            corners.join("L")
        );
    }
    text += &scale.points("aside", &view.refused_by_atoms, "m0-3.4l3.2 5.6h-6.4z");
    text += &scale.points("refused", &view.refused, "m-3-3l6 6m0-6l-6 6");
    text += &scale.points("seen", &view.observed, "h0");
    text + "</svg>"
}

/// The key of a projection.
pub fn key(kind: &str) -> String {
    let shape = match kind {
        "seen" => "<path class=\"seen\" d=\"M8 7h0\"/>",
        "refused" => "<path class=\"refused\" d=\"M5 4l6 6m0 -6l-6 6\"/>",
        "aside" => "<path class=\"aside\" d=\"M8 3l4 7h-8z\"/>",
        _ => "<path class=\"region\" d=\"M2 2H14V12H2Z\"/>",
    };
    format!(
        "<svg class=\"swatch\" viewBox=\"0 0 16 14\" width=\"16\" height=\"14\" \
         aria-hidden=\"true\">{shape}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_a_marker_for_every_point_inside_the_picture_and_says_where_it_ends() {
        let series = [
            Series {
                name: "N-SAM".into(),
                style: 0,
                points: vec![(1, 0.0, Some(0.0)), (10, 0.5, Some(0.7)), (80, 0.75, None)],
            },
            Series { name: "a < b".into(), style: 1, points: vec![(80, 1.0, None)] },
        ];
        let picture =
            curves(&Frame { id: "p", title: "Recall", alone: true }, CurveQuantity::Share, &series);
        assert_eq!(picture.matches("class=\"marker\"").count(), 4 + 2, "points, and the legend");
        assert!(
            picture.contains("N-SAM: 0.75 with 80 traces; a &lt; b: 1.00 with 80 traces"),
            "{picture}"
        );
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        let single = [Series { name: "x".into(), style: 0, points: vec![(5, 0.5, None)] }];
        assert!(
            !curves(&Frame { id: "p", title: "t", alone: false }, CurveQuantity::Share, &single)
                .contains("NaN")
        );
        assert!(
            !curves(&Frame { id: "p", title: "t", alone: false }, CurveQuantity::Share, &[])
                .contains("NaN")
        );
    }

    #[test]
    fn seconds_lie_between_their_powers_of_ten() {
        let series = [Series {
            name: "N-SAM".into(),
            style: 0,
            points: vec![(1, 0.002, None), (80, 0.25, None)],
        }];
        let picture = curves(
            &Frame { id: "p", title: "Learning", alone: false },
            CurveQuantity::Seconds,
            &series,
        );
        for label in [">1 ms<", ">10 ms<", ">0.1 s<", ">1 s<"] {
            assert!(picture.contains(label), "{label}: {picture}");
        }
        assert!(picture.contains("N-SAM: 0.25 s with 80 traces"), "{picture}");
        for empty in [CurveQuantity::Share, CurveQuantity::Seconds] {
            assert!(
                !curves(&Frame { id: "p", title: "t", alone: false }, empty, &[]).contains("NaN")
            );
        }
    }

    #[test]
    fn a_projection_shows_every_point_in_its_own_shape() {
        let view = PlaneView {
            x: "x(f1)".into(),
            y: Some("cost".into()),
            frame: [0.0, 10.0, 0.0, 10.0],
            outline: vec![[1.0, 1.0], [5.0, 1.0], [1.0, 5.0]],
            open: false,
            observed: vec![[1.0, 1.0], [5.0, 1.0], [1.0, 5.0]],
            refused: vec![[9.0, 9.0]],
            refused_by_atoms: vec![[2.0, 2.0], [3.0, 2.0]],
        };
        let picture = projection(&Frame { id: "v", title: "x and cost", alone: false }, &view);
        let count = |kind: &str, shape: &str| {
            let (_, rest) =
                picture.split_once(&format!("class=\"{kind}\" d=\"")).unwrap_or_default();
            rest.split('"').next().unwrap_or_default().matches(shape).count()
        };
        assert_eq!(
            [
                count("seen", "h0"),
                count("refused", "l6 6"),
                count("aside", "h-6.4z"),
                count("region", "Z")
            ],
            [3, 1, 2, 1]
        );
        let flat = projection(
            &Frame { id: "v", title: "x", alone: false },
            &PlaneView { y: None, ..view },
        );
        assert!(!flat.contains('↑'));
    }
}

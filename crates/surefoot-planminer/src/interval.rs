//! Comparisons of one number with constants, folded into an interval, with the original's own rules
//! of what contradicts what.

use surefoot_base::model::Comparison;

/// What is known of a number in comparison with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ConstantComparison {
    AtLeast,
    Above,
    AtMost,
    Below,
    /// Equal, or different: the original makes no difference.
    At,
}

impl ConstantComparison {
    /// What is known where these comparisons are true.
    pub(super) fn of(equal: bool, less: bool, greater: bool) -> Option<ConstantComparison> {
        match (equal, less, greater) {
            (true, false, true) => Some(ConstantComparison::AtLeast),
            (true, true, false) => Some(ConstantComparison::AtMost),
            (true, false, false) | (false, true, true) => Some(ConstantComparison::At),
            (false, false, true) => Some(ConstantComparison::Above),
            (false, true, false) => Some(ConstantComparison::Below),
            (false, false, false) | (true, true, true) => None,
        }
    }
}

/// A bound, and whether it is itself allowed.
#[derive(Clone, Copy, PartialEq, Debug)]
struct IntervalBound {
    at: f64,
    closed: bool,
}

/// An interval; `None`: no bound.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct NumericInterval {
    lower: Option<IntervalBound>,
    upper: Option<IntervalBound>,
}

/// How the rules tell intervals apart. All others take no further item.
enum Shape {
    Point(f64),
    From(f64),
    UpTo(f64),
    Between(f64, f64),
    All,
    Other,
}

impl NumericInterval {
    /// What is left after a contradiction: nothing, as the original writes it.
    const VOID: NumericInterval = NumericInterval {
        lower: Some(IntervalBound { at: f64::MAX, closed: true }),
        upper: Some(IntervalBound { at: 0.0, closed: true }),
    };

    fn shape(&self) -> Shape {
        match (self.lower, self.upper) {
            (None, None) => Shape::All,
            (Some(lower), None) => Shape::From(lower.at),
            (None, Some(IntervalBound { at, closed: true })) => Shape::UpTo(at),
            (
                Some(IntervalBound { at, closed: true }),
                Some(IntervalBound { at: upper, closed: true }),
            ) if at == upper => Shape::Point(at),
            (
                Some(IntervalBound { at, closed: false }),
                Some(IntervalBound { at: upper, closed: false }),
            ) => Shape::Between(at, upper),
            _ => Shape::Other,
        }
    }

    /// Takes an item in. It goes past every shape in turn, and each test sees what the one before
    /// has left.
    pub(super) fn take(&mut self, item: ConstantComparison, y: f64) {
        for step in 0..5 {
            let next = match (step, self.shape()) {
                (0, Shape::Point(x)) => self.at_point(item, y, x),
                (1, Shape::From(x)) => self.from(item, y, x),
                (2, Shape::UpTo(x)) => self.up_to(item, y, x),
                (3, Shape::Between(low, high)) => self.between(item, y, low, high),
                (4, Shape::All) => self.anywhere(item, y),
                _ => continue,
            };
            *self = next;
        }
    }

    fn with_lower(self, item: ConstantComparison, y: f64) -> NumericInterval {
        NumericInterval {
            lower: Some(IntervalBound { at: y, closed: item == ConstantComparison::AtLeast }),
            ..self
        }
    }

    fn with_upper(self, item: ConstantComparison, y: f64) -> NumericInterval {
        NumericInterval {
            upper: Some(IntervalBound { at: y, closed: item == ConstantComparison::AtMost }),
            ..self
        }
    }

    fn at_point(self, item: ConstantComparison, y: f64, x: f64) -> NumericInterval {
        match item {
            ConstantComparison::AtLeast | ConstantComparison::Above if y <= x => {
                NumericInterval::default().with_lower(item, y)
            }
            ConstantComparison::AtMost if y >= x => NumericInterval::default().with_upper(item, y),
            ConstantComparison::Below if y > x => NumericInterval::default().with_upper(item, y),
            ConstantComparison::At if y <= x => self,
            _ => NumericInterval::VOID,
        }
    }

    fn from(self, item: ConstantComparison, y: f64, x: f64) -> NumericInterval {
        match item {
            ConstantComparison::AtLeast | ConstantComparison::Above if y < x => {
                self.with_lower(item, y)
            }
            ConstantComparison::AtLeast | ConstantComparison::Above => self,
            ConstantComparison::AtMost | ConstantComparison::Below if y > x => {
                self.with_upper(item, y)
            }
            ConstantComparison::At if y >= x => self,
            _ => NumericInterval::VOID,
        }
    }

    fn up_to(self, item: ConstantComparison, y: f64, x: f64) -> NumericInterval {
        match item {
            ConstantComparison::AtLeast | ConstantComparison::Above if y < x => {
                self.with_lower(item, y)
            }
            ConstantComparison::AtMost | ConstantComparison::Below if y > x => {
                self.with_upper(item, y)
            }
            ConstantComparison::AtMost | ConstantComparison::Below => self,
            ConstantComparison::At if y <= x => self,
            _ => NumericInterval::VOID,
        }
    }

    fn between(self, item: ConstantComparison, y: f64, low: f64, high: f64) -> NumericInterval {
        match item {
            ConstantComparison::AtLeast | ConstantComparison::Above if y < low => {
                self.with_lower(item, y)
            }
            ConstantComparison::AtMost | ConstantComparison::Below if y > high => {
                self.with_upper(item, y)
            }
            ConstantComparison::AtMost | ConstantComparison::Below => self,
            ConstantComparison::At if y <= high => self,
            _ => NumericInterval::VOID,
        }
    }

    fn anywhere(self, item: ConstantComparison, y: f64) -> NumericInterval {
        match item {
            ConstantComparison::AtLeast | ConstantComparison::Above => self.with_lower(item, y),
            ConstantComparison::AtMost | ConstantComparison::Below => self.with_upper(item, y),
            ConstantComparison::At => NumericInterval {
                lower: Some(IntervalBound { at: y, closed: true }),
                upper: Some(IntervalBound { at: y, closed: true }),
            },
        }
    }

    /// As comparisons, the upper bound first.
    pub(super) fn comparisons(&self) -> Vec<(Comparison, f64)> {
        if let Shape::Point(at) = self.shape() {
            return vec![(Comparison::Equal, at)];
        }
        let upper = self.upper.map(|bound| {
            (if bound.closed { Comparison::LessOrEqual } else { Comparison::Less }, bound.at)
        });
        let lower = self.lower.map(|bound| {
            (if bound.closed { Comparison::GreaterOrEqual } else { Comparison::Greater }, bound.at)
        });
        upper.into_iter().chain(lower).collect()
    }
}

//! Comparisons of one number with constants, folded into an interval, with the original's own rules
//! of what contradicts what.

use surefoot::model::Comparison;

/// What is known of a number in comparison with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    AtLeast,
    Above,
    AtMost,
    Below,
    /// Equal, or different: the original makes no difference.
    At,
}

impl Item {
    /// What is known where these comparisons are true.
    pub(super) fn of(equal: bool, less: bool, greater: bool) -> Option<Item> {
        match (equal, less, greater) {
            (true, false, true) => Some(Item::AtLeast),
            (true, true, false) => Some(Item::AtMost),
            (true, false, false) | (false, true, true) => Some(Item::At),
            (false, false, true) => Some(Item::Above),
            (false, true, false) => Some(Item::Below),
            (false, false, false) | (true, true, true) => None,
        }
    }
}

/// A bound, and whether it is itself allowed.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Bound {
    at: f64,
    closed: bool,
}

/// An interval; `None`: no bound.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Interval {
    lower: Option<Bound>,
    upper: Option<Bound>,
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

impl Interval {
    /// What is left after a contradiction: nothing, as the original writes it.
    const VOID: Interval = Interval {
        lower: Some(Bound { at: f64::MAX, closed: true }),
        upper: Some(Bound { at: 0.0, closed: true }),
    };

    fn shape(&self) -> Shape {
        match (self.lower, self.upper) {
            (None, None) => Shape::All,
            (Some(lower), None) => Shape::From(lower.at),
            (None, Some(Bound { at, closed: true })) => Shape::UpTo(at),
            (Some(Bound { at, closed: true }), Some(Bound { at: upper, closed: true }))
                if at == upper =>
            {
                Shape::Point(at)
            }
            (Some(Bound { at, closed: false }), Some(Bound { at: upper, closed: false })) => {
                Shape::Between(at, upper)
            }
            _ => Shape::Other,
        }
    }

    /// Takes an item in. It goes past every shape in turn, and each test sees what the one before
    /// has left.
    pub(super) fn take(&mut self, item: Item, y: f64) {
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

    fn with_lower(self, item: Item, y: f64) -> Interval {
        Interval { lower: Some(Bound { at: y, closed: item == Item::AtLeast }), ..self }
    }

    fn with_upper(self, item: Item, y: f64) -> Interval {
        Interval { upper: Some(Bound { at: y, closed: item == Item::AtMost }), ..self }
    }

    fn at_point(self, item: Item, y: f64, x: f64) -> Interval {
        match item {
            Item::AtLeast | Item::Above if y <= x => Interval::default().with_lower(item, y),
            Item::AtMost if y >= x => Interval::default().with_upper(item, y),
            Item::Below if y > x => Interval::default().with_upper(item, y),
            Item::At if y <= x => self,
            _ => Interval::VOID,
        }
    }

    fn from(self, item: Item, y: f64, x: f64) -> Interval {
        match item {
            Item::AtLeast | Item::Above if y < x => self.with_lower(item, y),
            Item::AtLeast | Item::Above => self,
            Item::AtMost | Item::Below if y > x => self.with_upper(item, y),
            Item::At if y >= x => self,
            _ => Interval::VOID,
        }
    }

    fn up_to(self, item: Item, y: f64, x: f64) -> Interval {
        match item {
            Item::AtLeast | Item::Above if y < x => self.with_lower(item, y),
            Item::AtMost | Item::Below if y > x => self.with_upper(item, y),
            Item::AtMost | Item::Below => self,
            Item::At if y <= x => self,
            _ => Interval::VOID,
        }
    }

    fn between(self, item: Item, y: f64, low: f64, high: f64) -> Interval {
        match item {
            Item::AtLeast | Item::Above if y < low => self.with_lower(item, y),
            Item::AtMost | Item::Below if y > high => self.with_upper(item, y),
            Item::AtMost | Item::Below => self,
            Item::At if y <= high => self,
            _ => Interval::VOID,
        }
    }

    fn anywhere(self, item: Item, y: f64) -> Interval {
        match item {
            Item::AtLeast | Item::Above => self.with_lower(item, y),
            Item::AtMost | Item::Below => self.with_upper(item, y),
            Item::At => Interval {
                lower: Some(Bound { at: y, closed: true }),
                upper: Some(Bound { at: y, closed: true }),
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

//! What a user can vary about a built-in domain: named ranges that numbers are drawn from.

use std::fmt::Write;

use super::dice::Dice;

/// Something of a domain that can be more or less.
#[derive(Clone, Copy)]
pub struct Size {
    /// What a user types.
    pub name: &'static str,
    /// What it is, in words.
    pub meaning: &'static str,
    /// The range of a usual problem.
    pub usual: (usize, usize),
    /// The smallest and the largest that work.
    pub limits: (usize, usize),
    /// Whether `--scale` multiplies it: counts grow, amounts do not.
    pub scales: bool,
}

impl Size {
    /// A number of things.
    pub const fn count(
        name: &'static str,
        usual: (usize, usize),
        limits: (usize, usize),
        meaning: &'static str,
    ) -> Self {
        Size { name, meaning, usual, limits, scales: true }
    }

    /// An amount of something.
    pub const fn amount(
        name: &'static str,
        usual: (usize, usize),
        limits: (usize, usize),
        meaning: &'static str,
    ) -> Self {
        Size { name, meaning, usual, limits, scales: false }
    }
}

/// The ranges of one set of problems.
#[derive(Clone)]
pub struct Sizes {
    of: &'static [Size],
    ranges: Vec<(usize, usize)>,
}

impl Sizes {
    /// The ranges that are used unless somebody chooses others.
    pub fn usual(of: &'static [Size]) -> Self {
        Sizes { of, ranges: of.iter().map(|size| size.usual).collect() }
    }

    /// Counts `factor` times the usual ones; an error where that is more than works.
    pub fn scale(&mut self, factor: usize) -> Result<(), String> {
        for (size, range) in self.of.iter().zip(&mut self.ranges).filter(|(size, _)| size.scales) {
            let scaled = (size.usual.0.saturating_mul(factor), size.usual.1.saturating_mul(factor));
            if scaled.1 > size.limits.1 {
                let (name, most) = (size.name, size.limits.1);
                return Err(format!(
                    "{factor} times the usual {name} is up to {}, and at most {most} work",
                    scaled.1
                ));
            }
            *range = scaled;
        }
        Ok(())
    }

    /// Sets one range from `name=7` or `name=5..9`, both ends included.
    pub fn set(&mut self, word: &str) -> Result<(), String> {
        let Some((name, range)) = word.split_once('=') else {
            return Err(format!("`{word}` is no size: write NAME=NUMBER or NAME=LEAST..MOST"));
        };
        let Some(index) = self.of.iter().position(|size| size.name == name) else {
            let names: Vec<_> = self.of.iter().map(|size| size.name).collect();
            return Err(format!("there is no size `{name}` here; there are {}", names.join(", ")));
        };
        let (low, high) = range.split_once("..").unwrap_or((range, range));
        let (low, high) = (whole_number(low, word)?, whole_number(high, word)?);
        if low > high {
            return Err(format!("`{name}={range}` is an empty range"));
        }
        let (least, most) = self.of[index].limits;
        if low < least || high > most {
            return Err(format!(
                "`{name}={range}` is out of bounds: {name} can be {least} to {most}"
            ));
        }
        self.ranges[index] = (low, high);
        Ok(())
    }

    /// A number out of a range. The names are those of the domain's own table.
    pub fn draw(&self, name: &str, dice: &mut Dice) -> usize {
        let index = self.of.iter().position(|size| size.name == name);
        let (low, high) = index
            .map(|index| self.ranges[index])
            .unwrap_or_else(|| panic!("{name} is in no table of sizes"));
        dice.between(low, high)
    }

    /// All ranges as they would be typed.
    pub fn written(&self) -> String {
        let mut text = String::new();
        for (size, (low, high)) in self.of.iter().zip(&self.ranges) {
            let _ = write!(text, " --size {}={low}", size.name);
            if low != high {
                let _ = write!(text, "..{high}");
            }
        }
        text
    }
}

/// A number that is part of a size as typed.
fn whole_number(text: &str, size: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("`{text}` in `{size}` is no whole number"))
}

//! Which of two times is earlier.
//!
//! Times are numbers, or dates and times of ISO 8601, which are compared as what they mean: with
//! fractions of any length, and in UTC where they have an offset. Other texts are compared as texts
//! if that can be their order: all of one form, with the year not at the end. Times of different
//! kinds have no order, since nobody knows what the one is in terms of the other.

use std::cmp::Ordering;

use surefoot_base::exact::Rational;
use surefoot_base::pddl::Numbers;

/// A time, as a cell says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Time {
    /// A number, in whatever unit.
    Number(Rational),
    /// A day, counted from 1970.
    Day(i64),
    /// Seconds since 1970 in an unknown zone, and the digits of their fraction without zeros at the
    /// end.
    Local(i64, Box<str>),
    /// Seconds since 1970 in UTC, and the digits of their fraction without zeros at the end.
    Utc(i64, Box<str>),
    /// A time in another form.
    Text(Box<str>),
}

impl Time {
    /// The time that a cell says.
    pub fn read(text: &str) -> Time {
        if let Ok(number) = text.parse::<i64>() {
            return Time::Number(number.into());
        }
        iso(text)
            .or_else(|| Numbers::Exact.read(text).ok().map(Time::Number))
            .unwrap_or_else(|| Time::Text(text.into()))
    }

    /// Which is earlier; `None` where nobody knows.
    ///
    /// Times that have an order with the same time have one with each other.
    pub fn compare(&self, other: &Time) -> Option<Ordering> {
        match (self, other) {
            (Time::Number(one), Time::Number(other)) => Some(one.cmp(other)),
            (Time::Day(one), Time::Day(other)) => Some(one.cmp(other)),
            (Time::Local(one, part), Time::Local(other, others))
            | (Time::Utc(one, part), Time::Utc(other, others)) => {
                Some(one.cmp(other).then_with(|| part.cmp(others)))
            }
            (Time::Text(one), Time::Text(other)) => {
                (form(one)? == form(other)?).then(|| one.cmp(other))
            }
            _ => None,
        }
    }

    /// What kind of time it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Time::Number(_) => "a number",
            Time::Day(_) => "a date",
            Time::Local(..) => "a time without an offset from UTC",
            Time::Utc(..) => "a time with an offset from UTC",
            Time::Text(_) => "no time of ISO 8601",
        }
    }
}

/// What is said of times without an order.
pub(crate) const HELP: &str = "write all times in one way: as numbers, or as in \
                               2025-03-01T06:00:00.5Z; or leave `time` out of the map";

/// A text with its digits made alike; `None` where the order of texts is not that of times: the
/// year or the half of the day comes last.
fn form(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if ["am", "pm", "a.m.", "p.m."].iter().any(|half| lower.ends_with(half)) {
        return None;
    }
    let date = text.split(':').next().unwrap_or(text);
    let mut groups = date.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    let first = groups.next().map_or(0, str::len);
    // A day or a month in front, or a year of two digits.
    if first < 4 && groups.count() >= 2 {
        return None;
    }
    Some(text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect())
}

/// A date, or a date and a time, of ISO 8601.
fn iso(text: &str) -> Option<Time> {
    let (date, rest) = text.split_at_checked(10)?;
    let day = day(date)?;
    if rest.is_empty() {
        return Some(Time::Day(day));
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset) = match rest.find(['Z', 'z', '+', '-']) {
        None => (rest, None),
        Some(at) => (rest[..at].trim_end_matches(' '), Some(offset(&rest[at..])?)),
    };
    let (whole, part) = match clock.split_once(['.', ',']) {
        None => (clock, ""),
        Some((whole, part))
            if !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && whole.len() == 8 =>
        {
            (whole, part.trim_end_matches('0'))
        }
        Some(_) => return None,
    };
    let mut fields = whole.split(':');
    let hour = number(fields.next()?, 2, 23)?;
    let minute = number(fields.next()?, 2, 59)?;
    let second = fields.next().map_or(Some(0), |second| number(second, 2, 59))?;
    if fields.next().is_some() {
        return None;
    }
    let seconds = day * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(match offset {
        None => Time::Local(seconds, part.into()),
        Some(offset) => Time::Utc(seconds - offset, part.into()),
    })
}

/// A number with this many digits, up to a greatest value.
fn number(text: &str, digits: usize, greatest: i64) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number <= greatest)
}

/// An offset from UTC in seconds: `Z`, `+01`, `+0130` or `+01:30`.
fn offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_at_checked(2)?;
    let minutes = minutes.strip_prefix(':').unwrap_or(minutes);
    let minutes = if rest.len() == 2 { 0 } else { number(minutes, 2, 59)? };
    Some(sign * (number(hours, 2, 23)? * 3_600 + minutes * 60))
}

/// The number of a day `2025-03-01`, counted from 1970.
fn day(text: &str) -> Option<i64> {
    let mut fields = text.split('-');
    let (year, month, day) = (
        number(fields.next()?, 4, 9999)?,
        number(fields.next()?, 2, 12)?,
        number(fields.next()?, 2, 31)?,
    );
    let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let index = usize::try_from(month - 1).ok()?;
    if fields.next().is_some() || day == 0 || day > *lengths.get(index)? {
        return None;
    }
    // The leap days of all years before this one.
    let leaps = |before: i64| before / 4 - before / 100 + before / 400;
    let years = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    Some(years + lengths[..index].iter().sum::<i64>() + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(one: &str, other: &str) -> Option<Ordering> {
        Time::read(one).compare(&Time::read(other))
    }

    #[test]
    fn earlier_and_later() {
        for (one, other) in [
            ("9", "10"),
            ("9.5", "10"),
            ("-3", "2.25"),
            ("999", "1e3"),
            ("2024-02-29", "2024-03-01"),
            ("1969-12-31", "1970-01-01"),
            ("2025-03-01T06:00:00", "2025-03-01T06:00:16"),
            ("2025-03-01 06:00", "2025-03-01T06:00:00,1"),
            ("2025-03-01T06:00:01Z", "2025-03-01T06:00:01.5Z"),
            ("2025-03-01T06:00:01.25Z", "2025-03-01T06:00:01.5Z"),
            ("2025-03-01T06:00:01.123456789012Z", "2025-03-01T06:00:01.123456789013Z"),
            ("2025-03-01T07:00:00+02:00", "2025-03-01T06:00:00Z"),
            ("2025-03-01T00:30:00+01:00", "2025-02-28T23:31:00Z"),
            ("2024-12-31T23:30:00-0030", "2025-01-01T02:00:00.1+02"),
            ("06:00:01.5", "06:00:02.1"),
            ("2025/03/01 06:00", "2025/04/01 05:00"),
        ] {
            assert_eq!(compare(one, other), Some(Ordering::Less), "{one} {other}");
            assert_eq!(compare(other, one), Some(Ordering::Greater), "{one} {other}");
        }
        for (one, other) in [
            ("2025-03-01T06:00:01.50Z", "2025-03-01 06:00:01.5+00:00"),
            ("2025-03-01T06:00Z", "2025-03-01T08:00:00.000+02:00"),
            ("1.0", "1"),
        ] {
            assert_eq!(compare(one, other), Some(Ordering::Equal), "{one} {other}");
        }
    }

    #[test]
    fn what_has_no_order() {
        for (one, other) in [
            ("2025-03-01T06:00:00", "2025-03-01T06:00:00Z"),
            ("2025-03-01", "2025-03-01T06:00:00"),
            ("2025-03-01", "5"),
            ("01.03.2025", "02.02.2025"),
            ("1:59", "12:00"),
            ("06:00 AM", "01:00 PM"),
            ("12:30 AM", "01:00 AM"),
            ("01-Mar", "02-Feb"),
            ("2025-02-30", "2025-03-01"),
            ("2025-03-01T06:00:00Z", "2025-03-01T06:00:00 UTC"),
            ("2025-03-01T06:00:60Z", "2025-03-01T06:01:00Z"),
        ] {
            assert_eq!(compare(one, other), None, "{one} {other}");
        }
    }
}

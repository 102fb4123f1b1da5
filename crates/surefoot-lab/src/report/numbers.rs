//! Numbers as people read them, never rounded to something they are not.

/// Two decimals; what is not 0 or 1 is never shown as such.
pub fn shown(value: f64) -> String {
    let rounded = format!("{value:.2}");
    match rounded.as_str() {
        "0.00" | "-0.00" if value != 0.0 => (if value > 0.0 { "<0.01" } else { ">-0.01" }).into(),
        "1.00" if value < 1.0 => ">0.99".into(),
        "1.00" if value > 1.0 => ">1".into(),
        "-0.00" => "0.00".into(),
        _ if value.abs() >= 10_000.0 => format!("{value:.1e}"),
        _ => rounded,
    }
}

/// `±0.03`; nothing where there is no width.
pub fn interval(half_width: Option<f64>) -> String {
    match half_width {
        Some(width) if width > 0.0 => format!("±{}", shown(width)),
        _ => String::new(),
    }
}

/// A share in per cent, with the same care.
pub fn percent(share: f64) -> String {
    let rounded = format!("{:.0}", share * 100.0);
    match rounded.as_str() {
        "100" if share < 1.0 => ">99 %".into(),
        "0" if share > 0.0 => "<1 %".into(),
        _ => format!("{rounded} %"),
    }
}

/// Seconds, in the unit that suits them, with two digits.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        below if below < 0.000_999_5 => (seconds * 1e6, "µs"),
        below if below < 0.099_95 => (seconds * 1e3, "ms"),
        below if below < 99.5 => (seconds, "s"),
        _ => (seconds / 60.0, "min"),
    };
    let digits = if value >= 9.95 {
        0
    } else if value >= 0.995 {
        1
    } else {
        2
    };
    let text = format!("{value:.digits$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

/// Round numbers between two others, about `count` of them: 1, 2 or 5 times a power of ten apart.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let span = high - low;
    if span.is_nan() || span <= 0.0 || count == 0 {
        return vec![low];
    }
    let raw = span / count as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= raw)
        .unwrap_or(raw);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

/// The label of a tick on an axis.
pub fn label(value: f64) -> String {
    let text = format!("{:.6}", value);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if value.abs() >= 1e7 {
        format!("{value:.0e}")
    } else if text == "-0" || text.is_empty() {
        "0".into()
    } else {
        text.replace('-', "−")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_shown_as_one_or_zero_that_is_not() {
        assert_eq!(
            [1.0, 0.999, 0.0, 0.001, 0.534, 1.001].map(shown),
            ["1.00", ">0.99", "0.00", "<0.01", "0.53", ">1"]
        );
        assert_eq!(
            [1.0, 0.999, 0.0, 0.001, 0.5].map(percent),
            ["100 %", ">99 %", "0 %", "<1 %", "50 %"]
        );
        assert_eq!(interval(Some(0.021)), "±0.02");
        assert_eq!(interval(None), "");
    }

    #[test]
    fn durations_have_two_digits_and_a_unit() {
        let said =
            [0.0001, 0.00123, 0.0456, 0.1, 0.25, 1.0, 1.25, 42.4, 100.0, 600.0].map(duration);
        assert_eq!(
            said,
            [
                "100 µs", "1.2 ms", "46 ms", "0.1 s", "0.25 s", "1 s", "1.2 s", "42 s", "1.7 min",
                "10 min"
            ]
        );
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 1.0, 4), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(-3.0, 47.0, 5), [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert_eq!(ticks(2.0, 2.0, 4), [2.0]);
        assert_eq!([0.0, 12.5, -3.0, 1e8].map(label), ["0", "12.5", "−3", "1e8"]);
    }
}

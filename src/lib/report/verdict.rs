//! Claims, the cases in which they are judged, and verdicts by stated rules.

use std::fmt;

use super::statistics::Estimate;

/// What is said of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The data bear it out.
    Holds,
    /// The data contradict it.
    DoesNotHold,
    /// The data say neither.
    CannotBeJudged,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::CannotBeJudged => "cannot be judged on this data",
        })
    }
}

impl Verdict {
    /// Whether a value is from `low` to `high`, as far as its interval tells.
    pub fn within(value: &Estimate, low: f64, high: f64) -> Self {
        if value.low() >= low && value.high() <= high {
            Verdict::Holds
        } else if value.high() < low || value.low() > high {
            Verdict::DoesNotHold
        } else {
            Verdict::CannotBeJudged
        }
    }

    /// Whether a value is above a limit, as far as its interval tells.
    pub fn above(value: &Estimate, limit: f64) -> Self {
        if value.low() > limit {
            Verdict::Holds
        } else if value.high() <= limit {
            Verdict::DoesNotHold
        } else {
            Verdict::CannotBeJudged
        }
    }

    /// Whether a value is at most a limit, as far as its interval tells.
    pub fn at_most(value: &Estimate, limit: f64) -> Self {
        Verdict::within(value, f64::NEG_INFINITY, limit)
    }

    /// Of several things that must hold together.
    pub fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let verdicts: Vec<Verdict> = verdicts.into_iter().collect();
        if verdicts.contains(&Verdict::DoesNotHold) {
            Verdict::DoesNotHold
        } else if verdicts.is_empty() || verdicts.contains(&Verdict::CannotBeJudged) {
            Verdict::CannotBeJudged
        } else {
            Verdict::Holds
        }
    }

    /// The other way round: what is said of a claim's contrary.
    pub fn of_contrary(self) -> Self {
        match self {
            Verdict::Holds => Verdict::DoesNotHold,
            Verdict::DoesNotHold => Verdict::Holds,
            Verdict::CannotBeJudged => Verdict::CannotBeJudged,
        }
    }
}

/// A claim on one of our collections.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Which: `debian, tf`.
    pub name: String,
    /// What the data say.
    pub verdict: Verdict,
    /// The numbers that say it.
    pub evidence: String,
}

/// A claim, how it is judged, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What is claimed.
    pub text: String,
    /// Where: tables of the thesis, or nothing for our own.
    pub source: String,
    /// When it holds and when it does not.
    pub rule: String,
    /// The cases.
    pub cases: Vec<Case>,
    /// Why it may fail, told where it does.
    pub reason: String,
}

impl Claim {
    /// It does not hold if it fails anywhere, and holds if it does so wherever it can be judged.
    pub fn verdict(&self) -> Verdict {
        let has = |verdict| self.cases.iter().any(|case| case.verdict == verdict);
        if has(Verdict::DoesNotHold) {
            Verdict::DoesNotHold
        } else if has(Verdict::Holds) {
            Verdict::Holds
        } else {
            Verdict::CannotBeJudged
        }
    }

    /// In how many cases it holds, fails, cannot be judged.
    pub fn tally(&self) -> String {
        let count = |verdict| self.cases.iter().filter(|case| case.verdict == verdict).count();
        let (holds, fails) = (count(Verdict::Holds), count(Verdict::DoesNotHold));
        let open = count(Verdict::CannotBeJudged);
        let mut text = format!("holds in {holds} of {}", self.cases.len());
        if fails > 0 {
            text += &format!(", fails in {fails}");
        }
        if open > 0 {
            text += &format!(", open in {open}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64, half: f64) -> Estimate {
        Estimate { mean, half: Some(half), count: 5 }
    }

    #[test]
    fn an_interval_must_lie_on_one_side_of_the_limit() {
        assert_eq!(Verdict::within(&estimate(1.0, 0.5), 0.0, 2.0), Verdict::Holds);
        assert_eq!(Verdict::within(&estimate(1.0, 1.5), 0.0, 2.0), Verdict::CannotBeJudged);
        assert_eq!(Verdict::within(&estimate(3.0, 0.5), 0.0, 2.0), Verdict::DoesNotHold);
        assert_eq!(Verdict::within(&estimate(-1.0, 0.5), 0.0, 2.0), Verdict::DoesNotHold);
        assert_eq!(Verdict::at_most(&estimate(0.1, 0.5), 1.0), Verdict::Holds);
        assert_eq!(Verdict::at_most(&estimate(1.1, 0.5), 1.0), Verdict::CannotBeJudged);
        assert_eq!(Verdict::at_most(&estimate(2.0, 0.5), 1.0), Verdict::DoesNotHold);
        assert_eq!(Verdict::above(&estimate(1.0, 0.5), 0.0), Verdict::Holds);
        assert_eq!(Verdict::above(&estimate(0.2, 0.5), 0.0), Verdict::CannotBeJudged);
        assert_eq!(Verdict::above(&estimate(-1.0, 0.5), 0.0), Verdict::DoesNotHold);
    }

    #[test]
    fn one_failure_fails_the_whole() {
        use Verdict::*;
        assert_eq!(Verdict::all([Holds, Holds]), Holds);
        assert_eq!(Verdict::all([Holds, CannotBeJudged]), CannotBeJudged);
        assert_eq!(Verdict::all([DoesNotHold, CannotBeJudged]), DoesNotHold);
        assert_eq!(Verdict::all([]), CannotBeJudged);
    }

    #[test]
    fn a_claim_holds_where_it_can_be_judged() {
        let case = |verdict| Case { name: String::new(), verdict, evidence: String::new() };
        let claim = |verdicts: &[Verdict]| Claim {
            text: String::new(),
            source: String::new(),
            rule: String::new(),
            cases: verdicts.iter().map(|verdict| case(*verdict)).collect(),
            reason: String::new(),
        };
        use Verdict::*;
        assert_eq!(claim(&[Holds, CannotBeJudged]).verdict(), Holds);
        assert_eq!(claim(&[Holds, DoesNotHold]).verdict(), DoesNotHold);
        assert_eq!(claim(&[CannotBeJudged]).verdict(), CannotBeJudged);
        assert_eq!(claim(&[]).verdict(), CannotBeJudged);
        assert_eq!(
            claim(&[Holds, DoesNotHold, CannotBeJudged]).tally(),
            "holds in 1 of 3, fails in 1, open in 1"
        );
    }
}

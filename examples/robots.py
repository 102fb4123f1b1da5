"""Learn a rule from three records, plan with it, ask why a step is refused, and learn in two places.

A robot was recorded three times as it moved. That is enough for a rule of `move` that can be relied on.

    python examples/robots.py
"""

from pathlib import Path

import surefoot

RECORDS = Path(__file__).with_name("robots")

# Of the domain only the vocabulary is used. Nobody says what `move` needs or does.
domain = surefoot.Domain.read(RECORDS / "domain.pddl")
model = surefoot.learn(domain, RECORDS)
print(model.to_pddl())

# A plan made with what was learned. The states on its way were never recorded; it works all the same.
problem = surefoot.Problem.read(RECORDS / "problem.pddl", domain)
print("plan:", surefoot.plan(model, problem).plan)

# No robot was recorded with a battery as full as that of r2, so the rule refuses, and says what would admit the step.
step = ("move", "r2", "dock", "shelf")
print(model.explain(problem.initial_state, step))

# Whoever knows that a fuller battery never hurts can say so. It becomes an assumption, in the words of the model's head.
told = surefoot.learn(domain, RECORDS, monotone={"move": {"(battery ?r)": "more"}})
print("told so:", "applicable" if told.applicable(problem.initial_state, step) else "refused")
print("  assumed:", told.assumptions[-1])

# Two places learn from their own records. Merged, they know what one would have learned from all.
here, there = surefoot.Learner(domain), surefoot.Learner(domain)
here.observe([RECORDS / "monday.trajectory", RECORDS / "tuesday.trajectory"])
there.observe(RECORDS / "wednesday.trajectory")
here.merge(there)
print("the same model from two places:", here.model().to_pddl() == model.to_pddl())

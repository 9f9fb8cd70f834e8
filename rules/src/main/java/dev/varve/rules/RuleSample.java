package dev.varve.rules;

import dev.varve.query.promql.eval.Labels;

/** A sample that a rule writes. */
record RuleSample(Labels labels, double value) {}

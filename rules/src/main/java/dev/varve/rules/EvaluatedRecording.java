package dev.varve.rules;

import dev.varve.model.Series;
import dev.varve.query.promql.eval.Labels;
import dev.varve.query.promql.eval.PromResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A recording rule with its state. */
final class EvaluatedRecording extends EvaluatedRule {
  private final Rule.Recording rule;

  EvaluatedRecording(Rule.Recording rule) {
    this.rule = rule;
  }

  @Override
  Rule rule() {
    return rule;
  }

  @Override
  List<RuleSample> evaluate(RuleQueries queries, Instant at, Duration offset, int limit)
      throws RuleFailedException {
    List<PromResult.Element> elements = queries.instant(rule.query(), at.minus(offset));
    List<RuleSample> samples = new ArrayList<>(elements.size());
    Set<Labels> seen = new HashSet<>();
    for (PromResult.Element element : elements) {
      Map<String, String> labels = element.labels().toMap();
      labels.put(Series.NAME_LABEL, rule.name());
      labels.putAll(rule.labels());
      RuleSample sample = new RuleSample(Labels.of(labels), element.value());
      if (!seen.add(sample.labels())) {
        throw new RuleFailedException(
            "vector contains metrics with the same labelset after applying rule labels");
      }
      samples.add(sample);
    }
    if (limit > 0 && samples.size() > limit) {
      throw new RuleFailedException(
          "exceeded limit of %d with %d series".formatted(limit, samples.size()));
    }
    return samples;
  }
}

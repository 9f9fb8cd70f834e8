package dev.varve.layout.guardrail;

import dev.varve.layout.declared.AttributesDeclaration;
import dev.varve.layout.declared.CellTime;
import dev.varve.layout.declared.Declaration;
import dev.varve.layout.declared.DeclaredLayout;
import dev.varve.layout.declared.FamilyDeclaration;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.layout.declared.KeyElement;
import dev.varve.layout.declared.KeyElement.Role;
import dev.varve.layout.declared.QualifierElement;
import dev.varve.model.Spelling;
import dev.varve.store.FamilySpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks a declaration. */
final class DeclarationGuardrails {
  private final Declaration declaration;
  private final @Nullable Duration retention;
  private final List<Finding> findings = new ArrayList<>();

  DeclarationGuardrails(DeclaredLayout layout, @Nullable Duration retention) {
    this.declaration = layout.declaration();
    this.retention = retention;
  }

  List<Finding> findings() {
    key();
    rows();
    for (FamilyDeclaration family : declaration.families()) {
      family(family);
    }
    salts();
    names();
    shifted();
    allow();
    findings.sort((a, b) -> a.rule().compareTo(b.rule()));
    return findings;
  }

  private void find(Rule rule, String message) {
    findings.add(new Finding(rule, message));
  }

  /** Checks the position of time among the parts that spread writes. */
  private void key() {
    int time = firstOfTime();
    if (time < 0) {
      return;
    }
    List<KeyElement> before = declaration.key().subList(0, time);
    String leader = declaration.key().get(time).text();
    if (before.stream().noneMatch(element -> spreads(element) || isMetric(element))) {
      find(
          Rule.TIME_LEADS_KEY,
          "'%s' leads the key, with no part before it that differs between series: all writes go to one place, the end of the table; put the metric and its tags before it"
              .formatted(leader));
      return;
    }
    if (before.stream().anyMatch(DeclarationGuardrails::spreads)) {
      return;
    }
    if (declaration.key().stream().noneMatch(DeclarationGuardrails::spreads)) {
      find(
          Rule.SINGLE_STREAM,
          "only the metric precedes '%s', and no tag distinguishes its points: all writes of a metric go to one place; make a field a tag and put it before the time (promotion), or as a last resort add a salt"
              .formatted(leader));
    } else {
      find(
          Rule.METRIC_BEFORE_TIME,
          "only the metric precedes '%s': all series of a metric are written in one place, which is good only if many metrics are written at the same time; put at least 1 part of tags before it"
              .formatted(leader));
    }
  }

  private int firstOfTime() {
    for (int i = 0; i < declaration.key().size(); i++) {
      Role role = declaration.key().get(i).role();
      if (role == Role.TIME || role == Role.SEQUENCE) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isMetric(KeyElement element) {
    return element instanceof KeyElement.Metric;
  }

  private static boolean spreads(KeyElement element) {
    return (element.role() == Role.SERIES && !isMetric(element)) || element.role() == Role.COMPUTED;
  }

  private boolean bounded() {
    return declaration.retention() != null || retention != null;
  }

  private void rows() {
    boolean endless =
        declaration.families().stream()
            .anyMatch(family -> family.versions() == FamilySpec.ALL_VERSIONS);
    if (firstOfTime() < 0 && endless && !bounded()) {
      find(
          Rule.UNBOUNDED_ROW,
          "a row holds all of a series' time, and neither a retention nor a count of versions bounds it: give the key a bucket, or the layout a retention");
    }
  }

  private void family(FamilyDeclaration family) {
    boolean event = !(family.time() instanceof CellTime.Server);
    boolean ordered = ordered(family);
    if (event && family.versions() != FamilySpec.ALL_VERSIONS) {
      find(
          Rule.EVENT_VERSIONS,
          "family %s keeps %d versions, and each of its versions is an event: older events are lost; keep all versions"
              .formatted(family.name(), family.versions()));
    }
    if (family.value() == ValueForm.ALL && !ordered && (event || family.versions() < 2)) {
      find(
          Rule.PACKED_OVERWRITES,
          "family %s packs all fields of an event into a cell and keeps 1 of them: a second write for the same instant removes the fields of the first; keep at least 2 versions, or add a sequence"
              .formatted(family.name()));
    }
    if (family.value() == ValueForm.EMPTY && event && !ordered) {
      find(
          Rule.VALUE_TIES,
          "family %s has the value in its qualifiers and no order of acceptance: two values of one instant are both kept, and neither is the later one; use 'time: server' with an offset, or add a sequence"
              .formatted(family.name()));
    }
  }

  /** Returns whether the cells of a family record the order of acceptance. */
  private boolean ordered(FamilyDeclaration family) {
    return family.qualifier().stream().anyMatch(QualifierElement.Sequence.class::isInstance)
        || declaration.key().stream().anyMatch(KeyElement.Sequence.class::isInstance);
  }

  private void salts() {
    for (KeyElement element : declaration.key()) {
      if (element instanceof KeyElement.Salt salt) {
        if (salt.of().contains("time")) {
          find(
              Rule.SALT_OF_TIME,
              "the salt is computed from the instant: every query reads all %d prefixes, even for one series; compute it from the series"
                  .formatted(salt.buckets()));
        }
        if (Integer.bitCount(salt.buckets()) != 1) {
          find(
              Rule.SALT_POWER,
              "a salt of %d buckets cannot be doubled later without moving nearly every row: take a power of 2"
                  .formatted(salt.buckets()));
        }
      }
    }
  }

  private void names() {
    for (FamilyDeclaration family : declaration.families()) {
      name(family.name());
    }
    AttributesDeclaration attributes = declaration.attributes();
    if (attributes != null) {
      name(attributes.family());
    }
  }

  private void name(String family) {
    int bytes = family.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Thresholds.FAMILY_NAME_BYTES) {
      find(
          Rule.FAMILY_NAME,
          "family name '%s' has %d bytes and is kept with every cell by some stores: use at most %d, one or two letters are best"
              .formatted(family, bytes, Thresholds.FAMILY_NAME_BYTES));
    }
  }

  private void shifted() {
    AttributesDeclaration attributes = declaration.attributes();
    boolean shiftedAttributes = attributes != null && attributes.time() instanceof CellTime.Shifted;
    boolean shiftedSamples =
        declaration.families().stream()
            .anyMatch(family -> family.time() instanceof CellTime.Shifted);
    if (bounded() && (shiftedAttributes || shiftedSamples)) {
      find(
          Rule.SHIFTED_EXPIRY,
          "cells of family %s are dated in the future: stores that expire cells by age never remove them; delete them by hand, or use cell times of the server and a time range of their own"
              .formatted(
                  shiftedAttributes && attributes != null
                      ? attributes.family()
                      : declaration.families().getFirst().name()));
    }
  }

  private void allow() {
    List<String> known =
        Arrays.stream(Rule.values()).filter(Rule::overruled).map(Rule::id).toList();
    for (String rule : declaration.allow().stream().sorted().toList()) {
      if (!known.contains(rule)) {
        find(
            Rule.ALLOW_UNKNOWN,
            "'allow' names '%s', which is not a rule that can be overruled (did you mean '%s'?)"
                .formatted(rule, Spelling.nearest(rule, known)));
      }
    }
  }
}

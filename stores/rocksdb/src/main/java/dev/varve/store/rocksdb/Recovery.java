package dev.varve.store.rocksdb;

import dev.varve.store.StoreDamage;
import dev.varve.store.StoreDamage.Kind;
import dev.varve.store.StoreDamage.Outcome;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The damage found in the logs when a store was opened, and how it was handled. */
record Recovery(List<StoreDamage> damage) {
  /** Returns whether any synced edits are missing. */
  boolean hasLost() {
    return damage.stream().anyMatch(one -> one.kind() == Kind.LOG);
  }

  /** Returns metrics by name. Those with times are present only if edits were lost. */
  Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    figures.put("recovery_torn_tails_total", (double) of(Kind.TORN_TAIL).count());
    figures.put(
        "recovery_cut_bytes_total",
        (double) of(Kind.TORN_TAIL).mapToLong(StoreDamage::bytes).sum());
    figures.put("recovery_damaged_logs_total", (double) of(Kind.LOG).count());
    figures.put(
        "recovery_kept_files_total",
        (double)
            damage.stream()
                .filter(one -> one.outcome() == Outcome.SET_ASIDE)
                .map(StoreDamage::file)
                .distinct()
                .count());
    figures.put(
        "recovery_lost_edits_total",
        (double) damage.stream().mapToLong(one -> Math.max(0, one.lostEdits())).sum());
    of(Kind.LOG)
        .flatMap(one -> Stream.ofNullable(one.after()))
        .min(Comparator.naturalOrder())
        .ifPresent(first -> figures.put("recovery_lost_after_seconds", seconds(first)));
    of(Kind.LOG)
        .flatMap(one -> Stream.ofNullable(one.before()))
        .max(Comparator.naturalOrder())
        .ifPresent(last -> figures.put("recovery_lost_before_seconds", seconds(last)));
    return figures;
  }

  private Stream<StoreDamage> of(Kind kind) {
    return damage.stream().filter(one -> one.kind() == kind);
  }

  private static double seconds(Instant instant) {
    return instant.toEpochMilli() / 1000.0;
  }
}

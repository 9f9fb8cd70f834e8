package dev.varve.store.rocksdb;

import dev.varve.store.StoreDamage;
import dev.varve.store.StoreDamage.Kind;
import dev.varve.store.StoreDamage.Outcome;
import java.util.List;
import java.util.Map;

/** What was found in the logs when a store was opened, and done about it. */
record Recovery(List<StoreDamage> damage) {
  /** Whether anything that had been synced is missing. */
  boolean hasLost() {
    return damage.stream().anyMatch(one -> one.kind() == Kind.LOG);
  }

  /** Figures of it by name. */
  Map<String, Double> figures() {
    return Map.of(
        "recovery_torn_tails_total",
        (double) damage.stream().filter(one -> one.kind() == Kind.TORN_TAIL).count(),
        "recovery_cut_bytes_total",
        (double)
            damage.stream()
                .filter(one -> one.kind() == Kind.TORN_TAIL)
                .mapToLong(StoreDamage::bytes)
                .sum(),
        "recovery_damaged_logs_total",
        (double) damage.stream().filter(one -> one.kind() == Kind.LOG).count(),
        "recovery_kept_files_total",
        (double)
            damage.stream()
                .filter(one -> one.outcome() == Outcome.SET_ASIDE)
                .map(StoreDamage::file)
                .distinct()
                .count(),
        "recovery_lost_edits_total",
        (double) damage.stream().mapToLong(one -> Math.max(0, one.lostEdits())).sum());
  }
}

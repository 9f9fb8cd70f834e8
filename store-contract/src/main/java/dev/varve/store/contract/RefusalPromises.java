package dev.varve.store.contract;

import static dev.varve.store.contract.Lab.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.store.Capabilities;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.SizeLimits;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An invalid mutation is rejected by itself, with a reason, before the store is called. */
final class RefusalPromises {
  private RefusalPromises() {}

  static List<ContractTest> tests() {
    return List.of(
        refuses("a row key that is too long", "row key", RefusalPromises::longRow),
        refuses("an empty row key", "empty row key", (batch, limits) -> put(batch, Bytes.EMPTY, 0)),
        refuses("a qualifier that is too long", "qualifier", RefusalPromises::longQualifier),
        refuses("a value that is too long", "value", RefusalPromises::longValue),
        refuses("a row with too many edits", "edits", RefusalPromises::manyEdits),
        refuses(
            "a family that is not there", "family", (batch, limits) -> put(batch, text("m"), 3)),
        refuses("a time that no range holds", "cell time", RefusalPromises::lastTime),
        new ContractTest(
            "refuses times of data that it says it does not keep, and applies the rest",
            RefusalPromises::timesOfData),
        new ContractTest("refuses a row whole", RefusalPromises::rowWhole),
        new ContractTest("takes what is just within the limits", RefusalPromises::withinLimits),
        new ContractTest(
            "takes a mutation as heavy as the limits allow, and none heavier",
            RefusalPromises::heavy));
  }

  private interface Wrong {
    void addTo(MutationBatch batch, SizeLimits limits);
  }

  private static ContractTest refuses(String what, String reason, Wrong wrong) {
    return new ContractTest(
        "refuses " + what + " and applies the rest",
        lab -> {
          Table table = lab.table("t");
          MutationBatch batch = new MutationBatch();
          put(batch, text("a"), Lab.LATEST);
          wrong.addTo(batch, lab.capabilities().limits());
          put(batch, text("z"), Lab.LATEST);
          List<RowOutcome> outcomes = table.apply(batch, Durability.SYNCED);
          assertThat(outcomes)
              .extracting(RowOutcome::status)
              .containsExactly(Status.APPLIED, Status.REJECTED, Status.APPLIED);
          assertThat(outcomes.get(0).reason()).isNull();
          assertThat(outcomes.get(1).reason()).contains(reason);
          assertThat(Lab.readAll(table))
              .extracting(cell -> cell.row().toUtf8())
              .containsExactly("a", "z");
        });
  }

  private static void put(MutationBatch batch, Bytes row, int family) {
    batch.put(row, family, text("q"), 1, text("v"));
  }

  private static void longRow(MutationBatch batch, SizeLimits limits) {
    put(batch, zeros(limits.rowKey() + 1), Lab.LATEST);
  }

  private static void longQualifier(MutationBatch batch, SizeLimits limits) {
    batch.put(text("m"), Lab.LATEST, zeros(limits.qualifier() + 1), 1, text("v"));
  }

  private static void longValue(MutationBatch batch, SizeLimits limits) {
    batch.put(text("m"), Lab.LATEST, text("q"), 1, zeros(limits.hardValue() + 1));
  }

  private static void manyEdits(MutationBatch batch, SizeLimits limits) {
    for (int i = 0; i <= limits.editsPerRow(); i++) {
      put(batch, text("m"), Lab.LATEST);
    }
  }

  private static void lastTime(MutationBatch batch, SizeLimits limits) {
    batch.put(text("m"), Lab.LATEST, text("q"), Long.MAX_VALUE, text("v"));
  }

  /** A store that keeps every time has nothing to refuse, and must keep the greatest time. */
  private static void timesOfData(Lab lab) {
    Capabilities.CellTimes times = lab.capabilities().cellTimes();
    if (times == null) {
      return;
    }
    List<Long> outside = new ArrayList<>();
    if (times.min() > Long.MIN_VALUE) {
      outside.add(times.min() - 1);
      outside.add(Long.MIN_VALUE);
    }
    if (times.max() < Long.MAX_VALUE - 1) {
      outside.add(times.max() + 1);
    }
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    List<Status> expected = new ArrayList<>();
    for (int i = 0; i < outside.size(); i++) {
      batch.put(text("m" + i), Lab.ALL, text("q"), outside.get(i), text("v"));
      expected.add(Status.REJECTED);
    }
    batch.put(text("z"), Lab.ALL, text("q"), times.max(), text("v"));
    expected.add(Status.APPLIED);
    List<RowOutcome> outcomes = table.apply(batch, Durability.SYNCED);
    if (!outside.isEmpty()) {
      assertThat(outcomes).extracting(RowOutcome::status).isEqualTo(expected);
      assertThat(outcomes.getFirst().reason()).contains("cell time " + outside.getFirst());
    }
    assertThat(Lab.readAll(table)).extracting(cell -> cell.row().toUtf8()).containsExactly("z");
  }

  private static void rowWhole(Lab lab) {
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    put(batch, text("m"), Lab.LATEST);
    put(batch, text("m"), 3);
    put(batch, text("m"), Lab.ALL);
    assertThat(table.apply(batch, Durability.SYNCED))
        .extracting(RowOutcome::status)
        .containsExactly(Status.REJECTED);
    assertThat(Lab.readAll(table)).isEmpty();
  }

  private static void withinLimits(Lab lab) {
    SizeLimits limits = lab.capabilities().limits();
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    batch.put(
        zeros(limits.rowKey()),
        Lab.LATEST,
        zeros(limits.qualifier()),
        1,
        zeros(limits.softValue()));
    batch.put(ones(limits.rowKey()), Lab.ALL, ones(limits.qualifier()), lab.time(1), Bytes.EMPTY);
    Lab.apply(table, batch);
    assertThat(Lab.readAll(table))
        .hasSize(2)
        .satisfiesExactly(
            first -> assertThat(first.value().length()).isEqualTo(limits.softValue()),
            second -> assertThat(second.qualifier()).isEqualTo(ones(limits.qualifier())));
  }

  private static void heavy(Lab lab) {
    SizeLimits limits = lab.capabilities().limits();
    if (limits.mutationBytes() == Long.MAX_VALUE) {
      return;
    }
    Bytes row = ones(2048);
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    long bytes = 0;
    while (bytes <= limits.mutationBytes()) {
      Bytes qualifier = text("%08d".formatted(batch.size()));
      batch.put(row, Lab.LATEST, qualifier, 1, Bytes.EMPTY);
      bytes += SizeLimits.editBytes(batch, batch.size() - 1);
    }
    assertThat(table.apply(batch, Durability.SYNCED))
        .singleElement()
        .satisfies(outcome -> {
          assertThat(outcome.status()).isEqualTo(Status.REJECTED);
          assertThat(outcome.reason()).contains("exceeds the limit of");
        });
    MutationBatch within = new MutationBatch();
    for (int i = 0; i < batch.size() - 1; i++) {
      within.addFrom(batch, i);
    }
    Lab.apply(table, within);
    assertThat(Lab.readAll(table)).hasSize(within.size());
  }

  private static Bytes zeros(int length) {
    return Bytes.of(new byte[length]);
  }

  private static Bytes ones(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 0xff);
    return Bytes.of(bytes);
  }
}

package dev.varve.store.rocksdb;

import dev.varve.store.Admission;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Applies one batch to the store: rejects some of its mutations and writes the rest. */
final class Application {
  /*
   * Nearly always the batch is one write. A mutation that must read the current state is a write of
   * its own; so are the mutations before it and after it. This keeps the order, and every row is
   * written as a whole.
   */
  private final RocksStore store;
  private final TableEntry table;
  private final MutationBatch batch;
  private final MutationEncoder encoder;
  private final List<GroupCommit.Write> writes = new ArrayList<>();
  private final List<RowOutcome> refusals = new ArrayList<>();

  /** For each mutation the index of its write, or -1 minus the index of its refusal. */
  private int[] places = new int[16];

  private int mutations;

  /** Whether encoded mutations are waiting to be submitted. */
  private boolean gathering;

  Application(RocksStore store, TableEntry table, MutationBatch batch) {
    this.store = store;
    this.table = table;
    this.batch = batch;
    this.encoder = new MutationEncoder(table, batch, store.database().cellsFamily());
  }

  /**
   * Applies the batch and waits until all its writes have ended.
   *
   * @return one outcome per mutation; empty if all were applied
   */
  List<RowOutcome> run(Admission admission, Durability durability) {
    WriteRecords gathered = encoder.room(0, batch.size());
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      String refusal = admission.refusal(batch, first, end);
      if (refusal != null) {
        refusals.add(new RowOutcome(Status.REJECTED, refusal));
        place(-refusals.size());
      } else if (encoder.needsLook(first, end)) {
        gathered = write(gathered, first, durability);
        place(writes.size());
        writeLooking(first, end, durability);
      } else {
        encoder.encode(first, end, gathered);
        place(writes.size());
        gathering = true;
      }
    }
    write(gathered, batch.size(), durability);
    return outcomes();
  }

  private void place(int place) {
    if (mutations == places.length) {
      places = Arrays.copyOf(places, 2 * mutations);
    }
    places[mutations++] = place;
  }

  /** Submits the gathered mutations and returns records for those that follow. */
  private WriteRecords write(WriteRecords gathered, int next, Durability durability) {
    if (!gathering) {
      return gathered;
    }
    gathering = false;
    GroupCommit.Decision decision =
        () -> {
          table.ensureThere();
          return gathered;
        };
    writes.add(store.gate().pass(() -> store.writer().submit(decision, durability)));
    return encoder.room(next, batch.size());
  }

  private void writeLooking(int first, int end, Durability durability) {
    // A separate encoder: the writer thread may use it while this thread continues with the batch.
    MutationEncoder looking = new MutationEncoder(table, batch, store.database().cellsFamily());
    GroupCommit.Decision decision =
        () -> {
          table.ensureThere();
          WriteRecords records = looking.room(first, end);
          looking.encode(first, end, records, store.database());
          return records;
        };
    writes.add(store.gate().pass(() -> store.writer().submitLooking(decision, durability)));
  }

  private List<RowOutcome> outcomes() {
    List<RowOutcome> ends = new ArrayList<>();
    boolean allApplied = refusals.isEmpty();
    for (GroupCommit.Write write : writes) {
      RowOutcome end = end(write);
      ends.add(end);
      allApplied &= end.applied();
    }
    if (allApplied) {
      return List.of();
    }
    List<RowOutcome> outcomes = new ArrayList<>(mutations);
    for (int i = 0; i < mutations; i++) {
      outcomes.add(places[i] < 0 ? refusals.get(-1 - places[i]) : ends.get(places[i]));
    }
    return outcomes;
  }

  private RowOutcome end(GroupCommit.Write write) {
    try {
      write.await();
      return RowOutcome.APPLIED;
    } catch (StoreException e) {
      return new RowOutcome(e.unknown() ? Status.UNKNOWN : Status.NOT_APPLIED, e.getMessage());
    }
  }
}

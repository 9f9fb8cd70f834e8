package dev.varve.engine.periods;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.varve.layout.Binding;
import dev.varve.layout.Step;
import dev.varve.layout.Step.TableRead;
import dev.varve.layout.StepRunner;
import dev.varve.layout.StepRunner.Onlooker;
import dev.varve.model.GroupKey;
import dev.varve.store.CellBatch;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the steps of a layout and caches lookups whose results never change, and bindings that
 * depend on such lookups only. Safe for use by several threads.
 */
final class SettledSteps {
  /*
   * Each read is cached separately: a million series may use the UIDs of only a few thousand names,
   * and a new series shares most of them with earlier series.
   */
  private static final long REMEMBERED_BYTES_MAX = 256 << 20;

  /** Approximate heap bytes of a cached read of one cell, without the bytes of the cell. */
  private static final int OVERHEAD_BYTES = 1200;

  /** Approximate heap bytes of a cached binding, without the texts of its key. */
  private static final int BINDING_BYTES = 600;

  private final StepRunner steps;
  private final Cache<TableRead, CellBatch> settled;
  private final Cache<GroupKey, Binding> bindings;

  /**
   * @param tables in the order of the layout's tables
   * @param clock returns strictly ascending stamps, in microseconds since 1970
   * @param bytes maximum heap bytes of the caches; values above 256 MiB count as 256 MiB. A quarter
   *     is for bindings
   */
  SettledSteps(List<Table> tables, LongSupplier clock, long bytes) {
    this.steps = new StepRunner(tables, clock);
    long most = Math.min(bytes, REMEMBERED_BYTES_MAX);
    this.bindings =
        Caffeine.newBuilder()
            .maximumWeight(most / 4)
            .<GroupKey, Binding>weigher((key, binding) ->
                BINDING_BYTES + (int) Math.min(Integer.MAX_VALUE / 2, 2 * key.byteCount()))
            .build();
    this.settled =
        Caffeine.newBuilder()
            .maximumWeight(most - most / 4)
            .<TableRead, CellBatch>weigher((read, answer) -> OVERHEAD_BYTES + answer.byteCount())
            .build();
  }

  /**
   * Runs a step to completion.
   *
   * @throws StoreException if a table fails
   */
  <T> T run(Step<T> step) {
    return run(step, Onlooker.NONE);
  }

  /**
   * Returns the binding that a step makes of a key.
   *
   * @param step makes the step if the binding is not known
   * @return empty if the step makes none of the key
   * @throws StoreException if a table fails
   */
  Optional<Binding> binding(GroupKey key, Supplier<Step<Optional<Binding>>> step) {
    Binding known = bindings.getIfPresent(key);
    if (known != null) {
      return Optional.of(known);
    }
    Step<Optional<Binding>> next = step.get();
    while (next instanceof Step.Look<Optional<Binding>>(var reads, var isSettled, var then)
        && isSettled) {
      next = then.apply(settled(reads, Onlooker.NONE));
    }
    if (next instanceof Step.Done<Optional<Binding>>(Optional<Binding> made)) {
      made.ifPresent(binding -> bindings.put(key, binding));
      return made;
    }
    return run(next);
  }

  /**
   * Runs a step to completion.
   *
   * @param onlooker observes reads of tables
   * @throws StoreException if a table fails
   */
  <T> T run(Step<T> step, Onlooker onlooker) {
    Step<T> next = step;
    while (true) {
      switch (next) {
        case Step.Done<T>(T value) -> {
          return value;
        }
        case Step.Look<T>(var reads, var isSettled, var then) ->
            next = then.apply(isSettled ? settled(reads, onlooker) : steps.look(reads, onlooker));
        case Step.Claim<T> claim -> next = claim.then().apply(steps.claim(claim));
        case Step.Count<T> count -> next = count.then().apply(steps.count(count));
        case Step.Remove<T> remove -> {
          steps.remove(remove);
          next = remove.then().get();
        }
      }
    }
  }

  /** Forgets all answers and bindings, for tables that were emptied. */
  void forget() {
    settled.invalidateAll();
    bindings.invalidateAll();
  }

  private List<CellBatch> settled(List<TableRead> reads, Onlooker onlooker) {
    List<@Nullable CellBatch> known = new ArrayList<>(reads.size());
    List<TableRead> unknown = new ArrayList<>();
    for (TableRead read : reads) {
      CellBatch answer = settled.getIfPresent(read);
      known.add(answer);
      if (answer == null) {
        unknown.add(read);
      }
    }
    Iterator<CellBatch> found =
        (unknown.isEmpty() ? List.<CellBatch>of() : steps.look(unknown, onlooker)).iterator();
    List<CellBatch> answers = new ArrayList<>(reads.size());
    for (int i = 0; i < reads.size(); i++) {
      CellBatch answer = known.get(i);
      answers.add(answer == null ? kept(reads.get(i), found.next()) : answer);
    }
    return answers;
  }

  private CellBatch kept(TableRead read, CellBatch answer) {
    if (answer.isEmpty()) {
      return answer;
    }
    CellBatch trimmed = answer.trimmed();
    settled.put(read, trimmed);
    return trimmed;
  }
}

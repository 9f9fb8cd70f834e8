package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.model.Bytes;
import dev.varve.store.Capabilities;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider;
import dev.varve.store.StoreProviders;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The store {@code memory}, except that writes fail if a name contains {@link #WORD}, and reads of
 * rows if their keys contain {@link #READ_WORD}. All writes fail while the switch is on that the
 * option {@link #SWITCH} names.
 */
public final class BreakingStore implements StoreProvider {
  public static final String KIND = "breaking-memory";

  /** The word that makes a write fail. */
  public static final String WORD = "storebreaking";

  /** The word that makes a read fail. */
  public static final String READ_WORD = "readbreaking";

  /** The option with the name of a switch. */
  public static final String SWITCH = "switch";

  private static final Map<String, AtomicBoolean> SWITCHES = new ConcurrentHashMap<>();

  /** Returns the switch of a name, which is off at first. */
  public static AtomicBoolean switchOf(String name) {
    return SWITCHES.computeIfAbsent(name, any -> new AtomicBoolean());
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    return new Breaking(
        StoreProviders.of("memory").open(directory, memory, Map.of()),
        switchOf(options.getOrDefault(SWITCH, "")));
  }

  private record Breaking(Store plain, AtomicBoolean broken) implements Store {
    @Override
    public String kind() {
      return plain.kind();
    }

    @Override
    public boolean isEmbedded() {
      return plain.isEmbedded();
    }

    @Override
    public Capabilities capabilities(TableSpec spec) {
      return plain.capabilities(spec);
    }

    @Override
    public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
      return plain.check(spec, needs);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return new BreakingTable(plain.open(spec, mode), broken);
    }

    @Override
    public List<String> tables() {
      return plain.tables();
    }

    @Override
    public void drop(String table) {
      plain.drop(table);
    }

    @Override
    public Map<String, Double> figures() {
      return plain.figures();
    }

    @Override
    public void close() {
      plain.close();
    }
  }

  private record BreakingTable(Table plain, AtomicBoolean broken) implements Table {
    @Override
    public TableSpec spec() {
      return plain.spec();
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      CellBatch cells = batch.cells();
      boolean breaks = broken.get();
      int mutations = 0;
      for (int i = 0; i < cells.size(); i++) {
        mutations += i == 0 || !cells.sameRow(i - 1, i) ? 1 : 0;
        breaks |= holds(cells.row(i), WORD) || holds(cells.qualifier(i), WORD);
        breaks |= holds(cells.value(i), WORD);
      }
      if (breaks) {
        return Collections.nCopies(
            mutations, new RowOutcome(Status.UNKNOWN, "the store is broken"));
      }
      return plain.apply(batch, durability);
    }

    private static boolean holds(Bytes bytes, String word) {
      return new String(bytes.toArray(), UTF_8).contains(word);
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      if (plan.slices().stream().anyMatch(slice -> holds(slice.fromRow(), READ_WORD))) {
        throw new StoreException("the store is broken");
      }
      return plain.read(plan, resume);
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      // One object may have several powers.
      if (power == Power.ConditionalPut.class) {
        return plain
            .power(Power.ConditionalPut.class)
            .map(own ->
                power.cast(
                    (Power.ConditionalPut)
                        (cell, expected) -> {
                          requireWhole();
                          return own.putIf(cell, expected);
                        }));
      }
      if (power == Power.Increment.class) {
        return plain
            .power(Power.Increment.class)
            .map(own ->
                power.cast(
                    (Power.Increment)
                        (row, family, qualifier, amount, time) -> {
                          requireWhole();
                          return own.add(row, family, qualifier, amount, time);
                        }));
      }
      return plain.power(power);
    }

    private void requireWhole() {
      if (broken.get()) {
        throw new StoreException("the store is broken");
      }
    }

    @Override
    public void close() {
      plain.close();
    }
  }
}

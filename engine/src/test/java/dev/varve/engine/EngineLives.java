package dev.varve.engine;

import dev.varve.engine.config.EngineConfig;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Engines on one store, one after the other. An engine is closed, or it ends, as far as the store
 * can tell, like a killed process: from one call on it asks the store for nothing more.
 */
public final class EngineLives implements AutoCloseable {
  private final EngineConfig config;
  private final Store store;
  private @Nullable Life life;

  private record Life(Engine engine, Mortal store) {}

  /**
   * @param store outlives the engines; if it is embedded, no other engine uses it meanwhile
   */
  public EngineLives(EngineConfig config, Store store) {
    this.config = config;
    this.store = store;
  }

  /** Returns the running engine; opens one if none runs. */
  public Engine engine() {
    Life running = life;
    if (running == null) {
      Mortal mortal = new Mortal(store);
      running =
          new Life(
              Engine.open(config, (kind, path, memory) -> mortal, PassingTime.ofSystem()::micros),
              mortal);
      life = running;
    }
    return running.engine();
  }

  /** Ends the running engine like a killed process. */
  public void kill() {
    Life running = life;
    if (running != null) {
      life = null;
      running.store().dead = true;
      try {
        running.engine().close();
      } catch (StoreException e) {
        // Its threads have ended. What it still wanted to write is lost.
      }
    }
  }

  /** Closes the running engine. */
  public void stop() {
    Life running = life;
    if (running != null) {
      life = null;
      running.engine().close();
    }
  }

  @Override
  public void close() {
    stop();
  }

  /** A store that answers until its engine is dead. */
  private static final class Mortal extends StoreAround {
    private volatile boolean dead;

    private Mortal(Store store) {
      super(store);
    }

    private void ensureAlive() {
      if (dead) {
        throw new StoreException("the process was killed", null, true);
      }
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      ensureAlive();
      return new MortalTable(super.open(spec, mode));
    }

    private final class MortalTable extends TableAround {
      private MortalTable(Table table) {
        super(table);
      }

      @Override
      public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
        ensureAlive();
        return super.apply(batch, durability);
      }

      @Override
      public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
        ensureAlive();
        return super.read(plan, resume);
      }

      @Override
      public <P extends Power> Optional<P> power(Class<P> power) {
        return super.power(power).map(of -> power.cast(mortal(power, of)));
      }

      private Object mortal(Class<?> power, Object of) {
        return Proxy.newProxyInstance(
            power.getClassLoader(),
            new Class<?>[] {power},
            (proxy, method, arguments) -> {
              ensureAlive();
              try {
                return method.invoke(of, arguments);
              } catch (InvocationTargetException e) {
                throw Objects.requireNonNull(e.getCause());
              }
            });
      }
    }
  }
}

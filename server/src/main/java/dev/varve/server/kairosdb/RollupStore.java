package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.NamedTexts;
import dev.varve.engine.ServiceTexts;
import dev.varve.engine.ServiceTexts.Text;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.request.ReadGuard;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The roll-up tasks of a dataset, their states, and the leases of the servers that run them, in the
 * home of the dataset. In an attached keyspace the tasks are those of the original, which are left
 * to it unless the configuration says that they run here.
 */
final class RollupStore {
  /** Maximum number of tasks of a dataset. */
  static final int TASKS_MAX = 1_000;

  private static final String SERVICE = "_Rollups";
  private static final String CONFIG = "Config";
  private static final String STATUS = "Status";
  private static final String LEASE = "Lease";
  private static final String CREATOR = "Creator";

  /**
   * The right to run a task, which one server takes at a time. As text: {@code until}, a blank and
   * {@code holder}.
   *
   * @param until in ms since 1970; 0 if it was released
   * @param holder the server; without blanks
   */
  private record Lease(long until, String holder) {
    static Lease read(String id, String text) {
      int blank = text.indexOf(' ');
      try {
        return new Lease(
            Long.parseLong(text, 0, Math.max(0, blank), 10), text.substring(blank + 1));
      } catch (NumberFormatException e) {
        throw new IllegalStateException(
            "the lease of roll-up task '%s' is damaged: '%s'".formatted(id, text), e);
      }
    }

    String text() {
      return until + " " + holder;
    }
  }

  private final ServiceTexts texts;

  /** Has the tasks; for those of the original, also the states that it shows. */
  private final NamedTexts tasks;

  private final boolean areShared;
  private final boolean runsHere;

  RollupStore(Dataset dataset) {
    this.texts = dataset.services();
    this.tasks = dataset.originals().clientTexts();
    this.areShared = tasks != texts;
    Attached attached = dataset.config().attached();
    this.runsHere = !areShared || (attached != null && attached.runsTasks());
  }

  /** Returns whether the tasks run here. */
  boolean runsHere() {
    return runsHere;
  }

  /** Returns whether others may add and change tasks as well. */
  boolean areShared() {
    return areShared;
  }

  /** Returns the JSON of a task; null if there is none. */
  @Nullable String task(String id) {
    Text found = tasks.get(SERVICE, CONFIG, id);
    return found == null ? null : found.text();
  }

  /** Returns the JSON of all tasks, in the order of their IDs. */
  List<Text> tasks(ReadGuard guard) {
    return tasks.texts(SERVICE, CONFIG, "", guard);
  }

  /** Returns the number of tasks. */
  int count() {
    return areShared ? tasks(ReadGuard.NONE).size() : texts.count(SERVICE, CONFIG);
  }

  /**
   * Stores a task, which is due one interval after now.
   *
   * @param creator the user with whose rights it runs; null if nobody was authenticated
   * @param now in ms since 1970
   */
  void put(RollupTask task, @Nullable String creator, long now) {
    if (creator == null) {
      texts.delete(SERVICE, CREATOR, task.id());
    } else {
      texts.put(SERVICE, CREATOR, task.id(), creator);
    }
    RollupStatus before = status(task.id());
    long due = RollupStatus.next(now, task.interval(), now);
    // A task without a status would never run.
    put(task.id(), (before == null ? RollupStatus.NEW : before).due(due));
    tasks.put(SERVICE, CONFIG, task.id(), task.json());
  }

  /** Deletes a task with everything that belongs to it. */
  void delete(String id) {
    tasks.delete(SERVICE, CONFIG, id);
    if (areShared && runsHere) {
      tasks.delete(SERVICE, STATUS, id);
    }
    forget(id);
  }

  /** Deletes what belongs to a task that is gone. */
  void forget(String id) {
    texts.delete(SERVICE, STATUS, id);
    texts.delete(SERVICE, LEASE, id);
    texts.delete(SERVICE, CREATOR, id);
  }

  /** Returns the user with whose rights a task runs; null if its sender was not authenticated. */
  @Nullable String creator(String id) {
    return text(CREATOR, id);
  }

  /**
   * Returns the state of a task as the API shows it; null if there is none. A task that is left to
   * the original has the state that it stored.
   */
  @Nullable String shown(String id) {
    if (!runsHere) {
      Text found = tasks.get(SERVICE, STATUS, id);
      return found == null ? null : found.text();
    }
    RollupStatus status = status(id);
    return status == null ? null : status.shown();
  }

  @Nullable RollupStatus status(String id) {
    String stored = text(STATUS, id);
    return stored == null ? null : RollupStatus.read(stored);
  }

  /**
   * Passes on the states of all tasks.
   *
   * @param into receives the ID of each task with its state
   */
  void statuses(BiConsumer<String, RollupStatus> into) {
    texts.each(SERVICE, STATUS, text -> into.accept(text.key(), RollupStatus.read(text.text())));
  }

  void put(String id, RollupStatus status) {
    texts.put(SERVICE, STATUS, id, status.stored());
    if (areShared && runsHere) {
      tasks.put(SERVICE, STATUS, id, status.shown());
    }
  }

  /**
   * Takes or extends the lease of a task, unless another server has one that has not ended.
   *
   * @param holder identifies this server
   * @param now in ms since 1970
   * @param until in ms since 1970
   * @return whether this server may run the task
   */
  boolean lease(String id, String holder, long now, long until) {
    String standing = text(LEASE, id);
    if (standing != null) {
      Lease lease = Lease.read(id, standing);
      if (!lease.holder().equals(holder) && lease.until() > now) {
        return false;
      }
    }
    return texts.putIf(SERVICE, LEASE, id, standing, new Lease(until, holder).text());
  }

  /** Ends a lease of this server. */
  void release(String id, String holder) {
    String standing = text(LEASE, id);
    if (standing != null && Lease.read(id, standing).holder().equals(holder)) {
      texts.putIf(SERVICE, LEASE, id, standing, new Lease(0, holder).text());
    }
  }

  private @Nullable String text(String serviceKey, String id) {
    Text found = texts.get(SERVICE, serviceKey, id);
    return found == null ? null : found.text();
  }
}

package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.NamedTexts;
import dev.varve.engine.ServiceTexts;
import dev.varve.engine.ServiceTexts.Text;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.request.ReadGuard;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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
        Lease lease =
            new Lease(Long.parseLong(text, 0, Math.max(0, blank), 10), text.substring(blank + 1));
        if (lease.text().equals(text)) {
          return lease;
        }
        throw new DamagedException("lease", id, text, null);
      } catch (NumberFormatException e) {
        throw new DamagedException("lease", id, text, e);
      }
    }

    String text() {
      return until + " " + holder;
    }
  }

  /** Thrown if what is stored about a task cannot be read. */
  static final class DamagedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Maximum length of the damaged text in the message, in characters. */
    private static final int SHOWN_MAX = 100;

    private final String id;

    private DamagedException(
        String what, String id, String text, @Nullable RuntimeException cause) {
      super(
          "the %s of roll-up task '%s' is damaged: '%s'; store the task again (PUT /api/v1/rollups/%s)"
              .formatted(what, id, text.substring(0, Math.min(text.length(), SHOWN_MAX)), id),
          cause);
      this.id = id;
    }

    /** Returns the ID of the task. */
    String id() {
      return id;
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
    RollupStatus before = readable(task.id());
    long due = RollupStatus.next(now, task.interval(), now);
    // A task without a status would never run.
    put(task.id(), (before == null ? RollupStatus.NEW : before).due(due));
    if (isDamaged(task.id())) {
      // Nobody can hold a lease that cannot be read.
      texts.delete(SERVICE, LEASE, task.id());
    }
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

  /**
   * Returns the state of a task; null if there is none.
   *
   * @throws DamagedException if it cannot be read
   */
  @Nullable RollupStatus status(String id) {
    String stored = text(STATUS, id);
    return stored == null ? null : status(id, stored);
  }

  private @Nullable RollupStatus readable(String id) {
    try {
      return status(id);
    } catch (DamagedException e) {
      return null;
    }
  }

  private static RollupStatus status(String id, String stored) {
    try {
      return RollupStatus.read(stored);
    } catch (RuntimeException e) {
      throw new DamagedException("state", id, stored, e);
    }
  }

  /**
   * Passes on the states of all tasks.
   *
   * @param into receives the ID of each task with its state
   * @param damaged receives what is wrong with each state that cannot be read
   */
  void statuses(BiConsumer<String, RollupStatus> into, Consumer<DamagedException> damaged) {
    texts.each(
        SERVICE,
        STATUS,
        text -> {
          RollupStatus status;
          try {
            status = status(text.key(), text.text());
          } catch (DamagedException e) {
            damaged.accept(e);
            return;
          }
          into.accept(text.key(), status);
        });
  }

  /** Returns whether the state or the lease of a task cannot be read, so that it never runs. */
  boolean isDamaged(String id) {
    try {
      status(id);
      lease(id);
      return false;
    } catch (DamagedException e) {
      return true;
    }
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
   * @throws DamagedException if the lease cannot be read
   */
  boolean lease(String id, String holder, long now, long until) {
    Lease current = lease(id);
    if (current != null && !current.holder().equals(holder) && current.until() > now) {
      return false;
    }
    return replace(id, current, new Lease(until, holder));
  }

  /**
   * Extends a lease of this server, even if it has ended, unless another server has taken one.
   *
   * @param until in ms since 1970
   * @return whether this server may go on with the task
   * @throws DamagedException if the lease cannot be read
   */
  boolean extend(String id, String holder, long until) {
    Lease current = lease(id);
    return current != null
        && current.holder().equals(holder)
        && replace(id, current, new Lease(until, holder));
  }

  /** Ends a lease of this server. */
  void release(String id, String holder) {
    extend(id, holder, 0);
  }

  private @Nullable Lease lease(String id) {
    String text = text(LEASE, id);
    return text == null ? null : Lease.read(id, text);
  }

  private boolean replace(String id, @Nullable Lease current, Lease lease) {
    String expected = current == null ? null : current.text();
    return texts.putIf(SERVICE, LEASE, id, expected, lease.text());
  }

  private @Nullable String text(String serviceKey, String id) {
    Text found = texts.get(SERVICE, serviceKey, id);
    return found == null ? null : found.text();
  }
}

package dev.varve.server.http;

import dev.varve.model.HeapShares;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The budget for all bytes that were received and are not written yet, over all protocols: bodies
 * as received, their decoded form, and the columns built from them.
 *
 * <p>Bytes are reserved before they are held. A reservation that cannot grow fails at once; it
 * never waits while it holds memory. One client may hold at most half of the budget, so that it
 * cannot keep all others from writing.
 *
 * <p>Bytes that are held while the server waits for their client, such as the first part of a body,
 * may fill three quarters of the budget. The rest is for complete requests that are being written,
 * and for clients that hold very little, so a few slow clients do not stop all others.
 *
 * <p>A batch counts until its write has returned. The cells that the engine creates from it count
 * in the engine's own limit ({@code engine.write.BatchBudget}), in addition to this budget. {@link
 * HeapShares} keeps the sum of all budgets below the heap.
 *
 * <p>Thread-safe.
 */
public final class WriteBudget {
  /** A reservation grows by an eighth of its size, but at least and at most by these amounts. */
  private static final long STEP_MIN = 4 << 10;

  private static final long STEP_MAX = 64 << 10;

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** The reason for a refusal. */
  public enum Refusal {
    /** Other clients hold the required memory. */
    FULL("full"),
    /** The client itself holds its maximum. */
    CLIENT("client"),
    /** One request or line needs more than a client may ever hold. */
    TOO_LARGE("too-large");

    private final String label;

    Refusal(String label) {
      this.label = label;
    }

    /** Returns the label of the metric. */
    public String label() {
      return label;
    }
  }

  private final long max;
  private final long clientMax;

  /**
   * A client that holds less than this may send even if others have filled the share for incomplete
   * bodies.
   */
  private final long clientMin;

  private final AtomicLong used = new AtomicLong();
  private final ConcurrentHashMap<ClientAddress, Client> clients = new ConcurrentHashMap<>();
  private final Map<Refusal, LongAdder> refusals =
      Map.of(
          Refusal.FULL, new LongAdder(),
          Refusal.CLIENT, new LongAdder(),
          Refusal.TOO_LARGE, new LongAdder());

  /**
   * @param max bytes that all reservations may have together
   */
  public WriteBudget(long max) {
    this.max = max;
    this.clientMax = max / 2;
    this.clientMin = max / 64;
  }

  /** Returns a reservation that never fails, for data that no client sends. */
  public static Reservation unlimited() {
    return new WriteBudget(Long.MAX_VALUE).open(ClientAddress.LOCAL);
  }

  /** The reservations of a client, removed with the last one. */
  private static final class Client {
    private final AtomicLong used = new AtomicLong();
    private int reservations;
  }

  /** Returns the reserved bytes. */
  public long used() {
    return used.get();
  }

  /** Returns the size of the budget in bytes. */
  public long max() {
    return max;
  }

  /** Returns the maximum of all reservations of one client, in bytes. */
  public long clientMax() {
    return clientMax;
  }

  private LongAdder count(Refusal refusal) {
    return Objects.requireNonNull(refusals.get(refusal));
  }

  /** Returns the number of refusals for a reason. */
  public long refused(Refusal refusal) {
    return count(refusal).sum();
  }

  /** Returns the number of clients with reservations. */
  int clients() {
    return clients.size();
  }

  /** Opens an empty reservation. */
  public Reservation open(ClientAddress client) {
    Client counted =
        clients.compute(
            client,
            (address, known) -> {
              Client one = known == null ? new Client() : known;
              one.reservations++;
              return one;
            });
    return new Reservation(client, counted);
  }

  private void leave(ClientAddress client) {
    clients.computeIfPresent(client, (address, known) -> --known.reservations == 0 ? null : known);
  }

  private static boolean take(AtomicLong from, long bytes, long max) {
    long before = from.get();
    while (bytes <= max - before) {
      long seen = from.compareAndExchange(before, before + bytes);
      if (seen == before) {
        return true;
      }
      before = seen;
    }
    return false;
  }

  /**
   * The bytes of one request or connection. For one thread at a time.
   *
   * <p>The count is exact, but the budget is charged in steps of {@link #STEP_MIN} to {@link
   * #STEP_MAX} bytes, so most calls only add two numbers.
   */
  public final class Reservation implements AutoCloseable {
    private final ClientAddress client;
    private final Client counted;
    private long reserved;
    private long held;
    private boolean closed;

    private Reservation(ClientAddress client, Client counted) {
      this.client = client;
      this.counted = counted;
    }

    /** Returns the maximum that can be held if nothing else is, in bytes. */
    public long most() {
      return clientMax;
    }

    /** Returns the held bytes. */
    public long held() {
      return held;
    }

    /**
     * Holds more bytes. Called before the memory is allocated.
     *
     * @throws OverBudgetException if there is no room; what was held before remains held
     */
    public void hold(long bytes) {
      if (bytes > reserved - held) {
        extend(bytes, max);
      }
      held += bytes;
    }

    /**
     * Holds bytes while the server waits for their client.
     *
     * @throws OverBudgetException if there is no room; what was held before remains held
     */
    public void holdWaiting(long bytes) {
      if (bytes > reserved - held) {
        extend(bytes, counted.used.get() < clientMin ? max : max / 4 * 3);
      }
      held += bytes;
    }

    /** Holds optional bytes; false if there is no room. */
    public boolean tryHold(long bytes) {
      if (bytes > reserved - held && refusal(bytes, max) != null) {
        return false;
      }
      held += bytes;
      return true;
    }

    private void extend(long bytes, long most) {
      Refusal refusal = refusal(bytes, most);
      if (refusal != null) {
        throw refused(refusal, bytes);
      }
    }

    /** Grows the reservation. Returns the reason if there is no room; null otherwise. */
    private @Nullable Refusal refusal(long bytes, long most) {
      if (closed) {
        throw new IllegalStateException("the reservation is closed");
      }
      long missing = bytes - (reserved - held);
      long step = Math.clamp(reserved / 8, STEP_MIN, STEP_MAX);
      Refusal refusal = grow(Math.max(missing, step), most);
      // Near the end of the budget the missing bytes may fit although a whole step does not.
      if (refusal != null && missing < step) {
        refusal = grow(missing, most);
      }
      if (refusal != null) {
        refusal = held > clientMax - bytes ? Refusal.TOO_LARGE : refusal;
        count(refusal).increment();
      }
      return refusal;
    }

    private @Nullable Refusal grow(long bytes, long most) {
      if (!take(counted.used, bytes, clientMax)) {
        return Refusal.CLIENT;
      }
      if (!take(used, bytes, most)) {
        counted.used.addAndGet(-bytes);
        return Refusal.FULL;
      }
      reserved += bytes;
      return null;
    }

    private OverBudgetException refused(Refusal refusal, long bytes) {
      return switch (refusal) {
        case FULL ->
            new OverBudgetException(
                "%,d bytes of writes are held, write.memory is %,d bytes, and three quarters of it are for what is still coming in: send the same again"
                    .formatted(used.get(), max),
                RETRY_AFTER);
        case CLIENT ->
            new OverBudgetException(
                "%,d bytes of writes of client %s are held, and one client may have %,d bytes, half of write.memory: send the same again"
                    .formatted(counted.used.get(), client, clientMax),
                RETRY_AFTER);
        case TOO_LARGE ->
            new OverBudgetException(
                "this needs %,d bytes of memory or more at once, and one client may have %,d bytes, half of write.memory: send less at once"
                    .formatted(held + bytes, clientMax),
                null);
      };
    }

    /**
     * Fails if that number of bytes can never be held in addition to those held already.
     *
     * @throws OverBudgetException of kind LIMIT
     */
    public void requirePossible(long bytes) {
      if (held > clientMax - bytes) {
        count(Refusal.TOO_LARGE).increment();
        throw refused(Refusal.TOO_LARGE, bytes);
      }
    }

    /** Releases bytes. */
    public void letGo(long bytes) {
      if (bytes > held) {
        throw new IllegalArgumentException(bytes + " bytes of " + held + " that are held");
      }
      held -= bytes;
      long spare = reserved - held;
      if (spare > 2 * STEP_MAX || held == 0) {
        shrink(held == 0 ? spare : spare - STEP_MAX);
      }
    }

    private void shrink(long bytes) {
      reserved -= bytes;
      used.addAndGet(-bytes);
      counted.used.addAndGet(-bytes);
    }

    /** Opens another reservation of the same client. */
    public Reservation another() {
      return open(client);
    }

    /** Releases all bytes. Idempotent; nothing can be held afterwards. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        shrink(reserved);
        held = 0;
        leave(client);
      }
    }
  }
}

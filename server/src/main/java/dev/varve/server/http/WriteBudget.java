package dev.varve.server.http;

import dev.varve.engine.HeapShares;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of everything that was received and is not written yet, over all protocols: bodies as
 * they came, what is decoded of them, and the columns that are made of these.
 *
 * <p>Whoever holds such bytes reserves them first. A reservation that cannot grow fails at once: it
 * never waits while it holds memory. No client may have more than half of the whole, so that one
 * alone cannot keep all others from writing.
 *
 * <p>What is held while its client is waited for, such as the first part of a body, may fill three
 * quarters of the budget. What is left is for that which has come in whole and is being written,
 * and for clients that hold next to nothing: so a few clients that send slowly do not stop all
 * others.
 *
 * <p>A batch counts here until its write has returned. The cells that the engine makes of it count
 * in the engine's own bound ({@code engine.write.Admission}), which comes on top of this budget;
 * {@link HeapShares} keeps the two and the other budgets below the heap together.
 *
 * <p>Safe for use by several threads.
 */
public final class WriteBudget {
  /** A reservation grows by an eighth of what it has, but by no less and no more than these. */
  private static final long STEP_MIN = 4 << 10;

  private static final long STEP_MAX = 64 << 10;

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** Why room was refused. */
  public enum Refusal {
    /** Others hold what would be needed. */
    FULL("full"),
    /** The client itself holds as much as one may. */
    CLIENT("client"),
    /** One request or line would need more than a client may ever hold. */
    TOO_LARGE("too-large");

    private final String label;

    Refusal(String label) {
      this.label = label;
    }

    /** By which it is counted. */
    public String label() {
      return label;
    }
  }

  private final long max;
  private final long clientMax;

  /** A client that has less than this may send while others fill the budget with what they send. */
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

  /** A reservation for which there is always room: of what no client brings. */
  public static Reservation unlimited() {
    return new WriteBudget(Long.MAX_VALUE).open(ClientAddress.LOCAL);
  }

  /** What a client has reserved; it is forgotten with its last reservation. */
  private static final class Client {
    private final AtomicLong used = new AtomicLong();
    private int reservations;
  }

  /** Bytes that are reserved. */
  public long used() {
    return used.get();
  }

  /** Bytes that may be reserved. */
  public long max() {
    return max;
  }

  /** Bytes that the reservations of one client may have together. */
  public long clientMax() {
    return clientMax;
  }

  private LongAdder count(Refusal refusal) {
    return Objects.requireNonNull(refusals.get(refusal));
  }

  /** How many times room was refused for a reason. */
  public long refused(Refusal refusal) {
    return count(refusal).sum();
  }

  /** How many clients have reservations. */
  int clients() {
    return clients.size();
  }

  /** Begins a reservation, of nothing as yet. */
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
   * The bytes that one request or connection holds. For one thread at a time.
   *
   * <p>Counting is exact, while the budget is asked for steps of {@link #STEP_MIN} to {@link
   * #STEP_MAX} bytes: most calls only add two numbers.
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

    /** Bytes that can be held at most, if nothing else is. */
    public long most() {
      return clientMax;
    }

    /** Bytes that are held. */
    public long held() {
      return held;
    }

    /**
     * Holds more bytes, before there is memory allocated for them.
     *
     * @throws OverBudgetException if there is no room; what was held before is held on
     */
    public void hold(long bytes) {
      if (bytes > reserved - held) {
        extend(bytes, max);
      }
      held += bytes;
    }

    /**
     * The same for what is held while its client is waited for.
     *
     * @throws OverBudgetException if there is no room; what was held before is held on
     */
    public void holdWaiting(long bytes) {
      if (bytes > reserved - held) {
        extend(bytes, counted.used.get() < clientMin ? max : max / 4 * 3);
      }
      held += bytes;
    }

    /** The same as {@link #hold} for what can be done without; false if there is no room. */
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

    /** Grows the reservation; says why not where there is no room. */
    private @Nullable Refusal refusal(long bytes, long most) {
      if (closed) {
        throw new IllegalStateException("the reservation is closed");
      }
      long missing = bytes - (reserved - held);
      long step = Math.clamp(reserved / 8, STEP_MIN, STEP_MAX);
      Refusal refusal = grow(Math.max(missing, step), most);
      // Near the end of the budget what is missing may still fit where a step does not.
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
     * Fails at once where so many bytes could never be held beside what is held already.
     *
     * @throws OverBudgetException with status 413
     */
    public void requirePossible(long bytes) {
      if (held > clientMax - bytes) {
        count(Refusal.TOO_LARGE).increment();
        throw refused(Refusal.TOO_LARGE, bytes);
      }
    }

    /** Holds so many bytes no more. */
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

    /** Another reservation of the same client. */
    public Reservation another() {
      return open(client);
    }

    /** Gives everything back. Closing twice is allowed; nothing can be held afterwards. */
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

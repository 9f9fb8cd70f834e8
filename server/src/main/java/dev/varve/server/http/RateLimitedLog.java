package dev.varve.server.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs warnings of faults that may occur thousands of times. The first fault of each kind is logged
 * at once. Those of the next ten seconds are logged together at their end, with their number and
 * the first one. Thread-safe.
 */
public final class RateLimitedLog {
  private static final Logger LOG = LoggerFactory.getLogger(RateLimitedLog.class);
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** Maximum number of kinds; further ones are logged together. */
  private static final int KINDS_MAX = 1_000;

  private static final String OTHERS = "other faults";
  private static final int SHOWN_MAX = 1_000;

  private final String subject;
  private final Duration interval;
  private final Consumer<String> log;
  private final Map<String, Window> windows = new ConcurrentHashMap<>();

  /**
   * Creates a log.
   *
   * @param subject beginning of every line
   */
  public RateLimitedLog(String subject) {
    this(subject, INTERVAL, LOG::warn);
  }

  RateLimitedLog(String subject, Duration interval, Consumer<String> log) {
    this.subject = subject;
    this.interval = interval;
    this.log = log;
  }

  /**
   * Records faults.
   *
   * @param kind their kind; one of a few fixed texts
   * @param count number of faults
   * @param example describes one of them; called only if it is logged
   */
  public void warn(String kind, long count, Supplier<String> example) {
    boolean known = windows.containsKey(kind) || windows.size() < KINDS_MAX;
    windows
        .computeIfAbsent(known ? kind : OTHERS, Window::new)
        .add(count, example, System.nanoTime());
  }

  /** Records one fault. */
  public void warn(String kind, String example) {
    warn(kind, 1, () -> example);
  }

  /** Logs the faults that were held back. */
  public void flush() {
    windows.values().forEach(Window::close);
  }

  /** The faults of one kind since the last log line. */
  private final class Window {
    private final String kind;
    private boolean open;
    private long end;
    private long more;
    private @Nullable String first;

    private Window(String kind) {
      this.kind = kind;
    }

    private synchronized void add(long count, Supplier<String> example, long now) {
      if (!open && (end == 0 || now - end >= 0)) {
        write(kind, count + ": " + example.get());
        end = now + interval.toNanos();
        return;
      }
      more += count;
      if (first == null) {
        first = example.get();
      }
      if (!open) {
        open = true;
        CompletableFuture.delayedExecutor(Math.max(0, end - now), TimeUnit.NANOSECONDS)
            .execute(this::close);
      }
    }

    private synchronized void close() {
      if (first != null) {
        write(kind, more + " more, the first: " + first);
        end = System.nanoTime() + interval.toNanos();
      }
      open = false;
      more = 0;
      first = null;
    }
  }

  private void write(String kind, String text) {
    log.accept(subject + ": " + kind + ": " + inOneLine(text));
  }

  /** Removes line breaks, so that input from outside cannot imitate log lines. */
  private static String inOneLine(String text) {
    String start = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text;
    return start.replaceAll("\\p{Cntrl}", "\uFFFD");
  }
}

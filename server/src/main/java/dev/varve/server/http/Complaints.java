package dev.varve.server.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is wrong with what comes in, in the log: once in ten seconds at most, with the number of
 * those that were passed over. Safe for use by several threads.
 */
public final class Complaints {
  private static final Logger LOG = LoggerFactory.getLogger(Complaints.class);
  private static final long INTERVAL = Duration.ofSeconds(10).toNanos();

  private static final int SHOWN_MAX = 1_000;

  private final String of;
  private final AtomicLong next = new AtomicLong(System.nanoTime());
  private final AtomicLong passedOver = new AtomicLong();

  /**
   * @param of whose input it is
   */
  public Complaints(String of) {
    this.of = of;
  }

  /** Says that so many things went wrong, of which one is described. */
  public void add(long count, String one) {
    long due = next.get();
    long now = System.nanoTime();
    if (now - due >= 0 && next.compareAndSet(due, now + INTERVAL)) {
      long before = passedOver.getAndSet(0);
      long others = before + count - 1;
      LOG.warn(
          "{}: {}{}", of, inOneLine(one), others > 0 ? " (and %d more)".formatted(others) : "");
    } else {
      passedOver.addAndGet(count);
    }
  }

  /** What comes from outside is not to look like a line of the log. */
  private static String inOneLine(String text) {
    String start = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text;
    return start.replaceAll("\\p{Cntrl}", "\uFFFD");
  }
}

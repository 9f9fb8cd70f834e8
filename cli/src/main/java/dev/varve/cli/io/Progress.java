package dev.varve.cli.io;

import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * Shows the progress of long work. On a terminal it redraws one line at most ten times per second;
 * elsewhere it prints a line every ten seconds. Not thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final long REDRAW_NANOS = 100_000_000L;
  private static final long PLAIN_NANOS = 10_000_000_000L;
  private static final double SMOOTHING = 0.2;

  private final PrintWriter err;
  private final boolean redraws;
  private final boolean silent;
  private final String unit;
  private final long total;
  private final long start = System.nanoTime();
  private long last = start;
  private long lastDone;
  private double rate;
  private boolean drawn;

  /**
   * Starts the display.
   *
   * @param unit what is counted, such as {@code points}
   * @param total size of the work in bytes, for an estimate of its end; 0 if unknown
   */
  public Progress(PrintWriter err, boolean silent, String unit, long total) {
    this.err = err;
    this.silent = silent;
    this.unit = unit;
    this.total = total;
    this.redraws =
        Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false)
            && !"dumb".equals(System.getenv("TERM"));
  }

  /** Updates the progress. */
  public void update(long done, long bytes, String detail) {
    long now = System.nanoTime();
    if (silent || now - last < (redraws ? REDRAW_NANOS : PLAIN_NANOS)) {
      return;
    }
    double current = (done - lastDone) * 1e9 / (now - last);
    rate = rate == 0 ? current : SMOOTHING * current + (1 - SMOOTHING) * rate;
    last = now;
    lastDone = done;
    String line = line(done, bytes, detail, now);
    if (redraws) {
      err.print("\r\u001b[K" + line);
      err.flush();
      drawn = true;
    } else {
      err.println(line);
    }
  }

  private String line(long done, long bytes, String detail, long now) {
    StringBuilder line = new StringBuilder();
    line.append(String.format(Locale.ROOT, "%,d %s  %,.0f/s", done, unit, rate));
    if (total > 0 && bytes > 0) {
      double share = Math.min(1, bytes / (double) total);
      long left = (long) ((now - start) / share * (1 - share));
      line.append(
          String.format(
              Locale.ROOT, "  %3.0f%%  %s left", 100 * share, text(Duration.ofNanos(left))));
    }
    line.append("  ").append(text(Duration.ofNanos(now - start)));
    return detail.isEmpty() ? line.toString() : line.append("  ").append(detail).toString();
  }

  /** Formats a duration as hours, minutes and seconds, without leading zero units. */
  public static String text(Duration duration) {
    long seconds = duration.toSeconds();
    return seconds < 60
        ? seconds + "s"
        : seconds < 3600
            ? String.format(Locale.ROOT, "%dm%02ds", seconds / 60, seconds % 60)
            : String.format(Locale.ROOT, "%dh%02dm", seconds / 3600, seconds / 60 % 60);
  }

  /** Removes the line from the terminal. */
  @Override
  public void close() {
    if (drawn) {
      err.print("\r\u001b[K");
      err.flush();
    }
  }
}

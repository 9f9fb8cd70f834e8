package dev.varve.server.http;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Answers what operators ask on platform threads of its own: virtual threads wait for each other's
 * computations, and native decoders hold on to the few threads that carry them. No thread waits for
 * a client: an answer is complete before it is sent. Where too many requests are under way, or
 * their answers are too large together, some are broken off, of the client with most. Safe for use
 * by several threads.
 */
final class OperationsLane implements AutoCloseable {
  /** Requests under way at once. */
  static final int MAX = 256;

  /** Bytes of answers that their clients have not read yet. */
  static final long BYTES_MAX = 16 << 20;

  private static final int THREADS = 8;

  /** What waits for a thread: first the requests of clients that have few under way. */
  private record Task(int share, long number, Runnable work) implements Runnable, Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      return share != other.share
          ? Integer.compare(share, other.share)
          : Long.compare(number, other.number);
    }

    @Override
    public void run() {
      work.run();
    }
  }

  private final ThreadPoolExecutor threads;

  /** The bytes of the answers, 0 until these are complete. */
  private final Map<JettyExchange, Integer> underWay = new LinkedHashMap<>();

  private long bytes;
  private long number;

  OperationsLane() {
    AtomicInteger count = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(),
            task ->
                Thread.ofPlatform()
                    .daemon()
                    .name("varve-operations-" + count.incrementAndGet())
                    .unstarted(task));
    // A thread that has to be started while all processors are busy comes late.
    threads.prestartAllCoreThreads();
  }

  /**
   * Runs a request; {@link #leave} is to follow once its answer is sent.
   *
   * @param work answers the exchange
   */
  void run(JettyExchange exchange, Runnable work) {
    Task task;
    synchronized (this) {
      ClientAddress client = exchange.clientAddress();
      long share = underWay.keySet().stream().filter(o -> o.clientAddress().equals(client)).count();
      underWay.put(exchange, 0);
      task = new Task((int) share, number++, work);
    }
    makeRoom();
    threads.execute(task);
  }

  /** Notes that an answer is complete. */
  void answered(JettyExchange exchange, int length) {
    synchronized (this) {
      if (underWay.replace(exchange, length) != null) {
        bytes += length;
      }
    }
    makeRoom();
  }

  synchronized void leave(JettyExchange exchange) {
    Integer length = underWay.remove(exchange);
    bytes -= length == null ? 0 : length;
  }

  private void makeRoom() {
    for (JettyExchange one = superfluous(); one != null; one = superfluous()) {
      one.drop();
    }
  }

  /**
   * Takes out what has to make room: of the client with the largest share the oldest request, one
   * whose answer waits for its reader before one that is still worked on.
   */
  private synchronized @Nullable JettyExchange superfluous() {
    boolean tooLarge = bytes > BYTES_MAX;
    if (underWay.size() <= 1 || !(tooLarge || underWay.size() > MAX)) {
      return null;
    }
    Map<ClientAddress, Integer> shares = new HashMap<>();
    underWay.forEach((exchange, length) ->
        shares.merge(exchange.clientAddress(), tooLarge ? length : 1, Integer::sum));
    JettyExchange found =
        underWay.keySet().stream()
            .filter(exchange -> !tooLarge || underWay.getOrDefault(exchange, 0) > 0)
            .min(
                Comparator.comparing((JettyExchange exchange) ->
                        shares.getOrDefault(exchange.clientAddress(), 0))
                    .reversed()
                    .thenComparing(exchange -> underWay.getOrDefault(exchange, 0) == 0))
            .orElse(null);
    if (found != null) {
      leave(found);
    }
    return found;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}

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
 * Runs operators' requests on platform threads of their own, because virtual threads wait for each
 * other's computations and native decoders occupy their few carriers. No thread waits for a client:
 * an answer is complete before it is sent. If too many requests are in progress, or their answers
 * are too large in total, some of the client with the most are broken off. Thread-safe.
 */
final class OperationsLane implements AutoCloseable {
  /** Maximum number of requests in progress. */
  static final int MAX = 256;

  /** Maximum bytes of answers that clients have not read yet. */
  static final long BYTES_MAX = 16 << 20;

  private static final int THREADS = 8;

  /** A task that waits for a thread; requests of clients with few in progress come first. */
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

  /** Requests in progress with the bytes of their answers, which are 0 until complete. */
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
    // A thread that is started while all processors are busy starts late.
    threads.prestartAllCoreThreads();
  }

  /**
   * Runs a request. The caller must call {@link #leave} when its answer is sent.
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

  /** Records that an answer is complete. */
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
   * Removes the request that makes room: the oldest of the client with the largest share,
   * preferring one whose answer waits for its reader to one that is being processed.
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

package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The number of platform threads of this process by name, ignoring numbers in names. */
record LiveThreads(Map<String, Integer> counts) {
  /** Closed clients end their threads, but do not wait for all of them. */
  private static final Duration ENDING = Duration.ofSeconds(20);

  /**
   * Threads that do not belong to a client: those of the tests, of the common pool, those that wait
   * for child processes, the one that Java starts when a virtual thread first waits for a monitor,
   * and those that HBase's client keeps for the process, whose number does not depend on the number
   * of clients.
   */
  private static final Pattern NOBODYS =
      Pattern.compile(
          "junit-.*|awaitility-.*|process reaper.*|VirtualThread-unblocker|ForkJoinPool\\.commonPool-.*"
              + "|Async-Client-Retry-Timer-pool.*|Idle-Rpc-Conn-Sweeper-pool.*"
              + "|RPCClient-NioEventLoopGroup-.*|RpcClient-timer-pool.*"
              + "|org\\.apache\\.hadoop\\.fs\\.FileSystem.*");

  /**
   * Returns the beginning of the names of the threads that carry virtual threads, read from a text
   * such as {@code VirtualThread[#3]/runnable@ForkJoinPool-1-worker-1}. Java starts them when they
   * are needed, whoever needs them, and ends them when they have been idle for 30 s.
   */
  private static String carriers() {
    AtomicReference<String> text = new AtomicReference<>("");
    try {
      Thread.ofVirtual().start(() -> text.set(Thread.currentThread().toString())).join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Matcher matcher = Pattern.compile("@(ForkJoinPool-\\d+-)worker-\\d+$").matcher(text.get());
    assertThat(matcher.find()).as("a carrier in '%s'", text).isTrue();
    return matcher.group(1);
  }

  static LiveThreads now() {
    String carriers = carriers();
    Map<String, Integer> counts = new TreeMap<>();
    Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> !NOBODYS.matcher(name).matches() && !name.startsWith(carriers))
        .forEach(
            name -> counts.merge(name.replaceAll("[0-9a-f]*[0-9][0-9a-f]*", "N"), 1, Integer::sum));
    return new LiveThreads(counts);
  }

  /** Waits until no name has more threads than before. */
  void awaitEnd() {
    await()
        .atMost(ENDING)
        .untilAsserted(() -> assertThat(now().beyond(this)).as("threads left").isEmpty());
  }

  private Map<String, Integer> beyond(LiveThreads before) {
    Map<String, Integer> more = new TreeMap<>();
    counts.forEach((name, count) -> {
      int added = count - before.counts.getOrDefault(name, 0);
      if (added > 0) {
        more.put(name, added);
      }
    });
    return more;
  }
}

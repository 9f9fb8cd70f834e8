package dev.varve.server.rules;

import dev.varve.rules.AlertSink.Notification;
import dev.varve.server.config.Url;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of alerts for one Alertmanager and the thread that sends them. An unresponsive
 * Alertmanager does not delay the others.
 */
final class AlertmanagerQueue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AlertmanagerQueue.class);
  private static final int BATCH = 256;

  /** Attempts per request. Alerts that keep firing are sent again later in any case. */
  private static final int TRIES = 3;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Maximum time for sending queued alerts on shutdown. */
  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final RulesConfig.Alertmanager target;
  private final Url url;
  private final int capacity;
  private final HttpClient client;
  private final Thread thread;

  /** Guards the queue; its condition signals changes. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final Deque<Notification> waiting = new ArrayDeque<>();
  private boolean closing;

  /** Number of alerts being sent; used only by the sending thread. */
  private int underWay;

  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  AlertmanagerQueue(RulesConfig.Alertmanager target, int capacity, HttpClient client) {
    this.target = target;
    this.url = target.url().plus("/api/v2/alerts");
    this.capacity = capacity;
    this.client = client;
    this.thread = Thread.ofVirtual().name("varve-alertmanager").start(this::run);
  }

  Url url() {
    return url;
  }

  long sent() {
    return sent.get();
  }

  /** Returns the number of alerts in failed requests; each failed attempt counts. */
  long failed() {
    return failed.get();
  }

  /** Returns the number of alerts that will not reach this Alertmanager. */
  long dropped() {
    return dropped.get();
  }

  int size() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** Queues alerts. If the queue is full, the oldest are dropped. */
  void add(List<Notification> alerts) {
    lock.lock();
    try {
      waiting.addAll(alerts);
      int tooMany = waiting.size() - capacity;
      if (tooMany > 0) {
        for (int i = 0; i < tooMany; i++) {
          waiting.removeFirst();
        }
        dropped.addAndGet(tooMany);
        LOG.warn("{}: {} alerts dropped: more than {} are queued", url, tooMany, capacity);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      for (List<Notification> batch = next(); batch != null; batch = next()) {
        underWay = batch.size();
        send(batch);
        underWay = 0;
      }
    } catch (InterruptedException e) {
      // The time for draining is over.
      int left = size() + underWay;
      if (left > 0) {
        dropped.addAndGet(left);
        LOG.warn("{}: {} alerts not sent: the server is stopping", url, left);
      }
    }
  }

  private @Nullable List<Notification> next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (waiting.isEmpty()) {
        if (closing) {
          return null;
        }
        changed.await();
      }
      List<Notification> batch = new ArrayList<>();
      while (batch.size() < BATCH && !waiting.isEmpty()) {
        batch.add(waiting.removeFirst());
      }
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private void send(List<Notification> batch) throws InterruptedException {
    byte[] body = AlertJson.of(batch);
    String problem = "";
    for (int tries = 1; tries <= TRIES; tries++) {
      boolean again = true;
      try {
        HttpResponse<Void> answer =
            client.send(request(body), HttpResponse.BodyHandlers.discarding());
        int status = answer.statusCode();
        if (status / 100 == 2) {
          sent.addAndGet(batch.size());
          return;
        }
        again = status / 100 == 5 || status == 429;
        problem = "answered with status " + status;
      } catch (IOException e) {
        problem =
            e.getMessage() == null ? e.getClass().getSimpleName() : Url.redacted(e.getMessage());
      }
      failed.addAndGet(batch.size());
      if (!again || tries == TRIES) {
        break;
      }
      pause(PAUSE.multipliedBy(tries));
    }
    dropped.addAndGet(batch.size());
    LOG.warn("{}: {} alerts not sent: {}", url, batch.size(), problem);
  }

  private static void pause(Duration time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(time.toNanos());
  }

  private HttpRequest request(byte[] body) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url.bare())
            .timeout(target.timeout())
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    Path token = target.tokenFile();
    Path password = target.passwordFile();
    if (token != null) {
      request.header("Authorization", "Bearer " + secret(token));
    } else if (password != null) {
      String pair = target.user() + ":" + secret(password);
      byte[] utf8 = pair.getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(utf8));
    } else {
      url.authorization().ifPresent(header -> request.header("Authorization", header));
    }
    return request.build();
  }

  private static String secret(Path file) throws IOException {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new IOException("cannot read '" + file + "'", e);
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      if (!thread.join(DRAIN)) {
        thread.interrupt();
        thread.join(DRAIN);
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }
}

package dev.varve.server.rules;

import dev.varve.rules.AlertSink;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Sends alerts to all Alertmanagers, after adding missing external labels and relabelling.
 * Thread-safe.
 */
final class Notifier implements AlertSink, AutoCloseable {
  private final SortedMap<String, String> externalLabels;
  private final RulesConfig.Alerting alerting;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client;
  private final List<AlertmanagerQueue> queues;

  Notifier(RulesConfig.Alerting alerting, SortedMap<String, String> externalLabels) {
    this.alerting = alerting;
    this.externalLabels = externalLabels;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .executor(threads)
            .build();
    this.queues =
        alerting.alertmanagers().stream()
            .map(target -> new AlertmanagerQueue(target, alerting.queue(), client))
            .toList();
  }

  @Override
  public void send(List<Notification> alerts) {
    if (queues.isEmpty()) {
      return;
    }
    List<Notification> rewritten = new ArrayList<>(alerts.size());
    for (Notification alert : alerts) {
      SortedMap<String, String> labels = new TreeMap<>(externalLabels);
      labels.putAll(alert.labels());
      SortedMap<String, String> kept = alerting.relabelling().apply(labels);
      if (kept != null) {
        rewritten.add(
            new Notification(
                kept, alert.annotations(), alert.startsAt(), alert.endsAt(), alert.generatorUrl()));
      }
    }
    if (!rewritten.isEmpty()) {
      queues.forEach(queue -> queue.add(rewritten));
    }
  }

  /** Returns counters by name and label. */
  Map<String, Double> figures() {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (AlertmanagerQueue queue : queues) {
      String label = "{alertmanager=\"" + queue.url() + "\"}";
      figures.put("notifications_sent_total" + label, (double) queue.sent());
      figures.put("notifications_errors_total" + label, (double) queue.failed());
      figures.put("notifications_dropped_total" + label, (double) queue.dropped());
      figures.put("notifications_queue_length" + label, (double) queue.size());
    }
    return figures;
  }

  /** Sends queued alerts, for a few seconds at most. */
  @Override
  public void close() {
    List<Thread> ends =
        queues.stream().map(queue -> Thread.ofVirtual().start(queue::close)).toList();
    try {
      for (Thread end : ends) {
        end.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.shutdownNow();
    threads.shutdownNow();
  }
}

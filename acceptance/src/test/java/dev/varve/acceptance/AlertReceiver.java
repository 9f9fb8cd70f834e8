package dev.varve.acceptance;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The receiver of an Alertmanager's notifications, a webhook. */
final class AlertReceiver implements AutoCloseable {
  /**
   * An alert in a notification.
   *
   * @param status {@code firing} or {@code resolved}
   * @param endsAt end of the alert; in the year 1 while it fires
   */
  record Notice(String status, Map<String, String> labels, Instant startsAt, Instant endsAt) {}

  private final HttpServer server;
  private final List<Notice> notices = new CopyOnWriteArrayList<>();

  AlertReceiver() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::take);
    server.start();
  }

  /**
   * Returns the configuration of an Alertmanager that notifies only this receiver, of each alert
   * separately and at once.
   */
  String alertmanagerConfig() {
    return """
    route: {receiver: test, group_by: ['...'], group_wait: 0s, group_interval: 1s, repeat_interval: 1h}
    receivers:
    - name: test
      webhook_configs: [{url: 'http://127.0.0.1:%d/', send_resolved: true}]
    """
        .formatted(server.getAddress().getPort());
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    for (Object element : Json.elements(Json.object(body).get("alerts"))) {
      Map<String, Object> alert = Json.members(element);
      notices.add(
          new Notice(
              String.valueOf(alert.get("status")),
              texts(alert.get("labels")),
              Instant.parse(String.valueOf(alert.get("startsAt"))),
              Instant.parse(String.valueOf(alert.get("endsAt")))));
    }
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  private static Map<String, String> texts(@Nullable Object members) {
    Map<String, String> texts = new TreeMap<>();
    Json.members(members).forEach((name, value) -> texts.put(name, String.valueOf(value)));
    return texts;
  }

  /** Returns the notices of the alerts of a name so far, in order of arrival. */
  List<Notice> of(String alert) {
    return notices.stream()
        .filter(notice -> alert.equals(notice.labels().get("alertname")))
        .toList();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

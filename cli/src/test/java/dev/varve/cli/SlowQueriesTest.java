package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.queries.SlowQueryLog;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests what the program logs of requests over HTTP. */
class SlowQueriesTest {
  private static final Duration SLOW = Duration.ofSeconds(1);
  private static final int QUICK = 5;

  /** Sorts half a million values repeatedly until the timeout. */
  private static final String FOREVER =
      "/api/v1/query_range?start=0&end=9999&step=1&timeout=1100ms&query=quantile_over_time(0.5,vector(1)%5B6d:1s%5D)";

  private final List<ILoggingEvent> logged = new CopyOnWriteArrayList<>();
  private final Logger log = (Logger) LoggerFactory.getLogger(SlowQueryLog.class);
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          logged.add(event);
        }
      };
  @TempDir private Path folder;
  private Engine engine;
  private Server server;

  @BeforeEach
  void start() throws IOException {
    appender.start();
    log.addAppender(appender);
    DatasetConfig dataset = DatasetConfig.of("default", Layouts.of("buckets", Map.of()));
    engine = Engine.open(new EngineConfig(folder, 64 << 20, List.of(dataset), "default"));
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            new QueryOptions(QueryLimits.DEFAULTS, QueryCapacity.DEFAULTS, SLOW),
            null,
            null,
            null);
    server = Server.start(config, engine);
  }

  @AfterEach
  void stop() {
    log.detachAppender(appender);
    server.close();
    engine.close();
  }

  private int ask(HttpClient client, String path) throws Exception {
    String address = "http://127.0.0.1:" + server.ports().getFirst();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + path)).header("User-Agent", "slow one").build();
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private List<String> lines() {
    return logged.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** On a slow machine one fast query may be slow too, but not all of several. */
  @Test
  void logsTheSlowAndNotTheQuick() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (int i = 0; i < QUICK; i++) {
        assertThat(ask(client, "/api/v1/query?query=" + i)).isEqualTo(200);
      }
      assertThat(ask(client, FOREVER)).isEqualTo(503);
    }
    await().until(() -> lines().stream().anyMatch(line -> line.contains("quantile_over_time")));
    assertThat(lines())
        .filteredOn(line -> line.contains("quantile_over_time"))
        .singleElement()
        .asString()
        .startsWith("slow query: id=")
        .contains(" language=promql outcome=timeout ran_ms=1", " client=\"127.0.0.1:")
        .contains(
            " agent=\"slow one\" text=\"quantile_over_time(0.5,vector(1)[6d:1s])\" reason=\"");
    assertThat(lines()).hasSizeLessThanOrEqualTo(QUICK);
  }
}

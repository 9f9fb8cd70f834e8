package dev.varve.server.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.proofpoint.http.client.UnexpectedResponseException;
import dev.varve.server.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.kairosdb.client.HttpClient;
import org.kairosdb.client.builder.AggregatorFactory;
import org.kairosdb.client.builder.DataPoint;
import org.kairosdb.client.builder.MetricBuilder;
import org.kairosdb.client.builder.QueryBuilder;
import org.kairosdb.client.builder.QueryMetric;
import org.kairosdb.client.builder.QueryTagBuilder;
import org.kairosdb.client.builder.TimeUnit;
import org.kairosdb.client.builder.grouper.TagGrouper;
import org.kairosdb.client.response.QueryResponse;
import org.kairosdb.client.response.Result;

/** Runs KairosDB's own Java client against a server; it must not notice the difference. */
@SuppressWarnings("JavaUtilDate") // Required by the client's API.
class JavaClientTest {
  private static final long START = 1_700_000_000_000L;

  @TempDir static @Nullable Path directory;

  private static @Nullable TestServer server;
  private static @Nullable HttpClient client;

  private static HttpClient client() {
    return Objects.requireNonNull(client);
  }

  @BeforeAll
  static void start() throws IOException {
    server = new TestServer(Objects.requireNonNull(directory), null, "kairosdb");
    client = new HttpClient("http://127.0.0.1:" + server.port());
  }

  @AfterAll
  static void stop() throws IOException {
    client().close();
    Objects.requireNonNull(server).close();
  }

  private static void push(String metric, boolean compressed) {
    MetricBuilder points = MetricBuilder.getInstance();
    points.setCompression(compressed);
    for (String host : List.of("a", "b")) {
      points
          .addMetric(metric)
          .addTag("host", host)
          .addDataPoint(START, host.equals("a") ? 1 : 10)
          .addDataPoint(START + 1000, host.equals("a") ? 2.5 : 20.5);
    }
    client().pushMetrics(points);
  }

  private static List<Result> query(QueryBuilder query) {
    QueryResponse response = client().query(query);
    assertThat(response.getQueries()).hasSize(1);
    return response.getQueries().getFirst().getResults();
  }

  private static QueryBuilder all(String metric) {
    QueryBuilder query =
        QueryBuilder.getInstance().setStart(new Date(START)).setEnd(new Date(START + 60_000));
    query.addMetric(metric);
    return query;
  }

  private static List<Object> values(Result result) {
    return result.getDataPoints().stream().map(DataPoint::getValue).toList();
  }

  private static List<Double> numbers(Result result) {
    return values(result).stream().map(value -> ((Number) value).doubleValue()).toList();
  }

  @Test
  void pushesAndQueries() {
    push("client.plain", false);
    List<Result> results = query(all("client.plain"));
    assertThat(results).hasSize(1);
    assertThat(results.getFirst().getTags().get("host")).containsExactly("a", "b");
    assertThat(numbers(results.getFirst())).containsExactly(1.0, 10.0, 2.5, 20.5);
  }

  @Test
  void pushesCompressed() {
    push("client.gzip", true);
    assertThat(query(all("client.gzip")).getFirst().getDataPoints()).hasSize(4);
  }

  @Test
  void groupsAndAggregates() {
    push("client.grouped", false);
    QueryBuilder query =
        QueryBuilder.getInstance().setStart(new Date(START)).setEnd(new Date(START + 60_000));
    query
        .addMetric("client.grouped")
        .addGrouper(new TagGrouper("host"))
        .addAggregator(AggregatorFactory.createSumAggregator(1, TimeUnit.MINUTES))
        .setOrder(QueryMetric.Order.ASCENDING);
    List<Result> results = query(query);
    assertThat(results).hasSize(2);
    assertThat(numbers(results.get(0))).containsExactly(3.5);
    assertThat(numbers(results.get(1))).containsExactly(30.5);
    assertThat(results.getFirst().getGroupResults()).hasSize(2);
  }

  @Test
  void readsTextsAndNothing() {
    MetricBuilder points = MetricBuilder.getInstance();
    points.addMetric("client.text").addTag("host", "a").addDataPoint(START, "up");
    client().pushMetrics(points);
    assertThat(values(query(all("client.text")).getFirst())).containsExactly("up");
    assertThat(query(all("client.nothing")).getFirst().getDataPoints()).isEmpty();
  }

  @Test
  void listsNamesTagsAndHealth() {
    push("client.listed", false);
    assertThat(client().getMetricNames()).contains("client.listed");
    QueryTagBuilder tags = QueryTagBuilder.getInstance().setStart(new Date(START));
    tags.addMetric("client.listed");
    assertThat(
            client()
                .queryTags(tags)
                .getQueries()
                .getFirst()
                .getResults()
                .getFirst()
                .getTags()
                .get("host"))
        .containsExactly("a", "b");
    assertThat(client().getVersion()).startsWith("KairosDB 1.3.0");
    assertThat(client().getStatus()).hasSize(2).allMatch(line -> line.endsWith(": OK"));
    assertThat(client().getStatusCheck()).isEqualTo(204);
  }

  @Test
  void readsWhyPointsAreRefused() {
    MetricBuilder points = MetricBuilder.getInstance();
    points.addMetric("client.refused").addTag("host", "a").addDataPoint(START, "");
    assertThatThrownBy(() -> client().pushMetrics(points))
        .isInstanceOf(UnexpectedResponseException.class)
        .hasMessageContaining("400")
        .hasMessageContaining("value may not be empty.");
  }
}

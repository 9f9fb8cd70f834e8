package dev.varve.server;

import dev.varve.server.http.HttpLimits;
import dev.varve.server.http.WebAccess;
import dev.varve.server.ingest.Door;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.rules.RulesConfig;
import dev.varve.server.scrape.Scrapes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a server listens.
 *
 * @param listen at least one
 * @param http what requests may take
 * @param query what queries may take
 * @param selfMonitoring how often the server writes its own metrics into the default dataset; null
 *     for never
 * @param instance the tag by which these are known; null for the name of the machine
 * @param scrape what the server fetches of its own accord; null for nothing
 * @param rules which rules it works out
 * @param door what all series pass on their way in
 * @param web what pages of browsers may do, besides those below the address of {@code rules}
 */
public record ServerConfig(
    List<Listener> listen,
    HttpLimits http,
    QueryOptions query,
    @Nullable Duration selfMonitoring,
    @Nullable String instance,
    @Nullable Scrapes scrape,
    RulesConfig rules,
    Door door,
    WebAccess web) {
  public static final ServerConfig DEFAULTS =
      new ServerConfig(
          List.of(Listener.DEFAULTS),
          HttpLimits.DEFAULTS,
          QueryOptions.DEFAULTS,
          Duration.ofSeconds(10),
          null);

  public ServerConfig {
    listen = List.copyOf(listen);
  }

  /** A server that pages of other origins cannot use. */
  public ServerConfig(
      List<Listener> listen,
      HttpLimits http,
      QueryOptions query,
      @Nullable Duration selfMonitoring,
      @Nullable String instance,
      @Nullable Scrapes scrape,
      RulesConfig rules,
      Door door) {
    this(listen, http, query, selfMonitoring, instance, scrape, rules, door, WebAccess.DEFAULTS);
  }

  /** A server that scrapes nothing and works out no rules. */
  public ServerConfig(
      List<Listener> listen,
      HttpLimits http,
      QueryOptions query,
      @Nullable Duration selfMonitoring,
      @Nullable String instance) {
    this(listen, http, query, selfMonitoring, instance, null);
  }

  /** A server without rules. */
  public ServerConfig(
      List<Listener> listen,
      HttpLimits http,
      QueryOptions query,
      @Nullable Duration selfMonitoring,
      @Nullable String instance,
      @Nullable Scrapes scrape) {
    this(listen, http, query, selfMonitoring, instance, scrape, RulesConfig.DEFAULTS, Door.OPEN);
  }

  /** The same server with rules. */
  public ServerConfig with(RulesConfig rules) {
    return new ServerConfig(
        listen, http, query, selfMonitoring, instance, scrape, rules, door, web);
  }

  /** The same server with other access of web pages. */
  public ServerConfig with(WebAccess web) {
    return new ServerConfig(
        listen, http, query, selfMonitoring, instance, scrape, rules, door, web);
  }

  /**
   * A port and what it speaks. The operator's paths ({@code /-/ready}, {@code /metrics}) answer on
   * every one that speaks HTTP, unless dialects name {@code operations} somewhere: then only there.
   *
   * @param port 0 for any that is free
   * @param dialects by name; each also answers under its name as a prefix; none where a feed comes
   * @param dataset what answers where a request names none, and for lines; null for the default
   * @param feed what comes here instead of HTTP; null for HTTP
   */
  public record Listener(
      String host, int port, List<String> dialects, @Nullable String dataset, @Nullable Feed feed) {
    public static final Listener DEFAULTS =
        new Listener(
            "127.0.0.1",
            4242,
            List.of("kairosdb", "opentsdb", "prometheus", "influx", "otlp"),
            null);

    public Listener {
      dialects = List.copyOf(dialects);
    }

    /** A listener that speaks HTTP. */
    public Listener(String host, int port, List<String> dialects, @Nullable String dataset) {
      this(host, port, dialects, dataset, null);
    }
  }

  /** A protocol that brings samples and is answered nothing. */
  public sealed interface Feed {
    /** By what name it is configured, counted and logged. */
    String protocol();

    /** The names there are. */
    List<String> PROTOCOLS = List.of("graphite", "graphite-pickle", "influx");

    /**
     * Graphite's plaintext protocol, or its pickles.
     *
     * @param templates what the steps of paths mean
     */
    record Graphite(boolean pickle, List<String> templates) implements Feed {
      public Graphite {
        templates = List.copyOf(templates);
      }

      @Override
      public String protocol() {
        return pickle ? "graphite-pickle" : "graphite";
      }
    }

    /**
     * Influx line protocol.
     *
     * @param precision of the times: ns, us, ms, s, m or h
     */
    record Influx(String precision) implements Feed {
      @Override
      public String protocol() {
        return "influx";
      }
    }
  }
}

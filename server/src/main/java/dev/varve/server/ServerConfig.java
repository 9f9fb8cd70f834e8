package dev.varve.server;

import dev.varve.server.http.HttpLimits;
import dev.varve.server.http.WebAccess;
import dev.varve.server.ingest.Door;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.rules.RulesConfig;
import dev.varve.server.scrape.Scrapes;
import dev.varve.server.security.AccessFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server.
 *
 * @param listen at least one listener
 * @param http limits of requests
 * @param query limits of queries
 * @param selfMonitoring interval at which the server writes its own metrics to the default dataset;
 *     null to disable
 * @param instance tag of those metrics; null for the host name
 * @param scrape targets to scrape; null for none
 * @param rules recording and alerting rules
 * @param door the checks and relabelling that all series pass before they are written
 * @param web access of web pages, in addition to pages under the external URL of {@code rules}
 * @param deletes whether clients of other machines may delete
 * @param access the files that define users and TLS
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
    WebAccess web,
    boolean deletes,
    AccessFiles access) {
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

  /** Creates a configuration that denies access to pages of other origins. */
  public ServerConfig(
      List<Listener> listen,
      HttpLimits http,
      QueryOptions query,
      @Nullable Duration selfMonitoring,
      @Nullable String instance,
      @Nullable Scrapes scrape,
      RulesConfig rules,
      Door door) {
    this(
        listen,
        http,
        query,
        selfMonitoring,
        instance,
        scrape,
        rules,
        door,
        WebAccess.DEFAULTS,
        false,
        AccessFiles.NONE);
  }

  /** Creates a configuration without scraping and rules. */
  public ServerConfig(
      List<Listener> listen,
      HttpLimits http,
      QueryOptions query,
      @Nullable Duration selfMonitoring,
      @Nullable String instance) {
    this(listen, http, query, selfMonitoring, instance, null);
  }

  /** Creates a configuration without rules. */
  public ServerConfig(
      List<Listener> listen,
      HttpLimits http,
      QueryOptions query,
      @Nullable Duration selfMonitoring,
      @Nullable String instance,
      @Nullable Scrapes scrape) {
    this(listen, http, query, selfMonitoring, instance, scrape, RulesConfig.DEFAULTS, Door.OPEN);
  }

  /** Returns this configuration with deletes by clients of other machines. */
  public ServerConfig withDeletes() {
    return new ServerConfig(
        listen, http, query, selfMonitoring, instance, scrape, rules, door, web, true, access);
  }

  /** Returns this configuration with other rules. */
  public ServerConfig with(RulesConfig rules) {
    return new ServerConfig(
        listen, http, query, selfMonitoring, instance, scrape, rules, door, web, deletes, access);
  }

  /** Returns this configuration with TLS and users. */
  public ServerConfig with(AccessFiles access) {
    return new ServerConfig(
        listen, http, query, selfMonitoring, instance, scrape, rules, door, web, deletes, access);
  }

  /** Returns this configuration with other access of web pages. */
  public ServerConfig with(WebAccess web) {
    return new ServerConfig(
        listen, http, query, selfMonitoring, instance, scrape, rules, door, web, deletes, access);
  }

  /**
   * A port and the protocols it speaks. Every HTTP listener answers the operators' paths ({@code
   * /-/ready}, {@code /metrics}), unless some listener names the dialect {@code operations}: then
   * only such listeners do.
   *
   * @param port 0 for any free port
   * @param dialects names of dialects, each of which also answers under its name as a path prefix;
   *     Heroic answers only there if there are others; empty for a feed
   * @param dataset the dataset for lines and for requests that name none; null for the default
   * @param feed the protocol spoken instead of HTTP; null for HTTP
   * @param as name of the user with whose rights a feed writes; null if its clients have
   *     certificates, or if nobody is authenticated
   */
  public record Listener(
      String host,
      int port,
      List<String> dialects,
      @Nullable String dataset,
      @Nullable Feed feed,
      @Nullable String as) {
    public static final Listener DEFAULTS =
        new Listener(
            "127.0.0.1",
            4242,
            List.of("kairosdb", "opentsdb", "prometheus", "influx", "otlp", "heroic"),
            null);

    public Listener {
      dialects = List.copyOf(dialects);
    }

    /** Creates an HTTP listener. */
    public Listener(String host, int port, List<String> dialects, @Nullable String dataset) {
      this(host, port, dialects, dataset, null, null);
    }

    /** Creates a listener that names no user. */
    public Listener(
        String host,
        int port,
        List<String> dialects,
        @Nullable String dataset,
        @Nullable Feed feed) {
      this(host, port, dialects, dataset, feed, null);
    }

    /**
     * Returns whether only this machine reaches the listener. True for a host without an address,
     * at which nothing can listen.
     */
    public boolean isOnLoopback() {
      InetAddress address = new InetSocketAddress(host, port).getAddress();
      return address == null || address.isLoopbackAddress();
    }

    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  /** A protocol that delivers samples and receives no answers. */
  public sealed interface Feed {
    /** Returns the name by which the protocol is configured, counted and logged. */
    String protocol();

    /** The names of all feed protocols. */
    List<String> PROTOCOLS = List.of("graphite", "graphite-pickle", "influx", "telnet");

    /**
     * Graphite's plaintext or pickle protocol.
     *
     * @param templates map the nodes of a path to metric and tags
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

    /** OpenTSDB's and KairosDB's lines, which are otherwise spoken on a port of HTTP. */
    record Telnet() implements Feed {
      @Override
      public String protocol() {
        return "telnet";
      }
    }

    /**
     * Influx line protocol.
     *
     * @param precision unit of timestamps: ns, us, ms, s, m or h
     */
    record Influx(String precision) implements Feed {
      @Override
      public String protocol() {
        return "influx";
      }
    }
  }
}

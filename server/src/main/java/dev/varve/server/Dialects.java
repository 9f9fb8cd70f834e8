package dev.varve.server;

import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.heroic.Heroic;
import dev.varve.server.influx.Influx;
import dev.varve.server.kairosdb.KairosDb;
import dev.varve.server.opentsdb.OpenTsdb;
import dev.varve.server.opentsdb.Telnet;
import dev.varve.server.operations.Operations;
import dev.varve.server.otlp.Otlp;
import dev.varve.server.prometheus.Prometheus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The dialects that a listener may speak. A new dialect adds a line here. */
public final class Dialects {
  private static final Map<String, Function<DialectContext, Dialect>> ALL = new LinkedHashMap<>();

  static {
    ALL.put(KairosDb.NAME, KairosDb::new);
    ALL.put(Telnet.NAME, OpenTsdb::new);
    ALL.put(Prometheus.NAME, Prometheus::new);
    ALL.put(Influx.NAME, Influx::new);
    ALL.put(Otlp.NAME, Otlp::new);
    ALL.put(Heroic.NAME, Heroic::new);
  }

  private Dialects() {}

  /** Returns the names of all dialects. */
  public static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /**
   * Creates a dialect for a listener.
   *
   * @throws IllegalArgumentException if there is no dialect of that name
   */
  static Dialect of(String name, DialectContext context) {
    Function<DialectContext, Dialect> dialect = ALL.get(name);
    if (dialect == null) {
      throw new IllegalArgumentException(
          "unknown dialect '%s'; known: %s, %s"
              .formatted(name, String.join(", ", names()), Operations.NAME));
    }
    return dialect.apply(context);
  }
}
